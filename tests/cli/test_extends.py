#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Cases that extend another one: what they are, how they are shown, and that runs and studies need neither file again."""
import json
import pathlib
import shutil
import tomllib
import unittest

from support import CommandTest, SOURCE

CASES = SOURCE / "cases"
QUICK = CASES / "fdm/supercell_quick.toml"
SMALL = ("--set", "grid.nx=6", "--set", "grid.ny=6", "--set", "grid.nz=20", "--set", "grid.dx=8000.0", "--set", "output.interval='12 s'", "--threads", "1")


def flat(table, prefix=""):
    """Keys of a table and of those in it, dotted."""
    found = {}
    for key, value in table.items():
        found |= flat(value, f"{prefix}{key}.") if isinstance(value, dict) else {prefix + key: value}
    return found


def merged(path):
    """The keys of a case as Python's own reader has them, and where each comes from."""
    own = flat(tomllib.loads(path.read_text()))
    if "extends" not in own:
        return own, {key: path for key in own}
    other = path.parent / own.pop("extends")
    left_out = ["name", "description", *own.pop("without", [])]
    kept = {key: value for key, value in flat(tomllib.loads(other.read_text())).items()
            if not any(key == one or key.startswith(one + ".") for one in left_out)}
    return kept | own, {key: path if key in own else other for key in kept | own}


