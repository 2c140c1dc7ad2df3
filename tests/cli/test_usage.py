#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Help, versions, exit codes of bad usage, and what a machine may lack before any work starts."""
import os
import unittest

from support import CASE, COMMANDS, CommandTest


class UsageTest(CommandTest):
    def test_help_of_every_command_shows_an_example(self):
        self.assertIn("Example:", self.assert_done("--help"))
        for command in COMMANDS:
            with self.subTest(command):
                text = self.assert_done(command, "--help")
                self.assertIn("Example:\n  ulpine " + command, text)
                self.assertIn("--quiet", text)

    def test_help_and_version_may_stand_before_or_after_the_command(self):
        self.assertEqual(self.assert_done("--help", "run"), self.assert_done("run", "--help"))
        version = self.assert_done("--version")
        self.assertRegex(version, r"^ulpine \d+\.\d+\.\d+ \(commit .+\)\n$")
        self.assertEqual(version, self.assert_done("compare", "--version"))

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
        text = self.assert_done("cases")
        self.assertIn("seaice/cyclone_quick", text)


if __name__ == "__main__":
    unittest.main()
