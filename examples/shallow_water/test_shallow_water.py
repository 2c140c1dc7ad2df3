#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Is the model right, and does Ulpine work on it? test_shallow_water.py PROGRAM"""
import json
import math
import os
import random
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import netCDF4
import numpy as np

HERE = Path(__file__).parent
PROGRAM = Path(os.environ.get("SHALLOW_WATER", "shallow_water")).resolve()
EPSILON = 2.0 ** -52


def call(*words, code=0):
    done = subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, timeout=600,
                          env={**os.environ, "OMP_WAIT_POLICY": "passive"})
    if done.returncode != code:
        raise AssertionError(f"{words}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def settings(**values):
    """--set options: two underlines stand for the dot."""
    return [word for key, value in values.items()
            for word in ("--set", f"{key.replace('__', '.')}={json.dumps(value)}")]


class ShallowWater(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def run_case(self, name, *words, until, **values):
        out = self.folder / name
        call("run", HERE / "jet.toml", "-o", out, "--until", until, "--threads", 2, *settings(**values), *words)
        with netCDF4.Dataset(out / "output.nc") as file:
            fields = {key: np.asarray(file[key][:], dtype=float) for key in ("u", "v", "h", "surface")}
        return fields, json.loads((out / "run.json").read_text())

    LENGTH, DEPTH, CORIOLIS, GRAVITY = 1e6, 100.0, 1e-4, 9.81

    def wave(self, cells):
        """Relative error of a plane wave's surface after one period, and what the grid's dispersion makes of it."""
        kappa = 2 * math.pi / self.LENGTH
        omega2 = self.CORIOLIS**2 + self.GRAVITY * self.DEPTH * kappa**2
        period = 2 * math.pi / math.sqrt(omega2)
        fields, _ = self.run_case(
            f"wave{cells}", until=f"{period!r} s", grid__nx=cells, grid__ny=4, grid__layers=1,
            grid__length_x=self.LENGTH, grid__length_y=self.LENGTH * 4 / cells, water__depth=self.DEPTH,
            initial__kind="wave", initial__amplitude=1e-4, wind__acceleration=0, filter__strength=0,
            output__interval=f"{period!r} s")
        start, end = fields["surface"][0], fields["surface"][-1]
        # Differences over a cell are short by (kappa dx)^2 / 24, means over one by (kappa dx)^2 / 8.
        slow = (kappa * self.LENGTH / cells)**2 * (self.CORIOLIS**2 / 8 + (omega2 - self.CORIOLIS**2) / 24) / omega2
        return np.linalg.norm(end - start) / np.linalg.norm(start), 2 * math.pi * slow

    def test_wave_returns_after_its_period_as_the_grid_disperses_it(self):
        errors, expected = zip(*(self.wave(cells) for cells in (16, 32, 64)))
        for coarse, fine in zip(errors, errors[1:]):
            self.assertAlmostEqual(math.log2(coarse / fine), 2, delta=0.1, msg=str(errors))
        # What is left is of fourth order in space and third in time.
        self.assertAlmostEqual(errors[-1] / expected[-1], 1, delta=0.01)

    def energy(self, fields, layers, depth, gravity, reduced):
        """Kinetic and available energy, per area and density, at each time."""
        u, v, h = fields["u"], fields["v"], fields["h"]
        kinetic = 0.5 * (0.5 * (h + np.roll(h, 1, 3)) * u**2 + 0.5 * (h + np.roll(h, 1, 2)) * v**2).sum(1)
        anomaly = h - depth / layers
        tops = anomaly[:, ::-1].cumsum(1)[:, ::-1]
        weights = np.array([gravity] + [reduced] * (layers - 1)).reshape(1, -1, 1, 1)
        return (kinetic + 0.5 * (weights * tops**2).sum(1)).mean((1, 2))

    def test_energy_is_kept_but_for_the_steps_in_time(self):
        drifts = []
        for courant in (0.8, 0.4):
            fields, _ = self.run_case(f"energy{courant}", until="12 h", grid__nx=32, grid__ny=32, time__courant=courant,
                                      wind__acceleration=0, filter__strength=0, output__interval="12 h")
            energy = self.energy(fields, 3, 1500, 9.81, 0.02)
            drifts.append(abs(energy[-1] / energy[0] - 1))
        self.assertLess(drifts[1], 1e-3)
        self.assertGreater(math.log2(drifts[0] / drifts[1]), 2.5, drifts)

    def test_volume_is_kept_to_rounding(self):
        _, record = self.run_case("volume", until="6 h", grid__nx=32, grid__ny=32)
        volume = record["integrals"]["volume"]
        # A cell's thickness is rounded a few times in each of three stages of a step.
        bound = 3 * 8 * record["steps"] * EPSILON
        self.assertLess(abs(volume["final"] / volume["initial"] - 1), bound)

    def test_jets_in_balance_stay_where_nothing_disturbs_them(self):
        fields, _ = self.run_case("balance", until="1 d", initial__amplitude=0, wind__acceleration=0,
                                  output__interval="1 d")
        self.assertLess(np.abs(fields["v"][-1]).max(), 0.02 * np.abs(fields["u"][0]).max())

    def test_policies_differ_as_their_roundings_do(self):
        small = dict(grid__nx=16, grid__ny=16, output__interval="2 h")
        reference, _ = self.run_case("quad", "--policy", "quad", until="2 h", **small)
        errors = {}
        for policy in ("fp64", "mixed", "fp32", "tf32", "fp16", "bf16"):
            fields, _ = self.run_case(policy, "--policy", policy, until="2 h", **small)
            errors[policy] = (np.linalg.norm(fields["u"][-1] - reference["u"][-1]) /
                              np.linalg.norm(reference["u"][-1]))
        self.assertLess(errors["fp64"], 1e-12)
        self.assertLess(errors["fp64"], 1e-4 * errors["mixed"])
        self.assertLess(errors["mixed"], errors["tf32"])
        self.assertLess(errors["tf32"], errors["bf16"])
        self.assertLess(errors["fp32"], 1e-2)

    @unittest.skipUnless(shutil.which("mpirun"), "there is no mpirun")
    def test_several_ranks_have_the_bits_of_one(self):
        # No extent is a multiple of the number of blocks; water moves across all of their sides.
        small = dict(until="2 h", grid__nx=19, grid__ny=13, filter__strength=0, output__interval="1 h")
        for policy in ("fp64", "mixed"):
            hashes = {self.run_case(f"{policy}{device}", "--policy", policy, "--device", device, **small)[1]["hash"]
                      for device in ("cpu", "mpi:2", "mpi:4")}
            self.assertEqual(len(hashes), 1, policy)

    def test_filter_of_whole_planes_is_refused_on_several_ranks(self):
        if shutil.which("mpirun"):
            self.assertIn("filter.strength", self.refusal("--device", "mpi:2"))

    def refusal(self, *words):
        done = subprocess.run([PROGRAM, "run", HERE / "jet.toml", "-o", self.folder / "bad", *words], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stderr.count("\n"), 1)
        return done.stderr

    def test_outputs_come_once_at_their_times_whatever_the_interval(self):
        random.seed(5)
        small = settings(grid__nx=8, grid__ny=8, grid__layers=1)
        for _ in range(20):
            # In thousandths of a second; a step is some minutes long.
            interval = random.randint(50_000, 4_000_000)
            end = random.randint(1, 5 * interval)
            out = self.folder / f"times{interval}"
            call("run", HERE / "jet.toml", "-o", out, "--until", f"{end}e-3 s", *small, *settings(output__interval=f"{interval}e-3 s"))
            with netCDF4.Dataset(out / "output.nc") as file:
                times = file["time"][:].tolist()
            self.assertEqual(times, [float(f"{time}e-3") for time in [*range(0, end, interval), end]])
            said = call("run", HERE / "jet.toml", "-o", out, "--until", f"{interval}e-3 s", *small, *settings(output__interval=f"{interval}e-3 s"))
            self.assertNotIn("cut short", said)

    def test_conforms(self):
        for policy in ("fp64", "mixed"):
            said = call("conformance", HERE / "jet.toml", "--policy", policy, *settings(grid__nx=12, grid__ny=10))
            self.assertNotIn("BROKEN", said)

    def test_every_command_works_on_it(self):
        small = settings(grid__nx=16, grid__ny=16, output__interval="1 h")
        case = HERE / "jet.toml"
        self.assertIn("shallow_water", call("info"))
        self.assertIn("sw.fluxes", call("cases", "--stages", case))
        self.assertIn("same bits", call("bitwise", case, "--configs", "cpu:1,cpu:2", "--steps", 4, *small))
        call("restart", case, "--spinup", "1 h", "--until", "2 h", "--tests", "cpu/fp64/deterministic", "-o",
             self.folder / "restart", *small)
        for name, policy in (("a", "fp64"), ("b", "fp32")):
            call("run", case, "-o", self.folder / name, "--until", "1 h", "--policy", policy, "--trace", *small)
        self.assertIn("sw.", call("trace-diff", self.folder / "a/trace.bin", self.folder / "b/trace.bin", code=1))
        call("compare", self.folder / "a/output.nc", self.folder / "b/output.nc")
        call("spectrum", self.folder / "a/output.nc", "--variable", "surface")

    def test_case_that_cannot_be_is_refused_in_a_line(self):
        self.assertIn("initial.kind", self.refusal(*settings(initial__kind="wave")))


if __name__ == "__main__":
    PROGRAM = Path(sys.argv.pop(1)).resolve()
    unittest.main()
