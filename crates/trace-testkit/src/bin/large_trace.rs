//! `large_trace FILE.json[.gz] --bytes N [--seed N] [--rank N]`: writes a trace of that much JSON, for benchmarks.
//! `large_trace --ranks N --bytes N --out FOLDER [--gz] [--seed N]`: writes a job of so many ranks, of so many bytes together.
//! `k`, `M` and `G` are 10^3, 10^6 and 10^9 bytes; a file whose name ends in `.gz` is compressed.

use flate2::{Compression, write::GzEncoder};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use trace_testkit::{Job, Large, Written};

const USAGE: &str = "usage: large_trace FILE.json[.gz] --bytes N[k|M|G] [--seed N] [--rank N]\n       \
                     large_trace --ranks N --bytes N[k|M|G] --out FOLDER [--gz] [--seed N]";

/// The words of the command line.
#[derive(Default)]
struct Words {
    file: Option<PathBuf>,
    out: Option<PathBuf>,
    ranks: Option<u64>,
    bytes: u64,
    seed: u64,
    rank: u64,
    gz: bool,
}

fn main() -> ExitCode {
    let written = match parse(std::env::args().skip(1)) {
        Some(Words { file: Some(file), out: None, ranks: None, bytes, seed, rank, gz: false }) => {
            write_large(&file, Large { bytes, seed, rank })
        }
        Some(Words { file: None, out: Some(out), ranks: Some(ranks), bytes, seed, gz, .. }) => {
            write_job(&out, &Job::of(ranks, bytes, seed), gz)
        }
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::FAILURE;
        }
    };
    match written {
        Ok(text) => {
            eprintln!("wrote {text}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("cannot write the trace: {error}");
            ExitCode::FAILURE
        }
    }
}

fn parse(mut args: impl Iterator<Item = String>) -> Option<Words> {
    let mut words = Words { seed: 1, ..Words::default() };
    while let Some(flag) = args.next() {
        match flag.as_str() {
            "--gz" => words.gz = true,
            "--bytes" => words.bytes = size(&args.next()?)?,
            "--ranks" => words.ranks = Some(args.next()?.parse().ok().filter(|ranks| *ranks > 0)?),
            "--out" => words.out = Some(PathBuf::from(args.next()?)),
            "--seed" => words.seed = args.next()?.parse().ok()?,
            "--rank" => words.rank = args.next()?.parse().ok()?,
            file if !file.starts_with("--") && words.file.is_none() => words.file = Some(PathBuf::from(file)),
            _ => return None,
        }
    }
    (words.bytes > 0).then_some(words)
}

/// Parses a size: `250M` is 250,000,000 bytes.
fn size(text: &str) -> Option<u64> {
    let (number, unit) = match text.as_bytes().last()? {
        b'k' => (&text[..text.len() - 1], 1_000),
        b'M' => (&text[..text.len() - 1], 1_000_000),
        b'G' => (&text[..text.len() - 1], 1_000_000_000),
        _ => (text, 1),
    };
    number.parse::<u64>().ok()?.checked_mul(unit)
}

fn write_large(file: &Path, large: Large) -> io::Result<String> {
    let gz = file.extension().is_some_and(|ending| ending == "gz");
    let written = write(file, gz, |out| large.write(out))?;
    Ok(format!("{}: {} bytes of JSON, {} events", file.display(), written.bytes, written.events))
}

fn write_job(folder: &Path, job: &Job, gz: bool) -> io::Result<String> {
    std::fs::create_dir_all(folder)?;
    let mut all = Written { bytes: 0, events: 0 };
    for rank in 0..job.ranks() {
        let name = format!("{}{}", Job::file_name(rank), if gz { ".gz" } else { "" });
        let written = write(&folder.join(name), gz, |out| job.write(rank, out))?;
        all = Written { bytes: all.bytes + written.bytes, events: all.events + written.events };
    }
    Ok(format!(
        "{} ranks to {}: {} bytes of JSON, {} events; rank {} has a slow GPU, rank {} a slow host",
        job.ranks(),
        folder.display(),
        all.bytes,
        all.events,
        job.slow_gpu(),
        job.slow_host()
    ))
}

fn write(file: &Path, gz: bool, trace: impl FnOnce(&mut dyn Write) -> io::Result<Written>) -> io::Result<Written> {
    let mut out = File::create(file)?;
    if !gz {
        return trace(&mut out);
    }
    let mut compressed = GzEncoder::new(BufWriter::new(out), Compression::default());
    let written = trace(&mut compressed)?;
    compressed.finish()?.into_inner()?.sync_all()?;
    Ok(written)
}
