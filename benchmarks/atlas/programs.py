#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures what keeps the bits of compilers' code, of sums over ranks, of PETSc and of NumPy, by small programs that it compiles and runs.

    programs.py > programs.jsonl            programs.py --only compilers

Rows are those of atlas_host: docs/contributing/atlas.md. What is not installed is said on standard error and has no rows.
"""
import argparse
import datetime
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import uuid

try:
    import numpy
except ImportError:
    sys.exit("programs.py: measures nothing (this Python has no NumPy) install NumPy, or call programs.py by a Python that has it")

# Numbers of a fixed seed, as every program here makes them: splitmix64, of which the 53 highest bits are taken.
NUMBERS_IN_C = """
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
static uint64_t state;
static double number(void) {
  uint64_t z = state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return ((double)((z ^ (z >> 31)) >> 11) + 0.5) * 0x1p-52 - 1;
}
"""
# Loops of geophysical models: each writes its results as doubles.
LOOPS = {
    "sum of 10000": "double s = 0; for (int i = 0; i < n; ++i) s += a[i]; out[0] = s; *count = 1;",
    "inner product of 10000": "double s = 0; for (int i = 0; i < n; ++i) s += a[i] * b[i]; out[0] = s; *count = 1;",
    "a*b + c": "for (int i = 0; i < n; ++i) out[i] = a[i] * b[i] + c[i]; *count = n;",
    "polynomial": "for (int i = 0; i < n; ++i) out[i] = ((a[i] * 0.3 + 0.7) * a[i] - 1.1) * a[i] + b[i]; *count = n;",
    "complex product": "for (int i = 0; i + 1 < n; i += 2) { out[i] = a[i] * b[i] - a[i+1] * b[i+1]; out[i+1] = a[i] * b[i+1] + a[i+1] * b[i]; } *count = n;",
    "division by a constant": "for (int i = 0; i < n; ++i) out[i] = a[i] / 3.7; *count = n;",
    "a/b": "for (int i = 0; i < n; ++i) out[i] = a[i] / b[i]; *count = n;",
    "1/sqrt": "for (int i = 0; i < n; ++i) out[i] = 1 / sqrt(fabs(a[i]) + 0.1); *count = n;",
    "exp": "for (int i = 0; i < n; ++i) out[i] = exp(3 * a[i]); *count = n;",
    "power of 1/2": "for (int i = 0; i < n; ++i) out[i] = pow(fabs(a[i]), 0.5); *count = n;",
    "fourth power": "for (int i = 0; i < n; ++i) out[i] = pow(a[i], 4); *count = n;",
    "five-point Laplacian": "for (int i = 100; i + 100 < n; ++i) out[i] = a[i-1] + a[i+1] + a[i-100] + a[i+100] - 4 * a[i]; *count = n;",
    "upwind flux": "for (int i = 1; i + 1 < n; ++i) out[i] = a[i] > 0 ? a[i] * (b[i] - b[i-1]) * 0.1 : a[i] * (b[i+1] - b[i]) * 0.1; *count = n;",
}
WORK_IN_C = """
#include <math.h>
enum { n = 10000 };
void work(double const* restrict a, double const* restrict b, double const* restrict c, double* restrict out, int* count) { (void)a; (void)b; (void)c; LOOP }
"""
# What calls a loop is compiled by itself and never with the flags under test: they would change the numbers that the loop is given.
CALLER_IN_C = NUMBERS_IN_C + """
enum { n = 10000 };
void work(double const* restrict a, double const* restrict b, double const* restrict c, double* restrict out, int* count);
int main(void) {
  double *a = malloc(n * sizeof *a), *b = malloc(n * sizeof *b), *c = malloc(n * sizeof *c), *out = calloc(n, sizeof *out);
  int count;
  state = 1;
  for (int i = 0; i < n; ++i) { a[i] = number(); b[i] = number(); c[i] = number(); }
  work(a, b, c, out, &count);
  return fwrite(out, sizeof *out, (size_t)count, stdout) == (size_t)count ? 0 : 1;
}
"""
LOOPS_IN_FORTRAN = {
    "sum() of 10000": ("result(1) = sum(a)", 1),
    "dot_product of 10000": ("result(1) = dot_product(a, b)", 1),
    "norm2 of 10000": ("result(1) = norm2(a)", 1),
    "matmul of 100 x 100": ("result = reshape(matmul(reshape(a, [100, 100]), reshape(b, [100, 100])), [n])", 10000),
    "a*b + c": ("result = a * b + c", 10000),
    "a**4": ("result = a ** 4", 10000),
    "abs(a)**0.5": ("result = abs(a) ** 0.5d0", 10000),
    "complex product": ("result = real(cmplx(a, b, 8) * cmplx(b, c, 8), 8)", 10000),
    "exp": ("result = exp(3 * a)", 10000),
    "maxval - minval": ("result(1) = maxval(a) - minval(a)", 1),
}
PROGRAM_IN_FORTRAN = """
module loops
  implicit none
  integer, parameter :: n = 10000
