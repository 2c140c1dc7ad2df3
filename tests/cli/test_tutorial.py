#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The tutorial: every command runs as written and prints what the page says; the pictures are those that it makes."""
import os
import re
import subprocess
import unittest

from support import CommandTest, PROGRAM, SOURCE

PAGE = (SOURCE / "docs/tutorials/first-verdict.md").read_text(encoding="utf-8")
PYTHON = os.environ.get("ULPINE_PYTHON") or ("/usr/bin/python3" if os.path.exists("/usr/bin/python3") else "python3")
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", PAGE, re.S)
# Of commands that say no.
CODES = {"ulpine ensemble $case -o out/study": (1,), "ulpine report out/study": (1,), "ulpine trace-diff": (1,)}


def code_of(line):
    return next((codes for begin, codes in CODES.items() if line.startswith(begin)), (0,))


class TutorialTest(CommandTest):
    def run_page(self):
        """Runs the page from top to bottom; what each block of commands printed, in the order of the page."""
        (self.folder / "cases").symlink_to(SOURCE / "cases")
        (self.folder / "bin").mkdir()
        (self.folder / "bin/ulpine").symlink_to(PROGRAM)
        environment = dict(os.environ, ULPINE_SOURCE_DIR=str(SOURCE), PATH=f"{self.folder / 'bin'}:{os.environ['PATH']}")
        # Pages take seconds to draw; that of the study has the page's pictures, and no fields to choose from.
        without_pages = dict(environment, ULPINE_PYTHON="/bin/true")
        without_fields = self.folder / "bin/python-without-fields"
        without_fields.write_text(f'#!/bin/sh\nexec {PYTHON} "$@" --no-fields\n')
        without_fields.chmod(0o755)
        environment["ULPINE_PYTHON"] = str(without_fields)
        setting = next(line for _, text in BLOCKS for line in text.splitlines() if line.startswith("case="))
        printed = []
        for kind, text in BLOCKS:
            if kind != "sh" or "quickstart" in text:
                printed.append("")
                continue
            output = ""
            for line in text.splitlines():
                done = subprocess.run(["bash", "-c", f"{setting}\n{line}"], cwd=self.folder, capture_output=True, text=True, check=False,
                                      env=environment if line.startswith("ulpine ensemble $case -o out/study") else without_pages)
                self.assertIn(done.returncode, code_of(line), f"{line}: {done.stdout}{done.stderr}")
                output += done.stdout
            printed.append(output)
        return printed

    def test_every_command_runs_and_prints_what_the_page_says(self):
        printed = self.run_page()
        last = ""
        checked = 0
        for (kind, text), output in zip(BLOCKS, printed):
            last = output or last
            if kind == "text":
                for line in text.splitlines():
                    self.assertIn(line, last.splitlines(), f"the page says what is not printed, but:\n{last}")
                    checked += 1
        self.assertGreater(checked, 8)
        self.check_numbers()
        self.check_pictures()

    def check_numbers(self):
        """Numbers of the prose that come from a comparison."""
        done = self.call("compare", "out/fp64/output.nc", "out/tf32/output.nc", "--variables", "shear,sivol")
        # Behind the name, the number of times, the worst one's date and time of day, and the number of places that differ.
        rows = {line.split()[0]: line.split()[5] for line in done.stdout.splitlines()[1:3]}
        self.assertEqual((rows["shear"], rows["sivol"]), ("0.000164", "5.98e-09"))
        self.assertIn("differs by 0.016 %", PAGE)
        self.assertIn("the thickness by 5.98e-09", PAGE)

    def check_pictures(self):
        """Those of the page lie in the study, of the same size."""
        names = [name for name in re.findall(r"\]\(\.\./pictures/([^)]+)\)", PAGE) if name != "report.png"]  # of a browser
        self.assertEqual(len(names), 2)
        for name in names:
            made = (self.folder / "out/study/figures" / name).read_bytes()
            shown = (SOURCE / "docs/pictures" / name).read_bytes()
            self.assertEqual(made[16:24], shown[16:24], f"{name} has other width and height now: copy it anew")


if __name__ == "__main__":
    unittest.main()
