#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The large-eddy cases through the command: vortices against their solution, convection in ten steps stopped, threaded and traced."""
import json
import math
import re
import unittest

from support import CommandTest, SOURCE, write_netcdf

CASES = SOURCE / "cases/les"
VORTICES, CONVECTION, MOIST, TOWN = CASES / "taylor_green.toml", CASES / "convective.toml", CASES / "moist_convection.toml", CASES / "urban.toml"
# Convection in cells so coarse that ten steps take a tenth of a second.
SMALL = ("--set", "grid.nx=8", "--set", "grid.ny=6", "--set", "grid.nz=12", "--set", "grid.dz=200.0", "--set", "output.interval='100 s'")


class EddiesTest(CommandTest):
    def record(self, folder):
        return json.loads((self.folder / folder / "run.json").read_text())

    def convection(self, folder, *words, until="200 s", threads=1):
        self.assert_done("run", CONVECTION, *SMALL, "--until", until, "-o", folder, "--threads", threads, *words)
        return self.record(folder)

    def test_vortices_have_the_errors_of_another_model(self):
        nx, nz = 64, 32
        decay = math.exp(-8 * math.pi ** 2 * 1.2665147955292222e-4)
        u = [decay * math.sin(2 * math.pi * i / nx) * math.cos(2 * math.pi * (k + 0.5) / nx) for k in range(nz) for i in range(nx)]
        w = [-decay * math.cos(2 * math.pi * (i + 0.5) / nx) * math.sin(2 * math.pi * (k + 1) / nx) for k in range(nz) for i in range(nx)]
        write_netcdf(self.folder / "exact.nc", {"z": nz, "y": 1, "x": nx},
                     {name: (("z", "y", "x"), values, {"units": "m s-1"}) for name, values in (("u", u), ("w", w))})
        self.assert_done("run", VORTICES, "-o", "a", "--threads", "1")
        errors = self.json("compare", "exact.nc", "a/output.nc", "--json")["variables"]
        # MicroHH's 1.610e-6 is the integral over half a square metre.
        for name in ("u", "w"):
            self.assertAlmostEqual(errors[name]["mae"] / (1.610e-6 / 0.5), 1, delta=0.02)

    def test_convection_stopped_and_restarted_ends_with_the_same_bits(self):
        whole = self.convection("whole")
        self.convection("part", until="100 s")
        rest = self.convection("rest", "--restart", "part/restart.nc")
        self.assertGreaterEqual(whole["steps"], 10)
        self.assertLess(rest["steps"], whole["steps"])
        self.assertEqual(rest["hash"], whole["hash"])
        self.assertEqual(self.json("compare", "whole/output.nc", "rest/output.nc", "--json")["variables"]["theta"]["linf"], 0)

    def test_bits_depend_on_the_policy_and_not_on_threads(self):
        traces = []
        for threads in (1, 3):
            self.convection(f"t{threads}", "--trace", threads=threads)
            traces.append(f"t{threads}/trace.bin")
        self.assertIn("no difference", self.assert_done("trace-diff", *traces))
        hashes = {self.convection(policy, "--policy", policy)["hash"] for policy in ("fp32", "mixed", "tf32", "bf16", "fp16")}
        self.assertEqual(len(hashes | {self.record("t1")["hash"]}), 6)

    def test_ground_heats_the_air_by_its_flux(self):
        record = self.convection("a", "--set", "sponge.rate=0.0")
        heat = record["integrals"]["heat"]
        # 0.06 K m s-1 into 8 x 6 columns of 160 m for 200 s. Each step of three stages rounds some 300 K in each cell four times at most.
        gained = 0.06 * 48 * 160 ** 2 * 200
        rounding = 4 * 3 * record["steps"] * heat["initial"] * 2 ** -53
        self.assertLess(rounding / gained, 1e-8)
        self.assertAlmostEqual(heat["final"] - heat["initial"], gained, delta=rounding)

    def test_moist_ground_gives_the_air_heat_and_humidity_by_their_fluxes_which_are_judged(self):
        words = ("--set", "sponge.rate=0.0", "--set", "profile.humidity.heights=[0.0]", "--set", "profile.humidity.kg_per_kg=[0.006]")
        self.assert_done("run", MOIST, *SMALL, *words, "--until", "200 s", "-o", "a", "--threads", "1")
        record = self.record("a")
        # As of heat, with some 0.006 kg kg-1 in place of 300 K.
        for name, flux in (("heat", 0.06), ("moisture", 5e-5)):
            integral = record["integrals"][name]
            gained = flux * 48 * 160 ** 2 * 200
            rounding = 4 * 3 * record["steps"] * integral["initial"] * 2 ** -53
            self.assertLess(rounding / gained, 1e-8)
            self.assertAlmostEqual(integral["final"] - integral["initial"], gained, delta=rounding)
        self.assertEqual(set(self.convection("b")["integrals"]), set(record["integrals"]) - {"moisture"})
        self.assert_done("ensemble", MOIST, *SMALL, "--until", "100 s", "--policies", "fp64,fp32", "--assemblies", "deterministic", "--members", "2", "--members-for", "fp64",
                         "--quad-until", "0 s", "--threads", "1", "-o", "study", code=4)
        results = json.loads((self.folder / "study/results.json").read_text())
        self.assertLessEqual({"humidity", "humidity_profile", "moisture_flux_profile"}, {evaluation["name"] for evaluation in results["evaluations"]})
        self.assertEqual([note for note in results["notes"] if "left out" in note], [])

    def test_buildings_are_missing_in_the_output_and_their_number_is_that_of_the_case(self):
        words = ("--set", "grid.nx=16", "--set", "grid.ny=16", "--set", "grid.nz=12", "--set", "grid.dx=8.0", "--set", "grid.dy=8.0", "--set", "grid.dz=8.0",
                 "--set", "buildings.kind='cubes'", "--set", "buildings.side=32.0", "--set", "buildings.gap=32.0", "--set", "buildings.height=32.0")
        self.assert_done("run", TOWN, *words, "--until", "10 s", "--set", "output.interval='10 s'", "--set", "output.divergence=true", "--set", "air.neutral=false", "-o", "a", "--threads", "1")
        points = self.json("compare", "a/output.nc", "a/output.nc", "--json")["variables"]
        # Four cubes of 4 x 4 x 4 cells; of u also the faces east of each.
        self.assertEqual(points["theta"]["points"], 16 * 16 * 12 - 4 * 4 * 4 * 4)
        self.assertEqual(points["u"]["points"], 16 * 16 * 12 - 4 * 5 * 4 * 4)
        self.assertEqual(points["divergence"]["points"], points["theta"]["points"])
        self.assert_done("run", TOWN, *words, "--until", "1 s", "--set", "output.interval='1 s'", "-o", "b", "--threads", "1")
        without = set(points) - set(self.json("compare", "b/output.nc", "b/output.nc", "--json")["variables"])
        self.assertEqual(without, {"theta", "wtheta", "heat_flux", "inverse_obukhov_length", "divergence"}, "neither asked for")

    def test_stages_of_the_core_are_listed_and_only_transforms_differ_in_guarantee(self):
        lines = self.assert_done("cases", "--stages", "les").splitlines()[1:-1]
        rows = {line.split()[0]: line.split()[1:3] for line in lines}
        page = (SOURCE / "docs/explanation/cores/les.md").read_text()
        for name, guarantees in rows.items():
            library = name in ("les.pressure.forward_fft", "les.pressure.inverse_fft")
            self.assertEqual(guarantees, ["bitwise", "run_to_run" if library else "bitwise"], name)
            last = re.sub(r"^les\.(tendency_|pressure\.|tendency)?", "", name)
            self.assertRegex(page, rf"`(les\.(tendency|pressure\.)?|\.)?_?{last}`|`{re.escape(name)}`")

    def test_validity_studies_hold_small_and_their_gates_can_fail(self):
        small = ("--set", "grid.nx=12", "--set", "grid.ny=12", "--set", "grid.nz=12", "--assemblies", "deterministic", "--members-for", "fp64",
                 "--epsilons", "2^-7", "--quad-until", "0 s", "--threads", "1")
        self.assert_done("ensemble", CASES / "validity_pressure.toml", *small, "--policies", "fp64,fp32,mixed,tf32", "--members", "3", "-o", "p")
        gates = {gate["run"]: gate for gate in json.loads((self.folder / "p/results.json").read_text())["gates"] if gate["subject"]["name"] == "p"}
        self.assertEqual({run: gate["metric"] for run, gate in gates.items()},
                         {"fp32/deterministic": "one_minus_r", "mixed/deterministic": "l2_relative", "tf32/deterministic": "significant_bits"})
        said = self.assert_done("ensemble", CASES / "validity_10s.toml", *small, "--set", "verify.u.linf=1e-12", "--policies", "fp64,fp32", "--members", "8", "-o", "w", code=1)
        self.assertIn("u.linf", said)
        failed = [gate["name"] for gate in json.loads((self.folder / "w/results.json").read_text())["gates"] if not gate["passed"]]
        self.assertEqual(failed, ["u.linf"])

    def test_bad_values_are_refused_with_their_key(self):
        for item, says in (("grid.nz=1", "grid.nz"), ("closure.kind='deardorf'", "deardorff"), ("ground.roughness=100.0", "grid.dz"),
                           ("ground.theta=300.0", "ground.heat_flux"), ("profile.theta.heights=[0.0,2.0,1.0]", "profile.theta.heights[2]"),
                           ("profile.theta.kelvin=[300.0,300.0]", "3 heights"), ("buildings.kind='towns'", "town"), ("time.courant=2.0", "1.4"),
                           ("time.substeps=3", "time.substeps")):
            with self.subTest(item):
                self.assert_fails(2, "run", CONVECTION, *SMALL, "--set", item, "--until", "100 s", "-o", "x", says=says)


if __name__ == "__main__":
    unittest.main()
