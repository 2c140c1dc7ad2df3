#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The tour of the README works, line by line, on the shipped case made small."""
import os
import re
import shlex
import subprocess
import unittest

from support import CommandTest, PROGRAM, SMALL, SOURCE

WRAPPER = f"""
ulpine() {{
  case $1 in
    run | ensemble | restart) {shlex.quote(PROGRAM)} "$@" {shlex.join(SMALL)} ;;
    bitwise) {shlex.quote(PROGRAM)} "$@" {shlex.join(SMALL[2:])} ;;
    *) {shlex.quote(PROGRAM)} "$@" ;;
  esac
}}
"""


class ReadmeTest(CommandTest):
    def test_every_line_of_the_tour_works(self):
        readme = (SOURCE / "README.md").read_text()
        tour = re.search(r"## A tour.*?```sh\n(.*?)```", readme, re.S).group(1)
        (self.folder / "cases").symlink_to(SOURCE / "cases")
        lines = [line for line in tour.splitlines() if line.strip()]
        self.assertGreater(len(lines), 10)
        setting = next(line for line in lines if line.startswith("case="))
        for line in lines:
            with self.subTest(line):
                done = subprocess.run(["bash", "-c", f"{WRAPPER}\n{setting}\n{line}"], cwd=self.folder, capture_output=True,
                                      text=True, check=False, env=dict(os.environ, ULPINE_PYTHON="/bin/true"))
                # Runs of two policies part: that is what the line shows. What a study this small decides is open.
                expected = (1,) if line.startswith("ulpine trace-diff") else (0, 1, 4) if line.startswith(("ulpine ensemble", "ulpine report")) else (0,)
                self.assertIn(done.returncode, expected, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
