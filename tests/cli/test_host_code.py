#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The host code of the program and its modules: no instruction that adds and subtracts fused products by turns. g++ 12 makes such
ones though -ffp-contract=off forbids it (findings/gcc_fuses_products_by_turns.sh), and no other way of writing asks for one."""
import pathlib
import platform
import shutil
import subprocess
import tempfile
import unittest

from support import PROGRAM

FILES = [pathlib.Path(PROGRAM), *sorted(pathlib.Path(PROGRAM).resolve().parents[1].glob("lib*/**/ulpine/modules/*.so"))]
BY_TURNS = r"\bvfm(addsub|subadd)"
# The product of complex numbers in an array, as it has to be written to be vectorised.
PRODUCT = """void multiply(double const* __restrict x, double const* __restrict y, double* __restrict z, int n) {
  for (int i = 0; i < n; i += 2) {
    z[i] = x[i] * y[i] - x[i + 1] * y[i + 1];
    z[i + 1] = x[i] * y[i + 1] + x[i + 1] * y[i];
  }
}
"""


def fused_by_turns(path):
    """Instructions of that kind with their addresses. (grep reads a hundred million characters faster than Python.)"""
    with subprocess.Popen(["objdump", "-d", "--no-show-raw-insn", path], stdout=subprocess.PIPE) as code:
        found = subprocess.run(["grep", "-E", BY_TURNS], stdin=code.stdout, capture_output=True, text=True, check=False).stdout
    if code.returncode != 0:
        raise AssertionError(f"objdump could not read {path}")
    return found.splitlines()


@unittest.skipUnless(platform.machine() == "x86_64", "instructions of other processors have other names")
@unittest.skipUnless(shutil.which("objdump"), "no objdump (install binutils)")
class HostCodeTest(unittest.TestCase):
    def test_no_product_is_fused_that_the_source_does_not_fuse(self):
        for path in FILES:
            with self.subTest(path.name):
                self.assertEqual(fused_by_turns(path), [])

    def test_such_an_instruction_would_be_seen(self):
        with tempfile.TemporaryDirectory() as folder:
            source, object_file = pathlib.Path(folder, "product.cpp"), pathlib.Path(folder, "product.o")
            source.write_text(PRODUCT, encoding="utf-8")
            done = subprocess.run(["g++", "-O3", "-march=x86-64-v3", "-ffast-math", "-ffp-contract=fast", "-c", source, "-o", object_file], capture_output=True, text=True, check=False)
            if done.returncode != 0:
                self.skipTest("no g++ that compiles for x86-64-v3: " + done.stderr.strip())
            self.assertTrue(fused_by_turns(object_file))


if __name__ == "__main__":
    unittest.main()
