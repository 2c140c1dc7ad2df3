#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Which build scripts/setup.sh chooses, with and without a compiler and a GPU, and what quickstart makes of the study's exit code."""
import os
import pathlib
import pty
import shutil
import subprocess
import tempfile
import unittest

from support import SOURCE


class SetupTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def program(self, path, text):
        path = self.folder / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)
        return path

    def chosen(self, where, gpu, **settings):
        """"preset architecture" that choose_preset WHERE sets, with an nvcc and with or without a GPU."""
        nvcc = self.program("bin/nvcc", "exit 0")
        # What it prints on a machine with two GPUs, and on one whose driver finds none.
        self.program("bin/nvidia-smi", "printf '9.0\\n8.6\\n'" if gpu else "echo 'No devices were found'; exit 6")
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("CUDA", "ULPINE"))}
        environment.update(PATH=f"{self.folder / 'bin'}:{os.environ['PATH']}", CUDACXX=str(nvcc), **settings)
        done = subprocess.run(["bash", "-c", f"set -euo pipefail; source scripts/setup.sh; choose_preset {where}; echo $preset ${{arch:-none}}"], cwd=SOURCE,
                              env=environment, capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout.strip()

    def test_quickstart_builds_cuda_only_where_a_gpu_can_run_it(self):
        self.assertEqual(self.chosen("runnable", gpu=True), "cuda 90")
        self.assertEqual(self.chosen("runnable", gpu=False), "cpu none")
        self.assertEqual(self.chosen("runnable", gpu=False, ULPINE_CUDA="ON"), "cuda none")
        self.assertEqual(self.chosen("runnable", gpu=True, ULPINE_CUDA="OFF"), "cpu 90")

    def test_tests_compile_cuda_wherever_there_is_a_compiler(self):
        self.assertEqual(self.chosen("compilable", gpu=False), "cuda none")
        self.assertEqual(self.chosen("compilable", gpu=True), "cuda 90")
        self.assertEqual(self.chosen("compilable", gpu=False, ULPINE_CUDA="OFF"), "cpu none")

    def test_a_failure_is_one_of_the_environment_unless_said_otherwise(self):
        for words, code in (("'no disk'", 3), ("'bad option' 2", 2)):
            done = subprocess.run(["bash", "-c", f"source scripts/setup.sh; fail {words}"], cwd=SOURCE, capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, done.stdout), (code, ""))
            self.assertIn(words.split("'")[1], done.stderr)

    def test_scripts_ask_for_what_they_need(self):
        self.assertIn("\nconfigure runnable\n", (SOURCE / "quickstart").read_text())
        self.assertIn("\nconfigure compilable\n", (SOURCE / "run-tests").read_text())

    def temporary(self, free, runs=True, **settings):
        """Where temporary files are that a script makes behind use_memory FOLDER, with so many KiB free there."""
        memory = self.folder / "memory"
        memory.mkdir(exist_ok=True)
        self.program("bin/df", f"printf 'Avail\\n{free}\\n'")
        self.program("bin/chmod", 'exec /bin/chmod "$@"' if runs else "exit 0")  # the program tried there is none then
        environment = {name: value for name, value in os.environ.items() if name != "TMPDIR"}
        environment.update(PATH=f"{self.folder / 'bin'}:{os.environ['PATH']}", **settings)
        done = subprocess.run(["bash", "-c", f"set -euo pipefail; source scripts/setup.sh; use_memory {memory}; echo $(dirname $(mktemp -u)); exit 7"], cwd=SOURCE,
                              env=environment, capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (7, ""))
        self.assertEqual(list(memory.iterdir()), [], "nothing is left behind")
        return pathlib.Path(done.stdout.strip())

    def test_temporary_files_are_in_memory_that_has_room_and_runs_programs(self):
        memory, room = self.folder / "memory", 4 * 1024 * 1024
        self.assertEqual(self.temporary(room).parent, memory)
        for elsewhere in (self.temporary(room - 1), self.temporary(room, runs=False)):
            self.assertEqual(elsewhere, pathlib.Path("/tmp"))
        self.assertEqual(self.temporary(room, TMPDIR=str(self.folder)), self.folder)
        self.assertIn("\nuse_memory /dev/shm\n", (SOURCE / "run-tests").read_text())

    def test_quickstart_takes_an_undecided_study_as_done(self):
        """quickstart itself, in a copy whose set-up does nothing and whose study ends with each exit code."""
        (self.folder / "scripts").mkdir()
        shutil.copy(SOURCE / "quickstart", self.folder)
        (self.folder / "scripts/setup.sh").write_text(
            "install_packages() { :; }; configure() { preset=cpu; }; build() { :; }; gpu_architecture() { :; }; fail() { exit 3; }\n")
        for code, expected in ((0, 0), (1, 1), (2, 2), (3, 3), (4, 0), (130, 130)):
            self.program("build/cpu/bin/ulpine", f"exit {code}")
            done = subprocess.run(["./quickstart"], cwd=self.folder, capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, expected, done.stderr)
            self.assertEqual("report.html" in done.stdout, code in (0, 1, 4))
            self.assertEqual("what would decide" in done.stdout, code == 4)

    def install_on_terminal(self, answer, settings=""):
        """(exit code, what is on the terminal, calls of apt-get) of install_packages where one package is missing, as root."""
        calls = self.folder / "calls"
        calls.unlink(missing_ok=True)
        self.program("bin/dpkg-query", 'case $* in *libfmt-dev*) echo ;; *) printf installed ;; esac')
        self.program("bin/apt-get", f'echo "$*" >> {calls}; case $* in *--assume-no*) echo "0 upgraded, 1 newly installed"; echo "Need to get 7 MB"; exit 1 ;; esac')
        self.program("bin/sudo", 'exec "$@"')
        ours, theirs = pty.openpty()
        process = subprocess.Popen(["bash", "-c", f"source scripts/setup.sh; {settings} install_packages"], cwd=SOURCE, stdin=theirs, stdout=theirs, stderr=theirs,
                                   env={**os.environ, "PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}"})
        os.close(theirs)
        os.write(ours, answer.encode())
        code = process.wait(60)
        text = ""
        try:
            while piece := os.read(ours, 4096):
                text += piece.decode()
        except OSError:  # the terminal has no more to say
            pass
        os.close(ours)
        return code, text, calls.read_text().splitlines()

    def test_packages_are_installed_on_a_terminal_only_after_a_yes(self):
        code, text, calls = self.install_on_terminal("n\n")
        self.assertEqual(code, 3)
        for words in ("libfmt-dev", "1 newly installed", "Need to get 7 MB", "nothing was installed"):
            self.assertIn(words, text)
        self.assertFalse([call for call in calls if " -y " in call], calls)
        for answer, settings in (("y\n", ""), ("", "assume_yes=1")):
            code, text, calls = self.install_on_terminal(answer, settings)
            self.assertEqual(code, 0, text)
            self.assertTrue(calls[-1].endswith("-y --no-install-recommends libfmt-dev"), calls)

    def test_quickstart_builds_all_modules_only_where_they_are_asked_for(self):
        (self.folder / "scripts").mkdir()
        shutil.copy(SOURCE / "quickstart", self.folder)
        (self.folder / "scripts/setup.sh").write_text(
            "install_packages() { :; }; configure() { preset=cpu; }; build() { echo \"built $*\"; }; gpu_architecture() { :; }; fail() { echo \"$1\" >&2; exit \"$2\"; }\n")
        self.program("build/cpu/bin/ulpine", "exit 0")
        for words, built in (((), "built ulpine_program ulpine_seaice_quad\n"), (("--all",), "built ulpine\n")):
            done = subprocess.run(["./quickstart", *words], cwd=self.folder, capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(built, done.stdout)
        self.assertEqual(subprocess.run(["./quickstart", "--some"], cwd=self.folder, capture_output=True, check=False).returncode, 2)


if __name__ == "__main__":
    unittest.main()
