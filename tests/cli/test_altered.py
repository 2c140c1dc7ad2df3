# SPDX-License-Identifier: Apache-2.0
"""What the command does with files that were altered after a run or study took them."""
import random
import shutil
import unittest

from support import CASE, DATA, SMALL, CommandTest

STUDY = ("--policies", "fp64,fp32", "--assemblies", "deterministic", "--epsilons", "2^-20", "--members", "2", "--until", "4 min", "--quad-until", "0 s")


def mesh_text(cells, length):
    """A square of cells in the text format of grid.mesh, all sea, closed."""
    step = length / cells
    vertices = "\n".join(f"{i * step} {j * step}" for j in range(cells + 1) for i in range(cells + 1))
    sides = [(i, 0) for i in range(cells)] + [((j + 1) * cells - 1, 1) for j in range(cells)]
    sides += [((cells - 1) * cells + i, 2) for i in range(cells)] + [(j * cells, 3) for j in range(cells)]
    closed = "\n".join(f"{cell} {side}" for cell, side in sides)
    return f"ParametricMesh 2.0\n{cells} {cells}\n{vertices}\nlandmask 0\ndirichlet {len(sides)}\n{closed}\nperiodic 0\n"


class AlteredInput(CommandTest):
    def setUp(self):
        super().setUp()
        self.mesh = self.folder / "square.smesh"
        self.mesh.write_text(mesh_text(8, 512e3))
        self.case = self.folder / "square.toml"
        self.case.write_text('core = "seaice"\ngrid.mesh = "square.smesh"\ntime.step = "120 s"\ntime.end = "4 min"\ntime.substeps = 4\n')

    def change_mesh(self):
        self.mesh.write_text(mesh_text(8, 511e3))

    def test_restart_notices_another_mesh_of_the_same_name(self):
        self.assert_done("run", self.case, "--until", "4 min", "-o", "a")
        self.assert_done("run", self.case, "--until", "6 min", "-o", "same", "--restart", "a/restart.nc")
        self.change_mesh()
        self.assert_fails(2, "run", self.case, "--until", "6 min", "-o", "b", "--restart", "a/restart.nc", says="another case")

    def test_restart_takes_the_same_mesh_at_another_place(self):
        self.assert_done("run", self.case, "--until", "4 min", "-o", "a")
        moved = self.mesh.rename(self.folder / "moved.smesh")
        self.assert_done("run", self.case, "--set", f"grid.mesh={moved}", "--until", "6 min", "-o", "b", "--restart", "a/restart.nc")

    def test_study_notices_another_mesh_at_resume_and_in_each_run(self):
        study = ("ensemble", self.case, "--threads", "1", *STUDY, "-o", "s")
        self.assert_done(*study, code=None)
        self.change_mesh()
        self.assert_fails(2, *study, "--resume", says=("grid.mesh_xxh64", "square.smesh"))
        self.assert_fails(2, "run", "s/case.toml", "--until", "4 min", "-o", "x", says=("s/case.toml:", "grid.mesh: its content has changed", "square.smesh"))

    def assert_done(self, *words, code=0, **options):
        """With code None a failed gate is as good."""
        if code is not None:
            return super().assert_done(*words, code=code, **options)
        self.assertIn(self.call(*words).returncode, (0, 1, 4), words)
        return ""


class AlteredOutput(CommandTest):
    def test_altered_and_foreign_outputs_are_run_again_and_fail_their_run_in_the_report(self):
        study = ("ensemble", CASE, *SMALL, *STUDY, "-o", "s")
        self.call(*study)
        results = (self.folder / "s/results.json").read_text()
        output = self.folder / "s/runs/fp32-deterministic/output.nc"
        shutil.copy(self.folder / "s/runs/fp64-deterministic/output.nc", output)
        done = self.call("report", "s")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("output.nc: is not the file that the run wrote", (self.folder / "s/results.json").read_text())
        done = self.call(*study, "--resume")
        self.assertIn("1 runs done, 5 kept", done.stdout)
        self.assertEqual(timeless(results), timeless((self.folder / "s/results.json").read_text()))

    def test_altered_outputs_are_refused_in_one_line(self):
        self.assert_done("run", CASE, *SMALL, "--until", "4 min", "-o", "a")
        whole = (self.folder / "a/output.nc").read_bytes()
        middle = len(whole) // 2
        (self.folder / "b.nc").write_bytes(whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1:])
        for words in (("compare", "a/output.nc", "b.nc"), ("lkf", "b.nc"), ("spectrum", "b.nc", "--variable", "shear")):
            self.assert_fails(2, *words, says="b.nc: is not as Ulpine wrote it")


def timeless(text):
    return [line for line in text.splitlines() if not any(key in line for key in ('"wall_s"', '"created"', '"seal"', '"memory_bytes"'))]


class CrashingFiles(CommandTest):
    """Files of which some crash netCDF-C 4.9.0 with HDF5 1.10.8: flipped bits of a file of the test data."""

    def test_files_that_crash_the_library_are_refused(self):
        file = DATA / "faults/lon65.nc"
        if not file.exists():
            self.skipTest("faults/lon65.nc is not in ULPINE_TEST_DATA")
        whole = file.read_bytes()
        draw = random.Random(8)
        for _ in range(40):
            data = bytearray(whole)
            for _ in range(draw.randint(1, 12)):
                data[draw.randrange(len(data))] ^= 1 << draw.randrange(8)
            (self.folder / "b.nc").write_bytes(data)
            done = self.call("compare", "b.nc", "b.nc", timeout=100)
            self.assertIn(done.returncode, (0, 1, 2), done.stderr)
            self.assertLessEqual(len(done.stderr.splitlines()), 1, done.stderr)


if __name__ == "__main__":
    unittest.main()
