#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The examples of continuous integration: their YAML is sound, the options that they use exist, and the gate answers as it says."""
import os
import pathlib
import re
import shlex
import subprocess
import unittest

from support import CommandTest, PROGRAM, SOURCE

try:
    import yaml
except ImportError:
    yaml = None

EXAMPLES = SOURCE / "examples/ci"
GATE = EXAMPLES / "gate.sh"
LORENZ, CONTRACTED = os.environ.get("ULPINE_LORENZ96", ""), os.environ.get("ULPINE_CONTRACTED", "")
LORENZ_CASE = SOURCE / "examples/lorenz96/lorenz96.toml"


def scripts_of(document):
    """Every text of the document that a shell runs."""
    if isinstance(document, dict):
        for key, value in document.items():
            if key in ("run", "script", "after_script", "before_script"):
                yield from [value] if isinstance(value, str) else value
            else:
                yield from scripts_of(value)
    elif isinstance(document, list):
        for item in document:
            yield from scripts_of(item)


class ExampleTest(CommandTest):
    def load(self, name):
        if yaml is None:
            self.skipTest("no PyYAML (Debian: apt-get install python3-yaml)")
        return yaml.safe_load((EXAMPLES / name).read_text())

    def options_of(self, command):
        done = self.call(command, "--help")
        self.assertEqual(done.returncode, 0, f"no command {command}")
        return set(re.findall(r"(?<![\w-])(--?[a-z][a-z0-9-]*)", done.stdout))

    def assert_options_exist(self, words):
        """`words` of a command behind the program's name; what a variable stands for is not looked at."""
        known = self.options_of(words[0])
        for word in words[1:]:
            if word.startswith("-"):
                self.assertIn(word.split("=")[0], known, " ".join(words))

    def test_the_gates_commands_and_options_exist(self):
        calls = re.findall(r'"\$(?:base|new|program)" ([a-z-]+ .*)', GATE.read_text())
        self.assertEqual(sorted({call.split()[0] for call in calls}), ["bitwise", "ensemble", "run", "trace-diff"])
        for call in calls:
            self.assert_options_exist(shlex.split(call.split("||")[0]))

    def test_jobs_call_the_gate_with_options_that_exist(self):
        for name in ("github.yml", "gitlab.yml"):
            with self.subTest(name):
                scripts = list(scripts_of(self.load(name)))
                lines = [line.strip() for script in scripts for line in script.splitlines()]
                gates = [shlex.split(line) for line in lines if line.startswith("gate.sh ")]
                self.assertEqual(sorted(words[1] for words in gates), ["bits", "study"])
                for words in gates:
                    if words[1] == "study":
                        self.assert_options_exist(["ensemble", *words[5:]])
                    else:
                        self.assertEqual(len(words), 7)
                for script in scripts:
                    done = subprocess.run(["bash", "-n"], input=script, capture_output=True, text=True, check=False)
                    self.assertEqual(done.returncode, 0, script + done.stderr)

    def test_nothing_that_fails_or_is_skipped_is_green(self):
        for name in ("github.yml", "gitlab.yml"):
            text = (EXAMPLES / name).read_text()
            for word in ("continue-on-error", "allow_failure", "|| true"):
                self.assertNotIn(word, text, name)

    def test_github_has_the_gates_and_shows_what_they_found(self):
        workflow = self.load("github.yml")
        jobs = workflow["jobs"]
        self.assertIn("schedule", workflow[True])  # `on` is a boolean of YAML 1.1
        for job in jobs.values():
            self.assertTrue(job["runs-on"] and job["container"] and job["timeout-minutes"])
            for step in job["steps"]:
                self.assertEqual(len({"run", "uses"} & step.keys()), 1, step)
        cached = next(step for step in jobs["bits"]["steps"] if step.get("id") == "base")
        self.assertIn("base.sha", cached["with"]["key"])
        self.assertIn("out/bits/base", cached["with"]["path"])
        text = (EXAMPLES / "github.yml").read_text()
        for word in ("junit.xml", "summary.md", "GITHUB_STEP_SUMMARY"):
            self.assertIn(word, text)

    def test_gitlab_has_the_gates_and_shows_what_they_found(self):
        pipeline = self.load("gitlab.yml")
        self.assertEqual(pipeline["stages"], ["build", "gate"])
        for name in ("build", "bits", "study"):
            self.assertIn(pipeline[name]["stage"], pipeline["stages"])
        self.assertEqual(pipeline["study"]["artifacts"]["reports"]["junit"], "out/study/last/junit.xml")
        self.assertEqual(pipeline["study"]["artifacts"]["when"], "always")
        self.assertIn("out/bits/base", pipeline["bits"]["cache"]["paths"])

    def test_the_container_installs_what_the_build_and_the_program_need(self):
        recipe = (SOURCE / "containers/Containerfile").read_text()
        setup = (SOURCE / "scripts/setup.sh").read_text()
        wanted = " ".join(re.findall(r"_packages=\((.*?)\)", setup, re.S)).split()
        left_out = {"libgtest-dev", "petsc-dev", "libopenmpi-dev", "openmpi-bin", "gfortran"}  # tests, PETSc, several ranks, tests of the probe
        installed = set(re.findall(r"[a-z0-9][a-z0-9.+-]+", recipe))
        self.assertEqual(set(wanted) - installed, left_out)
        self.assertTrue((SOURCE / "examples/ci/gate.sh").stat().st_mode & 0o111)


