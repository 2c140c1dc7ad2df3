# SPDX-License-Identifier: Apache-2.0
"""Counts the files of an addition by making one of each: a metric, an option of `ensemble`, a statistic.

An addition is made in a copy of the source. Only the files that it touches are compiled, with the build's own flags, and
linked before the build's libraries, so that the program which is run is the built one with the addition in it."""

import json
import os
import re
import shlex
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(os.environ.get("ULPINE_SOURCE_DIR", Path(__file__).resolve().parents[2]))
BUILD = Path(os.environ.get("ULPINE_BUILD_DIR", SOURCE / "build/cpu"))
PROGRAM = Path(os.environ.get("ULPINE_PROGRAM", BUILD / "bin/ulpine"))
REPORT_PYTHON = os.environ.get("ULPINE_REPORT_PYTHON", "/usr/bin/python3")
ROOMS = ("cli", "core", "ensembles", "io", "precision", "verification", "cases", "analysis")
CASE = "cases/fdm/acoustic_mode.toml"

# file -> [(text that is there once, what stands before it then)]
METRIC = {"verification/metrics/metric_list.cpp": [
    ('    {"relative", lower, "1", "statistics, integrals', '''    {"halved", higher, "field", "half of max |x-y|", "NOVEL", 3, everywhere,
     [](Sums sums) { return Value::of(sums.largest_difference / 2); }},
''')]}
OPTION = {
    "ensembles/study/study.hpp": [("  bool trap_nonfinite = false;\n", "  int most_failures = 0;  ///< the study ends after as many failed runs; 0: it goes on\n")],
    "cli/options_running.cpp": [('  add_number(*command, "--watch"', '''  add_number(*command, "--most-failures", options->execution.most_failures, 0, 1000,
             "End the study after so many failed runs (0: go on)");
''')]}
STATISTIC = {CASE: [("[grid]", '''[evaluate.novel]
kind = "extremum"
field = "w"

''')]}


class Scratch:
    """A copy of the source, in which an addition is made."""

    def __init__(self, folder, addition):
        self.folder = Path(folder)
        for room in ROOMS:
            shutil.copytree(SOURCE / room, self.folder / room, ignore=shutil.ignore_patterns("__pycache__"))
        before = self.contents()
        for name, changes in addition.items():
            text = (self.folder / name).read_text(encoding="utf-8")
            for anchor, added in changes:
                if text.count(anchor) != 1:
                    raise AssertionError(f"{name}: '{anchor}' is there {text.count(anchor)} times")
                text = text.replace(anchor, added + anchor)
            (self.folder / name).write_text(text, encoding="utf-8")
        after = self.contents()
        self.touched = sorted(name for name in after if after[name] != before.get(name))

    def contents(self):
        return {str(path.relative_to(self.folder)): path.read_bytes() for path in self.folder.rglob("*") if path.is_file()}

    def program(self):
        """The built program with the touched sources in place of what it was built from."""
        objects = []
        for name in self.touched:
            if not name.endswith(".cpp"):
                continue
            words = [word.replace(f"-I{SOURCE}", f"-I{self.folder}") if word == f"-I{SOURCE}" else word for word in flags_of(SOURCE / name)]
            objects.append(self.folder / (Path(name).stem + ".o"))
            called([*words, "-O0", "-o", objects[-1], "-c", self.folder / name], BUILD)
        link = link_command()
        at = link.index("-o")
        # Its modules lie where the built program's do.
        program = self.folder / "built/bin/ulpine"
        program.parent.mkdir(parents=True)
        for entry in PROGRAM.parent.parent.iterdir():
            if entry.name != "bin":
                (self.folder / "built" / entry.name).symlink_to(entry)
        for entry in PROGRAM.parent.iterdir():
            if entry.name != PROGRAM.name:
                (program.parent / entry.name).symlink_to(entry)
        called([*link[:at], *objects, "-Wl,--allow-multiple-definition", "-o", program, *link[at + 2:]], BUILD)
        return program


def called(words, folder):
    done = subprocess.run([str(word) for word in words], cwd=folder, capture_output=True, text=True)
    if done.returncode:
        raise AssertionError(shlex.join(map(str, words)) + "\n" + done.stderr)
    return done.stdout


def flags_of(source):
    """The compiler and its flags for a source of the build, which may be joined with others."""
    for entry in json.loads((BUILD / "compile_commands.json").read_text(encoding="utf-8")):
        file = Path(entry["directory"]) / entry["file"]
        joined = file.suffix == ".cxx" and file.exists() and f'"{source}"' in file.read_text(encoding="utf-8")
        if file == source or joined:
            words = shlex.split(entry["command"])
            at = words.index("-o")
            return [word for word in words[:at] + words[at + 2:] if word not in ("-c", entry["file"], str(file))]
    raise AssertionError(f"{source}: no command of the build compiles it")


