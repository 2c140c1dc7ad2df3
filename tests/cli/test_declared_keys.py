#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Keys are declared once: the listing, the pages of the reference, refusals and completion come from the same tables."""
import re
import subprocess
import unittest

from program_cases import ProgramTest
from support import PROGRAM, SOURCE, CommandTest
from test_keys import CASES, JUDGING

try:
    import tomllib
except ModuleNotFoundError:
    tomllib = None

# Read where a case has them, by programs that have PETSc.
OF_PETSC = {"solver.petsc", "pressure.petsc"}
ROW = re.compile(r'^\| <a id="([^"]+)"></a>`([^`]+)` \| ([^|]*) \| ([^|]*) \| ([^|]*) \| (.*) \|$', re.M)


class DeclaredTest(CommandTest):
    def groups(self):
        """Cores that have declared their keys, and "common"."""
        return re.findall(r"^# ([a-z0-9_]+): ", self.assert_done("cases", "--keys", "all"), re.M)

    def declared(self, group):
        """Keys of a core or of all: {key: what it needs, or ""; None where it is a file that a case may have anyway}."""
        rows = ROW.findall(self.assert_done("cases", "--keys", group, "--markdown"))
        found = {}
        for anchor, key, _, _, allowed, meaning in rows:
            self.assertEqual(anchor, key)
            self.assertNotIn(key, found, "declared twice")
            needs = re.search(r" Needs `([^`]+)`\.", meaning)
            found[key] = needs.group(1) if needs else None if allowed == "a file" else ""
        return found

    def keys_of_output(self):
        """Keys that the run has read, as its output writes them."""
        text = (self.folder / "out/output.nc").read_bytes().decode("latin-1")
        keys = re.findall(r"(?<![a-z_.])(core|name|description|[a-z_]+(?:\.[a-zA-Z0-9_]+)+) = .+$", text, re.M)
        return {key for key in keys if not key.startswith(JUDGING)}

    @staticmethod
    def declares(tables, key):
        """Whether one of the names, in which * is any one part, is that of the key."""
        key = key.removesuffix("_xxh64")
        return any(re.fullmatch(re.escape(name).replace(r"\*", r"[^.]+"), key) for name in tables)


class OfPrograms(ProgramTest, DeclaredTest):
    def test_what_a_case_reads_is_declared_and_what_is_declared_is_read_or_refused(self):
        words = ("run", self.model / "case.toml", "-o", "out", "--quiet", "--until", "1 s")
        self.assert_done(*words)
        keys, declared = self.keys_of_output(), self.declared("program")
        self.assertEqual([key for key in sorted(keys) if not self.declares([*declared, *self.declared("common")], key)], [])
        for key, needs in declared.items():
            if "*" in key or key in keys:
                continue
            self.assertTrue(needs, f"{key} is not read, and needs nothing")
            self.assert_fails(2, *words, "--set", f"{key}=1.0", says=f"{key}: has no effect (it needs ")