class ExtendsTest(CommandTest):
    def write(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return path

    def test_every_shipped_case_is_shown_whole(self):
        extending = 0
        for path in sorted(CASES.glob("*/*.toml")):
            keys, places = merged(path)
            shown = self.assert_done("cases", "--show", path)
            self.assertEqual(flat(tomllib.loads(shown)), keys, path)
            extending += len(set(places.values())) > 1
            for key, place in places.items():
                leaf = key.rpartition(".")[2]
                lines = [line.split("# ")[-1] for line in shown.splitlines() if line.startswith(leaf + " = ")]
                self.assertTrue(any(line.startswith(f"{place}:") for line in lines), f"{path}: {key}: {lines}")
        self.assertGreater(extending, 3)

    def test_a_key_is_shown_with_the_line_where_it_stands(self):
        shown = self.assert_done("cases", "--show", QUICK)
        for key in ("nx", "humidity", "u_aloft"):
            place = next(line for line in shown.splitlines() if line.startswith(key + " = ")).split("# ")[1]
            name, _, line = place.rpartition(":")
            written = pathlib.Path(name).read_text().splitlines()[int(line) - 1]
            self.assertTrue(written.startswith(key + " = "), f"{place}: {written}")

    def test_a_former_name_replaces_the_key_that_has_it_no_more(self):
        """The extending case sets a side by the name of earlier versions, the extended one by today's: one key, shown once."""
        self.write("other.toml", (CASES / "fdm/warm_bubble.toml").read_text())
        path = self.write("variant.toml", 'extends = "other.toml"\n[lateral]\nwest = "open"\neast = "open"\n')
        shown = self.assert_done("cases", "--show", path)
        case = flat(tomllib.loads(shown))
        self.assertEqual((case["boundary.west"], case["boundary.east"]), ("open", "open"))
        self.assertEqual([key for key in case if key.startswith("lateral")], [])

    def test_a_case_is_that_which_is_shown(self):
        for path in (QUICK, CASES / "les/moist_convection.toml"):
            small = SMALL if path == QUICK else ("--set", "grid.nx=8", "--set", "grid.ny=8", "--set", "grid.nz=48", "--threads", "1")
            whole = self.write("whole.toml", self.assert_done("cases", "--show", path))
            hashes = set()
            for case in (path, whole):
                self.assert_done("run", case, "--quiet", "--steps", "1", "-o", case.stem, *small)
                hashes.add(tuple(json.loads((self.folder / case.stem / "run.json").read_text())[key] for key in ("hash", "case_hash")))
            self.assertEqual(len(hashes), 1, path)
            # A run of the one goes on as the other.
            self.assert_done("run", whole, "--quiet", "--steps", "1", "-o", "rest", "--restart", f"{path.stem}/restart.nc", *small)
            shutil.rmtree(self.folder / "rest")
            shutil.rmtree(self.folder / "whole")

    def test_a_study_needs_neither_file_again(self):
        for name in ("supercell.toml", "supercell_quick.toml"):
            shutil.copy(CASES / "fdm" / name, self.folder)
        study = ("--policies", "fp64,fp32", "--assemblies", "deterministic", "--members", "2", "--epsilons", "2^-7", "--quad-until", "0 s", "--until", "24 s", *SMALL)
        self.assert_done("ensemble", "supercell_quick.toml", "-o", "study", *study, code=4)
        kept = (self.folder / "study/case.toml").read_text()
        self.assertNotIn("extends", kept)
        self.assertEqual(flat(tomllib.loads(kept))["base.u_aloft"], 25.0)
        self.assert_done("ensemble", "supercell_quick.toml", "-o", "study", *study, "--resume", code=4)
        for name in ("supercell.toml", "supercell_quick.toml"):
            (self.folder / name).unlink()
        record = self.folder / "study/runs/fp32-deterministic/run.json"
        before = json.loads(record.read_text())["hash"]
        shutil.rmtree(self.folder / "study/runs")
        self.assert_done("ensemble", "study/case.toml", "-o", "study", *study[:-len(SMALL)], "--threads", "1", "--resume", code=4)
        self.assertEqual(json.loads(record.read_text())["hash"], before)
        self.assert_done("report", "study", code=4)

    def test_a_case_of_one_s_own_extends_a_shipped_one(self):
        calm = self.write("calm.toml", f'extends = "{QUICK.parent / "supercell.toml"}"\nwithout = ["base"]\n[base]\nkind = "constant_n"\n')
        self.assert_done("run", calm, "--quiet", "--steps", "1", "-o", "out", *SMALL)
        self.assertEqual(json.loads((self.folder / "out/run.json").read_text())["case"], "calm")

    def test_what_cannot_be_extended_is_refused_in_one_line(self):
        (self.folder / "storm.toml").write_text('core = "fdm"\n[grid]\nnx = 8\nwidth = 3\n[time]\nend = "1 min"\n')
        chain = self.write("chain.toml", 'extends = "storm.toml"\n')
        for text, says in (('extends = "chain.toml"\n', ("case.toml:1: extends: names a case that extends another one (chain.toml:1",)),
                           ('extends = "case.toml"\n', ("case.toml:1: extends: is the case itself",)),
                           ('extends = "none.toml"\n', ("case.toml:1: extends: none.toml: no such case file",)),
                           ('extends = "/etc/passwd"\n', ("case.toml:1: extends: /etc/passwd:1: not valid TOML",)),
                           ('extends = "/dev/zero"\n', ("case.toml:1: extends: /dev/zero: not a case file",)),
                           ('extends = "storm.toml"\nwithout = ["grid.nix"]\n', ("case.toml:2: without[0]: names nothing (storm.toml has no key or table 'grid.nix'",)),
                           ('extends = "storm.toml"\n', ("storm.toml:4: grid.width: unknown key",))):
            self.write("case.toml", text)
            self.assert_fails(2, "run", "case.toml", "-o", "out", "--steps", "1", says=says)
            if "unknown key" not in says[0]:
                self.assert_fails(2, "cases", "--show", "case.toml", says=says)
        self.assert_fails(2, "run", chain, "-o", "out", "--set", "extends=storm.toml", says="--set extends=storm.toml: extends: stands in case files only")
        self.assert_fails(2, "cases", "--show", "none.toml", says=("no case file none.toml",))
        self.assert_fails(2, "cases", "--show", "/etc/passwd", says=("/etc/passwd:1: not valid TOML",))


if __name__ == "__main__":
    unittest.main()
