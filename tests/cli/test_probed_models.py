#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Models with the installed probe: the page docs/tutorials/trace-your-model.md, the examples in Fortran and Python, and one field told from four languages."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

try:
    import numpy
except ImportError:
    numpy = None

from pages import run_page
from support import CommandTest, SOURCE

FORTRAN = shutil.which("gfortran")
NO_FORTRAN = "no gfortran (Debian: apt-get install gfortran)"
MPI = shutil.which("mpif90") and shutil.which("mpirun")
NO_MPI = "no Open MPI for Fortran (Debian: apt-get install libopenmpi-dev openmpi-bin)"
EXAMPLE = SOURCE / "examples/fortran"
BUILD = pathlib.Path(os.environ.get("ULPINE_BUILD_DIR", SOURCE / "build/cpu"))
# Of mpirun: as root, as in containers, and on fewer processors than ranks.
LAUNCHER = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_mpi_yield_when_idle": "1"}


class ProbedTest(CommandTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.home = pathlib.Path(folder.name)
        cls.prefix = cls.home / "ulpine"
        subprocess.run([os.environ.get("ULPINE_CMAKE", "cmake"), "--install", BUILD, "--component", "probe", "--prefix", cls.prefix], capture_output=True, check=True)
        cls.environment = {name: value for name, value in os.environ.items() if not name.startswith("ULPINE")}
        cls.environment.update(LAUNCHER, PKG_CONFIG_PATH=str(cls.prefix / "lib/pkgconfig"), LD_LIBRARY_PATH=str(cls.prefix / "lib"))

    def package(self, *words):
        return subprocess.run(["pkg-config", *words, "ulpine-probe"], capture_output=True, text=True, check=True, env=self.environment).stdout.split()

    def probed(self, *words, code=0, **variables):
        """What a program prints."""
        done = subprocess.run([str(word) for word in words], cwd=self.folder, capture_output=True, text=True, check=False, env=dict(self.environment, **variables))
        self.assertEqual(done.returncode, code, f"{words}: {done.stdout}{done.stderr}")
        self.assertEqual(done.stderr, "")
        return done.stdout


@unittest.skipIf(FORTRAN is None, NO_FORTRAN)
@unittest.skipIf(not MPI, NO_MPI)
class PageTest(ProbedTest):
    def test_every_command_of_the_page_ends_and_prints_as_it_says(self):
        ran, checked = run_page(self, SOURCE / "docs/tutorials/trace-your-model.md", HOME=str(self.home), LD_LIBRARY_PATH="", **LAUNCHER)
        self.assertGreater(ran, 10)
        self.assertGreater(checked, 5)


@unittest.skipIf(FORTRAN is None, NO_FORTRAN)
class FortranExample(ProbedTest):
    SIZE = ("30", "17", "12")

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        builds = ("serial", "openmp", "openacc", *(("mpi", "faulty") if MPI else ()))
        done = subprocess.run(["make", "-s", "-f", EXAMPLE / "Makefile", *builds, "FFLAGS=-O0 -Werror -Wall -std=f2018"], cwd=cls.home, capture_output=True, text=True, check=False,
                              env=cls.environment)
        assert done.returncode == 0 and not done.stderr, done.stderr
        cls.water = str(cls.home / "build/water_")

    def test_threads_and_accelerator_directives_have_the_bits_of_the_serial_program(self):
        printed = {self.probed(self.water + "serial", *self.SIZE)}
        for build, threads in (("serial", "1"), ("openmp", "1"), ("openmp", "3"), ("openacc", "1")):
            trace = f"{build}{threads}.bin"
            printed.add(self.probed(self.water + build, *self.SIZE, ULPINE_TRACE=trace, OMP_NUM_THREADS=threads))
            self.assertEqual(self.assert_done("trace-diff", "serial1.bin", trace).splitlines()[0], "no difference in 120 records")
        self.assertEqual(len(printed), 1, printed)

    @unittest.skipIf(not MPI, NO_MPI)
    def test_ranks_have_the_bits_of_the_serial_program_but_for_the_planted_fault(self):
        printed = {self.probed(self.water + "serial", *self.SIZE, ULPINE_TRACE="serial.bin")}
        for ranks in (1, 2, 3, 7):
            printed.add(self.probed("mpirun", "-n", ranks, self.water + "mpi", *self.SIZE, ULPINE_TRACE=f"mpi{ranks}.bin"))
            self.assertEqual(self.assert_done("trace-diff", "serial.bin", f"mpi{ranks}.bin").splitlines()[0], "no difference in 120 records")
        self.assertEqual(len(printed), 1, printed)
        self.probed("mpirun", "-n", "2", self.water + "faulty", *self.SIZE, ULPINE_TRACE="faulty.bin")
        told = self.assert_done("trace-diff", "serial.bin", "faulty.bin", code=1)
        self.assertRegex(told.splitlines()[0], r"^step \d+, stage tracer, field hq: ")

    def test_cmake_builds_it(self):
        options = ("-DCMAKE_PREFIX_PATH=" + str(self.prefix), "-DCMAKE_Fortran_FLAGS_RELEASE=-O0")
        self.probed("cmake", "-S", EXAMPLE, "-B", "cmake", *options)
        self.probed("cmake", "--build", "cmake", "--target", "water_serial")
        self.probed("cmake/water_serial", *self.SIZE, ULPINE_TRACE="trace.bin")
        self.assertTrue((self.folder / "trace.bin").exists())

    def test_arguments_that_are_none_are_refused(self):
        for words in (("a", "b", "c"), ("1", "9", "2"), ("9", "1", "2")):
            done = subprocess.run([self.water + "serial", *words], capture_output=True, text=True, check=False, env=self.environment)
            self.assertEqual(done.returncode, 1)
            self.assertTrue(done.stderr.startswith("ERROR STOP water: "), done.stderr)


@unittest.skipIf(numpy is None, "no numpy (Debian: apt-get install python3-numpy)")
class PythonExample(ProbedTest):
    def test_the_stage_that_rounds_otherwise_is_named_though_the_printed_digits_agree(self):
        python = {"PYTHONPATH": self.package("--variable=python")[0], "PYTHONDONTWRITEBYTECODE": "1"}
        script = SOURCE / "examples/python/waves.py"
        printed = {self.probed(sys.executable, script, **python)}
        for form in "plain", "factored":
            printed.add(self.probed(sys.executable, script, form, ULPINE_TRACE=f"{form}.bin", **python))
        self.assertEqual(len(printed), 1, printed)
        self.assertRegex(self.assert_done("trace-diff", "plain.bin", "factored.bin", code=1), r"^step 1, stage zonal, field u: ")


@unittest.skipIf(FORTRAN is None or numpy is None, "no gfortran or no numpy (Debian: apt-get install gfortran python3-numpy)")
class OneFieldFromFourLanguages(ProbedTest):
    """x(i, j, k) = 100 i + 10 j + k - 200 of 4, 3 and 2 elements, counted from 1, in eight types, a slice of every second element, and a scalar."""
    F90 = """program tell
  use, intrinsic :: iso_fortran_env
  use, intrinsic :: iso_c_binding, only: c_bool
  use ulpine
  implicit none
  integer(int32) :: x(4, 3, 2)
  integer :: i, j, k
  x = reshape([(((100 * i + 10 * j + k - 200, i=1, 4), j=1, 3), k=1, 2)], [4, 3, 2])
  call ulpine_step(1)
  call ulpine_stage('all')
  call ulpine_field('i32', x)
  call ulpine_field('i64', int(x, int64))
  call ulpine_field('f32', real(x, real32) / 4)
  call ulpine_field('f64', real(x, real64) / 4)
  call ulpine_field('c32', cmplx(x, -x, real32))
  call ulpine_field('c64', cmplx(x, -x, real64))
  call ulpine_field('large', x > 100)
  call ulpine_field('small', logical(x < 100, c_bool))
  call ulpine_field('back', x(:, 3:1:-2, :))
  call ulpine_field('scalar', real(x(2, 3, 1), real64))
end program tell
"""
    CPP = """#include <vector>
#include "ulpine.hpp"
namespace probe = ulpine::probe;
template <class T, class F> void tell(char const* name, F value) {
  T x[2][3][4];
  for (int k = 0; k < 2; ++k) for (int j = 0; j < 3; ++j) for (int i = 0; i < 4; ++i) x[k][j][i] = value(100 * (i + 1) + 10 * (j + 1) + k + 1 - 200);
  probe::field(name, probe::Array<T>(std::span<T>(&x[0][0][0], 24), {2, 3, 4}));
}
int main() {
  probe::step(1);
  probe::stage("all");
  tell<std::int32_t>("i32", [](int n) { return n; });
  tell<std::int64_t>("i64", [](int n) { return n; });
  tell<float>("f32", [](int n) { return float(n) / 4; });
  tell<double>("f64", [](int n) { return double(n) / 4; });
  tell<std::complex<float>>("c32", [](int n) { return std::complex<float>(n, -n); });
  tell<std::complex<double>>("c64", [](int n) { return std::complex<double>(n, -n); });
  tell<bool>("large", [](int n) { return n > 100; });
  tell<bool>("small", [](int n) { return n < 100; });
  std::int32_t x[2][3][4];
  for (int k = 0; k < 2; ++k) for (int j = 0; j < 3; ++j) for (int i = 0; i < 4; ++i) x[k][j][i] = 100 * (i + 1) + 10 * (j + 1) + k + 1 - 200;
  probe::field("back", probe::Array<std::int32_t>(&x[0][2][0], {2, 2, 4}, {12, -8, 1}));
  probe::field("scalar", double(x[0][2][1]));
}
"""
    PYTHON = """import numpy as np, ulpine
k, j, i = np.mgrid[1:3, 1:4, 1:5]
x = (100 * i + 10 * j + k - 200).astype("int32")
ulpine.step(1)
ulpine.stage("all")
ulpine.field("i32", x)
ulpine.field("i64", x.astype("int64"))
ulpine.field("f32", x.astype("float32") / 4)
ulpine.field("f64", x / 4.0)
ulpine.field("c32", (x - 1j * x).astype("complex64"))
ulpine.field("c64", x - 1j * x)
ulpine.field("large", x > 100)
ulpine.field("small", x < 100)
ulpine.field("back", x[:, ::-2, :])
ulpine.field("scalar", float(x[0, 2, 1]))
"""

    def test_all_have_the_same_hashes(self):
        flags = self.package("--cflags", "--libs")
        (self.folder / "tell.f90").write_text(self.F90)
        (self.folder / "tell.cpp").write_text(self.CPP)
        (self.folder / "tell.py").write_text(self.PYTHON)
        self.probed(FORTRAN, "-o", "fortran", pathlib.Path(self.package("--variable=fortran")[0]) / "ulpine.f90", "tell.f90", *flags)
        self.probed(os.environ.get("CXX", "c++"), "-std=c++20", "-o", "cpp", "tell.cpp", *flags)
        python = {"PYTHONPATH": self.package("--variable=python")[0], "PYTHONDONTWRITEBYTECODE": "1"}
        self.probed("./fortran", ULPINE_TRACE="fortran.bin")
        self.probed("./cpp", ULPINE_TRACE="cpp.bin")
        self.probed(sys.executable, "tell.py", ULPINE_TRACE="python.bin", **python)
        for other in "cpp", "python":
            self.assertEqual(self.assert_done("trace-diff", "fortran.bin", f"{other}.bin").splitlines()[0], "no difference in 10 records")

    def test_a_wrong_place_is_told_as_the_language_counts_and_the_model_goes_on(self):
        (self.folder / "wrong.f90").write_text("program wrong\n  use ulpine\n  real :: x(4, 3) = 0\n  call ulpine_step(1)\n  call ulpine_stage('flow')\n"
                                               "  call ulpine_field('x', x, at=[3, 1], of=[6, 3])\n  call ulpine_field('x', x, at=[4, 1], of=[6, 3])\n  print '(a)', 'goes on'\nend program wrong\n")
        (self.folder / "wrong.py").write_text("import numpy, ulpine\nx = numpy.zeros((4, 3))\nulpine.step(1)\nulpine.stage('flow')\n"
                                              "ulpine.field('x', x, first=(2, 0), whole=(6, 3))\nulpine.field('x', x, first=(3, 0), whole=(6, 3))\nprint('goes on')\n")
        self.probed(FORTRAN, "-o", "wrong", pathlib.Path(self.package("--variable=fortran")[0]) / "ulpine.f90", "wrong.f90", *self.package("--cflags", "--libs"))
        environment = dict(self.environment, ULPINE_TRACE="wrong.bin", PYTHONPATH=self.package("--variable=python")[0], PYTHONDONTWRITEBYTECODE="1")
        for words, said in ((["./wrong"], "axis 1 has elements 4 to 7 of 6 (places are counted from 1"), ([sys.executable, "wrong.py"], "axis 1 has elements 3 to 6 of 6 (places are counted from 0")):
            with self.subTest(words[0]):
                done = subprocess.run(words, cwd=self.folder, capture_output=True, text=True, check=False, env=environment)
                self.assertEqual((done.returncode, done.stdout), (0, "goes on\n"))
                self.assertTrue(done.stderr.startswith("ulpine: step 1, stage flow: field 'x': " + said), done.stderr)
                self.assertEqual(len(done.stderr.splitlines()), 1)


if __name__ == "__main__":
    unittest.main()
