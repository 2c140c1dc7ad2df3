# SPDX-License-Identifier: Apache-2.0
"""Runs the commands of a page from top to bottom and looks for the lines that the page says they print.

A block ```sh is run line by line: a line NAME=VALUE, or export NAME=VALUE, holds for all that follow, `# exit code N` at a line's end says how it ends. A block ```text behind it has lines that were
printed. A block behind <!-- not run: REASON --> is left out.
"""
import os
import re
import subprocess
import sys

from support import PROGRAM, SOURCE

BLOCK = re.compile(r"(<!-- not run: [^>]+-->\n)?```(\w+)\n(.*?)```", re.S)


def blocks(page):
    """(kind, text, whether it is run) of every fenced block."""
    return [(kind, text, not left_out) for left_out, kind, text in BLOCK.findall(page.read_text(encoding="utf-8"))]


def lines(text):
    """Whole lines of a shell block."""
    return [line for line in text.replace("\\\n", " ").splitlines() if line.strip()]


def run_page(test, page, **variables):
    """How many commands ran and how many lines were looked for. `variables` are added to the environment."""
    folder = test.folder
    for name in ("cases", "examples"):
        (folder / name).symlink_to(SOURCE / name)
    (folder / "bin").mkdir()
    (folder / "bin/ulpine").symlink_to(PROGRAM)
    (folder / "bin/python3").symlink_to(sys.executable)
    environment = dict(os.environ, PATH=f"{folder / 'bin'}:{os.environ['PATH']}", ULPINE_PYTHON="/bin/true", ULPINE_SOURCE_DIR=str(SOURCE), **variables)
    settings, printed, ran, checked = "", "", 0, 0
    for kind, text, wanted in blocks(page):
        if kind == "text":
            for line in text.splitlines():
                test.assertIn(line, printed.splitlines(), f"the page says what is not printed, but:\n{printed}")
                checked += 1
            continue
        if kind != "sh" or not wanted:
            continue
        printed = ""
        for line in lines(text):
            if re.match(r"""(export )?(\w+=("[^"]*"|\S*)(\s+|$))+$""", line):
                settings += line + "\n"
                continue
            code = re.search(r"# exit code (\d+)$", line)
            done = subprocess.run(["bash", "-c", settings + line], cwd=folder, capture_output=True, text=True, check=False, env=environment)
            test.assertEqual(done.returncode, int(code.group(1)) if code else 0, f"{line}\n{done.stdout}{done.stderr}")
            printed += done.stdout
            ran += 1
    return ran, checked
