#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The shell programs at the top, with stand-ins for the tools that they call."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ.get("ULPINE_SOURCE_DIR", pathlib.Path(__file__).resolve().parents[2]))


class ShellTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.tools = self.folder / "tools"
        self.tools.mkdir()
        # Nothing but these is found: neither the machine's compiler for CUDA nor its GPU plays a part.
        for name in ("bash", "dirname", "head", "sed", "nproc", "env", "cat", "mkdir"):
            (self.tools / name).symlink_to(shutil.which(name))

    def tool(self, name, script):
        path = self.tools / name
        path.write_text(f"#!/usr/bin/env bash\n{script}\n")
        path.chmod(0o755)

    def run_shell(self, script, cwd=None, **variables):
        environment = {"PATH": str(self.tools), "HOME": str(self.folder), **variables}
        return subprocess.run([self.tools / "bash", "-c", script], cwd=cwd or self.folder, env=environment, capture_output=True, text=True, check=False)

    def call(self, function, **variables):
        return self.run_shell(f"set -euo pipefail; source {SOURCE / 'scripts/setup.sh'}; {function}", **variables)


class SetupTest(ShellTest):
    def test_a_failure_is_one_of_the_environment_unless_said_otherwise(self):
        self.assertEqual(self.call("fail 'no disk'").returncode, 3)
        done = self.call("fail 'bad option' 2")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("bad option", done.stderr)

    def test_cuda_is_left_out_where_it_is_not_wanted(self):
        compiler = self.tools / "nvcc"
        self.tool("nvcc", "exit 0")
        self.assertEqual(self.call("find_nvcc").stdout.strip(), str(compiler))
        self.assertEqual(self.call("find_nvcc", ULPINE_CUDA="ON").stdout.strip(), str(compiler))
        done = self.call("find_nvcc", ULPINE_CUDA="OFF")
        self.assertEqual((done.returncode, done.stdout), (0, ""))

    def test_the_architecture_is_the_first_gpu_s_capability_in_two_digits(self):
        self.tool("nvidia-smi", "printf '8.6\\n9.0\\n'")
        self.assertEqual(self.call("gpu_architecture").stdout, "86\n")
        self.tool("nvidia-smi", "echo 'No devices were found'")
        self.assertEqual(self.call("gpu_architecture").stdout, "")
        self.tool("nvidia-smi", "exit 9")
        done = self.call("gpu_architecture")
        self.assertEqual((done.returncode, done.stdout), (0, ""))


class QuickstartTest(ShellTest):
    def setUp(self):
        super().setUp()
        self.copy = self.folder / "copy"
        (self.copy / "scripts").mkdir(parents=True)
        shutil.copy(SOURCE / "quickstart", self.copy)
        shutil.copy(SOURCE / "scripts/setup.sh", self.copy / "scripts")
        self.tool("cmake", "exit 0")

    def quickstart(self, code):
        """Exit code and output where the study ends with `code`."""
        program = self.copy / "build/cpu/bin/ulpine"
        program.parent.mkdir(parents=True, exist_ok=True)
        program.write_text(f"#!/usr/bin/env bash\nexit {code}\n")
        program.chmod(0o755)
        done = self.run_shell("./quickstart", cwd=self.copy, ULPINE_CUDA="OFF")
        return done.returncode, done.stdout

    def test_a_study_that_ran_names_its_report_and_one_that_could_not_does_not(self):
        for code, has_report in ((0, True), (1, True), (2, False), (3, False), (130, False)):
            with self.subTest(code):
                status, output = self.quickstart(code)
                self.assertEqual(status, code, output)
                self.assertEqual("report.html" in output, has_report)

    def test_an_unknown_option_is_refused(self):
        done = self.run_shell("./quickstart --fast", cwd=self.copy)
        self.assertEqual(done.returncode, 2)
        self.assertIn("--fast", done.stderr)


if __name__ == "__main__":
    unittest.main()
