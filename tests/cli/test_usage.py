#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Help, versions, exit codes of bad usage, and what a machine may lack before any work starts."""
import os
import re
import subprocess
import unittest

from support import CASE, COMMANDS, CommandTest, DATA, limit, SERVED, SMALL, SOURCE


class UsageTest(CommandTest):
    def test_help_of_every_command_shows_an_example(self):
        self.assertIn("Example:", self.assert_done("--help"))
        for command in COMMANDS:
            with self.subTest(command):
                text = self.assert_done(command, "--help")
                self.assertIn("Example:\n  ulpine " + command, text)
                self.assertNotIn("seaice", text, "the command is for every core")
                self.assertIn("--quiet", text)

    def test_help_and_version_may_stand_before_or_after_the_command(self):
        self.assertEqual(self.assert_done("--help", "run"), self.assert_done("run", "--help"))
        version = self.assert_done("--version")
        self.assertRegex(version, r"^ulpine \d+\.\d+\.\d+ \(commit .+\)\n$")
        self.assertEqual(version, self.assert_done("compare", "--version"))

    def test_help_names_the_policies_that_there_are(self):
        policies = re.search(r"^policies +(.+)$", self.assert_done("info"), re.M).group(1).split()
        self.assertIn("fp64", policies)
        for command in ("run", "bitwise", "conformance"):
            with self.subTest(command):
                words = " ".join(self.assert_done(command, "--help").split())
                self.assertIn(f" {', '.join(policies)} or a format of the host (e8m23, e11m52-sr1) --assembly", words)

    @unittest.skipUnless(SERVED, "no server of the command (ULPINE_SERVED)")
    def test_a_call_that_is_served_is_a_call(self):
        small = ("run", CASE, *SMALL, "--until", "2 min", "-o")
        for words in (("--version",), ("run", "--help"), ("run", CASE, "--polcy", "fp32"), ("compare", "a.nc", "b.nc"), (*small, "x", "--quiet")):
            with self.subTest(words):
                served, called = self.call(*words), self.call(*words, stdout=subprocess.PIPE)
                self.assertEqual((served.returncode, served.stdout, served.stderr), (called.returncode, called.stdout, called.stderr))
        (self.folder / "x/run.json").unlink()
        self.assertEqual(self.call("report", "x").returncode, 2)
        with self.assertRaises(subprocess.TimeoutExpired):
            self.call(*small[:-3], "--set", "time.substeps=4000", "-o", "y", "--until", "24 h", timeout=0.5)
        self.assertEqual(self.call("--version").returncode, 0, "the server goes on")

    def test_no_command_is_bad_usage(self):
        self.assert_fails(2, says="no command given")

    def test_unknown_command_names_the_nearest(self):
        self.assert_fails(2, "ensembel", says=("unknown command 'ensembel'", "did you mean 'ensemble'"))
        self.assert_fails(2, "frobnicate", says="unknown command 'frobnicate'")

    def test_unknown_option_names_the_nearest(self):
        self.assert_fails(2, "run", CASE, "--polcy", "fp32", says=("--polcy", "did you mean '--policy'"))
        self.assert_fails(2, "lkf", "a.nc", "--rulse=repaired", says=("--rulse", "did you mean '--rules'"))
        self.assert_fails(2, "--frobnicate", says="unknown option --frobnicate")

    def test_missing_and_surplus_arguments_are_named(self):
        self.assert_fails(2, "run", says="CASE is required")
        self.assert_fails(2, "compare", "a.nc", says="TEST is required")
        self.assert_fails(2, "spectrum", "a.nc", says="--variable is required")
        self.assert_fails(2, "ensemble", CASE, says="--output is required")
        self.assert_fails(2, "restart", CASE, "--until", "1 h", says="--spinup is required")
        self.assert_fails(2, "run", CASE, "surplus", says="unexpected argument 'surplus'")
        self.assert_fails(2, "run", CASE, "--policy", says="--policy")

    def test_absurd_numbers_are_refused(self):
        for words in (("run", CASE, "--threads", "0"), ("run", CASE, "--threads", "-3"), ("run", CASE, "--threads", "many"),
                      ("run", CASE, "--threads", "99999999999999999999"), ("run", CASE, "--block", "100"),
                      ("ensemble", CASE, "-o", "x", "--members", "-1"), ("ensemble", CASE, "-o", "x", "--members", "1.5"),
                      ("ensemble", CASE, "-o", "x", "--seed", "-1"), ("ensemble", CASE, "-o", "x", "--jobs", "0"),
                      ("bitwise", CASE, "--steps", "0"), ("lkf", "a.nc", "--time", "last"),
                      ("spectrum", "a.nc", "--variable", "v", "--log10", "-1")):
            with self.subTest(words):
                self.assert_fails(2, *words, says=words[-2])

    def test_job_scripts_are_for_all_shares(self):
        self.assert_fails(2, "ensemble", CASE, "-o", "x", "--slurm", "--only", "0/2", says=("--slurm", "--only"))
        self.assertFalse((self.folder / "x").exists())

    def test_full_disk_behind_standard_output_is_an_error_of_the_environment(self):
        with open("/dev/full", "w", encoding="ascii") as full:
            for words in (("info",), ("cases",), ("--help",)):
                with self.subTest(words):
                    done = self.call(*words, stdout=full)
                    self.assertEqual(done.returncode, 3)
                    self.assertIn("No space left on device", done.stderr)

    def test_a_reader_that_has_left_is_no_error(self):
        read_end, write_end = os.pipe()
        os.close(read_end)
        with os.fdopen(write_end, "w") as pipe:
            done = self.call("info", stdout=pipe)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_info_tells_build_policies_cores_and_libraries(self):
        text = self.assert_done("info")
        for word in ("compiler", "flags", "CUDA", "fp64 fp32 mixed tf32", "seaice", "netCDF", "toml++", "CLI11"):
            self.assertIn(word, text)

    def test_quiet_commands_print_nothing(self):
        for words in (("info",), ("cases",)):
            done = self.call(*words, "--quiet")
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_cases_lists_every_shipped_case(self):
        shipped = sorted(SOURCE.glob("cases/*/*.toml"))
        self.assertGreaterEqual(len(shipped), 3)
        lines = self.assert_done("cases").splitlines()
        self.assertEqual(len(lines), len(shipped) + 1, lines)
        for path in shipped:
            values = dict(re.findall(r'^(name|description) = "(.*)"$', path.read_text(encoding="utf-8"), re.M))
            with self.subTest(path.name):
                self.assertIn(f"{path.parent.name + '/' + values['name']:<28} {values['description']}", lines)

    def test_stages_of_a_core_are_listed_with_guarantees_and_bytes(self):
        heading, *stages, foot = self.assert_done("cases", "--stages", "seaice").splitlines()
        self.assertEqual(heading.split(), ["stage", "deterministic", "atomic", "bytes/cell", "does"])
        rows = {row.split()[0]: row.split(maxsplit=4)[1:] for row in stages}
        self.assertEqual(len(rows), len(stages), "a name is there once")
        # The sums over elements are in order of arrival in atomic assembly, nothing else is.
        self.assertEqual(sorted(name for name, row in rows.items() if row[:2] == ["bitwise", "none"]),
                         ["seaice.advect.edges", "seaice.divergence", "seaice.nodal"])
        self.assertTrue(all(row[0] == "bitwise" for row in rows.values()))
        # h and a of cG1-dG3 in double, read and written; one bit a node and two velocities, read and written.
        self.assertEqual(rows["seaice.limit"][2], str(4 * 3 * 8))
        self.assertEqual(rows["seaice.boundary"][2], str(1 + 2 * 2 * 8))
        self.assertTrue(all(row[3] for row in rows.values()), "every stage says what it does")
        self.assertRegex(foot, r"^core seaice, fp64, cyclone\w*\.toml: .* over \d+ cells$|^core seaice, fp64, arctic\w*\.toml")
        self.assertEqual(heading, self.assert_done("cases", "--stages", CASE).splitlines()[0])

    def test_stages_of_what_is_no_core_are_refused(self):
        self.assert_fails(2, "cases", "--stages", "seaic", says=("unknown core 'seaic'", "seaice", "case file"))
        self.assert_fails(2, "cases", "--stages", "none.toml", says="none.toml")
        self.assert_fails(2, "cases", "--stages=", says=("--stages", "empty"))

    def test_every_shipped_case_runs_a_step(self):
        ice = "seaice/arctic_25km_topaz4_2010-01.nc"
        data = {"arctic": {"grid.mesh": ice, "initial.file": ice},
                "arctic_plane": {"grid.mesh": "seaice/arctic_25km.smesh", "initial.file": ice},
                "sounding_storm": {"base.file": "les/sounding/cm1_input_sounding_trier.txt"}}
        for path in sorted(SOURCE.glob("cases/*/*.toml")):
            with self.subTest(path.name):
                needed = {key: DATA / name for key, name in data.get(path.stem, {}).items()}
                if not all(file.is_file() for file in needed.values()):
                    self.skipTest(f"no input for {path.stem} (ULPINE_TEST_DATA)")
                files = [word for key, file in needed.items() for word in ("--set", f"{key}={file}")]
                step = {"seaice": ("--until", "120 s", "--set", "time.substeps=2"),
                        "les": ("--until", "1 s", "--set", "time.step='1 s'", "--set", "output.interval='1 s'"),
                        "fem": ("--until", "1 s", "--set", "time.step='1 s'", "--set", "output.interval='1 s'"),
                        "fdm": ("--until", "1 s", "--set", "time.step='1 s'", "--set", "output.interval='1 s'")}[path.parent.name]
                text = self.assert_done("run", path, *files, "-o", path.stem, *step, "--threads", "1")
                self.assertIn(": 1 steps of ", text)

    def test_integer_options_take_whole_decimal_numbers_within_their_limits_only(self):
        # 2^32 + 1 and 2^64 would be 1 where bits are cut; a clamped value would be taken silently.
        never = ("4294967297x", "1e3", "0x10", "1.0", "+5", " 5", "5 ", "", "five", "nan", "99999999999999999999", "18446744073709551616", "1_000", "5s")
        for command, option, wrong in (
                (("run", CASE), "--threads", ("-1", "0", "4097", "4294967297")),
                (("run", CASE), "--block", ("-32", "0", "33", "288", "4294967328", "064")),
                (("ensemble", CASE, "-o", "x"), "--members", ("-1", "0", "100001", "4294967297")),
                (("ensemble", CASE, "-o", "x"), "--seed", ("-1", "-18446744073709551615")),
                (("ensemble", CASE, "-o", "x"), "--jobs", ("-1", "0", "4097", "4294967297")),
                (("bitwise", CASE), "--steps", ("-1", "0", "1099511627777")),
                (("conformance", CASE), "--steps", ("-1", "0", "1", "1099511627777")),
                (("lkf", "a.nc"), "--time", ("9223372036854775808", "-9223372036854775809")),
                (("spectrum", "a.nc", "--variable", "v"), "--time", ("9223372036854775808", "last"))):
            for value in never + wrong:
                with self.subTest(f"{command[0]} {option}={value}"):
                    self.assert_fails(2, *command, f"{option}={value}", says=option)
        self.assertEqual(os.listdir(self.folder), [], "nothing was begun")
        for value in ("0", "-1", "nan", "inf", "1e400", "1e-400", "1e-320", "0x1p3", "1e-3x"):
            with self.subTest(f"--log10={value}"):
                self.assert_fails(2, "spectrum", "a.nc", "--variable", "v", f"--log10={value}", says="--log10")

    def test_integer_options_take_their_limits(self):
        # What is said then is about the file that is not there.
        for words in (("run", "--threads", "4096"), ("run", "--device", "cuda", "--block", "32"), ("ensemble", "-o", "x", "--seed", "18446744073709551615"),
                      ("ensemble", "-o", "x", "--members", "1"), ("ensemble", "-o", "x", "--members", "100000"), ("bitwise", "--steps", "1099511627776")):
            with self.subTest(words):
                self.assert_fails(2, words[0], "none.toml", *words[1:], says="none.toml")
        for value in ("-1", "-9223372036854775808", "9223372036854775807"):
            self.assert_fails(2, "lkf", "none.nc", "--time", value, says="none.nc")

    def test_a_grid_beyond_memory_is_refused_before_it_is_built(self):
        line = self.assert_fails(3, "run", CASE, "--set", "grid.nx=16384", "--set", "grid.ny=16384", "--threads", "1",
                                 says=("grid.nx: out of memory (a grid of 16384 x 16384 cells needs", "smaller grid"), preexec_fn=limit(AS=2 << 30))
        # Its vertices alone, four doubles each, are 8 GiB.
        needed, left = map(int, re.search(r"needs (\d+) MiB or more, the host has (\d+) MiB left", line).groups())
        self.assertGreater(needed, 8 << 10)
        self.assertLess(left, 2 << 10)

    def test_a_case_that_is_a_pipe_or_too_deep_is_refused(self):
        os.mkfifo(self.folder / "pipe.toml")
        self.assert_fails(2, "run", "pipe.toml", says="pipe.toml", timeout=20)
        for name, text in (("dots", "a." * 500000 + "a = 1\n"), ("table", "[" + "a." * 500000 + "a]\n"), ("array", "a = " + "[" * 500000)):
            (self.folder / f"{name}.toml").write_text('core = "seaice"\n' + text, encoding="utf-8")
            with self.subTest(name):
                self.assert_fails(2, "run", f"{name}.toml", says=(f"{name}.toml:2", "nested too deeply"))


if __name__ == "__main__":
    unittest.main()
