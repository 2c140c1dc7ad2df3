#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""examples/python/analysis.ipynb is a notebook without outputs, and its cells run in their order."""
import json
import os
import subprocess
import sys

import helpers

if __name__ == "__main__":
    helpers.main(__file__)

import pytest

NOTEBOOK = helpers.SOURCE / "examples/python/analysis.ipynb"


def test_it_is_a_notebook_without_outputs():
    notebook = json.loads(NOTEBOOK.read_text())
    assert notebook["nbformat"] == 4
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert cells and all(cell["outputs"] == [] and cell["execution_count"] is None for cell in cells)
    nbformat = pytest.importorskip("nbformat")
    nbformat.validate(nbformat.read(NOTEBOOK, as_version=4))


def test_its_cells_run(tmp_path):
    """In a folder of its own, each with its last line, which notebooks show, computed."""
    pytest.importorskip("matplotlib")
    pytest.importorskip("jinja2")
    cells = [cell for cell in json.loads(NOTEBOOK.read_text())["cells"] if cell["cell_type"] == "code"]
    script = tmp_path / "cells.py"
    script.write_text("\n\n".join("".join(cell["source"]) for cell in cells))
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/ulpine").symlink_to(helpers.PROGRAM)
    # Without a Python for it the program writes no page: the notebook draws its figures itself.
    environment = dict(os.environ, PYTHONPATH=str(helpers.SOURCE / "probe/python"), PATH=f"{tmp_path / 'bin'}:{os.environ['PATH']}", ULPINE_PYTHON="/bin/false",
                       ULPINE_CASES=str(helpers.SOURCE / "cases"))
    done = subprocess.run([sys.executable, script], cwd=tmp_path, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr[-2000:]
