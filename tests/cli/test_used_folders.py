#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Commands into folders that hold earlier results: these are replaced as a whole, and only by what could start."""
import fcntl
import os
import unittest

from support import CASE, CommandTest, SMALL, SOURCE, limit


class UsedFolderTest(CommandTest):
    def run_small(self, folder, *words, code=0):
        return self.assert_done("run", CASE, *SMALL, "--until", "10 min", "-o", folder, *words, code=code)

    def contents(self, folder):
        """Bytes by name of all files but the lock of the folder, which names the last process."""
        return {str(path.relative_to(self.folder / folder)): path.read_bytes()
                for path in sorted((self.folder / folder).rglob("*")) if path.is_file() and path.name != ".ulpine.lock"}

    def held(self, path, how):
        """The file open and locked as HDF5 does it: shared by readers, alone by a writer."""
        file = open(path, "rb")  # closed with the test
        self.addCleanup(file.close)
        fcntl.flock(file, how)
        return file

    def test_no_file_of_an_earlier_run_is_left_beside_those_of_a_new_one(self):
        self.run_small("a", "--trace", "--checkpoints", "4")
        self.run_small("a", "--policy", "fp32")
        self.assertEqual(sorted(self.contents("a")), ["output.nc", "restart.nc", "run.json"])
        self.run_small("fresh", "--policy", "fp32")
        self.assertEqual(self.contents("a")["restart.nc"][:8], self.contents("fresh")["restart.nc"][:8])
        self.assert_fails(2, "trace-diff", "a/trace.bin", "a/trace.bin", says="a/trace.bin")
        self.assert_fails(2, "trace-diff", "a", "a", says="without --checkpoints")

    def test_a_run_that_cannot_start_leaves_the_earlier_one_as_it_was(self):
        self.run_small("a", "--trace", "--checkpoints", "4")
        before = self.contents("a")
        self.assertGreater(len(before), 6)
        (self.folder / "bad.toml").write_text("core = 'seaice'\n[grid\n")
        small = (*SMALL, "--until", "10 min", "-o", "a", "--trace", "--checkpoints", "4")
        for code, words in ((2, ("bad.toml", "-o", "a")), (2, (CASE, *small, "--set", "grid.nx=0")), (2, (CASE, *small, "--set", "start.file='absent.nc'")), (2, (CASE, *small, "--restart", "absent.nc")),
                            (2, (CASE, *small, "--policy", "fp63")), (2, (CASE, *small, "--device", "gpu")), (2, (CASE, *small, "--stage", "absent=fp32")), (2, (CASE, *small, "--set", "grid.nxx=3"))):
            self.assert_fails(code, "run", *words)
            self.assertEqual(self.contents("a"), before, words)
        # Not even the first output fits on the disk.
        line = self.assert_fails(3, "run", CASE, *small, preexec_fn=limit(FSIZE=4096))
        self.assertNotIn(".part", line)
        self.assertEqual(self.contents("a"), before)
        self.assertEqual(self.contents("."), {"bad.toml": (self.folder / "bad.toml").read_bytes()} | {f"a/{name}": data for name, data in before.items()}, "and nothing is left over")

    def test_files_that_others_have_open_stop_no_run_and_lose_nothing(self):
        for how in (fcntl.LOCK_SH, fcntl.LOCK_EX):
            self.run_small("a")
            before = self.contents("a")["output.nc"]
            file = self.held(self.folder / "a/output.nc", how)
            self.run_small("a", "--policy", "fp32")
            self.assertEqual(file.read(), before, "who has it open goes on reading the earlier one")
            self.assert_done("compare", "a/output.nc", "a/output.nc")

    def test_who_reads_the_last_part_of_a_run_is_told_of_the_earlier_ones(self):
        self.run_small("a")
        output = "a/output.nc"
        commands = (("compare", output, output), ("lkf", output), ("spectrum", output, "--variable", "sivol"))
        for words in commands:
            self.assertEqual(self.call(*words).stderr, "", words)
        for end, parts in (("20 min", "in output-1.nc, is left out"), ("30 min", "in output-1.nc to output-2.nc, is left out")):
            self.assert_done("run", CASE, *SMALL, "--until", end, "-o", "a", "--restart", "a/restart.nc")
            for words in commands:
                told = self.call(*words).stderr.splitlines()
                self.assertEqual([f"{output}: is the last part of a run that went on from a restart; what lies before it, {parts}" in line for line in told], [True] * words.count(output), words)
        self.assertEqual(self.call("lkf", "a/output-1.nc").stderr, "", "a part is meant when it is named")

    def test_a_lock_is_called_one(self):
        self.run_small("a")
        for name in ("output.nc", "restart.nc"):
            self.held(self.folder / "a" / name, fcntl.LOCK_EX)
        for words in (("compare", "a/output.nc", "a/output.nc"), ("lkf", "a/output.nc"), ("spectrum", "a/output.nc", "--variable", "sivol"), ("run", CASE, *SMALL, "-o", "b", "--restart", "a/restart.nc")):
            line = self.assert_fails(2, *words, says=("another program has it open", "HDF5's lock", "close it there", "HDF5_USE_FILE_LOCKING=FALSE"))
            self.assertNotIn("Permission denied", line)
        self.assertFalse((self.folder / "b/output.nc").exists())

    def test_readers_share_a_lock(self):
        self.run_small("a")
        self.held(self.folder / "a/output.nc", fcntl.LOCK_SH)
        self.assert_done("compare", "a/output.nc", "a/output.nc")

    def test_an_option_refuses_used_folders(self):
        self.run_small("a", "--new")
        before = self.contents("a")
        self.assert_fails(2, "run", CASE, *SMALL, "--until", "10 min", "-o", "a", "--new", says=("a: is not empty", "leave out --new"))
        self.assertEqual(self.contents("a"), before)

    def test_a_study_is_no_place_for_a_run(self):
        study = self.folder / "study"
        study.mkdir()
        (study / "manifest.json").write_text("{}")
        self.assert_fails(2, "run", CASE, *SMALL, "--until", "10 min", "-o", "study", says=("manifest.json", "another folder"))
        self.run_small("a", "--trace", "--checkpoints", "4")
        for words in (("run", CASE, *SMALL, "--until", "20 min", "-o", "study", "--restart", "a/restart.nc"), ("restart", CASE, *SMALL, "--until", "10 min", "--spinup", "4 min", "-o", "study"),
                      ("replay", "a", "--step", "2", "-o", "study"), ("digits", CASE, *SMALL, "--until", "4 min", "-o", "study")):
            self.assert_fails(2, *words, says=("study: holds the results of another command (manifest.json", "another folder"))
        before = self.contents("a")
        for words in (("restart", CASE, *SMALL, "--until", "10 min", "--spinup", "4 min", "-o", "a"), ("digits", CASE, *SMALL, "--until", "4 min", "-o", "a")):
            self.assert_fails(2, *words, says="a: holds the results of another command (run.json")
        self.assertEqual(self.contents("a"), before)
        self.assertEqual(sorted(self.contents("study")), ["manifest.json"])

    def test_a_replay_neither_replaces_a_runs_trace_nor_leaves_a_wrong_one(self):
        self.run_small("a", "--trace", "--checkpoints", "4")
        before = self.contents("a")
        self.assert_fails(2, "replay", "a", "--step", "2", "-o", "a", says=("a: is the folder of a run", "another folder"))
        self.assertEqual(self.contents("a"), before)
        self.assert_done("replay", "a", "--step", "2", "-o", "s")
        earlier = self.contents("s")
        self.assert_fails(2, "replay", "a", "--step", "99", "-o", "s", says="has no step 99")
        self.assert_fails(3, "replay", "a", "--step", "3", "-o", "s", preexec_fn=limit(FSIZE=1000))
        self.assertEqual(self.contents("s"), earlier)

    def test_no_page_of_earlier_results_stays_beside_new_ones(self):
        self.assert_done("ensemble", CASE, *SMALL, "--until", "2 min", "-o", "study", "--policies", "fp64,fp32", "--assemblies", "deterministic", "--members", "1", "--epsilons", "2^-23", code=4)
        page = self.folder / "study/report.html"
        for python, there in (("/bin/true", True), ("/bin/false", False)):
            page.write_text('<meta name="generator" content="Ulpine">of earlier results')
            self.call("report", "study", env=dict(os.environ, ULPINE_PYTHON=python))
            self.assertEqual(page.exists(), there, python)
        page.write_text('<meta name="generator" content="Ulpine">of these results')
        self.assert_fails(2, "report", "absent")
        self.assertTrue(page.exists())

    def test_a_comparison_replaces_no_other_results(self):
        for name in ("s", "t"):
            self.assert_done("ensemble", CASE, *SMALL, "--until", "2 min", "-o", name, "--policies", "fp64,fp32", "--assemblies", "deterministic", "--members", "1", "--epsilons", "2^-23", code=4)
        before = self.contents("s")
        for name in ("results", "manifest"):
            self.assert_fails(2, "report", "s", "--against", "t", "-o", f"s/{name}.html", says=(f"s/{name}.json: would be replaced (it is no comparison", "another place"))
        self.assertEqual(self.contents("s"), before)
        for _ in range(2):
            self.assert_done("report", "s", "--against", "t", "-o", "page.html")
        os.mkfifo(self.folder / "pipe")
        self.assert_fails(2, "report", "s", "--against", "pipe", says="pipe", timeout=20)

    def test_a_summary_replaces_no_run(self):
        self.run_small("a")
        before = self.contents("a")
        self.assert_fails(2, "consistency", "--ensemble", "a", "--write-summary", "a/output.nc", says=("a/output.nc: would be replaced (it is no summary of an ensemble", "another place"))
        self.assertEqual(self.contents("a"), before)

    def test_restarts_of_an_earlier_comparison_are_gone(self):
        words = ("restart", CASE, *SMALL, "--spinup", "4 min", "--until", "8 min", "-o", "r", "--tests")
        self.assert_done(*words, "cpu/fp32/deterministic")
        self.assert_fails(2, *words, "cpu/fp63/deterministic")
        self.assertIn("cpu", "".join(self.contents("r")))
        self.assert_done(*words, "cpu/fp64/atomic")
        runs = {path.split("/")[0] for path in self.contents("r") if path.endswith("run.json")}
        self.assertEqual(len(runs), 2, runs)
        self.assertFalse([name for name in runs if "fp32" in name])
        self.assertFalse([path for path in self.contents("r") if "output-" in path])


