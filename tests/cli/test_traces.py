#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs with checkpoints, repeated steps, and where two runs or two builds diverge. ULPINE_LORENZ96 is Lorenz's model with all of the command,
ULPINE_CONTRACTED the same with products and sums contracted, which is not the numerical contract."""
import json
import os
import shutil
import subprocess
import time
import unittest

from support import CASE, CommandTest, INTERRUPT, KILL, PROGRAM, SMALL, SOURCE

LORENZ, CONTRACTED = os.environ.get("ULPINE_LORENZ96", ""), os.environ.get("ULPINE_CONTRACTED", "")
LORENZ_CASE = SOURCE / "examples/lorenz96/lorenz96.toml"


class CheckpointTest(CommandTest):
    def run_small(self, folder, *words, checkpoints=8, steps=10):
        return self.assert_done("run", CASE, *SMALL, "--steps", steps, "--checkpoints", checkpoints, "-o", folder, *words)

    def test_run_keeps_few_checkpoints_and_all_hashes(self):
        self.run_small("a")
        kept = sorted(path.name for path in (self.folder / "a/checkpoints").iterdir())
        self.assertEqual(kept, ["case.toml", "hashes.bin"] + [f"step-{step}.nc" for step in (0, 10, 2, 4, 6, 8)])
        self.assertEqual(json.loads((self.folder / "a/run.json").read_text())["steps"], 10)

    def test_checkpoints_change_no_bit(self):
        self.run_small("a")
        self.assert_done("run", CASE, *SMALL, "--steps", 10, "-o", "b")
        hashes = [json.loads((self.folder / name / "run.json").read_text())["hash"] for name in "ab"]
        self.assertEqual(hashes[0], hashes[1])
        self.assertFalse((self.folder / "b/checkpoints").exists())

    def test_a_repeated_step_has_the_trace_of_the_run(self):
        self.run_small("a", "--trace")
        text = self.assert_done("replay", "a", "--step", 5, "-o", "r")
        self.assertIn("step 5 repeated from step 4: ", text)
        self.assertIn("only the first run has this record; 0 records", self.assert_done("trace-diff", "a/trace.bin", "r/trace.bin", code=1))
        self.assert_done("replay", "a", "--step", 5, "--from", 2, "-o", "s")
        self.assertIn("no difference", self.assert_done("trace-diff", "r/trace.bin", "s/trace.bin"))
        self.assert_done("replay", "a", "--step", 5, "--record", 0, "-o", "s")
        self.assertTrue((self.folder / "s/field.nc").is_file())

    def test_equal_runs_have_no_difference(self):
        self.run_small("a")
        self.run_small("b", checkpoints=3)
        self.assertEqual(self.assert_done("trace-diff", "a", "b"), "no difference in 11 states\n")

    def test_runs_that_part_are_told_to_the_element(self):
        self.run_small("a", "--set", "time.substeps=4")
        self.run_small("b", "--set", "time.substeps=4", "--stage", "seaice.stress=e8m20")
        text = self.assert_done("trace-diff", "a", "b", code=1)
        self.assertIn("the states differ from step 1 on (10 of 11 common states differ)\n", text)
        self.assertRegex(text, r"first at step 1, substep 1, stage seaice\.stress, field stress_\w+, element \d+: \S+ \(0x[0-9a-f]{16}\) against ")
        self.assertEqual(self.assert_done("trace-diff", "a", "b", "--states-only", code=1),
                         "the states differ from step 1 on (10 of 11 common states differ)\n")
        self.assertEqual(self.assert_done("trace-diff", "a", "b", "--quiet", code=1), "")
        self.assertIn("element", self.assert_done("trace-diff", "a", "b", "--programs", f"{PROGRAM},{PROGRAM}", code=1))

    def test_a_run_goes_on_after_an_interrupt_and_after_a_kill(self):
        words = ("run", CASE, *SMALL, "--set", "time.substeps=400", "--checkpoints", 8)
        self.assert_done(*words, "--steps", 300, "-o", "whole")
        for number, restart in ((INTERRUPT, "restart.nc"), (KILL, None)):
            with self.subTest(number):
                shutil.rmtree(self.folder / "part", ignore_errors=True)
                process = self.start(*words, "--steps", 300, "-o", "part")
                self.wait_for(self.folder / "part/checkpoints/step-16.nc")
                code, errors = self.stop(process, number)
                if code == 0:
                    self.skipTest("the run was over before it was stopped")
                place = self.folder / "part" / restart if restart else max(
                    (self.folder / "part/checkpoints").glob("step-*.nc"), key=lambda path: int(path.stem[5:]))
                if restart:
                    self.assertIn("--checkpoints 8", errors)
                    steps = errors.split("--steps ")[1].split()[0]
                else:
                    self.assert_fails(2, "trace-diff", "whole", "part", says="cut short")
                    steps = 300 - int(place.stem[5:])
                self.assert_done(*words, "--steps", steps, "--restart", place, "-o", "part")
                self.assertEqual(self.assert_done("trace-diff", "whole", "part"), "no difference in 301 states\n")

    def test_bad_input_is_one_line(self):
        self.run_small("a")
        self.assert_done("run", CASE, *SMALL, "--steps", 2, "-o", "plain")
        self.assert_fails(2, "trace-diff", "a", "plain", says=("plain", "--checkpoints"))
        self.assert_fails(2, "trace-diff", "a", "a/run.json", says="is a folder")
        self.assert_fails(2, "trace-diff", "a", "a", "--programs", PROGRAM, says="one for each run")
        self.assert_fails(2, "replay", "a", "--step", 11, "-o", "r", says="has no step 11")
        self.assert_fails(2, "replay", "a", "--step", 5, "--from", 3, "-o", "r", says="no checkpoint of step 3")
        self.assert_fails(2, "replay", "a", "--step", 5, "--record", 99999, "-o", "r", says="has no record 99999")
        self.assert_fails(2, "run", CASE, *SMALL, "--steps", 2, "--until", "2 h", says="--steps")
        self.assert_fails(2, "run", CASE, *SMALL, "--steps", 2, "--checkpoints", 1, says="--checkpoints")
        data = bytearray((self.folder / "a/checkpoints/hashes.bin").read_bytes())
        data[-40] ^= 1
        (self.folder / "a/checkpoints/hashes.bin").write_bytes(data)
        self.assert_fails(2, "trace-diff", "a", "a", says=("hashes.bin", "damaged"))


@unittest.skipUnless(LORENZ and CONTRACTED, "Lorenz's model is not built")
class ProgramsTest(CommandTest):
    def test_copies_of_a_program_have_equal_bits(self):
        shutil.copy(LORENZ, self.folder / "copy")
        text = self.assert_done("bitwise", CASE, *SMALL[2:], "--programs", f"one={PROGRAM},two={PROGRAM}", "--steps", 3)
        lines = text.splitlines()
        self.assertEqual(lines[0], "seaice, cpu:1/fp64/deterministic, 3 steps")
        self.assertEqual([line.split()[:2] for line in lines[1:]], [["program", "bits"], ["one", "1"], ["two", "1"]])
        done = subprocess.run([LORENZ, "bitwise", LORENZ_CASE, "--programs", f"one={LORENZ},two=copy", "--steps", "500"], cwd=self.folder,
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_contraction_is_told_at_the_first_stage_that_it_changes(self):
        before = os.listdir(self.folder)
        done = subprocess.run([LORENZ, "bitwise", LORENZ_CASE, "--programs", f"off={LORENZ},fast={CONTRACTED},again={LORENZ}", "--steps", "200"],
                              cwd=self.folder, capture_output=True, text=True, check=False, env=dict(os.environ, TMPDIR=str(self.folder)))
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        lines = done.stdout.splitlines()
        self.assertEqual([line.split()[:2] for line in lines[2:5]], [["off", "1"], ["fast", "2"], ["again", "1"]])
        self.assertTrue(lines[5].startswith("fast (bits 2) against off (bits 1): the states differ from step 1 on"), lines[5])
        self.assertRegex(lines[6], r"^first at step 1, stage 1, stage lorenz96\.(tendency|advance), field \w+, element \d+: ")
        self.assertEqual(os.listdir(self.folder), before, "the runs' folders are gone")

    def test_runs_of_two_builds_are_repeated_each_by_its_own(self):
        for name, program in (("a", LORENZ), ("b", CONTRACTED)):
            subprocess.run([program, "run", LORENZ_CASE, "--steps", "50", "--checkpoints", "4", "-o", name, "--quiet"], cwd=self.folder, check=True)
        text = self.assert_done("trace-diff", "a", "b", code=1)
        self.assertIn(f"step 1 could be repeated with {LORENZ} and {CONTRACTED} (so the runs' logs say) give --run-programs", text)
        text = self.assert_done("trace-diff", "a", "b", "--run-programs", code=1)
        self.assertRegex(text, r"first at step 1, stage 1, stage lorenz96\.(tendency|advance), field \w+, element \d+: ")
        # The other program does not give the run's state again.
        self.assert_fails(1, "trace-diff", "a", "b", "--programs", f"{LORENZ},{LORENZ}", says="is not the run's when repeated")

    def test_an_interrupt_leaves_nothing_behind(self):
        work = self.folder / "work"
        work.mkdir()
        process = subprocess.Popen([LORENZ, "bitwise", LORENZ_CASE, "--programs", f"a={LORENZ},b={LORENZ}", "--steps", "100000000"],
                                   env=dict(os.environ, TMPDIR=str(work)), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(1000):
            if list(work.glob("*/a/checkpoints/hashes.bin")):
                break
            time.sleep(0.01)
        process.send_signal(INTERRUPT)
        _, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, errors)
        self.assertEqual(list(work.iterdir()), [])

    def test_bad_programs_are_refused(self):
        for text, says in (("one=" + PROGRAM, "at least two"), ("/bin/sh," + PROGRAM, "NAME=PATH"), (f"a=/absent,b={PROGRAM}", "is no program")):
            with self.subTest(text):
                self.assert_fails(2, "bitwise", CASE, *SMALL[2:], "--programs", text, says=says)
        self.assert_fails(2, "bitwise", CASE, "--programs", f"a={PROGRAM},b={PROGRAM}", "--configs", "cpu:1,cpu:2", says="name one")


if __name__ == "__main__":
    unittest.main()