contains
  subroutine work(a, b, c, result)
    real(8), intent(in) :: a(n), b(n), c(n)
    real(8), intent(out) :: result(n)
    result = 0
    LOOP
  end subroutine
end module
program main
  use loops
  implicit none
  real(8) :: a(n), b(n), c(n), result(n)
  integer :: i
  open(10, file='numbers', access='stream', form='unformatted', status='old')
  do i = 1, n
    read(10) a(i), b(i), c(i)
  end do
  close(10)
  call work(a, b, c, result)
  open(11, file='results', access='stream', form='unformatted', status='replace')
  write(11) result(1:COUNT)
end program
"""
SUMS_OVER_RANKS = NUMBERS_IN_C + """
#include <mpi.h>
#include <string.h>
// Every rank has `length` numbers of its own; rank 0 writes the sums over ranks, or where `split` is set the sum of all
// numbers of one array that the ranks share out.
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int length = atoi(argv[2]), split = !strcmp(argv[1], "split"), to_one = !strcmp(argv[1], "reduce");
  double *x = malloc((size_t)length * sizeof *x), *sums = malloc((size_t)length * sizeof *sums);
  state = split ? 1 : (uint64_t)rank + 1;
  for (int i = 0; i < length; ++i) x[i] = number();
  if (split) {
    double part = 0;
    for (long i = (long)length * rank / ranks; i < (long)length * (rank + 1) / ranks; ++i) part += x[i];
    x[0] = part;
    length = 1;
  }
  if (to_one) MPI_Reduce(x, sums, length, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  else MPI_Allreduce(x, sums, length, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) {
    FILE* file = fopen(argv[3], "wb");
    fwrite(sums, sizeof *sums, (size_t)length, file);
    fclose(file);
  }
  MPI_Finalize();
}
"""
PETSC_PROGRAM = NUMBERS_IN_C + """
#include <petscksp.h>
// Inner product, norm, product with a five-point matrix and its solution by conjugate gradients: rank 0 writes the result named.
int main(int argc, char** argv) {
  PetscInitialize(&argc, &argv, NULL, NULL);
  PetscInt const side = 60, n = side * side;
  Mat A;
  Vec x, y, all;
  PetscInt first, last;
  MatCreate(PETSC_COMM_WORLD, &A);
  MatSetSizes(A, PETSC_DECIDE, PETSC_DECIDE, n, n);
  MatSetType(A, MATAIJ);
  MatSetFromOptions(A);
  MatSeqAIJSetPreallocation(A, 5, NULL);  // each of the three is heard by a matrix of its type alone
  MatMPIAIJSetPreallocation(A, 5, NULL, 5, NULL);
  MatSeqSBAIJSetPreallocation(A, 1, 3, NULL);
  MatSetOption(A, MAT_IGNORE_LOWER_TRIANGULAR, PETSC_TRUE);
  MatGetOwnershipRange(A, &first, &last);
  for (PetscInt row = first; row < last; ++row) {
    MatSetValue(A, row, row, 4.1, INSERT_VALUES);
    if (row % side > 0) MatSetValue(A, row, row - 1, -1, INSERT_VALUES);
    if (row % side < side - 1) MatSetValue(A, row, row + 1, -1, INSERT_VALUES);
    if (row >= side) MatSetValue(A, row, row - side, -1, INSERT_VALUES);
    if (row < n - side) MatSetValue(A, row, row + side, -1, INSERT_VALUES);
  }
  MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY);
  MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY);
  MatCreateVecs(A, &x, &y);
  state = 1;
  for (PetscInt i = 0; i < n; ++i) {
    double const a = number(), b = number();
    if (i >= first && i < last) { VecSetValue(x, i, a, INSERT_VALUES); VecSetValue(y, i, b, INSERT_VALUES); }
  }
  VecAssemblyBegin(x); VecAssemblyEnd(x); VecAssemblyBegin(y); VecAssemblyEnd(y);
  PetscScalar dot = 0;
  PetscReal norm = 0;
  int what = atoi(argv[1]);
  if (what == 0) VecDot(x, y, &dot);
  if (what == 1) VecNorm(x, NORM_2, &norm);
  if (what == 2) MatMult(A, x, y);
  if (what == 3) {
    KSP solver; PC none;
    KSPCreate(PETSC_COMM_WORLD, &solver);
    KSPSetOperators(solver, A, A);
    KSPSetType(solver, KSPCG);
    KSPGetPC(solver, &none);
    PCSetType(none, PCJACOBI);
    KSPSetTolerances(solver, 1e-8, 1e-50, 1e5, 1000);
    KSPSolve(solver, x, y);
  }
  VecScatter scatter;
  VecScatterCreateToZero(y, &scatter, &all);
  VecScatterBegin(scatter, y, all, INSERT_VALUES, SCATTER_FORWARD);
  VecScatterEnd(scatter, y, all, INSERT_VALUES, SCATTER_FORWARD);
  PetscMPIInt rank;
  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  if (rank == 0) {
    FILE* file = fopen(argv[2], "wb");
    double const one = what == 0 ? dot : norm;
    PetscScalar const* values;
    VecGetArrayRead(all, &values);
    if (what < 2) fwrite(&one, sizeof one, 1, file);
    else fwrite(values, sizeof *values, (size_t)n, file);
    fclose(file);
  }
  PetscFinalize();
}
"""


def processor():
    """Name, family and model: clouds give processors of several generations one name."""
    text = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8")
    name, family, model = (re.search(rf"^{key}\s*:\s*(.*)$", text, re.M) for key in ("model name", "cpu family", "model"))
    return f"{name.group(1) if name else 'a processor without a name'}, family {family.group(1) if family else '?'}, model {model.group(1) if model else '?'}"


def ulps_between(a, b):
    """The largest distance in units in the last place of numbers of the same type; -1 where one alone is NaN."""
    if (numpy.isnan(a) != numpy.isnan(b)).any():
        return -1
    word = numpy.int64 if a.dtype == numpy.float64 else numpy.int32
    places = []
    for values in (a, b):
        bits = values.view(word).astype(object)
        lowest = -(1 << (63 if word is numpy.int64 else 31))
        places.append([bit if bit >= 0 else lowest - bit - 1 for bit in bits])
    return float(max((abs(x - y) for x, y, number in zip(*places, a) if not numpy.isnan(number)), default=0))


class Rows:
    """Rows as lines of JSON on standard output."""

    def __init__(self):
        self.machine, self.group, self.versions, self.run = processor(), "", {}, uuid.uuid4().hex[:16]

    def add(self, library, block, varied, change, first, changed):
        """Compares two arrays of numbers by their bits; `changed` may be several arrays, of which the furthest counts."""
        first = numpy.ascontiguousarray(first)
        furthest = (0, 0.0, first)
        for other in changed if isinstance(changed, list) else [changed]:
            other = numpy.ascontiguousarray(other)
            if other.shape != first.shape:
                raise ValueError("results of different lengths are compared")
            word = numpy.uint64 if first.dtype == numpy.float64 else numpy.uint32
            unlike = first.view(word) != other.view(word)
            if unlike.sum() > furthest[0]:
                furthest = (int(unlike.sum()), ulps_between(first[unlike], other[unlike]), other)
        print(json.dumps({
            "library": library, "version": self.versions[library], "block": block, "varied": varied, "change": change,
            "answer": "other" if furthest[0] else "same", "elements": first.size, "unlike": furthest[0], "ulps": furthest[1],
            "hash": hash_of(first), "changed_hash": hash_of(furthest[2]), "machine": self.machine, "driver": "",
            "date": datetime.datetime.now(datetime.timezone.utc).date().isoformat(), "command": f"programs.py --only {self.group}", "run": self.run}), flush=True)

    def not_measured(self, what, why):
        print(f"not measured: {what} ({why})", file=sys.stderr)
        print(json.dumps({"not_measured": what, "why": why, "machine": self.machine}), flush=True)


def hash_of(values):
    return hashlib.blake2b(values.tobytes(), digest_size=8).hexdigest()


def numbers(seed, count):
    """What `number()` gives in the programs."""
    with numpy.errstate(over="ignore"):
        state = numpy.uint64(seed) + numpy.arange(1, count + 1, dtype=numpy.uint64) * numpy.uint64(0x9e3779b97f4a7c15)
        z = (state ^ (state >> numpy.uint64(30))) * numpy.uint64(0xbf58476d1ce4e5b9)
        z = (z ^ (z >> numpy.uint64(27))) * numpy.uint64(0x94d049bb133111eb)
    return ((z ^ (z >> numpy.uint64(31))) >> numpy.uint64(11)).astype(numpy.float64).__add__(0.5) * 2.0 ** -52 - 1


def called(words, folder, **environment):
    done = subprocess.run(words, cwd=folder, capture_output=True, check=False, timeout=120, env={**os.environ, **environment})
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(words[:4])} ended with {done.returncode}: {done.stderr.decode(errors='replace').strip()[-200:]}")
    return done.stdout


def version_of(compiler):
    text = called([compiler, "--version"], ".").decode().splitlines()[0]
    return re.search(r"\d+\.\d+\.\d+", text).group(0)


def compiled_c(compiler, flags, loop, folder):
    (pathlib.Path(folder) / "loop.c").write_text(WORK_IN_C.replace("LOOP", loop), encoding="utf-8")
    (pathlib.Path(folder) / "caller.c").write_text(CALLER_IN_C, encoding="utf-8")
    called([compiler, "-O0", "-c", "caller.c"], folder)
    called([compiler, *flags.split(), "loop.c", "caller.o", "-o", "loop", "-lm"], folder)
    return numpy.frombuffer(called(["./loop"], folder), dtype=numpy.float64)


def compiled_fortran(flags, loop, count, folder):
    (pathlib.Path(folder) / "loop.f90").write_text(PROGRAM_IN_FORTRAN.replace("LOOP", loop).replace("COUNT", str(count)), encoding="utf-8")
    numbers(1, 30000).tofile(pathlib.Path(folder) / "numbers")
    called(["gfortran", *flags.split(), "loop.f90", "-o", "loop"], folder)
    called(["./loop"], folder)
    return numpy.fromfile(pathlib.Path(folder) / "results", dtype=numpy.float64)


def compiler_rows(rows, folder):
    base = "-O2"
    changes = ["-O0", "-O3", "-O3 -march=x86-64-v3", "-O3 -march=x86-64-v3 -ffp-contract=off", "-O3 -ffast-math", "-O3 -march=x86-64-v3 -ffast-math"]
    firsts = {}
    for library, compiler in (("GCC", "gcc"), ("Clang", "clang")):
        if shutil.which(compiler) is None:
            rows.not_measured(library, f"no {compiler} found")
            continue
        rows.versions[library] = version_of(compiler)
        for name, loop in LOOPS.items():
            try:
                first = firsts[library, name] = compiled_c(compiler, base, loop, folder)
                for change in changes:
                    rows.add(library, name, "flags", f"{change} against {base}", first, compiled_c(compiler, change, loop, folder))
                if ("GCC", name) in firsts and library == "Clang":
                    rows.add(library, name, "compiler", f"clang against gcc {rows.versions['GCC']}, both with {base}", firsts["GCC", name], first)
            except (RuntimeError, subprocess.TimeoutExpired) as error:
                rows.not_measured(f"{library}, {name}", str(error))
    if shutil.which("gfortran") is None:
        rows.not_measured("gfortran", "no gfortran found")
        return
    rows.versions["gfortran"] = version_of("gfortran")
    for name, (loop, count) in LOOPS_IN_FORTRAN.items():
        try:
            first = compiled_fortran(base, loop, count, folder)
            for change in ["-O0", "-O3", "-O3 -march=x86-64-v3", "-O3 -march=x86-64-v3 -ffp-contract=off", "-O3 -ffast-math", "-O2 -fno-frontend-optimize"]:
                rows.add("gfortran", name, "flags", f"{change} against {base}", first, compiled_fortran(change, loop, count, folder))
        except (RuntimeError, subprocess.TimeoutExpired) as error:
            rows.not_measured(f"gfortran, {name}", str(error))


def mpi_words(ranks, *options):
    return ["mpirun", "-n", str(ranks), "--oversubscribe", "--quiet", *options]


AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
ALGORITHMS = {1: "linear", 2: "non-overlapping", 3: "recursive doubling", 4: "ring", 5: "segmented ring", 6: "Rabenseifner"}


def mpi_rows(rows, folder):
    if shutil.which("mpicc") is None or shutil.which("mpirun") is None:
        return rows.not_measured("Open MPI", "no mpicc and mpirun found")
    told = called(["mpirun", "--version"], folder, **AS_ROOT).decode()
    if "Open MPI" not in told:
        return rows.not_measured("Open MPI", "mpirun is another library's")
    rows.versions["Open MPI"] = re.search(r"\d+\.\d+\.\d+", told).group(0)
    (pathlib.Path(folder) / "sums.c").write_text(SUMS_OVER_RANKS, encoding="utf-8")
    called(["mpicc", "-O1", "sums.c", "-o", "sums", "-lm"], folder)

    def sums(ranks, kind, length, *options):
        called([*mpi_words(ranks, *options), "./sums", kind, str(length), "out"], folder, **AS_ROOT)
        return numpy.fromfile(pathlib.Path(folder) / "out", dtype=numpy.float64)

    for length in (10, 10000):
        for ranks in (2, 3, 4, 8):
            block = f"MPI_Allreduce of {length} doubles, {ranks} ranks"
            try:
                first = sums(ranks, "all", length)
                serial = numbers(1, length)
                for rank in range(1, ranks):
                    serial = serial + numbers(rank + 1, length)
                rows.add("Open MPI", block, "definition", "the sum in the order of ranks against the library", serial, first)
                rows.add("Open MPI", block, "arrival", "5 runs", first, [sums(ranks, "all", length) for _ in range(5)])
                rows.add("Open MPI", block, "routine", "MPI_Reduce against MPI_Allreduce", first, sums(ranks, "reduce", length))
                if ranks not in (4, 8):
                    continue
                rows.add("Open MPI", block, "part", "the first half of the numbers alone", first[:length // 2], sums(ranks, "all", length // 2))
                for number, name in ALGORITHMS.items():
                    options = ("--mca", "coll_tuned_use_dynamic_rules", "1", "--mca", "coll_tuned_allreduce_algorithm", str(number))
                    rows.add("Open MPI", block, "algorithm", f"coll_tuned_allreduce_algorithm {number} ({name}) against the default", first, sums(ranks, "all", length, *options))
            except (RuntimeError, subprocess.TimeoutExpired) as error:
                rows.not_measured(block, str(error))
    alone = sums(1, "split", 1000003)
    for ranks in (2, 3, 4, 8):
        rows.add("Open MPI", "sum of 1000003 doubles shared out to ranks", "ranks", f"{ranks} ranks against one", alone, sums(ranks, "split", 1000003))


def petsc_rows(rows, folder):
    if shutil.which("mpicc") is None or subprocess.run(["pkg-config", "--exists", "petsc"], check=False).returncode != 0:
        return rows.not_measured("PETSc", "no mpicc, or pkg-config knows no petsc")
    rows.versions["PETSc"] = called(["pkg-config", "--modversion", "petsc"], folder).decode().strip()
    flags = called(["pkg-config", "--cflags", "--libs", "petsc"], folder).decode().split()
    (pathlib.Path(folder) / "solve.c").write_text(PETSC_PROGRAM, encoding="utf-8")
    called(["mpicc", "-O1", "solve.c", "-o", "solve", *flags, "-lm"], folder)

    def result(ranks, what, *options):
        called([*mpi_words(ranks), "./solve", str(what), "out", *options], folder, **AS_ROOT, OMP_NUM_THREADS="1")
        return numpy.fromfile(pathlib.Path(folder) / "out", dtype=numpy.float64)

    for what, block in enumerate(("VecDot of 3600", "VecNorm of 3600", "MatMult, five points, 60 x 60", "CG with Jacobi, five points, 60 x 60")):
        first = result(1, what)
        rows.add("PETSc", block, "arrival", "5 runs", first, [result(1, what) for _ in range(5)])
        for ranks in (2, 3, 4):
            rows.add("PETSc", block, "ranks", f"{ranks} ranks against one", first, result(ranks, what))
            rows.add("PETSc", f"{block}, {ranks} ranks", "arrival", "3 runs", result(ranks, what), [result(ranks, what) for _ in range(3)])
    rows.add("PETSc", "MatMult, five points, 60 x 60", "layout", "sbaij of blocks of one against aij (-mat_type)", result(1, 2), result(1, 2, "-mat_type", "seqsbaij"))


def numpy_rows(rows, _):
    """Of the NumPy that runs this; its inner products are a BLAS's."""
    rows.versions["NumPy"] = numpy.__version__
    x = numbers(1, 100003)
    moved = numpy.empty(x.size + 1)[1:]
    moved[:] = x
    spread = numpy.empty(2 * x.size)[::2]
    spread[:] = x
    for scalar, cast in (("double", numpy.float64), ("float", numpy.float32)):
        a, b, c = x.astype(cast), moved.astype(cast), numpy.empty(2 * x.size, cast)[::2]
        c[:] = a
        first = numpy.array([a.sum()])
        rows.add("NumPy", f"sum of 100003 {scalar}", "stride", "every second element of an array against contiguous ones", first, numpy.array([c.sum()]))
        rows.add("NumPy", f"sum of 100003 {scalar}", "alignment", "an array moved by one element", first, numpy.array([b.sum()]))
        rows.add("NumPy", f"sum of 100003 {scalar}", "definition", "the serial sum against the library", numpy.add.accumulate(a)[-1:], first)
        square = a[:90000].reshape(300, 300)
        rows.add("NumPy", f"sum of 300 x 300 {scalar} along columns", "stride", "the transposed array along rows", square.sum(axis=0), numpy.ascontiguousarray(square.T).sum(axis=1))
        rows.add("NumPy", f"sum of 300 x 300 {scalar} along columns", "layout", "column-major against row-major storage", square.sum(axis=0), numpy.asfortranarray(square).sum(axis=0))
        for name in ("exp", "log", "sin", "cos", "tanh", "arctan", "cbrt", "exp2"):
            function = getattr(numpy, name)
            positive = numpy.abs(a) + cast(0.1)
            whole = function(positive)
            one_by_one = numpy.array([function(positive[i:i + 1])[0] for i in range(2000)], cast)
            rows.add("NumPy", f"{name} of {scalar}", "batch", "arrays of one element against one array", whole[:2000], one_by_one)
            strided = numpy.empty(2 * a.size, cast)[::2]
            strided[:] = positive
            rows.add("NumPy", f"{name} of {scalar}", "stride", "every second element of an array against contiguous ones", whole, function(strided))


GROUPS = {"compilers": compiler_rows, "mpi": mpi_rows, "petsc": petsc_rows, "numpy": numpy_rows}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", choices=GROUPS, help="measure one group of rows")
    only = parser.parse_args().only
    rows = Rows()
    for group, measure in GROUPS.items():
        if only not in (None, group):
            continue
        rows.group = group
        with tempfile.TemporaryDirectory() as folder:
            try:
                measure(rows, folder)
            except (RuntimeError, OSError, subprocess.TimeoutExpired) as error:
                rows.not_measured(group, str(error))


if __name__ == "__main__":
    main()
