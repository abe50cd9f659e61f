"""The recipe for conda-forge: read and rendered by rattler-build, without its channels."""

import hashlib
import re
import subprocess
import sys

import pytest
import rattler_build
import tomllib
import yaml

from places import ROOT

RECIPE = ROOT / "conda" / "recipe.yaml"
CONTEXT = yaml.safe_load(RECIPE.read_text())["context"]
SDIST = f"{CONTEXT['name'].replace('-', '_')}-{CONTEXT['version']}.tar.gz"
PINS = yaml.safe_load((ROOT / "conda" / "conda_build_config.yaml").read_text())


def render(text, platform):
    pins = {**PINS, "c_compiler": ["gcc"], "cxx_compiler": ["gxx"], "c_stdlib": ["sysroot"], "c_stdlib_version": ["2.28"]}
    config = rattler_build.PlatformConfig(target_platform=platform, build_platform=platform, host_platform=platform)
    recipe = rattler_build.Stage0Recipe.from_yaml(text)
    rendered = recipe.render(rattler_build.VariantConfig(pins), rattler_build.RenderConfig(platform=config))
    return [variant.recipe.to_dict() for variant in rendered]


@pytest.mark.parametrize("platform", ["linux-64", "linux-aarch64"])
def test_recipe_renders_with_one_compiler_for_build_and_cells(platform):
    (recipe,) = render(RECIPE.read_text(), platform)
    pinned = (ROOT / "packaging" / "rust-version").read_text().strip()
    requirements = recipe["requirements"]
    assert f"rust_{platform} {pinned}.*" in requirements["build"]
    assert f"rust =={pinned}" in requirements["host"] and f"rust =={pinned}" in requirements["run"]
    assert recipe["source"][0]["url"].endswith(f"/v{CONTEXT['version']}/{SDIST}")


def test_key_that_the_format_does_not_have_is_refused():
    with pytest.raises(rattler_build.RecipeParseError, match="unknown field 'ignored'"):
        rattler_build.Stage0Recipe.from_yaml(RECIPE.read_text().replace("    ignore:", "    ignored:"))


def test_recipe_agrees_with_the_manifests():
    recipe = yaml.safe_load(RECIPE.read_text())
    manifest = tomllib.loads((ROOT / "Cargo.toml").read_text())
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert recipe["context"]["version"] == manifest["workspace"]["package"]["version"]
    assert recipe["context"]["name"] == project["name"], "the source distribution has the name of the project"
    assert recipe["about"]["summary"] == manifest["package"]["description"] == project["description"]
    assert recipe["about"]["license"] == manifest["workspace"]["package"]["license"]


def test_recipe_of_a_release_has_the_checksum_of_its_sdist(tmp_path):
    sdist = tmp_path / SDIST
    sdist.write_bytes(b"sources")
    line = [sys.executable, ROOT / "packaging" / "conda_recipe.py"]
    ran = subprocess.run([*line, sdist], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    (recipe,) = render(ran.stdout, "linux-64")
    assert recipe["source"][0]["sha256"] == hashlib.sha256(b"sources").hexdigest()
    other = subprocess.run([*line, sdist.rename(tmp_path / "other-1.tar.gz")], capture_output=True, text=True)
    assert other.returncode == 1 and re.match(r"invalid source distribution `other-1.tar.gz`: the recipe expects", other.stderr)
