//! `large_trace FILE.json[.gz] --bytes N[M|G] [--seed N] [--rank N]`: writes a trace of that much JSON, for benchmarks. `M` and
//! `G` are 10^6 and 10^9 bytes; a file whose name ends in `.gz` is compressed.

use flate2::{Compression, write::GzEncoder};
use std::fs::File;
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use trace_testkit::{Large, Written};

const USAGE: &str = "usage: large_trace FILE.json[.gz] --bytes N[M|G] [--seed N] [--rank N]";

fn main() -> ExitCode {
    let Some((file, large)) = parse(std::env::args().skip(1)) else {
        eprintln!("{USAGE}");
        return ExitCode::FAILURE;
    };
    match write(&file, large) {
        Ok(written) => {
            eprintln!("wrote {}: {} bytes of JSON, {} events", file.display(), written.bytes, written.events);
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("cannot write {}: {error}", file.display());
            ExitCode::FAILURE
        }
    }
}

fn parse(mut args: impl Iterator<Item = String>) -> Option<(PathBuf, Large)> {
    let file = PathBuf::from(args.next()?);
    let mut large = Large { bytes: 0, seed: 1, rank: 0 };
    while let Some(flag) = args.next() {
        let value = args.next()?;
        match flag.as_str() {
            "--bytes" => large.bytes = size(&value)?,
            "--seed" => large.seed = value.parse().ok()?,
            "--rank" => large.rank = value.parse().ok()?,
            _ => return None,
        }
    }
    (large.bytes > 0).then_some((file, large))
}

/// Parses a size: `250M` is 250,000,000 bytes.
fn size(text: &str) -> Option<u64> {
    let (number, unit) = match text.as_bytes().last()? {
        b'M' => (&text[..text.len() - 1], 1_000_000),
        b'G' => (&text[..text.len() - 1], 1_000_000_000),
        _ => (text, 1),
    };
    number.parse::<u64>().ok()?.checked_mul(unit)
}

fn write(file: &Path, large: Large) -> io::Result<Written> {
    let out = File::create(file)?;
    if file.extension().is_some_and(|ending| ending == "gz") {
        let mut compressed = GzEncoder::new(BufWriter::new(out), Compression::default());
        let written = large.write(&mut compressed)?;
        compressed.finish()?.into_inner()?.sync_all()?;
        Ok(written)
    } else {
        large.write(out)
    }
}
