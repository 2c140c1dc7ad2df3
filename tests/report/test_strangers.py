# SPDX-License-Identifier: Apache-2.0
"""What a folder of strangers may have the report do: wait for no pipe, take no settings."""

import contextlib
import faulthandler
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import make_study
from support import PROGRAM, call, unrendered
from test_parts import digits_file
from ulpine_report import seal


@contextlib.contextmanager
def within(seconds):
    """What waits longer, be it within a library, ends the program."""
    faulthandler.dump_traceback_later(seconds, exit=True)
    try:
        yield
    finally:
        faulthandler.cancel_dump_traceback_later()


class Strangers(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def test_settings_of_the_folder_where_it_runs_are_not_taken(self):
        """They would be of every figure: one shows it."""
        (self.folder / "study").mkdir()
        (self.folder / "study/digits.json").write_text(seal.sealed(json.dumps(digits_file())), encoding="utf-8")
        (self.folder / "strange").mkdir()
        (self.folder / "strange/matplotlibrc").write_text("axes.facecolor: red\nfont.family: monospace\n")
        pages = []
        for place, study in ((".", "study"), ("strange", "../study")):
            done = subprocess.run([sys.executable, PROGRAM, study, "--output", "page.html"], cwd=self.folder / place, capture_output=True, text=True, timeout=300, check=False)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            pages.append((self.folder / place / "page.html").read_bytes())
        self.assertIn(b"data:image/svg+xml", pages[0])
        self.assertEqual(pages[0], pages[1])

    def test_pipes_and_devices_are_refused(self):
        for name in ("results.json", "digits.json", "search.json", "consistency.json"):
            folder = self.folder / name.replace(".", "-")
            for make in (lambda path: os.mkfifo(path), lambda path: path.symlink_to("/dev/zero")):
                with self.subTest(name):
                    shutil.rmtree(folder, ignore_errors=True)
                    folder.mkdir()
                    make(folder / name)
                    with within(120):
                        code, _, said = call(folder)
                    self.assertEqual(code, 2, said)
                    self.assertIn("no ordinary file", said)
                    self.assertEqual(len(said.splitlines()), 1)

    def test_a_pipe_among_the_outputs_is_told(self):
        make_study.write(self.folder / "study", 8)
        for output in (self.folder / "study").rglob("output.nc"):
            output.unlink()
            os.mkfifo(output)
        with within(120), unrendered():
            self.assertEqual(call(self.folder / "study", "--no-fields"), (0, "", ""))
        self.assertIn("output.nc cannot be read as NetCDF", (self.folder / "study/report.html").read_text(encoding="utf-8"))


if __name__ == "__main__":
    unittest.main()
