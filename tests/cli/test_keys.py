#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every number of a case has limits: what no model can mean is refused by its key, in one line, before any work."""
import json
import random
import re
import unittest

from support import SOURCE, CommandTest

SPHERE = '''core = "seaice"
[grid]
nx = 8
ny = 8
[discretisation]
coordinates = "spherical"
[time]
step = "120 s"
end = "1 h"
substeps = 2
'''
# Small models between them with most keys of the four cores.
CASES = {
    "seaice": ("seaice/cyclone_quick", "grid.nx=8", "grid.ny=8", "time.substeps=2"),
    "seaice_sphere": (SPHERE,),
    "fdm": ("fdm/supercell_quick", "grid.nx=8", "grid.ny=4", "grid.nz=10"),
    "fdm_mountain": ("fdm/bell_mountain", "grid.nx=16", "grid.nz=8", "terrain.half_width=20000.0", "terrain.flat_above=1500.0"),
    "fdm_sound": ("fdm/acoustic_mode", "grid.nz=8"),
    "les": ("les/gabls1", "grid.nx=8", "grid.ny=8", "grid.nz=8"),
    "les_town": ("les/urban", "grid.nx=16", "grid.ny=16", "grid.nz=16"),
    "les_moist": ("les/moist_convection", "grid.nx=8", "grid.ny=8", "grid.nz=12"),
    "fem": ("fem/warm_bubble", "mesh.nx=6", "mesh.ny=6", "mesh.nz=6"),
    "fem_mountain": ("fem/mountain_wave", "mesh.nx=6", "mesh.ny=6", "mesh.nz=6", "mountain.radius=10000.0"),
    "fem_exact": ("fem/mms", "mesh.nx=4", "mesh.ny=4", "mesh.nz=4"),
}
JUDGING = ("verify.", "figure.", "evaluate.")
NUMBER = r"-?[0-9][0-9.e+-]*"


