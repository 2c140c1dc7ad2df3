#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""run, bitwise, restart and trace-diff on the shipped case made small, and every bad input they may meet."""
import json
import os
import pathlib
import re
import subprocess
import time
import unittest

from support import CASE, CommandTest, PROGRAM, SMALL, SOURCE


def field_of(record, name):
    return json.loads(pathlib.Path(record).read_text())[name]


class RunTest(CommandTest):
    def run_small(self, folder, *words, code=0):
        return self.assert_done("run", CASE, *SMALL, "--until", "10 min", "-o", folder, *words, code=code)

    def test_run_writes_output_restart_and_record(self):
        text = self.run_small("a")
        for name in ("output.nc", "restart.nc", "run.json"):
            self.assertTrue((self.folder / "a" / name).is_file(), name)
        self.assertFalse((self.folder / "a/trace.bin").exists())
        record = json.loads((self.folder / "a/run.json").read_text())
        self.assertIn(record["hash"], text)
        self.assertEqual(record["cells"], 64)
        for key in ("wall_s", "steps", "stages", "provenance"):
            self.assertIn(key, record)

    def test_quiet_run_prints_nothing(self):
        done = self.call("run", CASE, *SMALL, "--until", "10 min", "-o", "a", "--quiet")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_verbose_run_lists_stages(self):
        self.assertIn("seaice.", self.run_small("a", "--verbose"))

    def test_bits_do_not_depend_on_threads(self):
        for threads in (1, 2, 3):
            self.assert_done("run", CASE, *SMALL[2:], "--until", "6 min", "-o", f"t{threads}", "--threads", threads, "--trace")
        self.assertEqual(len({field_of(self.folder / f"t{t}/run.json", "hash") for t in (1, 2, 3)}), 1)
        self.assertIn("no difference", self.assert_done("trace-diff", "t1/trace.bin", "t3/trace.bin"))

    def test_runs_rounded_at_random_repeat_themselves_from_their_seed(self):
        for name, policy in (("a", "e11m52-sr1"), ("b", "e11m52-sr1"), ("c", "e11m52-sr2"), ("d", "e11m52"), ("e", "fp64")):
            self.run_small(name, "--policy", policy)
        hashes = {name: field_of(self.folder / name / "run.json", "hash") for name in "abcde"}
        self.assertEqual(hashes["a"], hashes["b"])
        self.assertEqual(hashes["d"], hashes["e"])
        self.assertEqual(len(set(hashes.values())), 3)
        self.assert_fails(2, "run", CASE, *SMALL, "-o", "f", "--policy", "e11m53", says="e11m53")

    def test_traces_of_two_policies_differ(self):
        self.run_small("a", "--trace")
        self.run_small("b", "--trace", "--policy", "fp32")
        text = self.assert_done("trace-diff", "a/trace.bin", "b/trace.bin", code=1)
        self.assertIn("step 1", text)
        self.assertEqual(self.assert_done("trace-diff", "a/trace.bin", "b/trace.bin", "--quiet", code=1), "")

    def test_cut_altered_and_foreign_traces_are_refused(self):
        self.run_small("a", "--trace")
        whole = (self.folder / "a/trace.bin").read_bytes()
        middle = len(whole) // 2
        for name, data in (("cut.bin", whole[:middle]), ("flipped.bin", whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1:]),
                           ("longer.bin", whole + b"x"), ("empty.bin", b"")):
            (self.folder / name).write_bytes(data)
            self.assert_fails(2, "trace-diff", "a/trace.bin", name, says=name)
            self.assert_fails(2, "trace-diff", name, name, says=name)
        self.assert_fails(2, "trace-diff", "/dev/null", "/dev/null", says=("/dev/null", "no ordinary file"))

    def test_stop_and_restart_end_with_the_same_bits(self):
        self.run_small("whole")
        self.assert_done("run", CASE, *SMALL, "--until", "4 min", "-o", "part")
        self.run_small("rest", "--restart", "part/restart.nc")
        self.assertEqual(field_of(self.folder / "whole/run.json", "hash"), field_of(self.folder / "rest/run.json", "hash"))

    def test_run_that_blows_up_is_one_line_and_exit_code_one(self):
        # Cells of an eighth of a metre, of which the ice crosses many in a step of two minutes.
        words = (CASE, *SMALL, "--set", "grid.length=1", "--until", "1 h", "-o")
        self.assert_fails(1, "run", *words, "a", says=("invalid after step 30 (3600 s): ", "one of steps 1 to 30 made it so, and --trap tells which", "a/run.json"))
        self.assertIn("invalid after step 30", field_of(self.folder / "a/run.json", "failed"))
        self.assertFalse((self.folder / "a/restart.nc").exists())
        line = self.assert_fails(1, "run", *words, "b", "--trap", says="b/run.json")
        self.assertLess(int(re.search(r"after step (\d+) ", line)[1]), 30, "the first step that breaks, not the first output")
        self.assertNotIn("--trap", line)
        self.assert_fails(1, "restart", *words, "c", "--spinup", "2 min", says="cpu/fp64/deterministic is invalid at 3600 s: ")

    def test_equal_bits_of_runs_that_failed_are_no_bare_yes(self):
        words = (CASE, *SMALL, "--set", "grid.length=1", "--until", "1 h")
        for name in ("a", "b"):
            self.assert_fails(1, "run", *words, "-o", name, "--trace", "--checkpoints", "4", says=name + "/run.json")
        failure = field_of(self.folder / "a/run.json", "failed")
        for what, number in (("", "31 states"), ("/trace.bin", r"\d+ records")):
            text = self.assert_done("trace-diff", "a" + what, "b" + what, code=1)
            self.assertRegex(text, rf"^no difference in {number}, but of runs that failed:\na{what}: ")
            self.assertIn(f"\nb{what}: {failure}\n", text)
        text = self.assert_done("compare", "a/output.nc", "b/output.nc", code=1)
        self.assertIn("a/output.nc is of a run that failed: " + failure, text)
        notes = json.loads(self.assert_done("compare", "a/output.nc", "b/output.nc", "--json", code=1))["notes"]
        self.assertIn("b/output.nc is of a run that failed: " + failure, notes)
        # Of a sound run and one that failed only that one is told, whichever is called the reference.
        self.run_small("sound")
        for pair in (("a/output.nc", "sound/output.nc"), ("sound/output.nc", "a/output.nc")):
            failed = [note for note in json.loads(self.assert_done("compare", *pair, "--json", code=1))["notes"] if "of a run that failed" in note]
            self.assertEqual(failed, ["a/output.nc is of a run that failed: " + failure])
        text = self.assert_done("bitwise", CASE, *SMALL[2:], "--set", "grid.length=1", "--steps", "30", code=1)
        self.assertRegex(text, r"(?m)^cpu:2 .*same bits, but invalid$")
        self.assertRegex(text, r"(?m)^cpu:1 failed: its state is invalid from step \d+ on: \w+ \(")

    def test_a_disturbance_that_leaves_the_range_of_its_field_fails_at_the_start(self):
        done = self.call("ensemble", SOURCE / "cases/les/convective.toml", "--set", "grid.nx=8", "--set", "grid.ny=8", "--set", "grid.nz=12",
                         "-o", "a", "--until", "1 min", "--members", "1", "--policies", "fp64", "--assemblies", "deterministic", "--epsilons", "2^60",
                         "--quad-until", "0 s", "--set", "output.interval='1 min'", "--quiet")
        self.assertNotEqual(done.returncode, 0)
        runs = json.loads((self.folder / "a/manifest.json").read_text())["runs"]
        member = next(run for name, run in runs.items() if "m00" in name)
        self.assertEqual(member["state"], "failed")
        self.assertRegex(member["reason"], r"invalid at the start \(0 s\): \w+ \(\d+, \d+, \d+\) = -?[.e+\d]+ (K|m s-1) is outside -?[.e+\d]+ to [.e+\d]+$")

    def test_stage_runs_in_a_format_of_its_own(self):
        self.assertNotIn("otherwise", self.run_small("plain"))
        hashes = {field_of(self.folder / "plain/run.json", "hash")}
        for name in ("fp32", "e8m7", "e8m7-rz", "e8m7-sr3"):
            self.assertIn("fp64/deterministic (1 stage otherwise) on cpu", self.run_small(name, "--stage", "seaice.stress=" + name))
            hashes.add(field_of(self.folder / name / "run.json", "hash"))
        self.assertEqual(len(hashes), 5, "each rounds otherwise")

    def test_output_compares_equal_with_itself_and_differs_between_policies(self):
        self.run_small("a")
        self.run_small("b", "--policy", "fp32")
        same = self.json("compare", "a/output.nc", "a/output.nc", "--json")["variables"]
        self.assertEqual({metrics["linf"] for metrics in same.values()}, {0})
        other = self.json("compare", "a/output.nc", "b/output.nc", "--json")["variables"]
        self.assertGreater(other["siu"]["l2_relative"], 0)
        self.assertLess(other["siu"]["l2_relative"], 1e-2)
        self.assertIn("speed(siu,siv)", other)
        times = self.json("compare", "a/output.nc", "b/output.nc", "--json", "--all-times")["variables"]["siu"]
        self.assertGreaterEqual(len(times), 2)

    def test_lkf_and_spectrum_read_the_output(self):
        self.run_small("a")
        # A smooth field on eight cells, two rows of which are framed out, holds no feature of the least length.
        found = self.json("lkf", "a/output.nc", "--json")
        self.assertEqual((found["count"], found["features"]), (0, []))
        # One ring a whole wave on the eight cells of 64 km, up to four waves.
        spectrum = self.json("spectrum", "a/output.nc", "--variable", "sivol", "--json")
        self.assertEqual(spectrum["wavenumber"], [waves / 512e3 for waves in range(5)])
        self.assertEqual(len(spectrum["power"]), 5)
        self.assertTrue(all(power >= 0 for power in spectrum["power"]))
        self.assertGreater(spectrum["power"][0], 0)
        self.assert_fails(2, "lkf", "a/output.nc", "--time", "99")
        self.assert_fails(2, "spectrum", "a/output.nc", "--variable", "sivoll", says="sivol")


