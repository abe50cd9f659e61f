"""The scripts of the release workflow, run with stand-ins for the program, for the compiler and for PyPI."""

import hashlib
import http.server
import json
import os
import re
import shutil
import stat
import subprocess
import sys
import tarfile
import threading

import pytest
import tomllib

from places import ROOT

MANIFEST = tomllib.loads((ROOT / "Cargo.toml").read_text())
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
NAME, ADDRESS = PROJECT["name"], PROJECT["urls"]["Repository"]
VERSION = MANIFEST["workspace"]["package"]["version"]
HERE = "https://github.com/me/it"
TARGET, HASH = "x86_64-unknown-linux-gnu", "0123456789abcdef"

PROGRAM = rf"""#!/bin/bash
echo "$*" >> "$LOG"
case "$*" in
  --version) echo "tracebook {VERSION}";;
  'install --build-cells') mkdir -p "$XDG_DATA_HOME/tracebook/cells-{VERSION}";;
  'install --pack-cells '*)
    [ -d "$XDG_DATA_HOME/tracebook/cells-{VERSION}" ] || exit 3
    cd "$3" && echo cells > "tracebook-cells-{VERSION}-{TARGET}-rustc-{HASH[:9]}.tar.zst"
    sha256sum *.tar.zst > "tracebook-cells-{VERSION}-{TARGET}-rustc-{HASH[:9]}.tar.zst.sha256"
    [ -z "$FAKE_DAMAGE" ] || echo more >> "tracebook-cells-{VERSION}-{TARGET}-rustc-{HASH[:9]}.tar.zst";;
  *) exit 2;;
esac
"""
RUSTC = rf"""#!/bin/sh
case "$1" in
  -vV) printf 'rustc 1.0.0\nbinary: rustc\ncommit-hash: {HASH}\nhost: {TARGET}\n';;
  --version) echo "rustc $(cat "$CARGO_HOME/version") (abc 2026-01-01)";;
esac
"""
RUSTUP = r"""#!/bin/sh
echo "$*" >> "$LOG"
[ "$1" = default ] && echo "$2" > "$CARGO_HOME/version"
exit 0
"""


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(stat.S_IRWXU)


@pytest.fixture
def script(tmp_path):
    """Runs a script of packaging/ in the repository."""
    home = tmp_path / "cargo"
    for name, text in {"rustc": RUSTC, "rustup": RUSTUP}.items():
        write(home / "bin" / name, text)
    write(tmp_path / "tracebook", PROGRAM)

    def run(name, *words, **env):
        known = {"PATH": f"{home / 'bin'}:{os.environ['PATH']}", "CARGO_HOME": home, "LOG": tmp_path / "log"}
        env = {**os.environ, **known, "TRACEBOOK": tmp_path / "tracebook", "HOME": tmp_path, "CI": "true", **env}
        return subprocess.run(
            [ROOT / "packaging" / name, *words], cwd=tmp_path, env=env, capture_output=True, text=True, timeout=120
        )

    run.folder = tmp_path
    run.log = lambda: (tmp_path / "log").read_text().splitlines()
    return run


def test_archive_is_where_cargo_binstall_looks_for_it(script):
    ran = script("archive.sh", "out")
    assert ran.returncode == 0, ran.stderr
    binstall = MANIFEST["package"]["metadata"]["binstall"]
    value = {"repo": HERE, "name": "tracebook", "version": VERSION, "target": TARGET, "bin": "tracebook", "binary-ext": ""}

    def filled(template):
        return re.sub(r"\{ ([a-z-]+) \}", lambda name: value[name[1]], template)

    address = filled(binstall["pkg-url"])
    name = f"tracebook-v{VERSION}-{TARGET}"
    assert address == f"{HERE}/releases/download/v{VERSION}/{name}.tar.gz"
    archive = script.folder / "out" / address.rsplit("/", 1)[1]
    with tarfile.open(archive) as opened:
        members = {member.name: member for member in opened.getmembers()}
    expected = {name, *(f"{name}/{file}" for file in ["LICENSE", "NOTICE", "README.md", "tracebook"])}
    assert set(members) == expected and members[filled(binstall["bin-dir"])].mode == 0o755
    assert {member.uid for member in members.values()} == {0}


def test_checksum_of_the_archive_is_that_of_sha256sum(script):
    assert script("archive.sh", "out").returncode == 0
    (checksum,) = (script.folder / "out").glob("*.sha256")
    check = ["sha256sum", "--check", checksum.name]
    assert subprocess.run(check, cwd=checksum.parent, capture_output=True).returncode == 0
    archive = checksum.with_suffix("")
    assert checksum.read_text() == f"{hashlib.sha256(archive.read_bytes()).hexdigest()}  {archive.name}\n"
    archive.write_bytes(archive.read_bytes() + b"x")
    assert subprocess.run(check, cwd=checksum.parent, capture_output=True).returncode != 0