class GateTest(CommandTest):
    def gate(self, *words):
        return subprocess.run([GATE, *map(str, words)], cwd=self.folder, capture_output=True, text=True, check=False,
                              env=dict(os.environ, ULPINE_PYTHON="/bin/true"))

    def fake(self, *codes):
        """A program that writes down how it is called and ends with these codes, call by call."""
        path = self.folder / "fake"
        path.write_text(f"""#!/bin/bash
echo "$*" >> calls
codes=({' '.join(map(str, codes))})
folder=$(sed 's/.*-o \\([^ ]*\\).*/\\1/' <<< "$*")
mkdir -p "$folder" && echo "call $(wc -l < calls)" > "$folder/summary.md"
exit "${{codes[$(($(wc -l < calls) - 1))]}}"
""")
        path.chmod(0o755)
        return path

    def study(self, *codes):
        done = self.gate("study", self.fake(*codes), "case.toml", "out", "--members", 3)
        calls = (self.folder / "calls").read_text().splitlines()
        (self.folder / "calls").unlink()
        return done, calls

    def test_a_study_is_repeated_once_with_another_seed_before_red(self):
        for codes, expected, calls in (((0,), 0, 1), ((1, 0), 0, 2), ((1, 1, 0), 1, 2), ((1, 4), 4, 2), ((4,), 4, 1), ((2,), 2, 1), ((3,), 3, 1),
                                       ((130,), 130, 1)):
            with self.subTest(codes):
                done, made = self.study(*codes)
                self.assertEqual(done.returncode, expected, done.stdout + done.stderr)
                self.assertEqual(len(made), calls)
                for seed, call in enumerate(made, 1):
                    self.assertEqual(call, f"ensemble case.toml --seed {seed} --resume -o out/seed-{seed} --members 3")
                self.assertEqual((self.folder / "out/last/summary.md").read_text(), f"call {calls}\n", "what is shown is the last study")
                self.assertEqual("undecided is not passed" in done.stderr, expected == 4)

    def test_wrong_usage_is_told(self):
        for words in ((), ("bits",), ("study", "a", "b"), ("bitz", "a", "b", "c", "d", "e")):
            done = self.gate(*words)
            self.assertEqual(done.returncode, 2)
            self.assertIn("gate.sh bits BASE NEW CASE STEPS FOLDER", done.stderr)

    def test_the_gate_of_bits_stops_at_the_first_that_fails(self):
        done = self.gate("bits", self.fake(3), self.folder / "fake", "case.toml", 5, "out")
        self.assertEqual(done.returncode, 3)
        self.assertEqual(len((self.folder / "calls").read_text().splitlines()), 1)

    @unittest.skipUnless(LORENZ and CONTRACTED, "Lorenz's model is not built")
    def test_the_gate_of_bits_tells_equal_from_contracted(self):
        done = self.gate("bits", LORENZ, LORENZ, LORENZ_CASE, 200, "out")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("no difference in 201 states", done.stdout)
        before = pathlib.Path(self.folder / "out/base/run.json").stat().st_mtime_ns
        done = self.gate("bits", LORENZ, CONTRACTED, LORENZ_CASE, 200, "out")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("first at step 1, stage 1, stage lorenz96.", done.stdout)
        self.assertEqual(pathlib.Path(self.folder / "out/base/run.json").stat().st_mtime_ns, before, "the base's run is kept")

    @unittest.skipUnless(LORENZ, "Lorenz's model is not built")
    def test_the_gate_of_studies_answers_for_a_model(self):
        done = self.gate("study", LORENZ, LORENZ_CASE, "out", "--policies", "fp64", "--assemblies", "deterministic", "--members", 3,
                         "--epsilons", "2^-10")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        for name in ("junit.xml", "summary.md", "results.json"):
            self.assertTrue((self.folder / "out/last" / name).is_file(), name)


if __name__ == "__main__":
    unittest.main()