class Keys(CommandTest):
    def run_case(self, name, *sets, timeout=60):
        case, *small = CASES[name]
        words = [word for setting in (*small, 'output.interval="0 s"', *sets) for word in ("--set", setting)]
        path = SOURCE / f"cases/{case}.toml"
        if "\n" in case:
            path = self.folder / "case.toml"
            path.write_text(case)
        return self.call("run", path, "--quiet", "--threads", "1", "--steps", "1", "-o", "out", *words, timeout=timeout)

    def numbers(self, name):
        """Numeric keys of the case, defaults included, as the run's own output has them: {key: value as text}."""
        done = self.run_case(name)
        self.assertEqual(done.returncode, 0, f"{name}: {done.stderr}")
        text = (self.folder / "out/output.nc").read_bytes()
        found = dict(re.findall(r"^([a-z_]+(?:\.[a-z_]+)+) = (.+)$", text.decode("latin-1"), re.M))
        kept = {key: value for key, value in found.items()
                if re.fullmatch(rf'{NUMBER}|"{NUMBER} s"|\[{NUMBER}(?:, {NUMBER})*\]', value) and not key.startswith(JUDGING)}
        self.assertGreater(len(kept), 8, found)
        return kept

    def absurd(self, value, draws):
        """Values like `value` beyond what any quantity can be."""
        huge = 10 ** draws.uniform(20, 300)
        if value.startswith('"'):
            return ['"1e300 s"', '"-1 s"', f'"{huge:.17g} s"', '"1e308 d"']
        if re.fullmatch(r"-?[0-9]+", value):
            return [str(2**63 - 1), str(-2**63), str(draws.randrange(2**40, 2**62))]
        each = ["1e300", "-1e300", f"{huge:.17g}", "nan", "inf"]
        if not value.startswith("["):
            return each
        count = value.count(",") + 1
        place = draws.randrange(count)
        return ["[" + ", ".join(one if n == place else "1.0" for n in range(count)) + "]" for one in each]

    def test_what_no_model_can_mean_is_refused_by_its_key_in_one_line(self):
        draws = random.Random(41)
        for name in CASES:
            for key, value in self.numbers(name).items():
                # A seed may be any integer that is not negative.
                seeds = key.endswith(".seed")
                for absurd in self.absurd(value, draws):
                    done = self.run_case(name, f"{key}={absurd}", timeout=60)
                    if seeds and not absurd.startswith("-"):
                        self.assertIn(done.returncode, (0, 2), f"{name} {key}={absurd}: {done.stderr}")
                        continue
                    self.assertEqual(done.returncode, 2, f"{name} {key}={absurd}: {done.stdout}{done.stderr}")
                    lines = done.stderr.splitlines()
                    self.assertEqual(len(lines), 1, f"{name} {key}={absurd}: {done.stderr}")
                    said = lines[0].split(": ", 2)[-1]
                    self.assertRegex(said, rf"^{re.escape(key)}(\[[0-9]+\])?: ", f"{name} {key}={absurd}")

    def test_what_a_run_writes_of_its_case_is_a_case_again(self):
        for name in CASES:
            done = self.run_case(name)
            self.assertEqual(done.returncode, 0, f"{name}: {done.stderr}")
            first = json.loads((self.folder / "out/run.json").read_text())
            text = (self.folder / "out/output.nc").read_bytes().decode("latin-1")
            # The attribute's first line has other bytes before it.
            lines = dict.fromkeys(re.findall(r"(?<![a-z_.])(?:core|name|[a-z_]+(?:\.[a-zA-Z0-9_]+)+) = .+$", text, re.M))
            (self.folder / "again.toml").write_text("\n".join(line for line in lines if not line.startswith(JUDGING)) + "\n")
            again = self.call("run", "again.toml", "--quiet", "--threads", "1", "--steps", "1", "-o", "again", timeout=60)
            self.assertEqual(again.returncode, 0, f"{name}: {again.stderr}")
            second = json.loads((self.folder / "again/run.json").read_text())
            self.assertEqual((second["hash"], second["case_hash"]), (first["hash"], first["case_hash"]), name)

    def test_what_is_tiny_is_refused_or_ends(self):
        for name in ("seaice", "fdm", "fdm_mountain", "les", "fem"):
            for key, value in self.numbers(name).items():
                tiny = '"1e-300 s"' if value.startswith('"') else "1e-300"
                if value.startswith("[") or re.fullmatch(r"-?[0-9]+", value):
                    continue
                done = self.run_case(name, f"{key}={tiny}", timeout=60)
                self.assertIn(done.returncode, (0, 1, 2, 3), f"{name} {key}: {done.stderr}")
                self.assertLessEqual(len(done.stderr.splitlines()), 1, f"{name} {key}: {done.stderr}")
                self.assertNotIn("internal error", done.stderr, f"{name} {key}")