def link_command():
    commands = called(["ninja", "-C", BUILD, "-t", "commands", PROGRAM.relative_to(BUILD)], BUILD).strip().splitlines()
    words = shlex.split(commands[-1])
    return [word for word in words if word not in (":", "&&")]


class Additions(unittest.TestCase):
    def setUp(self):
        self.place = tempfile.TemporaryDirectory()
        self.addCleanup(self.place.cleanup)
        self.work = Path(self.place.name) / "work"
        self.work.mkdir()

    def made(self, addition, files):
        scratch = Scratch(Path(self.place.name) / "source", addition)
        self.assertEqual(len(scratch.touched), files, scratch.touched)
        return scratch

    def call(self, program, *words, code=0):
        environment = dict(os.environ, ULPINE_PYTHON="/bin/true", OMP_NUM_THREADS="1")
        done = subprocess.run([str(program), *map(str, words)], cwd=self.work, capture_output=True, text=True, env=environment)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stdout + done.stderr

    def study(self, program, case, *words):
        """A study of seconds, whose answer is of no interest."""
        environment = dict(os.environ, ULPINE_PYTHON="/bin/true", OMP_NUM_THREADS="1")
        done = subprocess.run([str(program), "ensemble", str(case), "-o", "study", "--until", "0.2 s", "--policies", "fp64,fp32", "--assemblies", "deterministic",
                               "--members", "1", "--epsilons", "2^-23", "--quad-until", "0 s", "--jobs", "1", *words], cwd=self.work, capture_output=True, text=True, env=environment)
        self.assertIn(done.returncode, (0, 1, 4), done.stderr)
        return json.loads((self.work / "study/results.json").read_text(encoding="utf-8"))

    def test_a_metric_is_one_file(self):
        scratch = self.made(METRIC, 1)
        program = scratch.program()
        gate = "verify.w.halved=1e9"
        results = self.study(program, SOURCE / CASE, "--set", gate)
        self.assertEqual(results["metrics"]["halved"]["direction"], "higher")
        run = next(run for run in results["runs"] if run["id"] == "fp32/deterministic")
        self.assertGreater(run["metrics"]["w"]["linf"], 0)
        self.assertEqual(run["metrics"]["w"]["halved"], run["metrics"]["w"]["linf"] / 2)
        self.assertFalse(next(item for item in results["gates"] if item["name"] == "w.halved")["passed"])
        files = [self.work / f"study/runs/{policy}-deterministic/output.nc" for policy in ("fp64", "fp32")]
        heading = next(line for line in self.call(program, "compare", *files).splitlines() if line.startswith("variable"))
        self.assertIn("halved", heading.split())
        self.assertEqual(json.loads(self.call(program, "compare", *files, "--json"))["variables"]["w"]["halved"], run["metrics"]["w"]["halved"])
        shown = ("import sys; sys.path.insert(0, sys.argv[1])\n"
                 "from ulpine_report import load, render\n"
                 "study = load.load(sys.argv[2])\n"
                 "print([metric.heading for metric in render.used_metrics(study)], render.more_is_better(study))")
        done = subprocess.run([REPORT_PYTHON, "-B", "-c", shown, SOURCE / "analysis", self.work / "study"], capture_output=True, text=True)
        if "ModuleNotFoundError" in done.stderr:
            self.skipTest("this Python makes no report: " + done.stderr.splitlines()[-1])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("'NOVEL'", done.stdout)
        self.assertIn("['halved']", done.stdout)

    def test_an_option_of_ensemble_is_two_files(self):
        """Beside what it has an effect on. Only the source that declares options knows the new member here: no study is run."""
        scratch = self.made(OPTION, 2)
        program = scratch.program()
        self.assertRegex(self.call(program, "ensemble", "--help"), r"--most-failures N +End the study after so many failed runs")
        words = self.call(program, "ensemble", "case.toml", "-o", "study", "--most-failures", "many", code=2)
        self.assertIn("'many' is no whole number from 0 to 1000", words)
        # Every other source that includes the header still compiles.
        users = [path for path in sorted(scratch.folder.rglob("*.cpp")) if re.search(r'#include "(ensembles/study/study|cli/ensemble_options).hpp"', path.read_text(encoding="utf-8"))]
        self.assertGreater(len(users), 3)
        for path in users:
            source = SOURCE / path.relative_to(scratch.folder)
            words = [f"-I{scratch.folder}" if word == f"-I{SOURCE}" else word for word in flags_of(source)]
            called([*words, "-fsyntax-only", path], BUILD)

    def test_a_statistic_is_one_file(self):
        scratch = self.made(STATISTIC, 1)
        results = self.study(PROGRAM, scratch.folder / CASE)
        self.assertIn("novel", [statistic["name"] for statistic in results["statistics"]])
        for run in results["runs"]:
            self.assertIn("novel", run["statistics"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
