#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the environment may lack: GPU, disk, memory; and runs that are interrupted."""
import os
import pathlib
import re
import signal
import subprocess
import time
import unittest

from support import CASE, CommandTest, INTERRUPT, KILL, SMALL, limit, write_field

HAS_GPU = any(pathlib.Path("/dev").glob("nvidia[0-9]*"))


class EnvironmentTest(CommandTest):
    @unittest.skipIf(HAS_GPU, "there is a GPU")
    def test_missing_gpu_is_exit_code_three(self):
        self.assert_fails(3, "run", CASE, *SMALL, "--device", "cuda", "-o", "x", says="--device cpu")
        self.assert_fails(3, "run", CASE, *SMALL, "--device", "cuda:1", "-o", "x")
        self.assert_fails(3, "bitwise", CASE, *SMALL[2:], "--configs", "cpu:1,cuda:128")
        self.assert_fails(3, "ensemble", CASE, *SMALL, "--device", "cuda", "-o", "y")
        self.assert_fails(3, "restart", CASE, *SMALL, "--spinup", "2 min", "--until", "4 min", "-o", "z", "--tests",
                          "cuda/fp64/atomic")

    def test_file_size_limit_is_reported_like_a_full_disk(self):
        self.assert_fails(3, "run", CASE, *SMALL, "--until", "4 min", "-o", "x", preexec_fn=limit(FSIZE=8192))

    def test_full_disk_is_exit_code_three(self):
        disk = self.folder / "disk"
        disk.mkdir()
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", disk], capture_output=True, check=False)
        if mounted.returncode != 0:
            self.skipTest("no tmpfs can be mounted here")
        self.addCleanup(subprocess.run, ["umount", disk], check=True)
        self.assert_fails(3, "run", CASE, *SMALL, "--set", "grid.nx=64", "--set", "grid.ny=64", "--until", "4 min", "-o",
                          disk / "x")

    def test_too_large_a_grid_for_the_memory_is_exit_code_three(self):
        self.assert_fails(3, "run", CASE, "--set", "grid.nx=8000", "--set", "grid.ny=8000", "-o", "x", "--threads", "1",
                          says="memory", preexec_fn=limit(AS=1 << 30))

    def test_full_standard_output_is_exit_code_three(self):
        for words in (("--version",), ("run", "--help"), ("cases",)):
            with self.subTest(words), open("/dev/full", "w", encoding="utf-8") as full:
                done = self.call(*words, stdout=full)
                self.assertEqual(done.returncode, 3, done.stderr)
                self.assertIn("standard output", done.stderr)

    def test_closed_streams_do_not_mix_with_files(self):
        # The first files that a program opens get the numbers of the streams that its caller has closed.
        words = ("run", CASE, *SMALL, "--until", "4 min", "-o")
        self.assert_done(*words, "whole")
        write_field(self.folder / "a.nc", "v", range(36), 6, 6)
        for closed in ((0,), (1,), (2,), (1, 2), (0, 1, 2)):
            def close():
                for number in closed:
                    os.close(number)
            with self.subTest(closed):
                self.assertEqual(self.call(*words, "x", preexec_fn=close).returncode, 3 if 1 in closed else 0)
                self.assertRegex((self.folder / "x/.ulpine.lock").read_text(encoding="utf-8"), r"\Aprocess [^\n]*\n\Z")
                self.assertEqual(self.json("compare", "whole/output.nc", "x/output.nc", "--json")["variables"]["siu"]["linf"], 0)
                self.assertEqual(self.call("compare", "a.nc", "a.nc", "--quiet", preexec_fn=close).returncode, 0)

    def test_threads_that_cannot_start_are_one_line(self):
        # Root has no such limit: the call is made as somebody else.
        def nobody():
            if os.geteuid() == 0:
                os.setgid(65534)
                os.setuid(65534)
            limit(NPROC=1)()
        self.folder.chmod(0o777)
        try:
            callable_here = self.call("cases", preexec_fn=nobody, stdout=subprocess.DEVNULL).returncode == 0
        except PermissionError:  # a folder above the program is closed to others
            callable_here = False
        if not callable_here:
            self.skipTest("the program cannot be called as another user here")
        words = ("--set", "grid.nx=8", "--set", "grid.ny=8", "--until", "4 min")
        for call in (("run", CASE, *words, "-o", "x", "--threads", "8"), ("ensemble", CASE, *words, "-o", "y", "--jobs", "8"),
                     ("bitwise", CASE, *words[:4], "--configs", "cpu:1,cpu:8")):
            with self.subTest(call[0]):
                self.assert_fails(3, *call, says=("8 threads", "--threads"), preexec_fn=nobody)

    def test_errors_of_the_file_system_are_plain_lines(self):
        (self.folder / "x/run.json/y").mkdir(parents=True)
        line = self.assert_fails(2, "run", CASE, *SMALL, "--until", "4 min", "-o", "x", says="run.json")
        self.assertNotIn("filesystem error", line)
        self.assertTrue((self.folder / "x/run.json/y").is_dir())
        (self.folder / "z/checkpoints").mkdir(parents=True)
        (self.folder / "z/checkpoints/weights.pt").write_text("mine")
        self.assert_fails(2, "run", CASE, *SMALL, "--until", "4 min", "-o", "z", says="z/checkpoints")
        self.assertEqual((self.folder / "z/checkpoints/weights.pt").read_text(), "mine")

    def test_interrupted_run_leaves_a_restart_that_ends_with_the_same_bits(self):
        words = ("run", CASE, *SMALL, "--set", "time.substeps=400", "--until", "12 h")
        self.assert_done(*words, "-o", "whole")
        process = self.start(*words, "-o", "cut", "--quiet")
        self.wait_for(self.folder / "cut/output.nc")
        code, errors = self.stop(process, INTERRUPT)
        self.assertEqual(code, 130, errors)
        self.assertEqual(len(errors.splitlines()), 1, errors)
        self.assertIn("--restart", errors)
        self.assertFalse((self.folder / "cut/run.json").exists())
        self.assert_done(*words, "-o", "cut", "--restart", "cut/restart.nc")
        hashes = {(self.folder / name / "run.json").read_text().split('"hash": "')[1][:16] for name in ("whole", "cut")}
        self.assertEqual(len(hashes), 1)

    def test_run_killed_between_records_leaves_readable_output_and_no_record(self):
        # One record at the start and then minutes of steps: HDF5 keeps no journal, so a kill while it writes may cost the file.
        process = self.start("run", CASE, *SMALL, "--set", "time.substeps=4000", "--set", "output.interval='24 h'", "--until",
                             "24 h", "-o", "x", "--quiet")
        output = self.folder / "x/output.nc"
        self.wait_for(output)
        sizes = [-1, 0]
        while sizes[-1] == 0 or sizes[-1] != sizes[-2]:
            time.sleep(0.3)
            sizes.append(output.stat().st_size)
        self.assertEqual(self.stop(process, KILL)[0], -KILL)
        self.assertFalse((self.folder / "x/run.json").exists())
        self.assert_done("compare", "x/output.nc", "x/output.nc", "--quiet")

    def test_progress_is_plain_lines_without_a_terminal(self):
        done = self.call("run", CASE, *SMALL, "--until", "10 min", "-o", "x")
        self.assertNotIn("\r", done.stderr)
        self.assertNotIn("\033", done.stderr)

    def test_the_first_interrupt_ends_a_command_that_has_nothing_to_save(self):
        write_field(self.folder / "a.nc", "v", [0.5] * 2000 ** 2, 2000, 2000)
        pipe = 1 << (signal.SIGPIPE - 1)
        for _ in range(5):  # on a busy machine it may have ended before it is interrupted
            process = self.start("spectrum", "a.nc", "--variable", "v")
            for _ in range(10000):  # until the program has set what it does on signals
                status = pathlib.Path(f"/proc/{process.pid}/status").read_text(encoding="ascii")
                ignored = re.search(r"^SigIgn:\s*(\w+)", status, re.M)
                if process.poll() is not None or (ignored and int(ignored[1], 16) & pipe):
                    break
                time.sleep(0.001)
            code = self.stop(process, INTERRUPT)[0]
            if code != 0:
                break
        self.assertEqual(code, -INTERRUPT)

    def test_progress_is_a_bar_on_a_terminal(self):
        try:
            leader, follower = os.openpty()
        except OSError as error:
            self.skipTest(f"no pseudo-terminal can be had here ({error.strerror})")
        with os.fdopen(follower, "w") as terminal:
            done = subprocess.run([os.environ["ULPINE_PROGRAM"], "run", str(CASE), *SMALL, "--until", "10 min", "-o", "x"],
                                  cwd=self.folder, stdout=subprocess.DEVNULL, stderr=terminal, check=False)
            self.assertEqual(done.returncode, 0)
            self.assertIn(b"100 %", os.read(leader, 65536))
        os.close(leader)


if __name__ == "__main__":
    unittest.main()