class Counts(CommandTest):
    def refused(self, case, *sets, says, code=2):
        words = [word for setting in sets for word in ("--set", setting)]
        return self.assert_fails(code, "run", SOURCE / f"cases/{case}.toml", "--threads", "1", "--steps", "1", "-o", "out", *words, says=says)

    def test_small_steps_are_counted_before_they_are_made(self):
        small = ("grid.nx=8", "grid.ny=8", "grid.nz=10")
        # 12 s of 1e-9 s are 1.2e10, of 1 ms 12,000.
        self.refused("fdm/supercell_quick", *small, 'sound.longest_step="1e-9 s"', says=("sound.longest_step: ", "1.2e+10 small steps"))
        self.refused("fdm/supercell_quick", *small, 'sound.longest_step="1e-3 s"', says=("sound.longest_step: ", "12000 small steps"))

    def test_seeds_that_would_count_anew_are_refused(self):
        small = ("mesh.nx=3", "mesh.ny=3", "mesh.nz=3", "mesh.jitter=0.1")
        self.refused("fem/bubble_quick", *small, f"mesh.seed={2**24}", says=("mesh.seed: ", "between 0 and 16777215"))

    def test_grids_beyond_memory_and_numbers_are_told_before_they_are_made(self):
        largest = ("grid.nx=16384", "grid.ny=16384", "grid.nz=8192")
        for case in ("fdm/supercell_quick", "les/gabls1"):
            self.refused(case, *largest, says=("grid.nx: ", "out of memory", "16384 x 16384 x 8192 cells"), code=3)
        self.refused("fem/warm_bubble", "mesh.nx=4096", "mesh.ny=4096", "mesh.nz=4096", says=("mesh.nx: ", "412316860416 tetrahedra"))

    def test_layers_that_would_be_nothing_are_refused(self):
        self.refused("fem/warm_bubble", "mesh.nx=2", "mesh.ny=2", "mesh.nz=4096", "mesh.stretch=1.01", says=("mesh.stretch: ", "4096 layers"))

    def test_a_lid_above_all_air_is_refused(self):
        # 300 K of the same potential temperature end at c_p 300 K / g = 30.7 km.
        self.refused("fdm/density_current", "grid.nx=16", "grid.nz=8", "grid.dz=4000.0", says=("grid.dz: ", "32000 m", "air"))

    def test_studies_of_more_runs_than_can_be_kept_are_refused(self):
        case = SOURCE / "cases/seaice/cyclone_quick.toml"
        # Four policies have members in two assemblies, of four amplitudes.
        self.assert_fails(2, "ensemble", case, "-o", "out", "--members", "100000", says=("--members = 100000 makes 3200000 perturbed runs", "are the most"), timeout=60)

    def test_rain_falls_through_as_many_elements_as_can_be_waited_for(self):
        self.refused("fem/shower", 'time.step="86400 s"', "water.fastest_fall=1000.0", says=("water.fastest_fall: ", "86400 s"))

    def test_more_ranks_than_can_be_started_are_refused_at_once(self):
        self.assert_fails(2, "run", SOURCE / "cases/seaice/cyclone_quick.toml", "--device", "mpi:100000", "-o", "out", says=("100000 ranks", "are the most"))


class Idle(CommandTest):
    def test_keys_without_effect_are_refused_by_what_they_need(self):
        head = {"fem": '[mesh]\nnx = 3\nny = 3\nnz = 3\n[time]\nstep = "1 s"\n',
                "fdm": '[grid]\nnx = 4\nnz = 4\n[time]\nstep = "1 s"\n',
                "les": '[grid]\nnx = 4\nny = 4\nnz = 4\n[closure]\nkind = "none"\n'}
        for core, key, value, needs in (("fem", "mountain.radius", "1000.0", "mountain.height"), ("fem", "sponge.from", "1000.0", "sponge.rate"),
                                        ("fdm", "boundary.phase_speed", "30.0", "open"), ("fdm", "sponge.from", "1000.0", "sponge.rate"),
                                        ("les", "start.disturb_every", '"1 s"', "start.disturbance"), ("les", "start.noise_top", "9.0", "start.noise_wind"),
                                        ("les", "grid.thickest", "90.0", "grid.stretch_factor")):
            (self.folder / "case.toml").write_text(f'core = "{core}"\n' + head[core])
            self.assert_done("run", "case.toml", "--quiet", "--threads", "1", "--steps", "1", "-o", "out")
            self.assert_fails(2, "run", "case.toml", "--threads", "1", "--steps", "1", "-o", "out", "--set", f"{key}={value}", says=(f": {key}: has no effect", needs))


