"""The workflows of GitHub and the scripts that they run: linted, and safe with respect to what reaches a shell."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from places import ROOT

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
SCRIPTS = [*sorted((ROOT / "packaging").glob("*.sh")), ROOT / ".ci" / "run"]
STEPS = [
    (f"{path.stem}: {name}: {number}", step)
    for path in WORKFLOWS
    for name, job in yaml.safe_load(path.read_text())["jobs"].items()
    for number, step in enumerate(job["steps"], 1)
]
# Actions and images are pinned by their major version.
LINT = ["jactionlint", "--no-online", "--no-color", "--strict-exit", "--ignore=unpinned-uses", "--ignore=unpinned-images"]


def run(line):
    """Runs a tool of this environment, which may look for another one."""
    env = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    tool = Path(sys.executable).with_name(line[0])
    assert tool.exists(), f"no {line[0]}: run `pip install -r tests/requirements.txt`"
    return subprocess.run([tool, *line[1:]], cwd=ROOT, env=env, capture_output=True, text=True, timeout=120)


def test_workflows_and_the_action_have_no_lint():
    assert {path.name for path in WORKFLOWS} == {"ci.yml", "release.yml"}
    ran = run([*LINT, *WORKFLOWS, ROOT / "action.yml"])
    assert ran.returncode == 0, ran.stdout + ran.stderr


@pytest.mark.parametrize(
    ("old", "new", "rule"),
    [
        ("needs: [check, build, sdist, smoke]", "needs: [check, building]", "job-needs"),
        ("persist-credentials: false", "persist-credential: false", "persist-credential"),
        ('run: gh release create "$TAG"', "run: gh release create ${{ github.ref_name }}", "template-injection"),
        ("run: packaging/cells.sh assets", "run: cd $HOME/x y; echo $z", "shellcheck"),
    ],
)
def test_mistake_in_a_workflow_is_found(tmp_path, old, new, rule):
    text = (ROOT / ".github" / "workflows" / "release.yml").read_text()
    assert old in text
    copy = tmp_path / ".github" / "workflows" / "release.yml"
    copy.parent.mkdir(parents=True)
    copy.write_text(text.replace(old, new))
    ran = run([*LINT, copy])
    assert ran.returncode == 1 and rule in ran.stdout, ran.stdout + ran.stderr


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_shell_script_has_no_lint(script):
    assert os.access(script, os.X_OK), f"run `chmod +x {script}`"
    ran = run(["shellcheck", script])
    assert ran.returncode == 0, ran.stdout


@pytest.mark.parametrize(
    ("where", "step"), [step for step in STEPS if "run" in step[1]], ids=lambda step: step if isinstance(step, str) else ""
)
def test_step_is_valid_shell_that_reads_inputs_as_variables(where, step):
    text = step["run"]
    assert "${{" not in text, f"{where}: pass it as a variable"
    ran = subprocess.run(["bash", "-n"], input=text, capture_output=True, text=True)
    assert ran.returncode == 0, f"{where}: {ran.stderr}"
    named = re.findall(r"(?:packaging|\.ci)/[\w.-]+", text)
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_actions_are_pinned_by_their_major_version():
    used = {step["uses"] for _, step in STEPS if "uses" in step}
    assert len(used) > 4
    # PyPI's action has a branch per major version.
    assert {name for name in used if not re.fullmatch(r"[\w-]+/[\w-]+@(release/)?v\d+", name)} == set()
    assert len(used) == len({name.split("@")[0] for name in used}), f"one version each: {used}"


def test_nothing_is_published_before_everything_is_built_and_tried():
    jobs = yaml.safe_load((ROOT / ".github" / "workflows" / "release.yml").read_text())["jobs"]
    writing = {name for name, job in jobs.items() if "write" in (job.get("permissions") or {}).values()}
    assert writing == {"github", "pypi"}
    assert set(jobs["github"]["needs"]) == set(jobs) - writing
    assert "github" in jobs["pypi"]["needs"] and jobs["pypi"]["environment"]["name"] == "pypi"
    assert "inputs.publish" in jobs["github"]["if"]