def test_cells_are_built_apart_from_those_of_the_user_and_packed(script):
    ran = script("cells.sh", "out")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert script.log() == ["--version", "install --build-cells", f"install --pack-cells {script.folder / 'out'}"]
    assert not (script.folder / ".local").exists()


def test_packed_cells_that_differ_from_their_checksum_fail(script):
    ran = script("cells.sh", "out", FAKE_DAMAGE="yes")
    assert ran.returncode != 0 and "FAILED" in ran.stdout


@pytest.mark.parametrize(("size", "code"), [(2_000_000, 0), (2_000_001, 1)])
def test_file_above_its_size_fails(script, size, code):
    with (script.folder / "file").open("wb") as file:
        file.truncate(size)
    ran = script("size.sh", "file", "2")
    assert ran.returncode == code
    assert ("::error::file has 2000001 bytes: expected at most 2 MB" in ran.stdout) == bool(code)


def test_rust_of_another_version_is_replaced_by_the_pinned_one(script):
    pinned = (ROOT / "packaging" / "rust-version").read_text().strip()
    (script.folder / "cargo" / "version").write_text("1.2.3")
    ran = script("rust.sh", GITHUB_PATH=script.folder / "path")
    assert ran.returncode == 0, ran.stderr
    calls = script.log()
    assert calls == [f"toolchain install --no-self-update --profile minimal {pinned}", f"default {pinned}"]
    assert (script.folder / "path").read_text() == f"{script.folder / 'cargo' / 'bin'}\n"
    assert script("rust.sh").returncode == 0 and script.log() == calls, "it is there now"


def test_pinned_rust_is_at_least_that_of_the_manifest():
    def numbers(text):
        return [int(number) for number in text.strip().split(".")]

    pinned = (ROOT / "packaging" / "rust-version").read_text()
    assert numbers(pinned) >= numbers(MANIFEST["workspace"]["package"]["rust-version"])


class PyPI(http.server.BaseHTTPRequestHandler):
    projects = {}

    def do_GET(self):
        project = self.projects.get(self.path)
        self.send_response(404 if project is None else 200)
        self.end_headers()
        self.wfile.write(json.dumps({"info": project}).encode())

    def log_message(self, *words):
        pass


@pytest.fixture(scope="module")
def pypi():
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), PyPI) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture
def check(tmp_path, pypi, monkeypatch):
    """Runs check_release.py in a repository that can be released, after `edits`: file → (old text, new text)."""
    root = tmp_path / "repository"
    for name in ["Cargo.toml", "pyproject.toml", "conda/recipe.yaml", "packaging/check_release.py"]:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, root / name)
        (root / name).write_text((root / name).read_text().replace(ADDRESS, HERE))
    log = "# Changes\n\n## 9.9.9, 2027-01-01\n\n* newer\n\n## {version}, 2026-12-01\n\n* a change\n\n### Loading\n\n* another\n\n## 0.0.1, 2026-01-01\n"
    (root / "CHANGELOG.md").write_text(log.replace("{version}", VERSION))
    subprocess.run(["git", "init", "--quiet", root], check=True)
    monkeypatch.setattr(PyPI, "projects", {})

    def run(edits=None, **env):
        for name, (old, new) in (edits or {}).items():
            text = (root / name).read_text()
            assert old in text
            (root / name).write_text(text.replace(old, new))
        known = {"GITHUB_REF_TYPE": "branch", "GITHUB_REF_NAME": "main", "GITHUB_SERVER_URL": "https://github.com"}
        known |= {"GITHUB_REPOSITORY": "me/it", "GITHUB_OUTPUT": tmp_path / "output", "PYPI": pypi}
        line = [sys.executable, root / "packaging/check_release.py", tmp_path / "notes.md"]
        env = {**os.environ, "PUBLISH": "true", **known, **env}
        return subprocess.run(line, cwd=root, env=env, capture_output=True, text=True, timeout=60)

    run.root = root
    run.folder = tmp_path
    return run


def commit_and_tag(root, tag):
    git = ["git", "-C", root, "-c", "user.name=a", "-c", "user.email=a@b"]
    subprocess.run([*git, "commit", "--quiet", "--allow-empty", "--message=x"], check=True)
    subprocess.run([*git, "tag", tag], check=True)