class SameBytesTest(CommandTest):
    """Files of two runs that differ in nothing but when they ran, and so in nothing."""
    cases = {  # a case of each core made small, end and output interval
        "seaice": (CASE, "--set", "grid.nx=8", "--set", "grid.ny=8", "--set", "time.substeps=4", "--until", "8 min", "--set", "output.interval=4 min"),
        "les": (SOURCE / "cases/les/taylor_green.toml", "--set", "grid.nx=8", "--set", "grid.ny=8", "--set", "grid.nz=8", "--steps", "4"),
        "fem": (SOURCE / "cases/fem/bubble_quick.toml", "--steps", "2"),
        "fdm": (SOURCE / "cases/fdm/gravity_wave.toml", "--steps", "3"),
    }

    def test_of_one_provenance_and_moment_given(self):
        begun = int(time.time())
        for turn in "ab":
            (self.folder / turn).mkdir()
            while turn == "b" and int(time.time()) == begun:  # dates have whole seconds
                time.sleep(0.05)
            for core, words in self.cases.items():
                for threads in (1, 2):
                    self.assert_done("run", *words, "--threads", threads, "--trace", "--checkpoints", 2, "-o", f"{core}-{threads}", "--quiet",
                                     cwd=self.folder / turn, env=dict(os.environ, SOURCE_DATE_EPOCH="951827696"))
        for core in self.cases:
            for threads in (1, 2):
                names = sorted(str(p.relative_to(self.folder / "a")) for p in (self.folder / f"a/{core}-{threads}").rglob("*")
                               if p.is_file() and p.name not in ("run.json", ".ulpine.lock"))
                self.assertGreaterEqual(len(names), 6, names)
                for name in names:
                    with self.subTest(name):
                        self.assertEqual((self.folder / "a" / name).read_bytes(), (self.folder / "b" / name).read_bytes())
                self.assertEqual(field_of(self.folder / f"a/{core}-{threads}/run.json", "provenance")["created"], "2000-02-29T12:34:56Z")

    def test_a_moment_that_is_no_number_is_bad_input(self):
        self.assert_fails(2, "run", CASE, *SMALL, "--steps", "1", "-o", "a", says=("SOURCE_DATE_EPOCH", "'today'"),
                          env=dict(os.environ, SOURCE_DATE_EPOCH="today"))


