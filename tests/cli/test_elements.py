#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The finite-element cases through the command: restarts, threads and policies of a small one, a solve that fails, statistics of a study."""
import json
import unittest

from support import CommandTest, SOURCE

BUBBLE = SOURCE / "cases/fem/bubble_quick.toml"


class ElementsTest(CommandTest):
    def record(self, folder):
        return json.loads((self.folder / folder / "run.json").read_text())

    def bubble(self, folder, *words, until="40 s", threads=1):
        self.assert_done("run", BUBBLE, "--set", "output.interval='20 s'", "--until", until, "-o", folder, "--threads", threads, *words)
        return self.record(folder)

    def test_a_run_stopped_and_restarted_ends_with_the_same_bits(self):
        whole = self.bubble("whole")
        self.bubble("part", until="20 s")
        rest = self.bubble("rest", "--restart", "part/restart.nc")
        self.assertEqual((whole["steps"], rest["steps"]), (10, 5))
        self.assertEqual(rest["hash"], whole["hash"])

    def test_bits_depend_on_the_policy_and_not_on_threads(self):
        self.assertEqual(self.bubble("t1")["hash"], self.bubble("t3", threads=3)["hash"])
        hashes = {self.bubble(policy, "--policy", policy)["hash"] for policy in ("fp32", "mixed", "tf32", "bf16", "fp16")}
        self.assertEqual(len(hashes | {self.record("t1")["hash"]}), 6)

    def test_the_record_has_mass_and_what_is_left_of_continuity(self):
        integrals = self.bubble("a")["integrals"]
        mass = integrals["mass"]["final"]
        # 2 x 1 x 2 km of some 1.05 kg m-3.
        self.assertAlmostEqual(mass / 4.2e9, 1, delta=0.05)
        self.assertNotEqual(integrals["mass_residual"]["final"], 0)
        self.assertLess(abs(integrals["mass_residual"]["final"]), 1e-9 * mass)
        self.assertGreater(integrals["kinetic_energy"]["final"], 0)
        self.assertNotEqual(integrals["drag"]["final"], 0)

    def test_a_solve_that_fails_ends_the_run_with_a_line(self):
        little = ("--set", "solver.iterations=1", "--set", "solver.tolerance=1e-14")
        self.assert_fails(1, "run", BUBBLE, "-o", "a", *little, says=("was not solved", "iterations", "see a/run.json"))
        self.assertIn("was not solved", self.record("a")["failed"])
        self.bubble("b", *little, "--set", "solver.failure=go_on")

    def test_a_study_tells_of_a_reference_that_is_not_solved(self):
        little = ("--set", "solver.iterations=1", "--set", "solver.tolerance=1e-14")
        done = self.assert_done("ensemble", BUBBLE, "-o", "a", *little, "--configurations", "fp64/deterministic,fp32/deterministic", "--members", "1", "--epsilons", "2^-7", "--until", "20 s", code=1)
        self.assertIn("the reference fp64/deterministic failed", done)
        for name in ("results.json", "junit.xml", "summary.md"):
            text = (self.folder / "a" / name).read_text()
            self.assertIn("was not solved", text, name)
        self.assertNotIn("--resume", done)
        self.assertEqual((self.folder / "a/junit.xml").read_text().count(' name="completed" time="0.'), 4)

    def test_commands_whose_reference_is_not_solved_end_as_failed_runs_do(self):
        little = (BUBBLE, "--set", "solver.iterations=1", "--set", "solver.tolerance=1e-14")
        for words in (("digits", *little, "--until", "20 s", "--samples", "2", "-o", "a"), ("search", *little, "--until", "20 s", "--members", "3", "-o", "b"), ("bitwise", *little, "--steps", "1"),
                      ("restart", *little, "--spinup", "4 s", "--until", "8 s", "-o", "c")):
            self.assert_fails(1, *words, says="was not solved")

    def test_a_case_echoes_what_it_runs_as(self):
        self.bubble("a")
        self.assertEqual(self.record("a")["hash"], self.bubble("b", "--set", "time.implicitness=0.55", "--set", "pressure.stabilisation=0.05")["hash"])

    def started(self, folder, file, *words, until="20 s"):
        """The bubble's case from the last fields of an output."""
        return self.bubble(folder, "--set", "start.amplitude=0.0", "--set", f"start.file='{self.folder / file}'", *words, until=until)

    def statistic(self, folder, name):
        return self.record(folder)["integrals"][name]["final"]

    def test_a_start_from_an_output_goes_on_as_the_run_did(self):
        self.bubble("whole")
        self.bubble("part", until="20 s")
        self.started("rest", "part/output.nc")
        # p of 1e5 Pa is written, not its departure: that loses 2^-36 Pa, 1e-13 of the hundred that the bubble has.
        for name in ("mass", "kinetic_energy"):
            self.assertAlmostEqual(self.statistic("rest", name) / self.statistic("whole", name), 1, delta=1e-9)
        self.started("first", "part/output.nc", "--set", "start.time=0")
        self.assertAlmostEqual(self.statistic("first", "kinetic_energy") / self.statistic("part", "kinetic_energy"), 1, delta=1e-9)
        self.assertNotAlmostEqual(self.statistic("first", "kinetic_energy") / self.statistic("whole", "kinetic_energy"), 1, delta=1e-4)

    def test_a_start_from_an_output_is_interpolated_to_a_finer_mesh(self):
        self.bubble("part", until="20 s")
        self.started("fine", "part/output.nc", "--set", "mesh.refinement=2", until="4 s")
        self.bubble("next", until="24 s")
        self.assertAlmostEqual(self.statistic("fine", "kinetic_energy") / self.statistic("next", "kinetic_energy"), 1, delta=0.05)
        self.assertAlmostEqual(self.statistic("fine", "mass") / self.statistic("next", "mass"), 1, delta=0.01)

    def test_air_at_rest_on_another_mesh_is_at_rest_on_this_one(self):
        rest = ("--set", "start.amplitude=0.0", "--set", "base.u=0.0", "--set", "air.viscosity=0.0")
        for policy in ("fp64", "fp32"):
            self.bubble("rest", *rest, "--policy", policy, until="4 s")
            for of in ("fp64", "fp32"):
                self.started("finer", "rest/output.nc", *rest, "--set", "mesh.nx=11", "--set", "mesh.nz=9", "--policy", of, until="8 s")
                self.assertEqual(self.statistic("finer", "kinetic_energy"), 0, (policy, of))

    def test_a_file_that_is_no_start_is_refused_with_a_line(self):
        self.bubble("part", until="20 s")
        start = ("run", BUBBLE, "-o", "a", "--set", f"start.file='{self.folder / 'part/output.nc'}'")
        self.assert_fails(2, *start, says=("start.file", "start.amplitude"))
        still = (*start, "--set", "start.amplitude=0.0")
        self.assert_fails(2, *still, "--set", "start.time=7", says=("start.time", "2 times", "between -2 and 1"))
        self.assert_fails(2, *still, "--set", "water.carried=true", says=("start.file", "vapour"))
        self.assert_fails(2, *still, "--set", f"start.file='{self.folder / 'part/run.json'}'", says="run.json")
        self.assert_fails(2, *still, "--set", "start.file='none.nc'", says=("start.file", "no such file"))

    def test_studies_judge_the_declared_statistics(self):
        self.call("ensemble", BUBBLE, "--set", "output.interval='4 s'", "--until", "8 s", "-o", "study", "--members", 2, "--policies", "fp64,fp32", "--assemblies", "deterministic", "--quad-until", "0 s", "--quiet")
        names = {statistic["long_name"] for statistic in json.loads((self.folder / "study/results.json").read_text())["statistics"]}
        for words in ("largest |w|", "lowest potential temperature", "drag on the ground"):
            self.assertTrue(any(words in name for name in names), names)


if __name__ == "__main__":
    unittest.main()