def test_commit_that_fits_is_released_with_its_notes(check):
    ran = check()
    assert (ran.returncode, ran.stdout) == (0, f"{NAME} {VERSION} can be released\n"), ran.stdout + ran.stderr
    assert (check.folder / "notes.md").read_text() == "* a change\n\n### Loading\n\n* another\n"
    output = dict(line.split("=", 1) for line in (check.folder / "output").read_text().splitlines())
    releases = f"{HERE}/releases/download/v{VERSION}"
    assert output == {"name": NAME, "version": VERSION, "tag": f"v{VERSION}", "releases": releases}


def test_tag_of_the_version_is_released_and_another_is_not(check):
    commit_and_tag(check.root, f"v{VERSION}")
    assert check(GITHUB_REF_TYPE="tag", GITHUB_REF_NAME=f"v{VERSION}").returncode == 0
    ran = check(GITHUB_REF_TYPE="tag", GITHUB_REF_NAME="v9.9.9")
    assert ran.returncode == 1
    message = f"the tag v9.9.9 differs from v{VERSION}, the version in Cargo.toml: delete the tag, or change the version"
    assert ran.stdout == f"::error::{message}\n"


def test_version_whose_tag_exists_is_not_released_from_a_branch(check):
    commit_and_tag(check.root, f"v{VERSION}")
    ran = check()
    assert ran.returncode == 1 and f"the tag v{VERSION} exists already" in ran.stdout


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (f"## {VERSION},", "## 7.7.7,", f"CHANGELOG.md has no section `## {VERSION}, DATE`"),
        ("* a change\n\n### Loading\n\n* another\n", "", f"CHANGELOG.md has no section `## {VERSION}, DATE`"),
        (f"## {VERSION}, 2026-12-01", f"## {VERSION}, unreleased", f"CHANGELOG.md gives {VERSION} no date"),
        (f"## {VERSION}, 2026-12-01", f"## {VERSION}", f"CHANGELOG.md gives {VERSION} no date"),
    ],
)
def test_version_without_a_dated_section_is_not_released(check, old, new, message):
    ran = check({"CHANGELOG.md": (old, new)})
    assert ran.returncode == 1 and f"::error::{message}" in ran.stdout


@pytest.mark.parametrize("file", ["Cargo.toml", "pyproject.toml", "conda/recipe.yaml"])
def test_placeholder_of_the_repository_is_named_with_what_replaces_it(check, file):
    ran = check({file: (HERE, "https://github.com/OWNER/tracebook")})
    named = f"{file} says that the repository is https://github.com/OWNER/tracebook: write {HERE}"
    assert (ran.returncode, ran.stdout) == (1, f"::error::{named} (docs/releasing.md lists the files)\n")


def test_files_of_this_repository_have_one_address_each():
    texts = {name: (ROOT / name).read_text() for name in ["Cargo.toml", "pyproject.toml", "conda/recipe.yaml"]}
    addresses = {name: re.findall(r"https://github\.com/(?!prefix-dev)[\w./-]+", text) for name, text in texts.items()}
    texts |= {str(path.relative_to(ROOT)): path.read_text() for path in ROOT.glob("crates/*/Cargo.toml")}
    assert all(len(found) == 1 for found in addresses.values()), addresses
    assert len({found[0] for found in addresses.values()}) == 1, addresses
    assert all("repository.workspace = true" in text for name, text in texts.items() if name.startswith("crates/"))


def test_name_of_another_project_on_pypi_is_not_released(check, monkeypatch):
    projects = {f"/pypi/{NAME}/json": {"summary": "Books", "project_urls": {"Homepage": "https://elsewhere.example"}}}
    monkeypatch.setattr(PyPI, "projects", projects)
    ran = check()
    assert ran.returncode == 1
    message = f"PyPI has another project called {NAME} (Books): choose another `name` in [project] of pyproject.toml"
    assert ran.stdout == f"::error::{message}\n"
    assert check({"pyproject.toml": (f'name = "{NAME}"', f'name = "{NAME}-x"')}).returncode == 0


def test_later_version_of_our_project_on_pypi_is_released(check, monkeypatch):
    projects = {f"/pypi/{NAME}/json": {"summary": "Ours", "project_urls": {"Repository": HERE}}}
    monkeypatch.setattr(PyPI, "projects", projects)
    assert check().returncode == 0


def test_rehearsal_warns_of_problems_and_goes_on(check):
    ran = check({"CHANGELOG.md": ("2026-12-01", "unreleased")}, PUBLISH="false")
    assert ran.returncode == 0 and ran.stdout.startswith("::warning::CHANGELOG.md gives")
