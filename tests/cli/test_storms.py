#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The storms of the finite-difference core through the command: restarts, threads and policies, the air of a sounding, statistics of a study."""
import json
import unittest

from support import CommandTest, SOURCE

QUICK = SOURCE / "cases/fdm/supercell_quick.toml"
SOUNDING = SOURCE / "cases/fdm/sounding_storm.toml"
# Height m, theta K, vapour g kg-1, u and v m s-1 over a line of the ground: p hPa, theta, vapour.
AIR = """1000.0 300.0 16.0
500.0 301.0 15.0 2.0 0.0
2000.0 305.0 10.0 8.0 1.0
6000.0 322.0 2.0 14.0 2.0
12000.0 343.0 0.1 18.0 2.0
20000.0 480.0 0.0 18.0 2.0
"""
SMALL = ("--set", "grid.nx=12", "--set", "grid.ny=12", "--set", "grid.nz=20", "--set", "grid.dx=4000.0", "--set", "grid.dz=900.0")


class StormsTest(CommandTest):
    def record(self, folder):
        return json.loads((self.folder / folder / "run.json").read_text())

    def storm(self, folder, *words, case=QUICK, until="12 min", threads=1):
        self.assert_done("run", case, "--set", "output.interval='4 min'", "--until", until, "-o", folder, "--threads", threads, *words)
        return self.record(folder)

    def test_a_run_stopped_and_restarted_ends_with_the_same_bits(self):
        for scheme in ("runge_kutta", "leapfrog"):
            words = ("--set", f"time.scheme={scheme}", "--set", "mixing.closure=energy")
            whole = self.storm(scheme, *words)
            self.storm(scheme + "-part", *words, until="8 min")
            rest = self.storm(scheme + "-rest", *words, "--restart", scheme + "-part/restart.nc")
            self.assertEqual((whole["steps"], rest["steps"]), (60, 20))
            self.assertEqual(rest["hash"], whole["hash"], scheme)

    def test_bits_depend_on_the_policy_and_not_on_threads(self):
        self.assertEqual(self.storm("t1", until="4 min")["hash"], self.storm("t3", until="4 min", threads=3)["hash"])
        hashes = {self.storm(policy, "--policy", policy, until="4 min")["hash"] for policy in ("fp32", "mixed", "tf32", "bf16", "fp16")}
        self.assertEqual(len(hashes | {self.record("t1")["hash"]}), 6)

    def test_a_study_has_the_storm_s_statistics(self):
        # Of two members nothing is decided.
        self.assert_done("ensemble", QUICK, "-o", "study", "--policies", "fp64,mixed", "--assemblies", "deterministic", "--members", "2", "--epsilons", "2^-7", "--quad-until", "0 s", code=4)
        results = json.loads((self.folder / "study/results.json").read_text())
        run = next(run for run in results["runs"] if run["id"] == "fp64/deterministic")
        # A bubble of 3 K in air of some 2000 J kg-1 has made cloud and strong wind within half an hour.
        self.assertGreater(run["statistics"]["w_max"], 3)
        self.assertGreater(run["statistics"]["cloud_mean"], 0)
        self.assertLessEqual({"rain_mean", "cold_pool", "theta_min"}, set(run["statistics"]))
        # In the middle of 24 rows, where the storm is.
        self.assertEqual({figure["index"] for figure in results["figures"] if figure["kind"] == "section"}, {12})

    def test_a_storm_in_the_air_of_a_sounding(self):
        (self.folder / "air.txt").write_text(AIR)
        file = ("--set", f"base.file='{self.folder / 'air.txt'}'")
        still = self.storm("still", *SMALL, *file, "--set", "base.frame_u=0.0", "--set", "base.frame_v=0.0", case=SOUNDING, until="1 min")
        moving = self.storm("moving", *SMALL, *file, case=SOUNDING, until="1 min")
        self.assertNotEqual(still["hash"], moving["hash"])

    def test_a_sounding_that_lacks_or_is_too_low_is_refused_with_a_line(self):
        self.assert_fails(2, "run", SOUNDING, "-o", "a", says=("base.file", "required"))
        (self.folder / "low.txt").write_text("".join(AIR.splitlines(True)[:4]))
        self.assert_fails(2, "run", SOUNDING, "-o", "a", "--set", f"base.file='{self.folder / 'low.txt'}'", says=("base.file", "6000", "20000"))


if __name__ == "__main__":
    unittest.main()
