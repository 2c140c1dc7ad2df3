#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Policies of two floats, df32 and mixed32: their distance to quad, the same bits on any threads, on a GPU and after a restart, what
their files hold, and what is refused. Of the cores whose parts are built: finite differences in ./run-tests, all in its nightly tests."""
import json
import pathlib
import subprocess
import unittest

from support import CommandTest, PROGRAM, SOURCE

MODULES = {path.stem for path in pathlib.Path(PROGRAM).resolve().parents[1].glob("lib*/**/ulpine/modules/*.so")}
CASES = {  # core -> a smooth case of a fraction of a second: what it extends, and what is smaller
    "fdm": ("fdm/acoustic_mode.toml", ()),
    # Of 40 cells, so that lengths are no whole numbers of small powers of two.
    "les": ("les/taylor_green.toml", ("grid.nx=40", "grid.dx=0.025", "grid.nz=20", "grid.dz=0.025")),
    "fem": ("fem/bubble_quick.toml", ()),
    "seaice": ("seaice/cyclone_quick.toml", ("grid.nx=8", "grid.ny=8", "time.substeps=4")),
}
# What begins at rest as the small rest of terms that balance: rounding there is in parts of the terms.
BALANCED = {"fem": {"u", "v", "w", "speed(u,v)", "kinetic_energy_density", "ground_drag"}}
STEPS = 4
# u^2, in parts of which errors of operations are known.
ROUNDOFF = 2.0**-48


def built(policy):
    return [core for core in CASES if f"{core}_{policy}" in MODULES]


needs_part = unittest.skipIf(not built("df32"), "no part of df32 is built (cmake --build BUILD --target ulpine_df32)")


class TwoFloatsTest(CommandTest):
    def call(self, *words, program=PROGRAM, **options):
        """By the program itself: parts lie beside it, and not beside that of the tests' server."""
        return subprocess.run([program, *map(str, words)], cwd=self.folder, capture_output=True, text=True, check=False, **options)

    def run_case(self, core, folder, *words, steps=STEPS):
        shipped, smaller = CASES[core]
        sets = [word for one in smaller for word in ("--set", one)]
        self.assert_done("run", SOURCE / "cases" / shipped, *sets, "--steps", str(steps), "-o", folder, *words)
        return json.loads((self.folder / folder / "run.json").read_text())

    def distances(self, one, other):
        """The relative L2 distance of each field."""
        found = self.json("compare", f"{one}/output.nc", f"{other}/output.nc", "--json")
        return {name: variable["l2_relative"] or 0 for name, variable in found["variables"].items()}

    @needs_part
    def test_it_is_as_far_from_quad_as_its_roundoff_is(self):
        for core in built("df32"):
            with self.subTest(core=core):
                for policy in ("quad", "df32", "fp64", "fp32"):
                    self.run_case(core, f"{core}-{policy}", "--policy", policy)
                far = {policy: self.distances(f"{core}-quad", f"{core}-{policy}") for policy in ("df32", "fp64", "fp32")}
                in_float = {name for name, distance in far["fp32"].items() if distance > 0}
                self.assertTrue(in_float)
                for name in in_float:
                    self.assertGreater(far["fp32"][name], 2**20 * far["df32"][name], name)
                    if name not in BALANCED.get(core, ()):
                        self.assertLess(far["df32"][name], STEPS * 2**6 * ROUNDOFF, name)
                self.assertGreater(max(far["df32"].values()), max(far["fp64"].values()))

    @needs_part
    def test_bits_depend_neither_on_threads_nor_on_a_restart(self):
        for policy in ("df32", "mixed32"):
            for core in built(policy):
                with self.subTest(core=core, policy=policy):
                    whole = self.run_case(core, f"{core}-whole", "--policy", policy, "--threads", "1")
                    self.assertEqual(self.run_case(core, f"{core}-three", "--policy", policy, "--threads", "3")["hash"], whole["hash"])
                    self.run_case(core, f"{core}-part", "--policy", policy, steps=STEPS // 2)
                    rest = self.run_case(core, f"{core}-rest", "--policy", policy, "--restart", f"{core}-part/restart.nc", steps=STEPS // 2)
                    self.assertEqual((rest["hash"], rest["steps"]), (whole["hash"], STEPS // 2))

    @needs_part
    def test_a_device_has_the_hosts_bits(self):
        probe = self.call("run", SOURCE / "cases" / CASES["fdm"][0], "--device", "cuda", "--steps", "1", "-o", "probe")
        if probe.returncode != 0:
            self.skipTest("no CUDA device: " + probe.stderr.strip())
        for policy in ("df32", "mixed32"):
            for core in built(policy):
                with self.subTest(core=core, policy=policy):
                    runs = [self.run_case(core, f"{core}-{device}", "--policy", policy, "--device", device, steps=100)
                            for device in ("cpu", "cuda", "cuda:128")]
                    self.assertEqual({run["hash"] for run in runs}, {runs[0]["hash"]})

    @needs_part
    def test_assembly_in_order_of_arrival_is_refused(self):
        self.assert_fails(2, "run", SOURCE / "cases/fdm/acoustic_mode.toml", "--policy", "df32", "--assembly", "atomic", "-o", "a", says=("df32", "deterministic"))

    def test_a_part_that_was_not_built_says_how_to_build_it(self):
        home = self.folder / "bin"
        home.mkdir()
        program = home / "ulpine"
        program.write_bytes(pathlib.Path(PROGRAM).read_bytes())
        program.chmod(0o755)
        self.assert_fails(3, "run", SOURCE / "cases/fdm/acoustic_mode.toml", "--policy", "df32", "-o", "a", says="ulpine_fdm_df32", program=program)
        # A study that did not ask for quad goes on without it (one member decides nothing), and says so.
        self.assert_done("ensemble", SOURCE / "cases/fdm/acoustic_mode.toml", "--policies", "fp64,fp32", "--members", "1", "-o", "study", "-q", program=program, code=4)
        self.assertRegex(json.loads((self.folder / "study/manifest.json").read_text())["quad_note"], "not known .*ulpine_fdm_quad")


if __name__ == "__main__":
    unittest.main()
