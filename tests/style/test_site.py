#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The site of docs/ is made without a warning, with its menu and search, where mkdocs is installed."""
import importlib.util
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).parents[2]


class Site(unittest.TestCase):
    def test_the_site_is_made_without_a_warning(self):
        with tempfile.TemporaryDirectory() as folder:
            made = subprocess.run([ROOT / "docs/build", "--into", folder], capture_output=True, text=True, check=False)
            self.assertEqual(made.returncode, 0, made.stdout + made.stderr)
            page = (Path(folder) / "reference/exit-codes.html").read_text()
            self.assertIn("<table", page)
            index = (Path(folder) / "search/search_index.json").read_text()
            self.assertIn("how-to/cpu-and-gpu.html", index)
            for name in ("build", "generate", "site.py"):
                self.assertFalse((Path(folder) / name).exists(), f"{name} is no page")
            # A link that leaves docs/ is the name of the file.
            self.assertIn("<code>cases/seaice/cyclone_quick.toml</code>", (Path(folder) / "tutorials/first-verdict.html").read_text())

    def test_a_list_right_behind_text_is_a_list(self):
        place = importlib.util.spec_from_file_location("site_of_docs", ROOT / "docs/site.py")
        site = importlib.util.module_from_spec(place)
        place.loader.exec_module(site)
        self.assertEqual(site.spaced("Text:\n- one\n- two\n  more\n- three"), "Text:\n\n- one\n- two\n  more\n- three")
        self.assertEqual(site.anchor("One `two`, (three)", "-"), "one-two-three")

    def test_the_script_of_the_site_says_what_is_missing(self):
        done = subprocess.run(["/bin/bash", ROOT / "docs/build"], capture_output=True, text=True, check=False, env={"PATH": "/nowhere"})
        self.assertEqual((done.returncode, done.stderr), (3, "docs/build: there is no mkdocs, which makes the site (Debian: apt-get install mkdocs)\n"))
        done = subprocess.run([ROOT / "docs/build", "--no-such"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2)


if __name__ == "__main__":
    if shutil.which("mkdocs") is None:
        print("skipped: no mkdocs (Debian: apt-get install mkdocs)")
        sys.exit(77)
    unittest.main()
