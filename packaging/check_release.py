"""`python3 packaging/check_release.py NOTES`: checks that this commit can be released, before anything is built.

Prints each problem as a sentence with its fix, and exits with 1. With `PUBLISH=false` problems are warnings. Writes the section of the
change log to NOTES, and the name, the version, the tag and the address of the release's files to `GITHUB_OUTPUT`.
"""

import json
import os
import re
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path

import tomllib

ROOT = Path(__file__).resolve().parent.parent
PLACEHOLDER = "github.com/OWNER/"
# The files with the address of the repository, and where it is in each.
REPOSITORIES = {
    "Cargo.toml": re.compile(r'^repository = "(.+)"$', re.MULTILINE),
    "pyproject.toml": re.compile(r'^Repository = "(.+)"$', re.MULTILINE),
    "conda/recipe.yaml": re.compile(r"^  home: (.+)$", re.MULTILINE),
}


def tag_problem(root, version):
    """The tag that started the workflow is that of the version; without a tag, the release makes it."""
    tag = f"v{version}"
    if os.environ["GITHUB_REF_TYPE"] == "tag":
        found = os.environ["GITHUB_REF_NAME"]
        if found != tag:
            return f"the tag {found} differs from {tag}, the version in Cargo.toml: delete the tag, or change the version"
        return None
    listed = subprocess.run(["git", "tag", "--list", tag], cwd=root, capture_output=True, text=True, check=True)
    if listed.stdout.strip():
        return f"the tag {tag} exists already: start the workflow from that tag, or raise the version in Cargo.toml"
    return None


def notes(root, version):
    """Returns the section of the change log, and what is wrong with it."""
    text = (root / "CHANGELOG.md").read_text()
    found = re.search(rf"^## {re.escape(version)}(?:, ([^\n]+))?\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    if not found or not found[2].strip():
        return "", f"CHANGELOG.md has no section `## {version}, DATE`: write what users notice"
    if not re.fullmatch(r"\d{4}-\d\d-\d\d", found[1] or ""):
        return found[2].strip(), f"CHANGELOG.md gives {version} no date: write `## {version}, YYYY-MM-DD`"
    return found[2].strip(), None


def repository_problems(root, repository):
    for name, place in REPOSITORIES.items():
        named = place.findall((root / name).read_text())
        if len(named) != 1:
            yield f"invalid {name}: expected one address of the repository, found {len(named)}"
        elif named[0] != repository:
            also = " (docs/releasing.md lists the files)" if PLACEHOLDER in named[0] else ""
            yield f"{name} says that the repository is {named[0]}: write {repository}{also}"


def name_problem(name, repository):
    """Whether PyPI has another project of that name."""
    address = f"{os.environ.get('PYPI', 'https://pypi.org')}/pypi/{name}/json"
    try:
        with urllib.request.urlopen(address, timeout=30) as answer:
            project = json.load(answer)["info"]
    except urllib.error.HTTPError as error:
        return None if error.code == 404 else f"cannot ask PyPI for the project {name}: {error}; start the workflow again"
    except OSError as error:
        return f"cannot ask PyPI for the project {name}: {error}; start the workflow again"
    ours = {address.rstrip("/") for address in (project.get("project_urls") or {}).values()}
    if repository in ours:
        return None
    summary = project.get("summary") or "no summary"
    return f"PyPI has another project called {name} ({summary}): choose another `name` in [project] of pyproject.toml"


def main(target):
    version = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]["version"]
    name = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["name"]
    repository = f"{os.environ['GITHUB_SERVER_URL']}/{os.environ['GITHUB_REPOSITORY']}"
    section, log_problem = notes(ROOT, version)
    found = [tag_problem(ROOT, version), log_problem, *repository_problems(ROOT, repository), name_problem(name, repository)]
    problems = [problem for problem in found if problem]
    publish = os.environ.get("PUBLISH") != "false"
    for problem in problems:
        print(f"::{'error' if publish else 'warning'}::{problem}")
    Path(target).write_text(f"{section}\n")
    releases = f"{repository}/releases/download/v{version}"
    with open(os.environ["GITHUB_OUTPUT"], "a") as output:
        output.write(f"name={name}\nversion={version}\ntag=v{version}\nreleases={releases}\n")
    if not problems:
        print(f"{name} {version} can be released")
    return 1 if problems and publish else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
