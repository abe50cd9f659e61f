//! `tracebook record-loop`: a shell script that records fresh processes of two programs in mixed order.

use super::QUIET;
use super::entry::CommandEntry;
use super::screen::Screen;
use crate::Error;
use kernel_magic::argument::{Argument, Call, Group, Kind};
use kernel_magic::context::{Context, write};
use std::path::Path;

/// Runs of each program unless the line says otherwise: 6 + 6 find a change of 5 % in more than 95 of 100 comparisons.
const RUNS: u64 = 6;
/// Most runs of each program.
const MOST: u64 = 1000;

const ARGUMENTS: &[Group] = &[
    Group::new(
        "Arguments",
        &[
            Argument::required("CONTROL", Kind::Text, "the command that records a run of the baseline, in quotes"),
            Argument::required("TEST", Kind::Text, "the command that records a run to compare with it, in quotes"),
        ],
    ),
    Group::new(
        "Recording",
        &[
            Argument::flag("runs", Kind::Whole, "fresh processes of each program").or("6"),
            Argument::flag("out", Kind::Target, "folder of the runs: PATH/control-1, PATH/test-1, …").or("runs"),
        ],
    ),
    Group::new(
        "Output",
        &[Argument::flag("write", Kind::File, "write the script to a file; else it is printed"), QUIET],
    ),
];

/// The command.
pub(super) const RECORD_LOOP: CommandEntry = CommandEntry {
    name: "record-loop",
    summary: "Print a shell script that records runs of two programs, as fresh processes in mixed order.",
    arguments: ARGUMENTS,
    notes: "Whether two programs differ can be told only from several runs of each, every one a fresh process: iterations of one \
         process share its allocations, clocks and luck. The script alternates (control, test, test, control, …), so that a \
         machine that gets warmer or busier changes both sides alike.\n\n\
         Each command runs in a shell of its own with RUN_DIR set to an empty folder, in which it must leave its trace: \
         on_trace_ready=tensorboard_trace_handler(os.environ['RUN_DIR']) does. A run whose command fails stops the script. Runs \
         that are complete are not recorded again, so an interrupted script can be started once more. Its last line is the \
         command that compares the runs.",
    examples: &[
        "tracebook record-loop 'python main/train.py' 'python branch/train.py' | sh",
        "tracebook record-loop 'python train.py' 'python train.py --fused' --runs 10 --out runs/fused --write record.sh",
    ],
    run,
};

fn run(call: &Call<'_>, _: &mut Context<'_>) -> Result<(), Error> {
    let runs = call.whole("runs").unwrap_or(RUNS);
    if !(1..=MOST).contains(&runs) {
        return Err(call.invalid("--runs", &runs.to_string(), format!("1 to {MOST}")).into());
    }
    let out = call.text("out").unwrap_or("runs");
    let text = script([call.required("CONTROL"), call.required("TEST")], runs, out);
    match call.path("write").filter(|path| path != Path::new("-")) {
        None => Screen::print(&text),
        Some(path) => {
            write(&path, |file| file.write_all(text.as_bytes()))?;
            if !call.quiet() {
                Screen::log(&format!("wrote {}; start it with sh {}", path.display(), path.display()));
            }
            Ok(())
        }
    }
}

/// Returns the script: a program for any POSIX shell.
fn script([control, test]: [&str; 2], runs: u64, out: &str) -> String {
    let mut text = format!(
        "{HEAD}\ncontrol={}\ntest={}\nout={}\n{RECORD}\n",
        quoted(control),
        quoted(test),
        // A name that begins with a dash is no flag.
        quoted(&if out.starts_with('-') { format!("./{out}") } else { out.to_owned() })
    );
    for run in 1..=runs {
        let [control, test] =
            [format!("record control-{run} \"$control\"\n"), format!("record test-{run} \"$test\"\n")];
        text.push_str(&if run % 2 == 1 { control + &test } else { test + &control });
    }
    text.push_str(TAIL);
    text
}

