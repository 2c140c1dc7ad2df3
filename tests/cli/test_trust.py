#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a folder, a case or a file of strangers may have the command do: run no program that nobody asked for, wait for none without end, and give
no orders to a terminal."""
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import time
import unittest

from support import CASE, CommandTest, INTERRUPT, PROGRAM, SMALL, limit

ORDERS = "\x1b[2J\x9b31m\u202e\u2028\x7f"  # what a terminal obeys, or shows from right to left


class ProgramsOfLogsTest(CommandTest):
    def setUp(self):
        super().setUp()
        self.other = self.folder / "their program"
        shutil.copy(PROGRAM, self.other)
        for name, stage in (("a", ()), ("b", ("--stage", "seaice.stress=fp32"))):
            done = subprocess.run([self.other, "run", CASE, *SMALL, "--steps", "4", "--checkpoints", "4", "--quiet", "-o", name, *stage],
                                  cwd=self.folder, check=False)
            self.assertEqual(done.returncode, 0)

    def become(self, text):
        """The program that the logs name is now a script."""
        self.other.write_text("#!/bin/sh\n" + text)
        self.other.chmod(0o755)

    def test_a_program_that_only_a_log_names_is_not_run(self):
        self.become(f"touch '{self.folder}/was-run'\nexit 3\n")
        text = self.assert_done("trace-diff", "a", "b", code=1)
        self.assertEqual(text.splitlines(), [
            "the states differ from step 1 on (4 of 5 common states differ)",
            f"step 1 could be repeated with {self.other} (so the runs' logs say) give --run-programs if you trust that"])
        self.assertFalse((self.folder / "was-run").exists())
        self.assertEqual(self.assert_done("trace-diff", "a", "b", "--states-only", code=1).splitlines(), text.splitlines()[:1])
        self.assertNotIn("could be", self.assert_done("trace-diff", "a", "a"))
        self.assert_fails(3, "trace-diff", "a", "b", "--run-programs", says="their program: ended without a word")
        self.assertTrue((self.folder / "was-run").exists(), "as it was asked to")

    def test_it_is_run_where_that_is_asked_for_and_its_path_is_told(self):
        lines = self.assert_done("trace-diff", "a", "b", "--run-programs", code=1).splitlines()
        self.assertEqual(lines[0], f"step 1 is repeated with {self.other}")
        self.assertRegex(lines[2], r"^first at step 1, substep 1, stage seaice\.stress, field stress_\w+, element \d+: ")
        self.assert_fails(2, "trace-diff", "a", "b", "--run-programs", "--programs", "x,y", says="--programs")
        self.assert_fails(2, "trace-diff", "a", "b", "--run-programs", "--states-only", says="--states-only")

    def test_this_program_needs_no_leave(self):
        self.other.unlink()
        text = self.assert_done("trace-diff", "a", "b", code=1)
        self.assertIn(", element ", text)
        self.other.symlink_to(PROGRAM)
        itself = {"env": dict(os.environ, ULPINE_PYTHON="/bin/true")}
        self.assertEqual(self.assert_done("trace-diff", "a", "b", code=1, **itself), text)

    def test_a_program_has_its_time_and_its_words(self):
        self.become("sleep 1000\n")
        words = ("trace-diff", "a", "b", "--run-programs")
        self.assert_fails(3, *words, "--program-timeout", "1 s", says=("took longer than 1 s", "--program-timeout"))
        self.become("yes >&2\n")
        self.assert_fails(3, *words, says="wrote more than")
        self.become("echo 'over \x1b[31m' >&2; exit 2\n")
        self.assertEqual(self.assert_fails(2, *words), f"ulpine: {self.other}: over  [31m")
        for text in ("0 s", "-1 s"):
            self.assert_fails(2, *words, f"--program-timeout={text}", says="above zero")
        self.assert_fails(2, *words, "--program-timeout", "fast", says="--program-timeout")
        self.assert_fails(2, "bitwise", CASE, "--programs", f"a={PROGRAM},b={PROGRAM}", "--program-timeout", "0 s", says="above zero")

    def test_programs_of_bitwise_have_theirs(self):
        self.become("sleep 1000\n")
        self.assert_fails(3, "bitwise", CASE, "--programs", f"a={self.other},b={PROGRAM}", "--program-timeout", "1 s", says="a: was ended (it took")
        self.assert_fails(2, "bitwise", CASE, "--programs", f"..={PROGRAM},b={PROGRAM}", says="'..' is no name")

    def test_no_program_outlives_two_interrupts(self):
        self.become(f"trap '' INT TERM HUP; sleep 1000 & echo $! > '{self.folder}/number'; wait; sleep 1000\n")
        process = self.start("trace-diff", "a", "b", "--run-programs")
        self.wait_for(self.folder / "number")
        process.send_signal(INTERRUPT)
        time.sleep(0.3)
        process.send_signal(INTERRUPT)
        process.wait(timeout=60)
        number = int((self.folder / "number").read_text())
        for _ in range(3000):
            try:
                state = pathlib.Path(f"/proc/{number}/stat").read_text(encoding="ascii").split()[2]
            except (FileNotFoundError, ProcessLookupError):
                return
            if state == "Z":
                return
            time.sleep(0.01)
        os.kill(number, signal.SIGKILL)
        self.fail("the program's child has outlived the command")


class TerminalTest(CommandTest):
    def assert_plain(self, text):
        for letter in "\x1b\x9b\u202e\u2028\x7f":
            self.assertNotIn(letter, text)

    def test_names_give_no_orders(self):
        name = "c" + ORDERS + "é.toml"
        text = CASE.read_text()
        (self.folder / name).write_text(text)
        done = self.call("run", name, *SMALL, "--steps", 1, "-o", "out" + ORDERS)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_plain(done.stdout + done.stderr)
        self.assertIn("out", done.stdout)
        for words in (("run", name, "--set", "grid.nx=0"), ("run", name, "--set", f"grid.nx='{ORDERS}'"), ("compare", name, name)):
            done = self.call(*words)
            self.assertEqual(done.returncode, 2)
            self.assert_plain(done.stderr)


class LimitsTest(CommandTest):
    def leftovers(self):
        return [str(path) for path in self.folder.rglob("*.part")]

    def test_limits_that_no_work_can_be_done_with_are_refused(self):
        for limits, says in (({"NOFILE": 8}, "ulimit -n"), ({"STACK": 65536}, "ulimit -s")):
            with self.subTest(says):
                self.assert_fails(3, "run", CASE, *SMALL, "--steps", 1, "-o", "x", says=says, preexec_fn=limit(**limits))
                self.assertFalse((self.folder / "x").exists())

    def test_a_small_soft_limit_of_files_is_raised(self):
        def apply():
            resource.setrlimit(resource.RLIMIT_NOFILE, (8, 64))
        self.assert_done("run", CASE, *SMALL, "--steps", 2, "--checkpoints", 2, "-o", "x", preexec_fn=apply)

    def test_work_stops_in_order_before_processor_time_is_over(self):
        words = ("run", CASE, *SMALL, "--set", "time.substeps=100", "--checkpoints", 4, "--steps", 10_000_000, "-o", "x")
        line = self.assert_fails(152, *words, says=("ulimit -t", "Go on with"), preexec_fn=limit(CPU=3))
        self.assertEqual(self.leftovers(), [])
        self.assertTrue((self.folder / "x/restart.nc").is_file(), line)


class PastedTest(CommandTest):
    ODD = "a b'c\"$(touch pasted)`;\n&\x1b[31m é"

    def test_a_name_that_netcdf_would_change_is_refused(self):
        for name in ("a\\b", "http://host/a"):
            self.assert_fails(2, "run", CASE, *SMALL, "--steps", 1, "-o", name, says=("is no name of a NetCDF file", "choose" if "\\" in name else "without ://"))
            self.assertFalse((self.folder / name).exists())

    def test_what_is_told_to_go_on_with_can_be_pasted(self):
        for name in (self.ODD, "-o", "--steps", "x" * 240):
            with self.subTest(name):
                case, folder = "./" + name[:200] + ".toml", "./out" + name[:200]
                (self.folder / case).write_text(CASE.read_text())
                words = ("run", case, "--quiet", *SMALL, "--set", "time.substeps=100", "--steps", 10_000_000, "-o", folder)
                done = self.call(*words, preexec_fn=limit(CPU=2))
                self.assertEqual(done.returncode, 152, done.stderr)
                lines = done.stderr.splitlines()
                self.assertEqual(len(lines), 1)
                hint = lines[0].split("Go on with: ")[1].replace("ulpine ", f"'{PROGRAM}' ", 1)
                self.assertRegex(hint, r" --steps \d+ ")
                again = subprocess.run(["bash", "-c", re.sub(r" --steps \d+ ", " --steps 1 --quiet ", hint)], cwd=self.folder, capture_output=True, text=True, check=False)
                self.assertEqual((again.returncode, again.stderr), (0, ""), hint)
                self.assertFalse((self.folder / "pasted").exists())


if __name__ == "__main__":
    unittest.main()
