#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The pages of docs/: commands that a page shows exist with their options, those of how-to pages run, and the pages that the program writes are those of this program."""
import functools
import pathlib
import re
import shlex
import subprocess
import sys
import unittest

try:
    import netCDF4
except ImportError:
    netCDF4 = None

from pages import blocks, lines, run_page
from support import COMMANDS, CommandTest, PROGRAM, SOURCE

DOCS = SOURCE / "docs"
PAGES = [SOURCE / "README.md", SOURCE / "CONTRIBUTING.md", *sorted(DOCS.glob("**/*.md"))]
SCRIPTS = re.compile(r"(?:\./)?(?:quickstart|run-tests|docs/\w+|scripts/[\w.-]+|tests/[\w./-]+\.(?:py|sh)|examples/[\w./-]+\.(?:py|sh)|benchmarks/[\w./-]+\.py)$")
OPTION = re.compile(r"(?<![\w-])(--?[A-Za-z][\w-]*)")


@functools.lru_cache(None)
def options_of(command):
    """The options that the program's help of `command` names."""
    done = subprocess.run([PROGRAM, *command.split(), "--help"], capture_output=True, text=True, check=True)
    return frozenset(OPTION.findall(done.stdout))


def calls(line):
    """The words of each call in a line of a shell, behind assignments, mpirun and python3, without comments and redirections."""
    words = list(shlex.shlex(re.sub(r"<[a-z ]+>", "FILE", line), posix=True, punctuation_chars="|&;<>"))
    call = []
    for word in [*words, ";"]:
        if re.fullmatch(r"[|&;]+", word):
            while call and (re.match(r"\w+=", call[0]) or call[0] in ("python3", "exec", "time")):
                call = call[1:]
            if call and call[0] == "mpirun":
                call = call[3:] if call[1:2] == ["-n"] else call[1:]
            if call:
                yield call
            call = []
        else:
            call.append(word)


def faults(line):
    """What of a line does not exist, in a line each."""
    for program, *words in calls(line):
        name = pathlib.PurePath(program).name
        if name == "ulpine" or program in ("$water", "build/water/shallow_water"):
            if words and not words[0].startswith("-"):
                if words[0] not in (*COMMANDS, "COMMAND"):
                    yield f"no command {words[0]}"
                    continue
                command = words[0]
            else:
                command = ""
            if command == "COMMAND":
                continue
            for word in words:
                if word.startswith("-") and not re.match(r"-\d", word) and word.split("=")[0] not in options_of(command):
                    yield f"ulpine {command} has no option {word}"
        elif SCRIPTS.fullmatch(program):
            script = SOURCE / program
            if not script.exists():
                yield f"no script {program}"
                continue
            # A script may hand its options on to the program beside it.
            beside = sorted(script.parent.glob("*.cpp")) if "/" in program else []
            text = "\n".join(path.read_text(encoding="utf-8") for path in (script, *beside))
            for word in words:
                if word == "--":
                    break
                if word.startswith("--") and not re.search(rf"(?<![\w-]){re.escape(word.split('=')[0])}(?![\w-])", text):
                    yield f"{program} has no option {word}"


class Commands(unittest.TestCase):
    def test_commands_and_options_exist(self):
        seen = 0
        for page in PAGES:
            for kind, text, _ in blocks(page):
                for line in lines(text) if kind == "sh" else ():
                    seen += 1
                    with self.subTest(f"{page.relative_to(SOURCE)}: {line}"):
                        self.assertEqual(list(faults(line)), [])
        self.assertGreater(seen, 100)

    def test_what_does_not_exist_is_found(self):
        for line, expected in (("ulpine run a.toml --policy fp32", 0), ("ulpine run a.toml --polcy fp32", 1), ("ulpine rum a.toml", 1), ("cd x && ulpine compare a b --jsn | head", 1),
                               ("mpirun -n 2 ulpine run a.toml --no-such", 1), ("A=1 ulpine info --no-such  # --comment", 1), ("./quickstart --no-such", 1), ("tests/no/such.py", 1),
                               ("./run-tests -- -R name", 0), ("ulpine lkf a.nc --at ens=-1", 0)):
            with self.subTest(line):
                self.assertEqual(len(list(faults(line))), expected)

    def test_every_command_of_the_program_is_on_a_page_about_commands(self):
        text = (DOCS / "how-to/which-command.md").read_text(encoding="utf-8")
        for command in set(COMMANDS) - {"run", "info", "cases", "replay"}:
            self.assertIn(f"`{command}", text)


class HowTo(CommandTest):
    def test_where_runs_part(self):
        self.assertEqual(run_page(self, DOCS / "how-to/where-runs-part.md")[0], 8)

    def test_restart(self):
        self.assertEqual(run_page(self, DOCS / "how-to/restart.md")[0], 4)

    @unittest.skipIf(netCDF4 is None, "no numpy or netCDF4 (Debian: apt-get install python3-numpy python3-netcdf4)")
    def test_my_cpu_and_my_gpu_run(self):
        ran, checked = run_page(self, DOCS / "how-to/cpu-and-gpu.md")
        self.assertGreater(ran, 8)
        self.assertGreater(checked, 0)


    @unittest.skipIf(netCDF4 is None, "no numpy or netCDF4 (Debian: apt-get install python3-numpy python3-netcdf4)")
    def test_same_model_and_gate_a_pull_request(self):
        for page, ran, checked in (("same-model", 6, 5), ("gate-a-pull-request", 5, 4)):
            with self.subTest(page):
                (self.folder / page).mkdir()
                folder, self.folder = self.folder, self.folder / page
                found = run_page(self, DOCS / f"how-to/{page}.md")
                self.folder = folder
                self.assertEqual(found, (ran, checked))


    @unittest.skipIf(netCDF4 is None, "no numpy or netCDF4 (Debian: apt-get install python3-numpy python3-netcdf4)")
    def test_from_other_tools(self):
        for page, ran, checked in (("from-pycect", 5, 2), ("from-probtest", 8, 0), ("from-evv", 4, 0)):
            with self.subTest(page):
                (self.folder / page).mkdir()
                folder, self.folder = self.folder, self.folder / page
                found = run_page(self, DOCS / f"how-to/{page}.md")
                self.folder = folder
                self.assertEqual(found, (ran, checked))


class Written(CommandTest):
    """What docs/generate writes."""
    def check(self, program):
        return subprocess.run([sys.executable, DOCS / "generate", program, "--check"], capture_output=True, text=True, check=False)

    def test_pages_are_those_of_this_program(self):
        done = self.check(PROGRAM)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_page_of_another_program_is_stale(self):
        other = self.folder / "other"
        other.write_text(f'#!/bin/sh\n"{PROGRAM}" "$@" | sed s/velocity/speed/\n')
        other.chmod(0o755)
        done = self.check(other)
        self.assertEqual(done.returncode, 1)
        self.assertIn("docs/reference/stages.md", done.stderr)


if __name__ == "__main__":
    unittest.main()