class Former(CommandTest):
    BUBBLE = """core = "fem"
name = "bubble_quick"
[mesh]
nx = 8
ny = 4
nz = 8
length = [2000.0, 1000.0, 2000.0]
jitter = 0.05
[mountain]
height = 150.0
radius = 400.0
[boundary]
fixed = ["inflow", "outflow"]
[air]
theta = 300.0
buoyancy_frequency = 0.005
viscosity = 2.0
[wind]
u = 3.0
[sponge]
rate = 0.05
thickness = [0.0, 0.0, 600.0]
[time]
step = "4 s"
[start.bubble]
amplitude = 1.0
centre = [800.0, 500.0, 500.0]
radius = [400.0, 400.0, 300.0]
"""

    def test_a_case_with_former_names_is_the_case_of_today_and_told_of_in_one_line(self):
        (self.folder / "former.toml").write_text(self.BUBBLE)
        words = ("--threads", "1", "--quiet")
        done = self.call("run", "former.toml", *words, "--until", "8 s", "-o", "part")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr, "ulpine: note: former.toml:15: air.theta: is called base.theta now and 12 more have other names (the former "
                                      "ones are still read) `ulpine cases --keys fem` has them\n")
        hashes = {}
        today = SOURCE / "cases/fem/bubble_quick.toml"
        for name, case, start in (("was", "former.toml", ()), ("is", today, ()), ("rest", "former.toml", ("--restart", "part/restart.nc"))):
            done = self.call("run", case, *words, *start, "--until", "16 s", "-o", name)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(done.stderr == "", name == "is", done.stderr)
            hashes[name] = json.loads((self.folder / name / "run.json").read_text())["hash"]
        self.assertEqual(len(set(hashes.values())), 1, hashes)

    def test_an_override_by_the_former_name_counts(self):
        words = ("--threads", "1", "--quiet", "--until", "8 s")
        today = SOURCE / "cases/fem/bubble_quick.toml"
        hashes = []
        for name, key in (("was", "start.bubble.amplitude"), ("is", "start.amplitude")):
            self.assert_done("run", today, *words, "-o", name, "--set", f"{key}=2.0")
            hashes.append(json.loads((self.folder / name / "run.json").read_text())["hash"])
        self.assertEqual(hashes[0], hashes[1])
        self.assert_done("run", today, *words, "-o", "as-shipped")
        self.assertNotEqual(json.loads((self.folder / "as-shipped/run.json").read_text())["hash"], hashes[0])


class Formats(CommandTest):
    def test_a_narrow_format_does_not_make_a_sound_core_broken(self):
        small = ("--set", "grid.nx=8", "--set", "grid.ny=8", "--set", "time.substeps=2", "--configs", "cpu:1", "--steps", "2")
        text = self.assert_done("conformance", SOURCE / "cases/seaice/cyclone_quick.toml", *small, "--policy", "e8m7")
        self.assertEqual([line.split()[-1] for line in text.splitlines()], 12 * ["holds"], text)
        # Ice strengths of 27500 N m-1 and their products are beyond the 65504 that 5 bits of exponent hold.
        text = self.assert_done("conformance", SOURCE / "cases/seaice/cyclone_quick.toml", *small, "--policy", "e5m10", code=4)
        self.assertNotIn("BROKEN", text)
        self.assertRegex(text, r"fields +not judged: .* e5m10 is too narrow for this case")


class Options(CommandTest):
    def test_options_without_effect_are_refused(self):
        case = SOURCE / "cases/seaice/cyclone_quick.toml"
        (self.folder / "a").mkdir()
        for name in ("a.nc", "b.nc", "a.bin"):
            (self.folder / name).write_bytes(b"")
        for words, name in ((("run", case, "--block", "64"), "--block"), (("ensemble", case, "-o", "x", "--block", "64"), "--block"),
                            (("ensemble", case, "-o", "x", "--batch", "2"), "--batch"),
                            (("restart", case, "--spinup", "1 h", "--until", "2 h", "--tests", "cpu/fp32", "--block", "64"), "--block"),
                            (("report", "a", "--against", "a", "--threads", "2"), "--threads"),
                            (("trace-diff", "a.bin", "a.bin", "--states-only"), "--states-only"),
                            (("trace-diff", "a", "a", "--states-only", "--programs", "x,y"), "--programs"),
                            (("digits", "--samples-from", "a.nc", "b.nc", "-o", "d", "--samples", "9"), "--samples"),
                            (("digits", "--samples-from", "a.nc", "b.nc", "-o", "d", "--seed", "9"), "--seed"),
                            (("digits", "--samples-from", "a.nc", "b.nc", "-o", "d", "--arithmetic", "e8m23-sr"), "--arithmetic"),
                            (("spectrum", "a.nc", "--variable", "v", "--all-times", "--time", "1"), "--time"),
                            (("consistency", "--ensemble", "a", "--write-summary", "s.nc", "--method", "pca"), "--method"),
                            (("consistency", "--ensemble", "a", "--write-summary", "s.nc", "--seed", "2"), "--seed"),
                            (("consistency", "--ensemble", "a", "--test", "a.nc", "--method", "pca", "--truth", "a"), "--truth"),
                            (("consistency", "--ensemble", "a", "--test", "a.nc", "--method", "pca", "--control", "a"), "--control"),
                            (("consistency", "--ensemble", "a", "--test", "a.nc", "--epsilon", "2^-7"), "--epsilon")):
            with self.subTest(words):
                self.assert_fails(2, *words, says=name)

    def test_seeds_of_draws_are_told_apart(self):
        # Draws have 32 bits of the seed.
        (self.folder / "a").mkdir()
        self.assert_fails(2, "consistency", "--ensemble", "a", "--test", "a.nc", "--seed", str(2**32), says=("--seed", "4294967295"))