class Listing(DeclaredTest):
    def test_a_line_a_key_by_table(self):
        text = self.assert_done("cases", "--keys", "fdm")
        tables = re.findall(r"^\[([a-z]+)\] +unit +default +allowed +meaning$", text, re.M)
        self.assertEqual(len(tables), len(set(tables)))
        self.assertIn("mixing", tables)
        self.assertRegex(text, r'(?m)^  grid\.nx +64 +1 to 16384 +number of cells along x$')
        self.assertRegex(text, r"(?m)^  grid\.dx +m +1000 +1e-06 to 1e\+06 +width of a cell along x$")
        self.assertRegex(text, r'(?m)^  mixing\.prandtl +1 +0\.01 to 100 +turbulent Prandtl number: .* \(needs mixing\.closure = "smagorinsky"\)$')
        # A long list of choices has its line; meanings stay under each other.
        self.assertRegex(text, r'(?m)^  mixing\.closure +"none" +"none", "smagorinsky", "energy"$')
        self.assertLess(text.index("  grid.nx "), text.index("  mixing.prandtl "))

    def test_all_about_a_key_a_table_or_a_name(self):
        about = self.assert_done("cases", "--keys", "fdm", "mixing.closure")
        for word in ("mixing.closure (core fdm)", 'default  "none"', "choices  none", "smagorinsky  an eddy viscosity", "energy "):
            self.assertIn(word, about)
        self.assertNotIn("mixing.prandtl (", about)
        table = self.assert_done("cases", "--keys", "fdm", "mixing")
        self.assertEqual(set(re.findall(r"^(\S+) \(core fdm\)$", table, re.M)), {key for key in self.declared("fdm") if key.startswith("mixing.")})
        name = self.assert_done("cases", "--keys", "all", "prandtl")
        self.assertIn("mixing.prandtl (core fdm)", name)
        self.assertIn('needs    mixing.closure = "smagorinsky"', name)
        self.assertIn("output.interval (all cores)", self.assert_done("cases", "--keys", "fdm", "output.interval"))
        self.assertEqual(self.assert_done("cases", "--keys", "common").count("output.interval"), 1)
        self.assertIn("unit     m2 s-1", self.assert_done("cases", "--keys", "fdm", "mixing.diffusivity"))

    def test_a_former_name_leads_to_the_present_one(self):
        for former, present in (("wind.u", "base.u"), ("start.bubble.centre", "start.centre_y"), ("start.bubble.shape", "start.kind")):
            about = self.assert_done("cases", "--keys", "fem", former)
            self.assertRegex(about, rf"(?m)^{present} \(core fem\)$")
            self.assertRegex(about, rf"(?m)^  formerly {re.escape(former)}")
        self.assertRegex(about, r"(?m)^ +gravity_wave +.* \(formerly wave\)$")
        self.assertNotIn("formerly", self.assert_done("cases", "--keys", "fem", "mesh.nx"))

    def test_what_is_unknown_is_told_with_the_nearest(self):
        self.assert_fails(2, "cases", "--keys", "fdmm", says=("unknown core 'fdmm'", "did you mean 'fdm'?"))
        self.assert_fails(2, "cases", "--keys", "fdm", "mixing.prandl", says=("unknown key 'mixing.prandl' of core 'fdm'", "did you mean 'mixing.prandtl'?"))
        self.assert_fails(2, "cases", "--keys", "fdm", "prandl", says="did you mean 'prandtl'?")
        self.assert_fails(2, "cases", "--keys", "all", "mixin", says=("unknown key 'mixin' of any core", "did you mean 'mixing'?"))
        self.assert_fails(2, "cases", "mixing.prandtl", says=("KEY", "--keys CORE"))
        self.assert_fails(2, "cases", "--markdown", says=("--markdown", "--keys CORE"))
        self.assert_fails(2, "cases", "--keys", "fdm", "mixing", "--markdown", says=("--markdown", "without KEY"))