class NamesTest(CommandTest):
    def test_every_statistic_that_a_core_declares_is_in_a_study_of_it(self):
        cases = {
            "seaice/cyclone_quick": (*SMALL, "--until", "2 min"),
            "fem/bubble_quick": ("--threads", "1", "--until", "4 s", "--set", "output.interval='4 s'"),
            "les/taylor_green": ("--threads", "1", "--until", "0.03125 s", "--set", "output.interval='0.03125 s'"),
            "fdm/supercell_quick": ("--threads", "1", "--set", "grid.nx=8", "--set", "grid.ny=8", "--set", "grid.nz=10", "--until", "12 s", "--set", "output.interval='12 s'"),
        }
        for case, words in cases.items():
            self.assert_done("ensemble", SOURCE / f"cases/{case}.toml", *words, "--policies", "fp64,fp32", "--assemblies", "deterministic", "--members", "1", "--epsilons", "2^-23", "-o", case.replace("/", "-"), "--jobs", "1", code=4)
            text = (self.folder / case.replace("/", "-") / "results.json").read_text()
            self.assertNotIn("is the name of something else", text, case)
            if case.startswith("fem"):
                self.assertIn('"kinetic_energy_density"', text)
                self.assertIn('"name": "kinetic_energy"', text)


if __name__ == "__main__":
    unittest.main()
