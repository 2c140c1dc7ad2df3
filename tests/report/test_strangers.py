# SPDX-License-Identifier: Apache-2.0
"""What a folder of strangers may have the report do: wait for no pipe, take no settings."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import make_study
from support import PROGRAM


class Strangers(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def write(self, *words, at="."):
        return subprocess.run([sys.executable, PROGRAM, *words], cwd=self.folder / at, capture_output=True, text=True, timeout=300, check=False)

    def test_settings_of_the_folder_where_it_runs_are_not_taken(self):
        make_study.write(self.folder / "study", 8)
        (self.folder / "strange").mkdir()
        (self.folder / "strange/matplotlibrc").write_text("axes.facecolor: red\nfont.family: monospace\n")
        pages = []
        for place, study in ((".", "study"), ("strange", "../study")):
            done = self.write(study, "--no-fields", "--output", "page.html", at=place)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            pages.append((self.folder / place / "page.html").read_bytes())
        self.assertEqual(pages[0], pages[1])

    def test_pipes_and_devices_are_refused(self):
        for name in ("results.json", "digits.json", "search.json", "consistency.json"):
            folder = self.folder / name.replace(".", "-")
            for make in (lambda path: os.mkfifo(path), lambda path: path.symlink_to("/dev/zero")):
                with self.subTest(name):
                    shutil.rmtree(folder, ignore_errors=True)
                    folder.mkdir()
                    make(folder / name)
                    done = self.write(folder)
                    self.assertEqual(done.returncode, 2, done.stderr)
                    self.assertIn("no ordinary file", done.stderr)
                    self.assertEqual(len(done.stderr.splitlines()), 1)

    def test_a_pipe_among_the_outputs_is_told(self):
        make_study.write(self.folder / "study", 8)
        for output in (self.folder / "study").rglob("output.nc"):
            output.unlink()
            os.mkfifo(output)
        done = self.write("study", "--no-fields")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("output.nc cannot be read as NetCDF", (self.folder / "study/report.html").read_text(encoding="utf-8"))


if __name__ == "__main__":
    unittest.main()