class Tables(DeclaredTest):
    def run_case(self, name, *sets):
        case, *small = CASES[name]
        words = [word for setting in (*small, 'output.interval="0 s"', *sets) for word in ("--set", setting)]
        path = SOURCE / f"cases/{case}.toml"
        if "\n" in case:
            path = self.folder / "case.toml"
            path.write_text(case)
        return self.call("run", path, "--quiet", "--threads", "1", "--steps", "1", "-o", "out", *words)

    def read(self, name):
        done = self.run_case(name)
        self.assertEqual(done.returncode, 0, f"{name}: {done.stderr}")
        return self.keys_of_output()

    def test_what_a_case_reads_is_declared_and_what_is_declared_is_read_or_refused(self):
        common = self.declared("common")
        for core in self.groups():
            if core in ("common", "program"):  # OfPrograms
                continue
            declared = self.declared(core)
            reads = {name: self.read(name) for name in CASES if name == core or name.startswith(core + "_")}
            self.assertTrue(reads, core)
            for name, keys in reads.items():
                self.assertEqual([key for key in sorted(keys) if not self.declares([*declared, *common], key)], [], name)
            for key, needs in declared.items():
                if needs is None or "*" in key or key in OF_PETSC or any(key in keys for keys in reads.values()):
                    continue
                # What is read only where a case has it, or where the case meets its condition.
                told = [self.run_case(name, f"{key}=1.0").stderr for name in reads]
                self.assertEqual([line for line in told if "unknown key" in line], [], f"{core}: {key}")
                idle = [line for line in told if "has no effect" in line]
                self.assertTrue(needs or len(idle) < len(told), f"{core}: {key} is read by no case, and needs nothing")
                self.assertEqual([line for line in idle if f"{key}: has no effect (it needs " not in line and f"(it needs no {key})" not in line], [], f"{core}: {key}")

    def flat(self, table, before=""):
        for key, value in table.items():
            if isinstance(value, dict):
                yield from self.flat(value, before + key + ".")
            else:
                yield before + key

    @unittest.skipIf(tomllib is None, "TOML is read by Python 3.11 or later")
    def test_what_shipped_cases_say_is_declared(self):
        groups = self.groups()
        common = self.declared("common")
        for core in groups:
            known = [*self.declared(core), *common]
            for path in SOURCE.glob(f"cases/{core}/*.toml"):
                keys = list(self.flat(tomllib.loads(path.read_text())))
                self.assertEqual([key for key in keys if not self.declares(known, key)], [], path)

    def test_keys_on_pages_are_declared(self):
        known = [key for group in self.groups() for key in self.declared(group)]
        # The examples' models read keys of their own.
        for source in SOURCE.glob("examples/*/*.[ch]pp"):
            known += re.findall(r'\b(?:c|keys)\.[a-z]+\("([a-z_.]+)"', source.read_text())
        pages = [SOURCE / "README.md", *SOURCE.glob("docs/**/*.md")]
        used = {(key, page.name) for page in pages for key in re.findall(r"--set ['\"]?([A-Za-z_]+(?:\.[A-Za-z0-9_]+)+)=", page.read_text())}
        self.assertGreater(len(used), 20)
        # `--set key.path=VALUE` stands for any.
        self.assertEqual(sorted((key, page) for key, page in used if key != "key.path" and not self.declares(known, key)), [])


class Refusals(DeclaredTest):
    def refused(self, *lines):
        (self.folder / "case.toml").write_text('core = "fdm"\n[grid]\nnx = 4\nnz = 4\n[time]\nend = "6 s"\n' + "\n".join(lines) + "\n")
        return self.assert_fails(2, "run", "case.toml", "--threads", "1", "-o", "out")

    def test_a_misspelled_key_that_this_case_would_not_read_is_told_by_its_name(self):
        self.assertIn("case.toml:8: mixing.prandl: unknown key (nothing in this case reads it) correct or remove it (did you mean 'mixing.prandtl'?)",
                      self.refused("[mixing]", "prandl = 1.0"))

    def test_a_key_without_effect_is_refused_by_what_it_needs(self):
        self.assertIn('case.toml:8: mixing.prandtl: has no effect (it needs mixing.closure = "smagorinsky") give that, or take it out',
                      self.refused("[mixing]", "prandtl = 1.0"))


class Completion(DeclaredTest):
    def completed(self, *words):
        """What bash offers for the last of the words after the program."""
        script = f"""source {SOURCE / "scripts/ulpine-completion.bash"}
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _ulpine; printf '%s\\n' "${{COMPREPLY[@]}}" """
        done = subprocess.run(["bash", "-c", script, "bash", PROGRAM, *words], cwd=self.folder, text=True, capture_output=True, check=True, timeout=60)
        return done.stdout.split()

    def test_cores_and_keys_follow_keys(self):
        self.assertEqual(sorted(self.completed("cases", "--keys", "")), sorted(["all", *self.groups()]))
        self.assertEqual(self.completed("cases", "--keys", "fd"), ["fdm"])
        self.assertEqual(self.completed("cases", "--keys", "fdm", "mixing.p"), ["mixing.prandtl"])

    def test_keys_of_the_cases_core_follow_set(self):
        (self.folder / "a.toml").write_text('# A case.\ncore = "fdm"\n')
        self.assertEqual(self.completed("run", "a.toml", "--set", "mixing.p"), ["mixing.prandtl="])
        known = {key + "=" for group in ("fdm", "common") for key in self.declared(group) if "*" not in key}
        self.assertEqual(set(self.completed("run", "a.toml", "--set", "")), known)
        self.assertEqual(self.completed("run", "none.toml", "--set", "mixing.p"), [])


if __name__ == "__main__":
    unittest.main()
