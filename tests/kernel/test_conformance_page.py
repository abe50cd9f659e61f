"""The page of conformance has the checks and figures of the list."""

import re

import conformance


def rows(heading_and_rule):
    text = conformance.PAGE.read_text()
    return re.findall(heading_and_rule, text, re.MULTILINE)


def test_every_check_names_existing_tests():
    assert conformance.names() - conformance.existing() == set()


def test_the_page_has_the_checks_and_figures_of_the_list():
    expected = [check.what for checks in conformance.CHECKS.values() for check in checks]
    assert rows(r"^\| (?!check |---)([^|]+) \| [^|]+ \|$") == expected
    assert rows(r"^\| (?!figure |---)([^|]+) \| [^|]+ \| [^|]+ \| [^|]+ \|$") == [figure.what for figure in conformance.FIGURES]
    assert rows(r"^## (.+)$") == [*conformance.CHECKS, "Measured"]


def test_every_figure_is_measured():
    source = (conformance.HERE / "test_figures.py").read_text()
    assert sorted(re.findall(r'measured\("([^"]+)"', source)) == sorted(figure.what for figure in conformance.FIGURES)


def test_the_page_says_that_ours_passes():
    assert rows(r"^\| [^|]+ \| \*\*.*$") == []