class Petsc(CommandTest):
    CASE = ("run", SOURCE / "cases/fem/bubble_quick.toml", "--threads", "1", "--steps", "1", "-o", "out", "--set", "mesh.nx=5", "--set", "mesh.ny=5",
            "--set", "mesh.nz=5", "--set")

    def test_a_case_writes_no_file_and_loads_no_code_by_its_options(self):
        written = self.folder / "written"
        for options in (f"-ksp_view ascii:{written}", f"-ksp_monitor ascii:{written}", f"-log_view :{written}", f"-options_file {written}",
                        "-prefix_push ksp_ -view", "-ksp_converged_reason", "-pc_type python -pc_python_type os.system", "-mat_mumps_icntl_1 7",
                        "-dll_append here.so", f"-sub_ksp_view ascii:{written}", "-ksp_type gmres\t-log_view", "-ksp_type gmres\t-pc_type jacobi", "-info", f"-ksp_type {written}"):
            for key in ("solver.petsc", "pressure.petsc"):
                self.assert_fails(2, *self.CASE, f"{key}='{options}'", says=(f": {key}: ", "--petsc-unchecked"))
        self.assertEqual([path.name for path in self.folder.iterdir() if path.name != "out"], [])

    def test_options_that_say_how_to_solve_pass(self):
        probe = self.call(*self.CASE, 'solver.petsc="-ksp_type gmres"')
        if "built without" in probe.stderr:
            self.skipTest("this program has no PETSc")
        self.assertEqual(probe.returncode, 0, probe.stderr)
        for options in ("-ksp_type gmres -pc_type bjacobi -sub_pc_type ilu -ksp_gmres_restart 20 -ksp_rtol 1e-9", "-ksp_type bcgs -pc_type sor -pc_sor_omega 1.1",
                        "-ksp_type cg -pc_type gamg -mg_levels_ksp_type richardson -mg_levels_pc_type sor"):
            self.assert_done(*self.CASE, f'solver.petsc="{options}"')

    def test_the_user_may_let_all_options_pass(self):
        done = self.call(*self.CASE, 'solver.petsc="-ksp_view ascii:seen.txt"', "--petsc-unchecked")
        if "built without" in done.stderr:
            self.skipTest("this program has no PETSc")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue((self.folder / "seen.txt").exists())

    def test_programs_that_repeat_steps_have_the_users_word(self):
        options = 'solver.petsc="-ksp_type gmres -ksp_view ascii:seen.txt"'
        for name, policy in (("a", "fp64"), ("b", "mixed")):
            words = [name if word == "out" else word for word in self.CASE]
            done = self.call(*words, options, "--petsc-unchecked", "--policy", policy, "--checkpoints", "4")
            if "built without" in done.stderr:
                self.skipTest("this program has no PETSc")
            self.assertEqual(done.returncode, 0, done.stderr)
        done = self.call("trace-diff", "a", "b")
        self.assertNotIn(done.returncode, (0, 1), done.stdout)
        self.assertIn("--petsc-unchecked", done.stderr)
        self.assert_done("trace-diff", "a", "b", "--petsc-unchecked", code=1)


if __name__ == "__main__":
    unittest.main()
