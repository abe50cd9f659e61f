//! Formats that are not traces, recognised by their first bytes or by the file name, each with a hint.

use crate::error::NotATraceReason;
use std::path::Path;

/// A format, recognised by its first bytes.
struct Signature {
    /// Offset of the bytes.
    offset: usize,
    bytes: &'static [u8],
    /// Name of the format, with an article.
    name: &'static str,
    /// The fix.
    hint: &'static str,
}

impl Signature {
    const fn new(offset: usize, bytes: &'static [u8], name: &'static str, hint: &'static str) -> Self {
        Self { offset, bytes, name, hint }
    }
}

const DECOMPRESS: &str = "decompress it first:";
const RECODE: &str = "`iconv -f UTF-16 -t UTF-8 FILE > trace.json` converts it to UTF-8";
const OTHER_PROFILER: &str = "only traces of torch.profiler can be read (export_chrome_trace writes one)";

/// Bytes that identify every format of the table.
pub(in crate::read) const HEAD_SIZE: usize = 262;

const SIGNATURES: &[Signature] = &[
    Signature::new(0, b"PK\x03\x04", "a zip archive", "`unzip FILE`"),
    Signature::new(0, b"\xfd7zXZ\0", "compressed by xz", "`xz -d FILE`"),
    Signature::new(0, b"BZh", "compressed by bzip2", "`bzip2 -d FILE`"),
    Signature::new(0, b"\x04\x22\x4d\x18", "compressed by lz4", "`lz4 -d FILE`"),
    Signature::new(0, b"7z\xbc\xaf\x27\x1c", "a 7z archive", "`7z x FILE`"),
    Signature::new(257, b"ustar", "a tar archive", "`tar -xf FILE`"),
    Signature::new(0, b"\xff\xfe", "UTF-16 text", RECODE),
    Signature::new(0, b"\xfe\xff", "UTF-16 text", RECODE),
    Signature::new(0, b"{\0", "UTF-16 text", RECODE),
    Signature::new(0, b"[\0", "UTF-16 text", RECODE),
    Signature::new(0, b"\0{", "UTF-16 text", RECODE),
    Signature::new(0, b"\0[", "UTF-16 text", RECODE),
    Signature::new(0, b"SQLite format 3\0", "an SQLite database, as `nsys export` writes", OTHER_PROFILER),
    Signature::new(0, b"PAR1", "a Parquet file", "of an export, load the folder that holds its tracebook.json"),
    Signature::new(0, b"ARROW1", "an Arrow file", OTHER_PROFILER),
    Signature::new(
        0,
        b"\x80\x02",
        "a Python pickle, as torch.save and the memory snapshot write",
        "load what export_chrome_trace wrote",
    ),
    Signature::new(
        0,
        b"\x80\x04",
        "a Python pickle, as torch.save and the memory snapshot write",
        "load what export_chrome_trace wrote",
    ),
    Signature::new(0, b"<!DOCTYPE", "a web page", "the download may have ended at a login page: fetch the file itself"),
    Signature::new(0, b"<!doctype", "a web page", "the download may have ended at a login page: fetch the file itself"),
    Signature::new(0, b"<html", "a web page", "the download may have ended at a login page: fetch the file itself"),
    Signature::new(0, b"version https://git-lfs", "a pointer of git-lfs, not the file", "`git lfs pull` fetches it"),
];

const NSYS: (&str, &str) = ("a report of Nsight Systems", OTHER_PROFILER);

/// Formats by file extension.
const EXTENSIONS: &[(&str, (&str, &str))] = &[("nsys-rep", NSYS), ("qdrep", NSYS)];

/// Returns format and hint of a text that begins with `head`; `None` if the format is unknown.
pub(in crate::read) fn foreign_format(head: &[u8], file: &str) -> Option<NotATraceReason> {
    let begins =
        |signature: &&Signature| head.get(signature.offset..).is_some_and(|text| text.starts_with(signature.bytes));
    if let Some(Signature { name, hint, .. }) = SIGNATURES.iter().find(begins) {
        let action = if name.contains("archive") || name.starts_with("compressed") { DECOMPRESS } else { "" };
        let fix = format!("{action} {hint}").trim_start().to_owned();
        return Some(NotATraceReason::OtherFormat { format: name, fix });
    }
    let extension = Path::new(file).extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    let named = EXTENSIONS.iter().find(|(of, _)| extension.eq_ignore_ascii_case(of)).map(|(_, format)| *format);
    let (name, hint) = named?;
    Some(NotATraceReason::OtherFormat { format: name, fix: hint.to_owned() })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn every_signature_is_recognised_within_head_size() {
        for signature in SIGNATURES {
            let end = signature.offset + signature.bytes.len();
            assert!(end <= HEAD_SIZE, "{}", signature.name);
            let mut head = vec![b' '; end];
            head[signature.offset..].copy_from_slice(signature.bytes);
            let text = foreign_format(&head, "x").unwrap().to_string();
            assert!(text.contains(signature.name) && text.contains(signature.hint), "{text}");
        }
    }

    #[test]
    fn json_is_not_foreign() {
        for text in ["{\"traceEvents\": []}", "\n\t[ {} ]", "  \n{", "", "{"] {
            assert_eq!(foreign_format(text.as_bytes(), "a.json"), None, "{text:?}");
        }
        assert!(foreign_format(b"??", "run.nsys-rep").unwrap().to_string().contains("Nsight"));
    }
}
