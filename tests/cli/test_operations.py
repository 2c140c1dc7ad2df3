#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`ulpine cases --stages CASE --operations`: what stages compute, counted with the cores' parts that are built on demand, and what a
profiler's counters of single operations become (benchmarks/operations)."""
import importlib.util
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import tomllib
import unittest

from support import PROGRAM, SOURCE

READ = SOURCE / "benchmarks/operations/read.py"
SMALL = {  # name, of a core as a rule -> a case of a fraction of a second: what it extends and what is smaller
    "les": ("les/taylor_green.toml", ""),
    "fdm": ("fdm/acoustic_mode.toml", ""),
    "fem": ("fem/shower.toml", "[mesh]\nnx = 10\nnz = 8\n"),
    "seaice": ("seaice/cyclone_quick.toml", "[grid]\nnx = 8\nny = 8\n[time]\nsubsteps = 4\n"),
    "seaice_cg2": ("seaice/cyclone_quick.toml", "[discretisation]\ncg = 2\ndg = 6\n[grid]\nnx = 4\nny = 4\n[time]\nsubsteps = 2\n"),
}
STEPS = 2
BUILT = pathlib.Path(PROGRAM).resolve().parent.parent


class Operations(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def call(self, *words):
        return subprocess.run([PROGRAM, *map(str, words)], cwd=self.folder, capture_output=True, text=True, check=False)

    def case(self, core):
        shipped, smaller = SMALL[core]
        file = self.folder / f"{core}.toml"
        file.write_text(f'extends = "{SOURCE / "cases" / shipped}"\n{smaller}')
        return file

    def assert_refused(self, done, code, *says):
        self.assertEqual((done.returncode, done.stdout), (code, ""), done.stderr)
        lines = done.stderr.splitlines()
        self.assertEqual(len(lines), 1, done.stderr)
        for word in says:
            self.assertIn(word, lines[0])


MODULES = {file.stem for file in BUILT.glob("lib*/**/ulpine/modules/*_counted.so")}


def has_part(name):
    return f"{name.partition('_')[0]}_counted" in MODULES


NOT_BUILT = "the part that counts is not built (cmake --build BUILD --target ulpine_counted)"


@unittest.skipUnless(has_part("fdm"), NOT_BUILT)
class Counted(Operations):
    """Of the cores whose modules are built: that of finite differences in ./run-tests, all in its nightly tests."""

    def counted(self, core, *words):
        done = self.call("cases", "--stages", self.case(core), "--operations", "--json", "--steps", STEPS, *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_values_are_those_of_fp64(self):
        for core in filter(has_part, SMALL):
            with self.subTest(core=core):
                done = self.call("run", self.case(core), "-q", "-o", core, "--steps", STEPS + 1, "--threads", "1")
                self.assertEqual(done.returncode, 0, done.stderr)
                run = json.loads((self.folder / core / "run.json").read_text())
                self.assertEqual(self.counted(core)["hash"], run["hash"])

    def test_numbers_do_not_depend_on_threads(self):
        for core in filter(has_part, SMALL):
            with self.subTest(core=core):
                one, three = self.counted(core), self.counted(core, "--threads", "3")
                self.assertEqual(one, three)
                self.assertGreater(sum(stage["flops"] for stage in one["stages"]), 0)

    @unittest.skipUnless(has_part("les"), NOT_BUILT)
    def test_large_eddies_do_what_their_kernels_say(self):
        """By hand from core/les/parts/pressure.hpp: 64 columns of 32 levels, in each of the three stages of a step.

        The divergence: three differences of six winds, each an fma from its tendency, the lowest and the highest of which are 0; two
        fma and a product of the sum; a product for its scale. The correction: a difference, a product, a sign and an fma for each
        wind, which is an fma itself; of the vertical one at the faces between levels."""
        columns, levels, stages = 64, 32, 3
        cells, between = columns * levels, columns * (levels - 1)
        of = {stage["stage"]: stage["operations"] for stage in self.counted("les")["stages"]}
        self.assertEqual(of["les.pressure.divergence"],
                         {"state": {"add": stages * 3 * cells, "multiply": stages * 2 * cells, "fma": stages * (2 * cells + 4 * cells + 2 * between)},
                          "compute": {"from_state": stages * cells}})
        winds = 2 * cells + between
        self.assertEqual(of["les.pressure.correct"],
                         {"state": {"add": stages * winds, "multiply": stages * winds, "fma": stages * 2 * winds, "sign": stages * winds,
                                    "from_compute": stages * (3 * cells + between)}})

    @unittest.skipUnless(has_part("les"), NOT_BUILT)
    def test_columns_are_threads_and_transforms_pass_twice_over_planes(self):
        """Waves of 32 levels of 4 x 64 cells are 4 x 33 columns; 66 numbers a row in place of 64 are read and written once more."""
        (self.folder / "plane.toml").write_text(f'extends = "{SOURCE / "cases/les/taylor_green.toml"}"\n[grid]\nny = 4\n')
        done = self.call("cases", "--stages", "plane.toml", "--operations", "--json", "--steps", STEPS)
        self.assertEqual(done.returncode, 0, done.stderr)
        of = {stage["stage"]: stage for stage in json.loads(done.stdout)["stages"]}
        solve = of["les.pressure.tridiagonal"]
        self.assertEqual((solve["points"], solve["passes"]), (solve["launches"] * 4 * 33, 1))
        self.assertAlmostEqual(of["les.pressure.forward_fft"]["passes"], 1 + 2 * 66 / (64 + 66), places=12)

    @unittest.skipUnless(has_part("fem"), NOT_BUILT)
    def test_patches_are_blocks_of_threads(self):
        of = {stage["stage"]: stage for stage in self.counted("fem")["stages"]}
        assembly, nodes = of["fem.scalar.matrix"], of["fem.scalar.fixed"]
        patches = math.ceil(nodes["points"] / nodes["launches"] / 56)
        self.assertEqual(assembly["points"], assembly["launches"] * patches * 256)

    def test_a_table_has_each_stage_and_the_step(self):
        done = self.call("cases", "--stages", self.case("fdm"), "--operations")
        self.assertEqual(done.returncode, 0, done.stderr)
        a_cell, a_step = done.stdout.split("\n\n")
        names = [stage["stage"] for stage in self.counted("fdm")["stages"] if stage["stage"]]
        for table in (a_cell, a_step):
            first = [line.split()[0] for line in table.splitlines()]
            for name in names:
                self.assertIn(name, first)
        self.assertIn("fma", a_cell.splitlines()[0])
        self.assertTrue(any(line.startswith("(step)") for line in a_step.splitlines()))


class Refused(Operations):
    def test_a_core_is_no_case(self):
        self.assert_refused(self.call("cases", "--stages", "les", "--operations"), 2, "--stages CASE.toml")

    def test_options_of_operations_alone(self):
        self.assert_refused(self.call("cases", "--operations"), 2, "--stages")
        for words in (("--steps", "2"), ("--threads", "2"), ("--json",)):
            self.assert_refused(self.call("cases", "--stages", "les", *words), 2, "--operations")

    def test_a_part_that_was_not_built_says_how_to_build_it(self):
        home = self.folder / "bin"
        home.mkdir()
        program = home / "ulpine"
        program.write_bytes(pathlib.Path(PROGRAM).read_bytes())
        program.chmod(0o755)
        done = subprocess.run([program, "cases", "--stages", self.case("fdm"), "--operations"], cwd=self.folder,
                              capture_output=True, text=True, check=False)
        self.assert_refused(done, 3, "fdm_counted", "ulpine_fdm_counted")


class Costs(Operations):
    """Counters as ncu prints them: text of the program before the table, a row of units, thousands in groups."""

    metrics = subprocess.run([sys.executable, READ, "--metrics"], capture_output=True, text=True, check=True).stdout.strip().split(",")
    operations = ("Nothing Add Multiply Fma Divide Sqrt Compare Convert Exp Exp2 Log Log2 Pow Sin Cos Tan Atan2 Sinh Cosh Tanh Cbrt Hypot").split()

    def counters(self, left_out=()):
        names = ["ID", "Kernel Name", *self.metrics]
        lines = ["==PROF== Connected to process 1", ",".join(f'"{name}"' for name in names), ",".join('"inst"' if name in self.metrics else '""' for name in names)]
        row = 0
        for number_type in ("double", "float", "ulpine::DoubleFloat"):
            for n, operation in enumerate(self.operations):
                if (number_type, operation) in left_out:
                    continue
                # A warp of 32 calls: 2 instructions of each pipe for nothing, and n more of FP64, 3 n of FMA.
                warps = (1 << 20) // 32
                values = {"pipe_fp64": (2 + n) * warps, "pipe_fma": (2 + 3 * n) * warps, "pipe_alu": 2 * warps, "pipe_xu": 2 * warps,
                          "op_ffma": n << 20, "op_fadd": 0, "op_fmul": 0}
                cells = [next(f"{value:,}" for part, value in values.items() if part in metric) for metric in self.metrics]
                name = f"void ulpine::operations::call<{number_type}, ulpine::operations::{operation}>(long, const ulpine::operations::Operands<T1> *, T1 *)"
                lines.append(",".join(f'"{cell}"' for cell in (str(row), name, *cells)))
                row += 1
        file = self.folder / "counters.csv"
        file.write_text("\n".join(lines) + "\n")
        return file

    def read(self, file):
        return subprocess.run([sys.executable, READ, file], capture_output=True, text=True, check=False)

    def test_less_what_a_kernel_of_nothing_does(self):
        done = self.read(self.counters())
        self.assertEqual(done.returncode, 0, done.stderr)
        costs = tomllib.loads(done.stdout)
        self.assertEqual(set(costs), {"double", "float", "double_float"})
        for of_type in costs.values():
            self.assertEqual(list(of_type), [name.lower() for name in self.operations[1:]])
            for n, name in enumerate(self.operations[1:], 1):
                self.assertEqual(of_type[name.lower()], {"fp64": n, "fp32": n, "special": 0, "other": 2 * n})

    def test_what_was_not_measured_is_refused(self):
        done = self.read(self.counters({("float", "Cbrt")}))
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("cbrt of float", done.stderr)
        (self.folder / "empty.csv").write_text("sums 1 and 2\n")
        done = self.read(self.folder / "empty.csv")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("no table", done.stderr)


if __name__ == "__main__":
    unittest.main()
