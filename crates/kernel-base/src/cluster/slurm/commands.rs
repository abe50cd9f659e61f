//! The commands of Slurm: `sbatch`, `squeue`, `sacct`, `scancel`, `sinfo`. No other program is called.

use crate::cluster::last_lines::end_of_pipe;
use crate::cluster::quoted::quoted;
use std::io::{ErrorKind, Read};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Time for an answer.
const ANSWER: Duration = Duration::from_secs(60);
/// Time between two looks at whether a command has ended.
const POLL: Duration = Duration::from_millis(10);
/// The most bytes of an answer: a queue of a million tasks.
const MOST_ANSWER: u64 = 64 << 20;

/// Runs a command, and returns its standard output.
///
/// # Errors
/// Why there is none, with the fix.
pub(super) fn run(name: &str, words: &[String]) -> Result<String, String> {
    let mut command = Command::new(name);
    // A group of its own: Ctrl-C at a terminal is for this program, which cancels jobs.
    command.args(words).process_group(0).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| match error.kind() {
        ErrorKind::NotFound => format!(
            "there is no command `{name}` here; start on a login node of the cluster, or use --engine ray or --engine processes"
        ),
        _ => format!("cannot run `{name}`: {error}"),
    })?;
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let (out, err) = (std::thread::spawn(move || text_of(stdout)), std::thread::spawn(move || end_of_pipe(stderr)));
    let until = Instant::now() + ANSWER;
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) if Instant::now() < until => std::thread::sleep(POLL),
            looked => {
                // It may have ended.
                let _ = child.kill().and_then(|()| child.wait());
                let why = looked.err().map_or_else(
                    || format!("no answer in {} s; ask `scontrol ping`", ANSWER.as_secs()),
                    |error| error.to_string(),
                );
                return Err(format!("`{name}`: {why}"));
            }
        }
    };
    let (out, err) = (out.join().unwrap_or_default(), err.join().unwrap_or_default());
    if status.success() && out.len() as u64 > MOST_ANSWER {
        return Err(format!("`{name}`: its answer is longer than {}", trace_view::format::bytes(MOST_ANSWER)));
    }
    if status.success() {
        return Ok(out);
    }
    let reason = quoted(&err);
    let reason = if reason.is_empty() { format!("it ended with {status}") } else { reason };
    Err(format!("`{name}`: {}", reason.replace('\n', "; ")))
}

