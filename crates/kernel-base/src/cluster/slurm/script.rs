//! The script of a job: it runs one step of the program, and leaves the exit code in a file.

use std::path::Path;

/// How often a step is run again that was killed, or whose storage said "later".
const RETRIES: usize = 4;

/// What a script is made for.
pub(super) struct Script<'s> {
    /// The folder of the job.
    pub(super) folder: &'s Path,
    /// The program, as nodes find it.
    pub(super) program: &'s Path,
    /// Threads of a task.
    pub(super) cpus: u64,
    /// Memory of a task, in bytes.
    pub(super) memory: u64,
}

impl Script<'_> {
    /// Returns the text for `sh`: `task.sh map OFFSET` in an array, `task.sh reduce NUMBER` in a job of its own. A task `map-3` reads
    /// `map-3.in`, and writes `map-3.state`, `map-3.log` and, last of all, `map-3.exit`. `reduce-0` merges what `reduce-0.list` names, else
    /// all states that are there, and names them in `reduce-0.merged`.
    pub(super) fn text(&self) -> String {
        let Self { folder, program, cpus, memory } = self;
        let (folder, program) = (quoted(folder), quoted(program));
        format!(
            r#"#!/bin/sh
# Runs one task of Tracebook: task.sh map OFFSET, or task.sh reduce NUMBER.
cd {folder} || exit 1
export RAYON_NUM_THREADS={cpus} POLARS_MAX_THREADS={cpus} TRACEBOOK_MEMORY={memory}
at="$1-$(($2 + ${{SLURM_ARRAY_TASK_ID:-0}}))"
set -- "$1"
if [ "$1" = reduce ]; then
  if [ -e "$at.list" ]; then
    set -- "$1" $(cat "$at.list")
  else
    for state in map-*.state; do [ ! -e "$state" ] || set -- "$@" "$state"; done
  fi
  echo "$@" >"$at.merged"
fi
tries=0
while :; do
  {program} task "$@" <"$at.in" >"$at.part" 2>"$at.log"
  code=$?
  [ "$tries" -lt {RETRIES} ] || break
  [ "$code" -eq 75 ] || [ "$code" -gt 128 ] || break
  tries=$((tries + 1))
done
[ "$code" -ne 0 ] || mv "$at.part" "$at.state" || exit 1
echo "$code" >"$at.code" && mv "$at.code" "$at.exit"
"#
        )
    }
}

/// Quotes a path for `sh`.
fn quoted(path: &Path) -> String {
    format!("'{}'", path.display().to_string().replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::process::Command;

    /// Runs a script in a folder, with a program of `sh`.
    fn ran(folder: &Path, program: &str, words: &[&str], index: Option<&str>) -> bool {
        let path = folder.join("program of 'mine'");
        std::fs::write(&path, format!("#!/bin/sh\n{program}")).unwrap();
        std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        let script = Script { folder, program: &path, cpus: 2, memory: 1000 };
        let file = folder.join("task.sh");
        std::fs::write(&file, script.text()).unwrap();
        let mut command = Command::new("sh");
        command.arg(&file).args(words);
        index.map(|index| command.env("SLURM_ARRAY_TASK_ID", index));
        command.status().unwrap().success()
    }

    fn read(folder: &Path, name: &str) -> String {
        std::fs::read_to_string(folder.join(name)).unwrap_or_else(|_| format!("no {name}"))
    }

    #[test]
    fn tasks_leave_state_log_and_exit_code() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        std::fs::write(folder.join("map-12.in"), "plan").unwrap();
        let program = r#"cat; echo " $* $TRACEBOOK_MEMORY $RAYON_NUM_THREADS"; echo said >&2"#;
        assert!(ran(folder, program, &["map", "10"], Some("2")));
        assert_eq!(read(folder, "map-12.state"), "plan task map 1000 2\n");
        assert_eq!((read(folder, "map-12.log").as_str(), read(folder, "map-12.exit").as_str()), ("said\n", "0\n"));
        assert!(ran(folder, "echo no >&2; exit 1", &["map", "10"], Some("2")));
        assert_eq!((read(folder, "map-12.log").as_str(), read(folder, "map-12.exit").as_str()), ("no\n", "1\n"));
    }

    #[test]
    fn killed_and_postponed_tasks_run_again() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        std::fs::write(folder.join("map-0.in"), "plan").unwrap();
        for (how, tries, code) in [("kill -9 $$", 5, "137\n"), ("exit 75", 5, "75\n"), ("exit 1", 1, "1\n")] {
            std::fs::write(folder.join("tries"), "").unwrap();
            assert!(ran(folder, &format!("echo >>tries; {how}"), &["map", "0"], None));
            assert_eq!((read(folder, "tries").len(), read(folder, "map-0.exit").as_str()), (tries, code), "{how}");
        }
    }

    #[test]
    fn merges_name_what_they_merged() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        std::fs::write(folder.join("reduce-0.in"), "plan").unwrap();
        assert!(ran(folder, "echo $*", &["reduce", "0"], None));
        assert_eq!(read(folder, "reduce-0.state"), "task reduce\n");
        for number in [0, 3] {
            std::fs::write(folder.join(format!("map-{number}.state")), "state").unwrap();
        }
        assert!(ran(folder, "echo $*", &["reduce", "0"], None));
        assert_eq!(read(folder, "reduce-0.state"), "task reduce map-0.state map-3.state\n");
        assert_eq!(read(folder, "reduce-0.merged"), "reduce map-0.state map-3.state\n");
        std::fs::write(folder.join("reduce-0.list"), "map-3.state\n").unwrap();
        assert!(ran(folder, "echo $*", &["reduce", "0"], None));
        assert_eq!(read(folder, "reduce-0.merged"), "reduce map-3.state\n");
    }
}
