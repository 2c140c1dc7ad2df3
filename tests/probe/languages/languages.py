# SPDX-License-Identifier: Apache-2.0
"""What the tests of the probe's languages share: compilers, and programs that are linked with a library that prints what it gets (stub.c)."""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ.get("ULPINE_SOURCE_DIR", pathlib.Path(__file__).resolve().parents[3]))
PROBE = SOURCE / "probe"
HERE = SOURCE / "tests/probe/languages"
CC = os.environ.get("CC") or shutil.which("gcc") or shutil.which("cc")
CXX = os.environ.get("CXX") or shutil.which("g++") or shutil.which("c++")
FORTRANS = [path for path in map(shutil.which, ("gfortran", "flang", "flang-new", "flang-new-19")) if path]
NO_FORTRAN = "no Fortran compiler (Debian: apt-get install gfortran)"


class BuiltTest(unittest.TestCase):
    """A folder for the tests of a class, with the printing library as libulpine_probe.so."""
    @classmethod
    def setUpClass(cls):
        cls._folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls._folder.cleanup)
        cls.folder = pathlib.Path(cls._folder.name)
        cls.make(CC, "-shared", "-fPIC", "-O1", "-I", PROBE / "include", "-o", "libulpine_probe.so", HERE / "stub.c")

    @classmethod
    def make(cls, *words, folder=None):
        """Calls a compiler; what it says on the standard error."""
        done = subprocess.run([str(word) for word in words], cwd=folder or cls.folder, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise AssertionError(f"{' '.join(map(str, words))}\n{done.stderr[:4000]}")
        return done.stderr

    def told(self, *words, folder=None, errors=(), **variables):
        """What a program told the library, call by call, and the other lines it printed. Its lines on the standard error begin with `errors`."""
        done = subprocess.run([str(word) for word in words], cwd=folder or self.folder, capture_output=True, text=True, check=False,
                              env=dict(os.environ, LD_LIBRARY_PATH=str(self.folder), **variables))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), len(errors), done.stderr)
        for line, begin in zip(done.stderr.splitlines(), errors):
            self.assertTrue(line.startswith(begin), line)
        lines = done.stdout.splitlines()
        return [json.loads(line) for line in lines if line.startswith('{"call"')], [line for line in lines if not line.startswith('{"call"')]
