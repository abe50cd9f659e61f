//! `demo_data FOLDER`: writes the demo pair, `FOLDER/control/rank-3.json.gz` and `FOLDER/test/rank-1.json.gz`, the four ranks of
//! `FOLDER/job`, and the pairs in `FOLDER/synchronized`, `FOLDER/bound` and `FOLDER/serving`.

use flate2::{Compression, write::GzEncoder};
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use trace_testkit::bound::{self, BoundJob};
use trace_testkit::demo::{Run, json};
use trace_testkit::server::{self, ServerRun};

fn main() -> ExitCode {
    let Some(folder) = std::env::args_os().nth(1) else {
        eprintln!("usage: demo_data FOLDER");
        return ExitCode::FAILURE;
    };
    let runs = Run::PAIR.into_iter().chain(Run::JOB).chain(Run::SYNCHRONIZED);
    let runs = runs.map(|run| (Path::new(run.folder()).join(run.file_name()), json(run)));
    let bound = BoundJob::PAIR.into_iter().flat_map(|job| (0..bound::RANKS).map(move |rank| (job, rank)));
    let bound =
        bound.map(|(job, rank)| (Path::new(job.folder()).join(format!("rank-{rank}.json.gz")), bound::json(job, rank)));
    let serving = ServerRun::PAIR.into_iter().flat_map(|run| (0..server::RANKS).map(move |rank| (run, rank)));
    let serving = serving
        .map(|(run, rank)| (Path::new(run.folder()).join(format!("rank-{rank}.json.gz")), server::json(run, rank)));
    for (file, text) in runs.chain(bound).chain(serving) {
        let file = Path::new(&folder).join(file);
        match write(&file, text.as_bytes()) {
            Ok(()) => eprintln!("wrote {}", file.display()),
            Err(error) => {
                eprintln!("cannot write {}: {error}", file.display());
                return ExitCode::FAILURE;
            }
        }
    }
    ExitCode::SUCCESS
}

fn write(file: &Path, text: &[u8]) -> std::io::Result<()> {
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let mut out = GzEncoder::new(std::fs::File::create(file)?, Compression::best());
    out.write_all(text)?;
    out.finish()?.sync_all()
}