/// Reads an answer, at most one byte more than it may have; a command that writes on is not kept waiting.
fn text_of(pipe: Option<impl Read>) -> String {
    let mut bytes = Vec::new();
    if let Some(mut pipe) = pipe {
        // What was read before an error is worth showing.
        let _ = Read::by_ref(&mut pipe).take(MOST_ANSWER + 1).read_to_end(&mut bytes);
        let _ = std::io::copy(&mut pipe, &mut std::io::sink());
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Returns the version: `22.05.8`.
///
/// # Errors
/// If there is no `sbatch`, or it is not Slurm's.
pub(super) fn version() -> Result<String, String> {
    let answer = run("sbatch", &["--version".to_owned()])?;
    match answer.split_whitespace().collect::<Vec<_>>()[..] {
        [name, version] if name.starts_with("slurm") => Ok(version.to_owned()),
        _ => Err(format!(
            "`sbatch` is not Slurm's: it calls itself `{}`",
            quoted(&answer).chars().take(80).collect::<String>()
        )),
    }
}

/// Returns the nodes and the cores of the cluster, or of the partition that `SBATCH_PARTITION` names; `None` if Slurm does not say.
pub(super) fn size() -> Option<(usize, usize)> {
    let mut words = vec!["--noheader".to_owned(), "--format=%D|%C".to_owned()];
    let partition = std::env::var("SBATCH_PARTITION").ok().filter(|partition| !partition.is_empty());
    words.extend(partition.map(|partition| format!("--partition={partition}")));
    size_of(&run("sinfo", &words).ok()?)
}

/// Reads lines such as `2|0/8/0/8`: nodes, and cores that are allocated, idle, other, and in all.
fn size_of(text: &str) -> Option<(usize, usize)> {
    let (mut nodes, mut cores) = (0, 0);
    for line in text.lines() {
        let (count, states) = line.trim().split_once('|')?;
        let states: Vec<usize> = states.split('/').map(|part| part.parse().ok()).collect::<Option<_>>()?;
        let [allocated, idle, _, _] = states[..] else { return None };
        nodes += count.parse::<usize>().ok()?;
        cores += allocated + idle;
    }
    (cores > 0).then_some((nodes, cores))
}

/// A job to submit.
pub(super) struct Submission<'s> {
    /// Its name in the queue.
    pub(super) name: String,
    /// The script, and the folder of its output.
    pub(super) script: &'s Path,
    pub(super) folder: &'s Path,
    /// The words after the script.
    pub(super) words: [String; 2],
    /// The number of its tasks; `None` if it is no array.
    pub(super) tasks: Option<usize>,
    /// The jobs that have to end before.
    pub(super) after: &'s [String],
    pub(super) cpus: u64,
    /// In bytes.
    pub(super) memory: u64,
}

/// Submits a job, and returns its id. Partition, account and time limit are those of the variables that `sbatch` itself reads.
///
/// # Errors
/// If Slurm refuses it.
pub(super) fn submit(job: &Submission<'_>) -> Result<String, String> {
    let answer = run("sbatch", &words_of(job)).map_err(|reason| {
        format!("{reason}; --task-cpus and --task-memory say what a task needs, SBATCH_PARTITION, SBATCH_ACCOUNT and SBATCH_TIMELIMIT are obeyed")
    })?;
    let id = answer.trim().split(';').next().unwrap_or_default();
    if id.is_empty() || !id.chars().all(|c| c.is_ascii_digit()) {
        return Err(format!("`sbatch` answered `{}`: expected the id of a job", quoted(&answer)));
    }
    Ok(id.to_owned())
}

fn words_of(job: &Submission<'_>) -> Vec<String> {
    const MIB: u64 = 1 << 20;
    let output = job.folder.display().to_string().replace('%', "%%");
    let mut words = vec![
        "--parsable".to_owned(),
        format!("--job-name={}", job.name),
        "--nodes=1".to_owned(),
        "--ntasks=1".to_owned(),
        format!("--cpus-per-task={}", job.cpus),
        format!("--mem={}M", job.memory.div_ceil(MIB)),
        "--requeue".to_owned(),
        format!("--output={output}/slurm-{}.out", if job.tasks.is_some() { "%A_%a" } else { "%j" }),
    ];
    if let Some(tasks) = job.tasks {
        words.push(format!("--array=0-{}", tasks.saturating_sub(1)));
    }
    if !job.after.is_empty() {
        words.push(format!("--dependency=afterany:{}", job.after.join(":")));
    }
    words.push(job.script.display().to_string());
    words.extend(job.words.iter().cloned());
    words
}

/// Cancels jobs. One that has ended is no error.
pub(super) fn cancel(ids: &[String]) {
    if !ids.is_empty() {
        // What cannot be cancelled ends by its time limit.
        let _ = run("scancel", ids);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn missing_commands_name_a_fix() {
        let message = run("no-such-command-of-slurm", &[]).unwrap_err();
        assert!(message.contains("no command `no-such-command-of-slurm` here; start on a login node"), "{message}");
        assert_eq!(run("sh", &["-c".to_owned(), "echo a; echo b >&2".to_owned()]).unwrap(), "a\n");
        let failed = run("sh", &["-c".to_owned(), "echo one >&2; echo two >&2; exit 3".to_owned()]);
        assert_eq!(failed.unwrap_err(), "`sh`: one; two");
        let secret = run("sh", &["-c".to_owned(), "echo wrong token=abc of me:pw@host >&2; exit 1".to_owned()]);
        assert_eq!(secret.unwrap_err(), "`sh`: wrong token=… of …@host");
    }

    #[test]
    fn answer_without_end_is_refused_by_name() {
        let message = run("sh", &["-c".to_owned(), "head -c 100000000 /dev/zero".to_owned()]).unwrap_err();
        assert_eq!(message, "`sh`: its answer is longer than 64 MiB");
    }

    #[test]
    fn size_is_the_sum_of_what_can_run() {
        assert_eq!(size_of("2|3/5/0/8\n1|0/0/4/4\n"), Some((3, 8)));
        assert_eq!(size_of("1|0/0/4/4\n"), None);
        assert_eq!(size_of("sinfo: error\n"), None);
    }

    #[test]
    fn arrays_and_jobs_that_wait_for_them() {
        let after = ["7".to_owned(), "8".to_owned()];
        let job = |tasks, after| Submission {
            name: "tracebook-load".to_owned(),
            script: Path::new("/shared/50%/task.sh"),
            folder: Path::new("/shared/50%"),
            words: ["map".to_owned(), "0".to_owned()],
            tasks,
            after,
            cpus: 2,
            memory: (256 << 20) + 1,
        };
        let array = words_of(&job(Some(12), &[])).join(" ");
        assert!(
            array.contains("--cpus-per-task=2 --mem=257M --requeue --output=/shared/50%%/slurm-%A_%a.out"),
            "{array}"
        );
        assert!(array.ends_with("--array=0-11 /shared/50%/task.sh map 0"), "{array}");
        let merge = words_of(&job(None, &after)).join(" ");
        assert!(merge.ends_with("slurm-%j.out --dependency=afterany:7:8 /shared/50%/task.sh map 0"), "{merge}");
    }
}
