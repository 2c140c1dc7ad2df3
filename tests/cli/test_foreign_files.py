#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Files of others that bear the names of Ulpine's: no command changes a byte of them, nor of what they lead to, and each refusal leaves its folder as it was."""
import json
import os
import pathlib
import random
import re
import shutil
import stat
import unittest

from support import CASE, CommandTest, SMALL, SOURCE, write_field

RUN = (CASE, *SMALL, "--until", "4 min")
STUDY = (*RUN, "--policies", "fp64,fp32", "--assemblies", "deterministic", "--members", "1", "--epsilons", "2^-23", "--quad-until", "0 s", "--jobs", "1")
RESTART = ("restart", CASE, *SMALL, "--spinup", "2 min", "--until", "4 min", "--tests", "cpu/fp32/deterministic")


LOCK = re.compile(rb"process \d+ on host .* UTC\n")


def entries(folder):
    """Everything below the folder, without following links: kind and rights, and bytes or target, by name."""
    found = {}
    for path in sorted(folder.rglob("*")):
        mode = path.lstat().st_mode
        content = os.readlink(path) if stat.S_ISLNK(mode) else path.read_bytes() if stat.S_ISREG(mode) else b""
        # A lock names the last process.
        found[str(path.relative_to(folder))] = (mode, "lock" if isinstance(content, bytes) and LOCK.fullmatch(content) else content)
    return found


