"""The shell parts of action.yml, run with stand-ins for tracebook and for GitHub's program gh."""

import json
import os
import re
import stat
import subprocess

import pytest
import yaml

from places import ROOT

ACTION = yaml.safe_load((ROOT / "action.yml").read_text())
STEPS = {step["name"]: step for step in ACTION["runs"]["steps"]}

TRACEBOOK = r"""#!/bin/sh
printf '%s\n' "$@" > words
[ "${FAKE_CODE:-0}" = 1 ] && { echo "tracebook gate: no such file" >&2; exit 1; }
while [ $# -gt 0 ]; do
  case "$1" in
    --json) printf '{\n  "regressions": [\n    {\n      "verdict": "regression"\n    }\n  ],\n  "verdict": "%s",\n  "version": 1\n}\n' "$FAKE_VERDICT" > "$2";;
    --markdown) echo "**sentence** $FAKE_VERDICT" > "$2";;
  esac
  shift
done
exit "${FAKE_CODE:-0}"
"""

# Keeps comments as files, and answers as `gh api --jq` does.
GH = r"""#!/bin/sh
echo "$*" >> gh-calls
[ -n "$FAKE_FORBIDDEN" ] && exit 1
case "$*" in
  *"--method PATCH"*issues/comments/7*) cp tracebook-gate/comment.md comment-7;;
  *"--method POST"*issues/5/comments*) cp tracebook-gate/comment.md comment-7;;
  *--paginate*) [ -f comment-7 ] && echo 7; exit 0;;
  *) exit 2;;
esac
"""


@pytest.fixture
def runner(tmp_path):
    tools = tmp_path / "tools"
    tools.mkdir()
    for name, text in {"tracebook": TRACEBOOK, "gh": GH}.items():
        (tools / name).write_text(text)
        (tools / name).chmod(stat.S_IRWXU)

    def run(step, **values):
        inputs = {name: about.get("default", "") for name, about in ACTION["inputs"].items()}
        inputs |= {name: value for name, value in values.items() if name in inputs}
        known = {f"inputs.{name}": value for name, value in inputs.items()}
        known |= {"github.repository": "me/it", "github.event.pull_request.number": "5"}
        known |= {f"steps.gate.outputs.{name}": value for name, value in outputs(tmp_path).items()}
        env = {name: re.sub(r"\$\{\{ (.*?) \}\}", lambda m: known[m[1]], str(text)) for name, text in STEPS[step]["env"].items()}
        env |= {name: value for name, value in values.items() if name.startswith("FAKE")}
        env |= {"PATH": f"{tools}:{os.environ['PATH']}", "GITHUB_OUTPUT": str(tmp_path / "output")}
        env |= {"GITHUB_STEP_SUMMARY": str(tmp_path / "summary")}
        script = tmp_path / "step.sh"
        script.write_text(STEPS[step]["run"])
        return subprocess.run(
            ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", script],
            cwd=tmp_path,
            env=env,
            capture_output=True,
            text=True,
        )

    run.folder = tmp_path
    return run


def outputs(folder):
    path = folder / "output"
    return dict(line.split("=", 1) for line in path.read_text().splitlines()) if path.exists() else {}


@pytest.mark.parametrize(("code", "verdict"), [("0", "no regression"), ("4", "regression"), ("5", "inconclusive")])
def test_verdicts_become_outputs_summary_and_exit_code(runner, code, verdict):
    ran = runner("Compare", control="runs/control-*", test="runs/test-*", FAKE_CODE=code, FAKE_VERDICT=verdict)
    assert ran.returncode == 0, ran.stderr
    assert outputs(runner.folder) == {"verdict": verdict, "json": "tracebook-gate/gate.json", "code": code}
    assert json.loads((runner.folder / "tracebook-gate/gate.json").read_text())["verdict"] == verdict
    assert (runner.folder / "summary").read_text() == f"**sentence** {verdict}\n"
    ended = runner("Verdict")
    assert (ended.returncode, ended.stdout) == (int(code), f"tracebook gate: {verdict}\n")


def test_inputs_are_words_whatever_they_contain(runner):
    limits = "3%\n  aten::linear=5%  \n\nclass:idle=10%\n$(touch hacked)=1%\n"
    ran = runner(
        "Compare",
        control="runs/a b\nruns/*",
        test="`touch hacked`",
        limits=limits,
        flags="--warmup\n2",
        FAKE_VERDICT="regression",
    )
    assert ran.returncode == 0, ran.stderr
    words = (runner.folder / "words").read_text().splitlines()
    assert words[words.index("--control") :] == [
        "--control", "runs/a b", "--control", "runs/*", "--test", "`touch hacked`", "--limit", "3%", "--limit", "aten::linear=5%",
        "--limit", "class:idle=10%", "--limit", "$(touch hacked)=1%", "--warmup", "2",
    ]  # fmt: skip
    assert not (runner.folder / "hacked").exists()


def test_baselines_take_the_place_of_the_control(runner):
    assert runner("Compare", baseline="main", test="runs/today", FAKE_VERDICT="no regression").returncode == 0
    words = (runner.folder / "words").read_text().splitlines()
    assert words[words.index("--baseline") :][:4] == ["--baseline", "main", "--test", "runs/today"]
    assert "--control" not in words


def test_errors_fail_the_step_with_a_message(runner):
    (runner.folder / "tracebook-gate").mkdir()
    (runner.folder / "tracebook-gate/gate.json").write_text("{}")
    ran = runner("Compare", test="x", FAKE_CODE="1")
    assert ran.returncode == 1
    assert "::error::tracebook gate ended with exit code 1" in ran.stdout
    assert outputs(runner.folder) == {}


def test_one_comment_is_kept_up_to_date(runner):
    for verdict in ["regression", "no regression"]:
        runner("Compare", test="x", FAKE_VERDICT=verdict)
        ran = runner("Comment")
        assert (ran.returncode, ran.stdout) == (0, ""), ran.stdout + ran.stderr
        comment = (runner.folder / "comment-7").read_text()
        assert comment == f"<!-- tracebook gate -->\n**sentence** {verdict}\n"
    methods = re.findall(r"--method (\w+)", (runner.folder / "gh-calls").read_text())
    assert methods == ["POST", "PATCH"]


def test_a_token_that_may_not_write_is_a_warning(runner):
    runner("Compare", test="x", FAKE_VERDICT="regression")
    ran = runner("Comment", FAKE_FORBIDDEN="1")
    assert ran.returncode == 0
    assert ran.stdout.startswith("::warning::cannot read the comments")


def test_outputs_and_inputs_are_described():
    assert set(ACTION["outputs"]) == {"verdict", "json"}
    for about in [*ACTION["inputs"].values(), *ACTION["outputs"].values()]:
        assert about["description"].endswith(".") or about["description"].endswith(").")
    for step in STEPS.values():
        assert "${{" not in step["run"], "inputs reach the shell as variables only"