class BadCaseTest(CommandTest):
    def refused(self, *words, says=(), code=2):
        return self.assert_fails(code, "run", CASE, *SMALL, "--until", "2 min", "-o", "x", *words, says=says)

    def test_missing_and_unreadable_case_files_are_bad_input(self):
        self.assert_fails(2, "run", "absent.toml", says="absent.toml")
        self.assert_fails(2, "run", self.folder, says=str(self.folder))
        (self.folder / "bad.toml").write_text("core = 'seaice'\n[grid\nnx = 3\n")
        self.assert_fails(2, "run", "bad.toml", says="bad.toml:2")
        (self.folder / "binary.toml").write_bytes(bytes(range(256)))
        self.assert_fails(2, "run", "binary.toml", says="binary.toml")
        (self.folder / "empty.toml").write_text("")
        self.assert_fails(2, "run", "empty.toml", says="core")

    def test_every_command_with_a_case_refuses_a_missing_one(self):
        self.assert_fails(2, "ensemble", "absent.toml", "-o", "x", says="absent.toml")
        self.assert_fails(2, "bitwise", "absent.toml", says="absent.toml")
        self.assert_fails(2, "restart", "absent.toml", "--spinup", "1 h", "--until", "2 h", says="absent.toml")

    def test_unknown_core_and_key_name_the_nearest(self):
        (self.folder / "core.toml").write_text("core = 'seacie'\n[time]\nend = '1 h'\n")
        self.assert_fails(2, "run", "core.toml", says="seaice")
        self.refused("--set", "grid.nxx=8", says=("grid.nxx", "grid.nx"))

    def test_wrong_types_and_absurd_values_are_refused(self):
        for item in ("grid.nx='eight'", "grid.nx=-4", "grid.nx=0", "grid.nx=1.5", "time.step='2 parsecs'", "time.step='-2 min'",
                     "time.substeps=0", "discretisation.dg=4", "discretisation.cg=9", "grid.nx=4000000000"):
            with self.subTest(item):
                self.refused("--set", item, says=item.split("=")[0])

    def test_malformed_overrides_are_refused(self):
        for item in ("grid.nx", "=3", "grid.nx=", "grid.nx=[1,", "grid=3"):
            with self.subTest(item):
                self.refused("--set", item)

    def test_bad_names_and_times_are_refused(self):
        self.refused("--policy", "fp46", says="fp46")
        self.refused("--policy", "tf23", says="tf32")
        self.refused("--assembly", "atomik", says="atomic")
        self.refused("--device", "gpu", says="gpu")
        self.refused("--device", "cuda:x", says="cuda:x")
        self.refused("--device", "cuda:40", says="multiple of 32")
        self.refused("--stage", "seaice.stress", says="NAME=POLICY")
        self.refused("--stage", "seaice.stress=fp46", says="fp46")
        self.refused("--stage", "seaice.none=fp32", says="seaice.none")
        self.refused("--stage", "a=fp32", "--stage", "a=fp64", says="stage a is given two policies")
        for time in ("soon", "-1 h", "7", "", "1 fortnight", "nan s", "inf s"):
            with self.subTest(time):
                self.assert_fails(2, "run", CASE, *SMALL, "-o", "x", "--until=" + time if time else "--until=", says="--until")

    def test_empty_values_are_refused_by_every_option(self):
        for words in (("run", CASE), ("ensemble", CASE, "-o", "x"), ("bitwise", CASE), ("conformance", CASE), ("restart", CASE), ("lkf", "f.nc"),
                      ("spectrum", "f.nc"), ("compare", "a.nc", "b.nc"), ("report", "x")):
            text = self.assert_done(words[0], "--help")
            options = sorted(set(re.findall(r"(--[a-z0-9-]+)(?:,-\w)? [A-Z]", text)))
            for option in options:
                for given in ((option, ""), (option + "=",)):
                    with self.subTest((words[0], given)):
                        self.assert_fails(2, *words, *given, says=(option, "empty"))
        self.assertFalse((self.folder / "x").exists())
        self.assert_fails(2, "run", "", says="empty")
        self.assert_fails(2, "run", CASE, "-o", "", says=("-o", "empty"))
        for value in ("fp64,", ",fp64", "fp64,,fp32"):
            self.assert_fails(2, "ensemble", CASE, "-o", "x", "--policies", value, says=("--policies", "empty"))

    def test_names_that_are_no_utf8_are_one_line(self):
        name = b"folder-\xff"
        done = subprocess.run([PROGRAM, "run", str(CASE), *SMALL, "-o", name], cwd=self.folder, capture_output=True, check=False)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(done.stderr.count(b"\n"), 1, done.stderr)
        self.assertIn(b"UTF-8", done.stderr)
        self.assertFalse(os.path.exists(os.path.join(os.fsencode(self.folder), name)))

    def test_conformance_holds_for_the_shipped_case_and_names_what_does_not(self):
        small = ("--set", "grid.nx=6", "--set", "grid.ny=6", "--set", "time.substeps=2", "--configs", "cpu:1,cpu:2", "--steps", "2")
        checks = ["fields", "stages", "configurations", "repetition", "unwatched", "restart", "perturbation", "planted ulp", "not finite",
                  "allocation", "output", "times"]
        before = os.listdir(self.folder)
        lines = self.assert_done("conformance", CASE, *small, env=dict(os.environ, TMPDIR=str(self.folder))).splitlines()
        self.assertEqual([line.split("  ")[0] for line in lines], checks)
        self.assertTrue(all(line.endswith(" holds") for line in lines), lines)
        self.assertEqual(os.listdir(self.folder), before, "its files are gone")
        # Cells of a sixth of a metre, of which the ice crosses many in a step, until its numbers end.
        text = self.assert_done("conformance", CASE, *small[:-1], "40", "--set", "grid.length=1", code=1)
        self.assertRegex(text, r"(?m)^output +BROKEN: a run fails: the state is invalid after step 30 .*\)$")

    def test_conformance_refuses_places_that_differ_in_more(self):
        for places in ("cpu:1,cpu:2/fp32", "cpu:1,cpu:2/fp64/atomic", "cpu:1,cpu:2/fp64/seaice.stress=fp32"):
            self.assert_fails(2, "conformance", CASE, "--configs", places, says=("--configs", "more than its place"))
        self.assert_fails(2, "conformance", CASE, "--policy", "fp46", says="fp46")

    def test_pipes_and_devices_are_refused_where_files_are_read(self):
        os.mkfifo(self.folder / "pipe")
        (self.folder / "s").mkdir()
        os.mkfifo(self.folder / "s/manifest.json")
        for place in ("pipe", "/dev/zero", "/dev/null", "s"):
            for words in (("run", place), ("run", CASE, *SMALL, "-o", "x", "--restart", place), ("ensemble", place, "-o", "x"),
                          ("bitwise", place), ("conformance", place), ("restart", place, "--spinup", "1 h", "--until", "2 h"), ("trace-diff", place, place),
                          ("compare", place, place), ("lkf", place), ("spectrum", place, "--variable", "a")):
                with self.subTest((place, words[0])):
                    self.assert_fails(2, *words, says=place, timeout=20)
        self.assert_fails(2, "report", "s", says="manifest.json", timeout=20)

    def test_bad_restart_files_are_refused(self):
        self.assert_done("run", CASE, *SMALL, "--until", "4 min", "-o", "a")
        whole = (self.folder / "a/restart.nc").read_bytes()
        (self.folder / "cut.nc").write_bytes(whole[:len(whole) // 2])
        altered = bytearray(whole)
        altered[len(whole) // 2] ^= 1
        (self.folder / "altered.nc").write_bytes(altered)
        (self.folder / "text.nc").write_text("no restart")
        for name in ("cut.nc", "altered.nc", "text.nc", "absent.nc", "a/output.nc"):
            with self.subTest(name):
                self.refused("--restart", name, says=name)
        # Another grid, another policy's types, another time step.
        self.refused("--restart", "a/restart.nc", "--set", "grid.nx=10", says="restart.nc")
        self.refused("--restart", "a/restart.nc", "--set", "time.substeps=5", says="restart.nc")

    def test_folders_that_cannot_be_written_are_refused(self):
        (self.folder / "file").write_text("")
        self.assert_fails(2, "run", CASE, "-o", "file", says="file")
        self.assert_fails(2, "run", CASE, "-o", "file/below", says="file/below")
        self.assert_fails(3, "run", CASE, "-o", "/proc/ulpine", says="/proc/ulpine")
        self.assert_fails(3, "ensemble", CASE, "-o", "/proc/ulpine", says="/proc/ulpine")


class BitwiseTest(CommandTest):
    def test_atomic_sums_in_another_order_are_named_to_the_element(self):
        # Atomic sums of several threads have no order: one of many tries meets another one.
        for _ in range(20):
            done = self.call("bitwise", CASE, "--set", "grid.nx=32", "--set", "grid.ny=32", "--set", "time.substeps=20", "--configs",
                             "cpu:1,cpu:4", "--assembly", "atomic", "--steps", "3")
            if done.returncode != 0:
                break
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("DIFFERENT", done.stdout)
        self.assertRegex(done.stdout, r"cpu:4 diverges from cpu:1 at step \d+, (substep \d+, |tracer \d, stage \d, )?stage seaice\.[a-z._]+, field \w+, element \d+: ")

    def test_thread_counts_agree_in_every_stage(self):
        text = self.assert_done("bitwise", CASE, *SMALL[2:], "--configs", "cpu:1,cpu:2,cpu:3", "--steps", "2")
        self.assertIn("cpu:3", text)

    def test_policies_and_assemblies_can_be_named_one_by_one(self):
        text = self.assert_done("bitwise", CASE, *SMALL[2:], "--configs", "cpu:1/fp32/deterministic,cpu:2/fp32/deterministic", "--steps", "1")
        self.assertIn("seaice in fp32/deterministic, 1 steps\n", text)
        text = self.assert_done("bitwise", CASE, *SMALL[2:], "--configs", "cpu,cpu/fp32", "--steps", "1", code=1)
        self.assertIn("cpu/fp32/deterministic diverges from cpu/fp64/deterministic at step 1", text)

    def test_bad_configurations_are_refused(self):
        for text in ("cpu:0", "cpu:x", "gpu:1", "cuda:100", "cpu:1/fp46", "atomic/fp64"):
            with self.subTest(text):
                self.assert_fails(2, "bitwise", CASE, *SMALL[2:], "--configs", "cpu:1," + text)
        self.assert_fails(2, "bitwise", CASE, *SMALL[2:], "--configs", "cpu:1")


class RestartComparisonTest(CommandTest):
    def test_policies_are_compared_after_a_common_spin_up(self):
        text = self.assert_done("restart", CASE, *SMALL, "--spinup", "4 min", "--until", "8 min", "-o", "r",
                                "--tests", "cpu/fp64/deterministic,cpu/fp32/deterministic")
        self.assertIn("cpu/fp32/deterministic", text)
        self.assertIn("The restart is exact", text)
        self.assertIn("cpu/fp64/deterministic: same bits", text)
        self.assertIn("cpu/fp32/deterministic: different bits", text)

    def test_equal_hashes_of_two_policies_are_not_called_the_same_bits(self):
        # Water at rest stays at rest in every policy, and the state of mixed has the types of that of tf32.
        rest = ("forcing.wind='calm'", "forcing.ocean='still'", "initial.source='uniform'", "initial.height=0", "initial.concentration=0")
        text = self.assert_done("restart", CASE, *SMALL, *(word for key in rest for word in ("--set", key)), "--spinup", "2 min",
                                "--until", "4 min", "-o", "r", "--reference", "cpu/mixed/deterministic",
                                "--tests", "cpu/mixed/atomic,cpu/tf32/deterministic")
        self.assertEqual(field_of(self.folder / "r/cpu-tf32-deterministic/run.json", "hash"),
                         field_of(self.folder / "r/reference/run.json", "hash"), "else this tests nothing")
        self.assertIn("cpu/mixed/atomic: same bits", text)
        self.assertIn("cpu/tf32/deterministic: different bits", text)

    def test_atomic_reference_need_not_agree(self):
        text = self.assert_done("restart", CASE, *SMALL, "--spinup", "4 min", "--until", "8 min", "-o", "r", "--reference",
                                "cpu/fp64/atomic", "--tests", "cpu/fp64/atomic")
        self.assertIn("need not agree", text)

    def test_bad_configurations_and_times_are_refused(self):
        words = ("restart", CASE, *SMALL, "-o", "r", "--spinup", "4 min")
        for tests in ("cpu/fp99/atomic", "abacus/fp64/atomic", "cpu/fp64/sorted", "cpu/fp32,cpu/fp32/deterministic"):
            with self.subTest(tests):
                self.assert_fails(2, *words, "--until", "8 min", "--tests", tests)
        self.assert_fails(2, *words, "--until", "2 min")
        self.assert_fails(2, *words, "--until", "later", says="--until")


if __name__ == "__main__":
    unittest.main()