const HEAD: &str = "#!/bin/sh
# Records runs of two programs, each run a fresh process, in mixed order: what slows the machine down slows both.
# Each command must leave its trace in the folder $RUN_DIR. Complete runs are not recorded again.
set -eu
";

const RECORD: &str = r#"
mkdir -p "$out"
out=$(CDPATH= cd "$out" && pwd)

record() {
    if [ -d "$out/$1" ]; then
        echo "$1: recorded before" >&2
        return
    fi
    # A hidden name is no run to patterns such as control-*.
    new="$out/.$1.part"
    rm -rf "$new"
    mkdir "$new"
    echo "$1: recording" >&2
    code=0
    RUN_DIR="$new" sh -c "$2" </dev/null || code=$?
    if [ "$code" -ne 0 ]; then
        echo "$1: the command ended with exit code $code; fix it and start this script again" >&2
        exit 1
    fi
    if [ -z "$(ls -A "$new")" ]; then
        echo "$1: the command left nothing in \$RUN_DIR; make it write its trace there" >&2
        exit 1
    fi
    mv "$new" "$out/$1"
}
"#;

const TAIL: &str = r#"
echo "compare them: tracebook gate --control '$out/control-*' --test '$out/test-*'" >&2
"#;

/// Quotes a text for a POSIX shell.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::process::{Command, Output};

    fn execute(folder: &Path, script: &str) -> Output {
        Command::new("sh").arg("-c").arg(script).current_dir(folder).output().unwrap()
    }

    #[test]
    fn script_records_both_programs_in_mixed_order() {
        let folder = tempfile::tempdir().unwrap();
        let record = |side: &str| format!("printf '%s ' {side} >> log; echo {{}} > \"$RUN_DIR/rank-0.json\"");
        let script = script([&record("control"), &record("test")], 3, "it's a folder/runs");
        let output = execute(folder.path(), &script);
        let messages = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success(), "{messages}");
        let log = || std::fs::read_to_string(folder.path().join("log")).unwrap();
        assert_eq!(log(), "control test test control control test ");
        let runs = folder.path().join("it's a folder/runs");
        for run in ["control-1", "control-2", "control-3", "test-1", "test-2", "test-3"] {
            assert!(runs.join(run).join("rank-0.json").exists(), "{run}");
        }
        assert_eq!(std::fs::read_dir(&runs).unwrap().count(), 6);
        assert!(messages.contains("test-2: recording") && messages.contains("tracebook gate --control "), "{messages}");
        // Complete runs stay; a lost one is recorded again.
        std::fs::remove_dir_all(runs.join("test-2")).unwrap();
        assert!(execute(folder.path(), &script).status.success());
        assert_eq!(log(), "control test test control control test test ");
    }

    #[test]
    fn script_stops_at_a_run_that_fails_or_writes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let good = "echo {} > \"$RUN_DIR/rank-0.json\"";
        for (test, reason) in
            [("exit 7", "test-1: the command ended with exit code 7"), ("true", "test-1: the command left nothing")]
        {
            let output = execute(folder.path(), &script([good, test], 2, "runs"));
            let messages = String::from_utf8(output.stderr).unwrap();
            assert_eq!(output.status.code(), Some(1), "{messages}");
            assert!(messages.contains(reason), "{messages}");
            assert!(folder.path().join("runs/control-1").exists() && !folder.path().join("runs/test-1").exists());
        }
        // What the failed run left is removed by the next one.
        std::fs::write(folder.path().join("runs/.test-1.part/half.json"), "{").unwrap();
        assert!(execute(folder.path(), &script([good, good], 2, "runs")).status.success());
        assert!(!folder.path().join("runs/test-1/half.json").exists());
    }

    #[test]
    fn commands_keep_their_quotes() {
        let folder = tempfile::tempdir().unwrap();
        let command = "printf '%s' \"it's $((1 + 1))\" > \"$RUN_DIR/a.json\"";
        assert!(execute(folder.path(), &script([command, command], 1, "-runs")).status.success());
        let text = std::fs::read_to_string(folder.path().join("-runs/test-1/a.json")).unwrap();
        assert_eq!(text, "it's 2");
    }
}
