# SPDX-License-Identifier: Apache-2.0
"""The parts of the cores that are modules: opened beside the program alone, refused in a line where they are missing."""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from support import PROGRAM, SOURCE

BUILT = pathlib.Path(PROGRAM).resolve().parent.parent
SMALL = {  # core -> a small run of a shipped case
    "les": ("les/taylor_green.toml",),
    "fdm": ("fdm/acoustic_mode.toml",),
    "fem": ("fem/shower.toml", "--set", "mesh.nx=10", "--set", "mesh.nz=8"),
    "seaice": ("seaice/cyclone_quick.toml", "--set", "grid.nx=8", "--set", "grid.ny=8", "--set", "time.substeps=4"),
}
SPACES = {"cg1": ("--set", "discretisation.dg=1"), "cg2": ("--set", "discretisation.cg=2", "--set", "discretisation.dg=6")}


class Parts(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def place(self, *modules):
        """The program, with those modules alone beside it, in a folder of its own."""
        home = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        (home / "bin").mkdir()
        shutil.copy(PROGRAM, home / "bin/ulpine")
        beside = self.modules().relative_to(BUILT)
        (home / beside).mkdir(parents=True)
        for module in modules:
            shutil.copy(self.modules() / module, home / beside)
        return home

    @staticmethod
    def modules():
        return next(iter(BUILT.glob("lib*/**/ulpine/modules/les_quad.so"))).parent

    def call(self, program, core, *words, cwd=None, **environment):
        case, *small = SMALL[core]
        out = tempfile.mkdtemp(dir=self.folder)
        done = subprocess.run([program, "run", SOURCE / "cases" / case, "-q", "-o", f"{out}/run", "--steps", "1", "--threads", "1", *small, *words],
                              cwd=cwd or self.folder, env=dict(os.environ, **environment), capture_output=True, text=True, check=False)
        result = pathlib.Path(out, "run/run.json")
        return done, json.loads(result.read_text())["hash"] if result.exists() else None

    def assert_refused(self, done, *says):
        self.assertEqual((done.returncode, done.stdout), (3, ""), done.stderr)
        lines = done.stderr.splitlines()
        self.assertEqual(len(lines), 1, done.stderr)
        for word in says:
            self.assertIn(str(word), lines[0])

    def test_each_part_is_built_and_opens(self):
        """By the list that the build was made from: rows of the host alone, and those that round operands in the cores that round them."""
        rows = [line.split("|") for line in (SOURCE / "precision/policies.list").read_text().splitlines() if line and line[0] != "#"]
        host = {row[0].strip() for row in rows if row[6].strip() == "host"}
        rounded = {row[0].strip() for row in rows if row[5].strip() != "Exact"} - host
        expected = {f"{core}_{part}" for core in SMALL for part in host | {"emulated"}}
        expected |= {f"{core}_{policy}" for core in ("fdm", "fem") for policy in rounded} | {"seaice_rounded", *(f"seaice_{space}" for space in SPACES)}
        built = {module.stem for module in self.modules().glob("*.so")}
        demanded = {row[0].strip() for row in rows if row[6].strip() == "demand"} | {"counted"}
        self.assertEqual({part for part in built if part.partition("_")[2] not in demanded}, expected)
        for core in SMALL:
            for policy in sorted(host | rounded | {"e8m7"}):
                done, state = self.call(PROGRAM, core, "--policy", policy)
                self.assertEqual(done.returncode, 0, f"{core} in {policy}: {done.stderr}")
                self.assertTrue(state)
        for space, words in SPACES.items():
            for policy in ("fp64", "tf32"):
                done, _ = self.call(PROGRAM, "seaice", "--policy", policy, *words)
                self.assertEqual(done.returncode, 0, f"{space} in {policy}: {done.stderr}")

    def test_a_format_has_the_bits_of_a_policy_across_the_border(self):
        """What the module computes is what the program computes: 11 and 52 bits emulated are fp64 itself."""
        for core in SMALL:
            with self.subTest(core=core):
                states = [self.call(PROGRAM, core, "--policy", policy)[1] for policy in ("fp64", "e11m52")]
                self.assertTrue(states[0])
                self.assertEqual(*states)

    def test_a_part_that_is_missing_is_refused_with_the_command_that_builds_it(self):
        home = self.place()
        done, _ = self.call(home / "bin/ulpine", "les", "--policy", "quad")
        self.assert_refused(done, "les_quad.so", "not built", "ulpine_les_quad", "install again")
        (home / "CMakeCache.txt").touch()
        done, _ = self.call(home / "bin/ulpine", "seaice", *SPACES["cg2"])
        self.assert_refused(done, f"cmake --build {home} --target ulpine_seaice_cg2")
        for core in SMALL:
            self.assertEqual(self.call(home / "bin/ulpine", core)[0].returncode, 0)

    def test_modules_are_opened_beside_the_program_alone(self):
        home = self.place()
        done, _ = self.call(home / "bin/ulpine", "les", "--policy", "quad", cwd=self.modules(), LD_LIBRARY_PATH=str(self.modules()))
        self.assert_refused(done, "not built")
        self.assertEqual(self.call(self.place("les_quad.so") / "bin/ulpine", "les", "--policy", "quad")[0].returncode, 0)
        (self.folder / "link").symlink_to(PROGRAM)  # the folder of the program is not that of its name
        self.assertEqual(self.call(self.folder / "link", "les", "--policy", "quad")[0].returncode, 0)

    def test_modules_of_another_build_and_other_files_are_refused(self):
        home = self.place("les_quad.so")
        module = next(home.glob("**/les_quad.so"))
        whole = module.read_bytes()
        commit = subprocess.run([PROGRAM, "info"], capture_output=True, text=True, check=True).stdout.split("(commit ")[1].split(")")[0].encode()
        self.assertIn(commit + b"\0", whole)
        module.write_bytes(whole.replace(commit + b"\0", b"x" * len(commit) + b"\0"))
        done, _ = self.call(home / "bin/ulpine", "les", "--policy", "quad")
        self.assert_refused(done, "built from commit xxx", commit.decode(), "ulpine_les_quad")
        for content in (b"", b"no module"):
            module.write_bytes(content)
            self.assert_refused(self.call(home / "bin/ulpine", "les", "--policy", "quad")[0], "cannot be opened", "ulpine_les_quad")
        shutil.copy(self.modules() / "fdm_quad.so", module)
        self.assert_refused(self.call(home / "bin/ulpine", "les", "--policy", "quad")[0], "no part of the program")

    def test_a_module_cut_short_is_refused(self):
        """A copy that was interrupted, or a full disk: opened, what its headers place beyond its end would be a bus error."""
        home = self.place("les_quad.so")
        module = next(home.glob("**/les_quad.so"))
        whole = module.read_bytes()
        # Within the header of the file and those of its parts, at a page's border, within code and data, within the last header.
        for size in (63, 64, 100, 4096, len(whole) // 4, len(whole) // 2, len(whole) * 9 // 10, len(whole) - 4096, len(whole) - 1):
            with self.subTest(size=size, of=len(whole)):
                module.write_bytes(whole[:size])
                done, state = self.call(home / "bin/ulpine", "les", "--policy", "quad")
                self.assertIsNone(state)
                self.assert_refused(done, module, "cannot be opened" if size < 64 else "cut short", "ulpine_les_quad")
        module.write_bytes(whole)
        self.assertEqual(self.call(home / "bin/ulpine", "les", "--policy", "quad")[0].returncode, 0)

    def test_what_is_thrown_through_a_module_is_known_to_the_program(self):
        """A solve that fails is the run's failure, of exit code 1, not an exception of a type that nobody catches."""
        for policy in ("fp64", "quad", "e11m52"):
            done, _ = self.call(PROGRAM, "fem", "--policy", policy, "--set", "pressure.iterations=1")
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
            self.assertIn("the pressure equation was not solved", done.stderr)


if __name__ == "__main__":
    unittest.main()