class ForeignFilesTest(CommandTest):
    """What is planted, by kind; `elsewhere` has what links lead to."""

    @classmethod
    def setUpClass(cls):
        cls.folders = 0

    @classmethod
    def tearDownClass(cls):
        print(f"{cls.folders} folders", flush=True)

    def setUp(self):
        super().setUp()
        self.elsewhere = self.folder / "elsewhere"
        self.elsewhere.mkdir()
        (self.elsewhere / "data").write_bytes(random.Random(1).randbytes(5000))
        write_field(self.elsewhere / "foreign.nc", "sivol", [1.0] * 64, 8, 8)
        self.made = 0

    def kinds(self):
        """name -> how to plant it at a path."""
        noise = random.Random(2).randbytes(300)
        texts = {"bytes": noise, "empty": b"", "json": b'{"schema": "mine/1", "results": [1, 2]}\n', "html": b"<!DOCTYPE html>\n<html><head><title>mine</title></head></html>\n",
                 "xml": b'<?xml version="1.0" encoding="utf-8"?><testsuites><testsuite name="pytest" tests="1"/></testsuites>\n', "netcdf": (self.elsewhere / "foreign.nc").read_bytes(),
                 "hdf5": b"\x89HDF\r\n\x1a\n" + noise, "text": b"process of sea ice: notes\n"}

        def write(data):
            return lambda path: path.write_bytes(data)

        def folder(path):
            path.mkdir()
            (path / "notes.txt").write_text("mine")

        def read_only(path):
            path.write_bytes(noise)
            path.chmod(0o444)
        return {name: write(data) for name, data in texts.items()} | {
            "folder": folder, "read-only": read_only, "pipe": os.mkfifo,
            "link": lambda path: path.symlink_to(self.elsewhere / "data"),
            "dangling link": lambda path: path.symlink_to(self.elsewhere / "absent"),
            "hard link": lambda path: path.hardlink_to(self.elsewhere / "data")}

    def assert_untouched(self, words, names, template=None, kinds=None, output="-o", says=None):
        """Each name with each kind is refused in one line that names it, and nothing is different afterwards. `words` take the folder last."""
        planted = self.kinds()
        for name in names:
            for kind in kinds or planted:
                with self.subTest(command=words[0], name=name, kind=kind):
                    folder = self.folder / f"f{self.made}"
                    self.made += 1
                    type(self).folders += 1
                    if template:
                        shutil.copytree(template, folder)
                    path = folder / name
                    path.parent.mkdir(parents=True, exist_ok=True)
                    if os.path.lexists(path):
                        path.unlink()
                    planted[kind](path)
                    before = entries(folder), entries(self.elsewhere)
                    given = [word.replace("FOLDER", folder.name) if isinstance(word, str) else word for word in words]
                    if output:
                        given += [output, folder.name]
                    self.assert_fails(2, *given, says=says or (name.split("/")[-1] if name != "checkpoints" else "checkpoints"), timeout=60)
                    self.assert_equal((entries(folder), entries(self.elsewhere)), before)

    def assert_equal(self, found, expected):
        """assertEqual() would print all bytes."""
        for after, before in zip(found, expected):
            differing = sorted(name for name in after.keys() | before.keys() if after.get(name) != before.get(name))
            self.assertFalse(differing)

    def own_run(self, folder, *words):
        self.assert_done("run", *RUN, "-o", folder, *words)
        return self.folder / folder

    def test_run(self):
        self.assert_untouched(("run", *RUN, "--trace", "--checkpoints", "4"), ("output.nc", "restart.nc", "run.json", "trace.bin", "output.xdmf", "checkpoints"))
        self.assert_untouched(("run", *RUN), (".ulpine.lock",), kinds=("bytes", "json", "text", "folder", "link", "dangling link", "hard link", "pipe"))

    def test_run_beside_an_earlier_one(self):
        template = self.own_run("own", "--trace", "--checkpoints", "4")
        self.assert_untouched(("run", *RUN), ("output.nc", "restart.nc", "run.json", "trace.bin", "output.xdmf"), template, ("bytes", "netcdf", "hdf5", "link", "folder"))
        self.assert_untouched(("run", *RUN), ("checkpoints/weights.pt", "checkpoints/step-7.nc"), template, ("bytes", "link", "folder"), says="checkpoints")
        self.assert_untouched(("run", CASE, *SMALL, "--until", "6 min", "--restart", template / "restart.nc"), ("output.nc", "trace.bin", "run.json"), template, ("bytes", "json", "link"))

    def test_what_others_made_of_an_output_is_theirs(self):
        template = self.own_run("own")
        for number, change in enumerate((lambda data: data + b"more", lambda data: data[:-16], lambda data: data[:len(data) // 2])):
            folder = self.folder / f"changed-{number}"
            shutil.copytree(template, folder)
            (folder / "output.nc").write_bytes(change((folder / "output.nc").read_bytes()))
            before = entries(folder)
            self.assert_fails(2, "run", *RUN, "-o", folder, says=("output.nc", "altered since", "--overwrite"))
            self.assertEqual(entries(folder), before)
            self.assert_done("run", *RUN, "-o", folder, "--overwrite")
            self.assertEqual(json.loads((folder / "run.json").read_text())["files"]["output.nc"]["bytes"], (folder / "output.nc").stat().st_size)

    def test_overwrite_replaces_files_and_no_folder_and_writes_through_no_link(self):
        elsewhere = entries(self.elsewhere)
        for kind, plant in self.kinds().items():
            folder = self.folder / kind.replace(" ", "-")
            folder.mkdir()
            for name in ("output.nc", "restart.nc", "run.json"):
                plant(folder / name)
            if kind in ("folder", "pipe"):
                before = entries(folder)
                self.assert_fails(2, "run", *RUN, "-o", folder, "--overwrite", says="output.nc")
                self.assert_equal([entries(folder)], [before])
            else:
                self.assert_done("run", *RUN, "-o", folder, "--overwrite")
                self.assertTrue(stat.S_ISREG((folder / "output.nc").lstat().st_mode))
                self.assert_done("compare", folder / "output.nc", folder / "output.nc")
        self.assertEqual(entries(self.elsewhere), elsewhere)
        self.assert_fails(2, "run", *RUN, "-o", "x", "--overwrite", "--new", says="--new")

    def test_a_run_replaces_nothing_that_it_reads(self):
        bubble = (SOURCE / "cases/fem/bubble_quick.toml", "--threads", "1", "--until", "4 s", "--set", "output.interval='4 s'")
        self.assert_done("run", *bubble, "-o", "a")
        before = entries(self.folder / "a")
        still = ("--set", "start.amplitude=0.0", "--set", f"start.file='{self.folder / 'a/output.nc'}'")
        self.assert_fails(2, "run", *bubble, *still, "-o", "a", says=("output.nc", "is the input"))
        (self.folder / "b").mkdir()
        (self.folder / "b/output.nc").hardlink_to(self.folder / "a/output.nc")
        self.assert_fails(2, "run", *bubble, *still, "-o", "b", "--overwrite", says=("output.nc", "is the input"))
        self.assertEqual(entries(self.folder / "a"), before)
        self.assert_done("run", *bubble, *still, "-o", "c")
        case = self.folder / "d/run.json"  # a case may have any name
        case.parent.mkdir()
        shutil.copy(CASE, case)
        self.assert_fails(2, "run", case, *SMALL, "--until", "4 min", "-o", "d", "--overwrite", says=("run.json", "is the input"))
        self.assertEqual(case.read_bytes(), CASE.read_bytes())

    def test_parts_of_other_results_are_no_places_for_runs(self):
        self.assert_done("ensemble", *STUDY, "-o", "study", code=4)
        own = self.own_run("own", "--checkpoints", "4")
        before = entries(self.folder / "study"), entries(own)
        runs = [path.parent.relative_to(self.folder) for path in (self.folder / "study").rglob("run.json")]
        self.assertEqual(len(runs), 4)
        for place in (*runs, "study/runs/new", "study/members/deep/er", "own/checkpoints", "own/checkpoints/x"):
            for words in (("run", *RUN), RESTART, ("replay", own, "--step", "2"), ("digits", *RUN), ("search", *RUN), ("ensemble", *STUDY)):
                self.assert_fails(2, *words, "-o", place, says="name another folder")
                type(self).folders += 1
        shutil.copytree(self.folder / runs[0], self.folder / "copied")
        self.assert_fails(2, "run", *RUN, "-o", "copied", says="of a study or comparison")
        self.assertEqual((entries(self.folder / "study"), entries(own)), before)
        self.assert_done("run", *RUN, "-o", "own/below")

    def test_a_run_that_goes_on_takes_no_other_case_for_its_earlier_part(self):
        self.own_run("a")
        for name, words in (("b", ("--set", "time.substeps=5")), ("c", ("--set", "time.substeps=5", "--checkpoints", "4"))):
            self.assert_done("run", CASE, *SMALL, *words, "--until", "4 min", "-o", name)
            for record in (True, False):  # without one it was interrupted
                if not record:
                    (self.folder / name / "run.json").unlink()
                before = entries(self.folder / name)
                self.assert_fails(2, "run", CASE, *SMALL, "--until", "8 min", "--restart", "a/restart.nc", "-o", name, says=("another case", "another folder"))
                self.assertEqual(entries(self.folder / name), before)
        self.assert_done("run", CASE, *SMALL, "--until", "8 min", "--restart", "a/restart.nc", "-o", "a")
        self.assertTrue((self.folder / "a/output-1.nc").exists())

    def test_refusals_leave_no_folder_behind(self):
        (self.folder / "own").mkdir()
        (self.folder / "own/notes.txt").write_text("mine")
        before = entries(self.folder)
        bad = ("--set", "grid.nxx=3")
        for words in (("run", *RUN, *bad), (*RESTART, *bad), ("ensemble", *STUDY, *bad), ("digits", *RUN, *bad), ("search", *RUN, *bad), ("replay", "own", "--step", "2"), ("consistency", "--ensemble", "own", "--test", "absent.nc")):
            for place in ("new", "new/deep/er", "own"):
                self.assert_fails(2, *words, "-o", place)
                self.assertEqual(entries(self.folder), before, (words[0], place))

    def test_restart(self):
        self.assert_untouched(RESTART, ("spinup.nc", "reference", "cpu-fp32-deterministic"))
        self.assert_done(*RESTART, "-o", "r")
        self.own_run("r/mine")
        (self.folder / "r/mine/notes.txt").write_text("mine")
        mine = entries(self.folder / "r/mine")
        (self.folder / "r/reference/notes.txt").write_text("mine")
        before = entries(self.folder / "r")
        self.assert_fails(2, *RESTART, "-o", "r", says="r/reference")
        self.assertEqual(entries(self.folder / "r"), before)
        (self.folder / "r/reference/notes.txt").unlink()
        self.assert_done(*RESTART, "-o", "r")
        self.assertEqual(entries(self.folder / "r/mine"), mine)

    def test_replay(self):
        own = self.own_run("own", "--checkpoints", "4")
        self.assert_untouched(("replay", own, "--step", "2"), ("trace.bin",))
        self.assert_untouched(("replay", own, "--step", "2", "--record", "0"), ("field.nc",))
        (self.folder / "t").mkdir()
        (self.folder / "t/trace.bin").symlink_to(self.elsewhere / "data")
        before = entries(self.elsewhere)
        self.assert_done("replay", own, "--step", "2", "-o", "t", "--overwrite")
        self.assertEqual(entries(self.elsewhere), before)
        self.assertTrue((self.folder / "t/trace.bin").read_bytes().startswith(b"ULPTRACE"))

    def test_study(self):
        self.assert_done("ensemble", *STUDY, "-o", "study", code=4)
        template = self.folder / "study"
        few = ("bytes", "xml", "html", "link", "folder", "hard link")
        self.assert_untouched(("ensemble", *STUDY, "--resume"), ("results.json", "junit.xml", "summary.md", "report.html"), template, few)
        self.assert_untouched(("ensemble", *STUDY, "--resume", "--slurm"), ("study.sbatch", "report.sbatch"), template, few)
        self.assert_untouched(("report", "FOLDER"), ("results.json", "junit.xml", "summary.md", "report.html"), template, few, output=None)
        member = next(path.parent for path in template.rglob("run.json") if "m00" in str(path))
        (member / "run.json").unlink()
        inside = member.relative_to(template)
        self.assert_untouched(("ensemble", *STUDY, "--resume"), [f"{inside}/{name}" for name in ("output.nc", "restart.nc", "run.json", "trace.bin", "checkpoints")], template, ("bytes", "netcdf", "link", "folder"))
        self.assert_untouched(("ensemble", *STUDY), ("notes.txt", "manifest.json", "case.toml"), None, few[:4], says="not empty")

    def test_comparison_of_studies(self):
        for name in ("s", "t"):
            self.assert_done("ensemble", *STUDY, "-o", name, code=4)
        words = ("report", "s", "--against", "t")
        self.assert_untouched(words, ("comparison.json", "comparison.html"))
        before = entries(self.folder / "s")
        for name in ("results.html", "manifest.html", "report.html"):
            (self.folder / "s/report.html").write_text("mine")
            self.assert_fails(2, *words, "-o", f"s/{name}", says=name.split(".")[0])
        (self.folder / "s/report.html").unlink()
        self.assertEqual(entries(self.folder / "s"), before)
        self.assert_done(*words, "-o", "page.html")
        self.assert_done(*words, "-o", "page.html")

    def test_consistency(self):
        generator = random.Random(3)
        for number in range(12):
            (self.folder / "ens").mkdir(exist_ok=True)
            write_field(self.folder / f"ens/m{number}.nc", "T", [280 + generator.gauss(0, 1) for _ in range(16)], 4, 4, units="K")
        words = ("consistency", "--ensemble", "ens", "--test", "ens/m0.nc", "ens/m1.nc", "ens/m2.nc", "--method", "twosample")
        self.assert_untouched(words, ("consistency.json", "junit.xml", "report.html"))
        planted = self.kinds()
        for kind, plant in planted.items():
            path = self.folder / f"summary-{kind}.nc"
            plant(path)
            before = entries(self.folder)
            self.assert_fails(2, *words[:3], "--write-summary", path, says=path.name)
            self.assertEqual(entries(self.folder), before)
            type(self).folders += 1
        before = entries(self.folder / "ens")
        self.assert_fails(2, *words[:3], "--write-summary", "ens/m3.nc", says="ens/m3.nc")
        self.assert_fails(2, *words[:6], "--write-summary", "ens/m1.nc", "--overwrite", says="is the input")
        self.assertEqual(entries(self.folder / "ens"), before)
        for _ in range(2):
            self.assert_done(*words[:3], "--write-summary", "own.nc")

    def test_digits_and_search(self):
        few = ("bytes", "json", "link", "folder", "dangling link")
        self.assert_untouched(("digits", *RUN), ("digits.json", "digits.txt", "report.html"), None, few)
        self.assert_untouched(("search", *RUN), ("search.json", "search.txt", "stages.toml", "tried.json", "report.html"), None, few)
        self.assert_untouched(("search", *RUN, "--set", "verify.tolerated=2^-10"), ("reference/notes.txt",), None, ("bytes",), says="reference")

    def test_what_bears_no_name_of_ours_is_left_alone(self):
        own = self.own_run("own", "--checkpoints", "4")
        for words in (("run", *RUN), RESTART, ("replay", own, "--step", "2"), ("digits", *RUN, "--samples", "2", "--quad-until", "0 s")):
            folder = self.folder / f"beside-{words[0]}"
            folder.mkdir()
            for name in ("notes.txt", "output.txt", "output.nc.bak", "run.json~", "output.nc.part", "figures.png"):
                (folder / name).write_text("mine")
            (folder / "data").symlink_to(self.elsewhere)
            before, elsewhere = entries(folder), entries(self.elsewhere)
            self.call(*words, "-o", folder)
            after = entries(folder)
            self.assertGreater(len(after), len(before), words)
            self.assertEqual({name: after.get(name) for name in before}, before)
            self.assertEqual(entries(self.elsewhere), elsewhere)


if __name__ == "__main__":
    unittest.main()
