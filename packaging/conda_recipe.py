"""`python3 packaging/conda_recipe.py SDIST`: prints conda/recipe.yaml with the checksum of a source distribution."""

import hashlib
import re
import sys
from pathlib import Path

RECIPE = Path(__file__).resolve().parent.parent / "conda" / "recipe.yaml"
NO_CHECKSUM = "0" * 64


def main(sdist):
    sdist = Path(sdist)
    recipe = RECIPE.read_text()
    value = dict(re.findall(r'^  (name|version): "?([^"$\n]+)"?$', recipe, re.MULTILINE))
    expected = f"{value['name'].replace('-', '_')}-{value['version']}.tar.gz"
    if sdist.name != expected:
        sys.exit(f"invalid source distribution `{sdist.name}`: the recipe expects {expected}; change its name or version")
    if recipe.count(NO_CHECKSUM) != 1:
        sys.exit("invalid conda/recipe.yaml: expected one sha256 of zeros")
    print(recipe.replace(NO_CHECKSUM, hashlib.sha256(sdist.read_bytes()).hexdigest()), end="")


if __name__ == "__main__":
    main(*sys.argv[1:])
