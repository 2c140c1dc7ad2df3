#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Cases that name a program: runs, studies and their verdicts of variants whose truth is known."""
import json
import os
import pathlib
import shutil
import struct
import subprocess
import unittest
from xml.etree import ElementTree

from pages import blocks, run_page
from program_cases import CASE, MODEL, modes, ProgramTest, SETTINGS, write_script
from support import CommandTest, SOURCE, write_netcdf

CC = shutil.which("cc")
PROBE = pathlib.Path(os.environ.get("ULPINE_PROBE_FOLDER", SOURCE / "build/cpu/probe")) / "libulpine_probe.a"
SHORT = ("--until", "1 s")


def values_at_start(path):
    """The first twelve values of a file that the model starts from, or wrote."""
    data = pathlib.Path(path).read_bytes()
    return struct.unpack(">12d", data[-96:])


class RunTest(ProgramTest):
    def run_model(self, *words, folder="r", code=0):
        return self.assert_done("run", self.model / "case.toml", "-o", folder, *SHORT, *words, code=code)

    def hash(self, *words, folder="r"):
        self.run_model(*words, folder=folder)
        return self.record(folder)["hash"]

    def test_output_has_the_values_that_the_program_wrote(self):
        told = self.run_model()
        self.assertIn("wind plain on cpu: 3 times of 12 values", told)
        self.assertIn(str(pathlib.Path("r/output.nc")), told)
        differences = self.json("compare", "r/program/state.nc", "r/output.nc", "--json")
        self.assertEqual({name: values["same"] for name, values in differences["variables"].items()}, {"X": "bits"})
        record = self.record("r")
        self.assertEqual((record["core"], record["policy"], record["end_s"], record["steps"], record["cells"]), ("program", "fp64", 1, 3, 12))
        self.assertGreater(record["peak_rss_bytes"], 1 << 20)
        self.assertIn("program_xxh64", record["provenance"])
        self.assertEqual((self.folder / "r/program/settings.txt").read_text().splitlines()[0], "end=1")

    def test_the_same_run_has_the_same_bits_and_replaces_the_earlier_one(self):
        first = self.hash()
        (self.folder / "r/program/left over").touch()
        self.assertEqual(self.hash(), first)
        self.assertFalse((self.folder / "r/program/left over").exists())
        self.assertEqual([path.name for path in (self.folder / "r").iterdir() if ".part" in path.name], [])

    def test_variants_are_chosen_by_name(self):
        self.case(modes("reordered", "copy"))
        plain = self.hash()
        self.assertEqual(self.hash("--variant", "copy"), plain)
        self.assertNotEqual(self.hash("--variant", "reordered"), plain)
        self.assert_fails(2, "run", self.model / "case.toml", "-o", "new", "--variant", "reorderd", says=("unknown variant 'reorderd'", "reordered"))
        self.assertFalse((self.folder / "new").exists())

    def test_values_come_from_case_variant_and_command(self):
        self.case("other.program = \"wind\"\nother.values.forcing = 9\n")
        other = self.hash("--variant", "other")
        self.assertEqual(self.hash("--set", "program.values.forcing=9"), other)
        self.assertIn("forcing=9\n", (self.folder / "r/program/settings.txt").read_text())
        self.assertNotEqual(self.hash(), other)
        self.assertEqual(self.hash("--variant", "other", "--set", "program.values.forcing=7"), other, "the variant's own counts")

    def test_words_environment_and_threads(self):
        self.case("words.program = \"wind\"\nwords.run = [\"{program}\", \"two words\", \"{variant}\", \"{not a name}\", \"{forcing}\"]\n"
                  "words.environment = [\"FLAVOUR=of {variant}\"]\n", CASE.replace("values.forcing", "environment = [\"FLAVOUR=none\"]\nvalues.forcing"))
        self.run_model("--variant", "words", "--threads", "3")
        self.assertIn("threads 3 flavour of words words ['two words', 'words', '{not a name}', '8']", (self.folder / "r/program/stdout.log").read_text())
        self.run_model("--threads", "1")
        self.assertIn("threads 1 flavour none words []", (self.folder / "r/program/stdout.log").read_text())
        self.case("words.program = \"wind\"\nwords.environment = [\"OMP_NUM_THREADS=7\"]\n")
        self.run_model("--variant", "words", "--threads", "1")
        self.assertIn("threads 7 ", (self.folder / "r/program/stdout.log").read_text())

    def test_ranks_are_started_by_the_launcher(self):
        write_script(self.model / "launch", "import os, sys\npathlib.Path('launched').write_text(' '.join(sys.argv[1:-1]))\nos.execv(sys.argv[-1], sys.argv[-1:])\n")
        self.case("many.program = \"wind\"\nmany.ranks = 4\n", CASE.replace("values.forcing", "launcher = [\"./launch\", \"-np\", \"{ranks}\", \"{hosts}\"]\nvalues.hosts = \"here\"\nvalues.forcing"))
        plain = self.hash()
        self.assertFalse((self.folder / "r/program/launched").exists())
        self.assertEqual(self.hash("--variant", "many"), plain)
        self.assertEqual((self.folder / "r/program/launched").read_text(), "-np 4 here")
        self.assertEqual(self.record("r")["provenance"]["ranks"], "4")

    def test_program_found_in_path_or_below_the_folder(self):
        self.case("python.run = [\"python3\", \"{folder}/wind\"]\npython.values.mode = \"plain\"\nbelow.run = [\"./wind\"]\n")
        plain = self.hash()
        for variant in ("python", "below"):
            self.assertEqual(self.hash("--variant", variant), plain)

    def test_script_without_a_first_line_is_one_of_the_shell(self):
        (self.model / "script").write_text(f"exec '{self.model}/wind'\n")
        (self.model / "script").chmod(0o755)
        self.case("script = \"script\"\n")
        self.assertEqual(self.hash("--variant", "script"), self.hash())

    def test_placed_copied_and_filled_files(self):
        for name in ("data/one.dat", "data/two.dat", "data/restart.dat"):
            (self.model / name).parent.mkdir(exist_ok=True)
            (self.model / name).write_text(name)
        (self.model / "data/restart.dat").chmod(0o444)
        write_script(self.model / "wind", "import os\nassert os.path.islink('one.dat') and not os.path.islink('restart.dat') and not os.path.islink('settings.txt')\n"
                     "assert os.stat('restart.dat').st_mode & 0o200\nopen('restart.dat', 'a').write(' and more')\n" + MODEL)
        self.case(text=CASE.replace("fill =", "place = [\"data/???.dat\"]\ncopy = [\"data/re*\"]\nfill ="))
        self.run_model()
        program = self.folder / "r/program"
        self.assertEqual((program / "two.dat").readlink(), self.model / "data/two.dat")
        self.assertEqual((program / "restart.dat").read_text(), "data/restart.dat and more")
        self.assertEqual((self.model / "data/restart.dat").read_text(), "data/restart.dat")

    def test_output_in_folders_of_the_run(self):
        write_script(self.model / "wind", MODEL + "os.rename('state.nc', 'results/wind_1.nc')\nos.makedirs('more/deep')\n")
        self.case(text=CASE.replace("state.nc", "results/wind_*.nc"))
        self.run_model()
        self.assertEqual(self.record("r")["steps"], 3)
        self.assert_fails(1, "run", self.model / "case.toml", "-o", "r", "--set", "program.output=[\"results/none_*\", \"*.nc\"]", says="wrote no file results/none_*, *.nc")

    def test_paths_with_blanks_and_links(self):
        blank = self.folder / "a model's  folder"
        self.model.rename(blank)
        link = self.folder / "link"
        link.symlink_to(blank)
        (blank / "alias").symlink_to("wind")
        (blank / "case.toml").write_text(CASE + "alias = \"alias\"\n")
        for case in (blank / "case.toml", link / "case.toml"):
            self.assert_done("run", case, *SHORT, "-o", "my runs/one")
            first = self.record("my runs/one")["hash"]
            self.assert_done("run", case, *SHORT, "-o", "my runs/one", "--variant", "alias")
            self.assertEqual(self.record("my runs/one")["hash"], first)
        (self.folder / "elsewhere").mkdir()
        (self.folder / "linked").symlink_to("elsewhere")
        self.assert_done("run", blank / "case.toml", *SHORT, "-o", "linked")
        self.assertTrue((self.folder / "elsewhere/run.json").exists())

    def test_relative_paths_start_at_the_case_wherever_the_command_is_called(self):
        plain = self.hash()
        self.assert_done("run", "case.toml", *SHORT, "-o", "r", cwd=self.model)
        self.assertEqual(self.record("model/r")["hash"], plain)

    def test_options_of_cores_are_refused(self):
        for option in (("--policy", "fp32"), ("--assembly", "atomic"), ("--restart", "r"), ("--checkpoints", "3"), ("--trap",)):
            self.assert_fails(2, "run", self.model / "case.toml", *option, says=option[0])
        self.assert_fails(2, "run", SOURCE / "cases/seaice/cyclone_quick.toml", "--variant", "a", says=("--variant", "program"))
        for words in (("ensemble", "--policies", "fp32"), ("ensemble", "--devices", "cpu:2"), ("ensemble", "--quad-until", "1 s")):
            self.assert_fails(2, words[0], self.model / "case.toml", "-o", "s", *words[1:], says=words[1])
        for command in ("restart", "trace"):
            self.assertEqual(self.call(command, self.model / "case.toml").returncode, 2, command)


class StudyTest(ProgramTest):
    def test_variants_whose_truth_is_known(self):
        self.case(modes("reordered", "single", "copy", "summed_times") + "single.precision = \"fp32\"\nwrong.program = \"wind\"\nwrong.values.forcing = 9\n")
        results = self.study("--members", "8", "--epsilons", "2^-10", "--members-for", "plain", code=1)
        self.assertEqual(self.answers(results), {"reordered": "equivalent", "single": "equivalent", "copy": "equal", "summed_times": "equivalent", "wrong": "different"})
        self.assertEqual(results["reference"], "plain")
        failures = {case.get("classname") for case in ElementTree.parse(self.folder / "study/junit.xml").iter("testcase") if case.find("failure") is not None}
        self.assertEqual(failures, {"wrong"})
        summary = (self.folder / "study/summary.md").read_text()
        self.assertIn("- wrong: **different**", summary)
        for variant in ("plain", "reordered", "single", "copy", "wrong"):
            self.assertRegex(summary, rf"(?m)^\| {variant} \| ", "tables tell variants apart")
        # A later report has the same to say.
        said = self.call("report", "study", "--quiet")
        self.assertEqual(said.returncode, 1)
        self.assertEqual(self.answers(self.results()), self.answers(results))

    def test_what_is_left_out_of_an_output_is_said(self):
        self.case(modes("once"), CASE.replace("state.nc", "*.nc"))
        results = self.study(*SHORT, "--members", "0")
        self.assertEqual(self.answers(results), {"once": "equal"})
        self.assertIn("once: left out, since they lack times that most fields have: Y", results["notes"])

    def test_reference_configurations_and_members_are_chosen(self):
        self.case(modes("reordered", "copy"))
        words = ("ensemble", self.model / "case.toml", "-q", *SHORT, "--members", "2", "--epsilons", "2^-10")
        self.assert_done(*words, "-o", "a", "--reference", "reordered", "--configurations", "copy", "--members-for", "copy", code=4)
        self.assertEqual(sorted(path.name for path in (self.folder / "a/runs").iterdir()), ["copy", "reordered"])
        self.assertEqual([path.name for path in (self.folder / "a/members").iterdir()], ["copy"])
        self.assertEqual(self.results("a")["reference"], "reordered")
        for option in ("--reference", "--configurations", "--members-for"):
            self.assert_fails(2, *words, "-o", "b", option, "cpoy", says=("cpoy", "copy"))
        self.assertFalse((self.folder / "b").exists())

    def test_members_have_noise_of_their_own_and_variants_the_same(self):
        self.case("copy = \"wind\"\n", CASE.replace("values.forcing", "keep = true\nvalues.forcing"))
        self.study(*SHORT, "--members", "2", "--epsilons", "2^-10,2^-7")
        told = {}
        for path in (self.folder / "study/members").rglob("settings.txt"):
            settings = dict(line.split("=") for line in path.read_text().split())
            told[path.relative_to(self.folder / "study/members").parts[:3]] = (settings["seed"], float(settings["amplitude"]))
        self.assertEqual(len(told), 8)
        self.assertEqual({amplitude for _, amplitude in told.values()}, {2.0**-10, 2.0**-7})
        self.assertEqual({key[1:]: value for key, value in told.items() if key[0] == "plain"}, {key[1:]: value for key, value in told.items() if key[0] == "copy"})
        at_one = {value[0] for key, value in told.items() if value[1] == 2.0**-10}
        self.assertEqual(len(at_one), 2)
        self.assertTrue(all(0 < int(seed) < 2**31 for seed in at_one))
        self.assertIn("amplitude=0\n", (self.folder / "study/runs/plain/program/settings.txt").read_text())

    def test_folders_of_members_stay_where_that_is_asked_for(self):
        self.study(*SHORT, "--members", "2", "--epsilons", "2^-10")
        self.assertFalse(list((self.folder / "study/members").rglob("program")))
        self.assertTrue((self.folder / "study/runs/plain/program/state.nc").exists())

    def test_resume_keeps_all_and_repeats_what_is_lost(self):
        self.case(modes("reordered"))
        words = ("ensemble", self.model / "case.toml", "-o", "study", *SHORT, "--members", "3", "--epsilons", "2^-10")
        self.assertIn("8 runs done, 0 kept", self.assert_done(*words))
        before = {path: path.stat().st_mtime_ns for path in (self.folder / "study").rglob("output.nc")}
        hashes = {path: json.loads(path.with_name("run.json").read_text())["hash"] for path in before}
        self.assertIn("8 kept", self.assert_done(*words, "--resume"))
        self.assertEqual({path: path.stat().st_mtime_ns for path in before}, before)
        lost = sorted(before)[0].parent
        shutil.rmtree(lost)
        self.assertIn("7 kept", self.assert_done(*words, "--resume"))
        self.assertEqual({path: json.loads(path.with_name("run.json").read_text())["hash"] for path in before}, hashes)
        # The study goes on from its own copy of the case, wherever that one went.
        (self.model / "case.toml").rename(self.model / "moved.toml")
        self.assertIn("8 kept", self.assert_done("ensemble", self.model / "moved.toml", *words[2:], "--resume"))

    def test_a_changed_program_or_input_is_refused_on_resume(self):
        words = ("ensemble", self.model / "case.toml", "-o", "study", *SHORT, "--members", "2", "--epsilons", "2^-10")
        self.assert_done(*words)
        before = self.bits(self.folder / "study")
        for name in ("wind", "settings.txt"):
            original = (self.model / name).read_text()
            (self.model / name).write_text(original + "\n# another\n")
            self.assert_fails(2, *words, "--resume")
            (self.model / name).write_text(original)
        after = self.bits(self.folder / "study")
        self.assertEqual({path for path in before if before[path] != after.get(path) and path.name != ".ulpine.lock"}, set())
        self.assertIn("3 kept", self.assert_done(*words, "--resume"))

    def test_a_study_moved_elsewhere_is_reported_on(self):
        self.study(*SHORT, "--members", "2", "--epsilons", "2^-10")
        (self.folder / "study").rename(self.folder / "moved")
        shutil.rmtree(self.model)
        self.assert_done("report", "moved", "--quiet")

    def test_shares_make_up_the_study(self):
        words = ("ensemble", self.model / "case.toml", "-o", "study", *SHORT, "--members", "3", "--epsilons", "2^-10")
        self.assert_done(*words, "--slurm")
        self.assert_done(*words, "--resume", "--only", "0/2")
        self.assertEqual(len(list((self.folder / "study").rglob("run.json"))), 2)
        self.assert_done(*words, "--resume", "--only", "1/2")
        self.assert_done("report", "study", "--quiet")
        self.assertEqual(len(self.results()["runs"]), 4)

    def test_no_noise_is_told_before_anything_runs(self):
        self.case(text=CASE.replace("noise.kind = \"fill\"\n", ""))
        self.assert_fails(2, "ensemble", self.model / "case.toml", "-o", "study", *SHORT, says=("program.noise.kind", "--members 0"))
        self.case(modes("reordered", "copy"), CASE.replace("noise.kind = \"fill\"\n", ""))
        results = self.study(*SHORT, "--members", "0", code=4)
        self.assertEqual(self.answers(results), {"reordered": "undecided", "copy": "equal"})

    def test_processes_do_not_share_a_folder(self):
        self.case(text=CASE.replace("values.mode = \"plain\"", "values.mode = \"hang\""))
        first = self.start("run", self.model / "case.toml", "-o", "r")
        self.wait_for(self.folder / "r/program/stdout.log")
        self.assert_fails(3, "run", self.model / "case.toml", "-o", "r", says="r")
        number, errors = self.stop(first, 2)
        self.assertEqual(number, 130, errors)
        self.assertEqual(errors.count("\n"), 1, errors)
        self.assertFalse((self.folder / "r/run.json").exists())


class NoiseOfFiles(ProgramTest):
    START = [8 + 0.3 * ((5 * i) % 7) for i in range(12)]

    def setUp(self):
        super().setUp()
        write_netcdf(self.model / "start.nc", {"x": 12}, {"X": (("x",), self.START, {"units": "m s-1"})})
        (self.model / "settings.txt").write_text(SETTINGS + "start=start.nc\n")
        self.text = CASE.replace("noise.kind = \"fill\"", "place = [\"start.nc\"]\nkeep = true\nnoise.kind = \"files\"\nnoise.file = \"start.nc\"\nnoise.fields = [\"X\"]")
        self.case(text=self.text)
        self.words = (*SHORT, "--members", "3", "--epsilons", "2^-10")

    def member(self, number):
        return values_at_start(self.folder / f"study/members/plain/eps-2p-10/m{number:02}/program/start.nc")

    def test_absolute_noise_is_at_most_the_amplitude_and_the_original_stays(self):
        original = (self.model / "start.nc").read_bytes()
        self.study(*self.words)
        changes = [[a - b for a, b in zip(self.member(number), self.START)] for number in range(3)]
        for change in changes:
            self.assertTrue(all(0 < abs(value) <= 2.0**-10 for value in change), change)
            self.assertGreater(max(map(abs, change)), 2.0**-12)
            self.assertLess(min(change), 0)
            self.assertGreater(max(change), 0)
        self.assertEqual(len({tuple(change) for change in changes}), 3)
        self.assertEqual((self.model / "start.nc").read_bytes(), original)
        self.assertTrue((self.folder / "study/runs/plain/program/start.nc").is_symlink(), "a run without noise has the file itself")

    def test_relative_noise_is_a_fraction(self):
        self.study(*self.words)
        absolute = [a - b for a, b in zip(self.member(1), self.START)]
        shutil.rmtree(self.folder / "study")
        self.case(text=self.text.replace("noise.file", "noise.relative = true\nnoise.file"))
        self.study(*self.words)
        for value, start, change in zip(self.member(1), self.START, absolute):
            self.assertAlmostEqual(value, start * (1 + change), delta=2e-14)

    def test_numbers_of_a_raw_file_get_the_noise_of_a_variable(self):
        """A NetCDF classic file ends with its last variable, big-endian."""
        self.study(*self.words)
        wanted = [self.member(number) for number in range(3)]
        shutil.rmtree(self.folder / "study")
        size = (self.model / "start.nc").stat().st_size
        raw = f"noise.raw = \"float64\"\nnoise.big_endian = true\nnoise.first_byte = {size - 96}\nnoise.file"
        self.case(text=self.text.replace("noise.file", raw))
        self.study(*self.words)
        self.assertEqual([self.member(number) for number in range(3)], wanted)
        shutil.rmtree(self.folder / "study")
        self.case(text=self.text.replace("noise.file", raw.replace(f"{size - 96}\n", f"{size - 96}\nnoise.values = 5\n")))
        self.study(*self.words)
        self.assertEqual([self.member(number)[:5] for number in range(3)], [member[:5] for member in wanted])
        self.assertEqual([self.member(number)[5:] for number in range(3)], 3 * [tuple(self.START[5:])])
        self.case(text=self.text.replace("noise.file", raw.replace(str(size - 96), str(size - 90))))
        self.assert_fails(2, "ensemble", self.model / "case.toml", "-o", "new", *self.words, says="90 bytes from byte")

    def test_unknown_fields_and_files_are_told_before_anything_is_lost(self):
        self.study(*self.words)
        before = self.bits(self.folder / "study")
        self.assert_fails(2, "ensemble", self.model / "case.toml", "-o", "new", *self.words, "--perturb", "Xs", says=("Xs", "X"))
        self.case(text=self.text.replace("noise.file = \"start.nc\"", "noise.file = \"begin.nc\""))
        self.assert_fails(2, "run", self.model / "case.toml", "-o", "r", says=("program.noise.file", "begin.nc"))
        self.assertEqual(self.bits(self.folder / "study"), before)


@unittest.skipIf(CC is None or not PROBE.exists(), "no C compiler, or no archive of the probe (target ulpine_probe)")
class NoiseOfTheProbe(ProgramTest):
    SOURCE = """
#include <stdio.h>
#include <string.h>
#include "ulpine.h"
int main(void) {
  double t[12];
  ulpine_array array;
  memset(&array, 0, sizeof array);
  array.data = t; array.type = ULPINE_F64; array.rank = 1; array.extent[0] = 12;
  for (int i = 0; i < 12; ++i) t[i] = 1 + 0.1 * i;
  for (int n = 1; n <= 3; ++n) {
    ulpine_step(n);
    ulpine_stage("warm");
    for (int i = 0; i < 12; ++i) t[i] = 3.7 * t[i] * (1 - t[i] / 4);
    ulpine_state("t", &array);
  }
  for (int i = 0; i < 12; ++i) printf("%a ", t[i]);
  return 0;
}
"""
    CASE = """core = "program"
name = "heat"
program.noise.kind = "probe"
program.noise.fields = ["warm.t"]
program.variants.plain = "warm"
"""

    def setUp(self):
        super().setUp()
        source = self.folder / "heat.c"
        source.write_text(self.SOURCE)
        subprocess.run([CC, "-O1", "-ffp-contract=off", f"-I{SOURCE}/probe/include", "-o", self.model / "heat", source, PROBE, "-lm"], check=True)
        write_script(self.model / "warm", f"import subprocess\nsaid = subprocess.run(['{self.model}/heat'], stdout=subprocess.PIPE, check=True).stdout\n"
                     "values = [float.fromhex(word.decode()) for word in said.split()]\n"
                     "write_netcdf('t.nc', {'time': 1, 'x': 12}, {'time': (('time',), [3], {'units': 's'}), 't': (('time', 'x'), values, {'units': 'K'})})\n")
        self.case(text=self.CASE)

    def test_members_differ_by_the_noise_alone(self):
        self.study("--members", "3", "--epsilons", "2^-40,2^-20", code=0)
        hashes = {path: json.loads(path.read_text())["hash"] for path in (self.folder / "study").rglob("run.json")}
        self.assertEqual(len(hashes), 7)
        self.assertEqual(len(set(hashes.values())), 7)
        far = self.json("compare", "study/runs/plain/output.nc", "study/members/plain/eps-2p-20/m00/output.nc", "--json")["variables"]["t"]["linf"]
        near = self.json("compare", "study/runs/plain/output.nc", "study/members/plain/eps-2p-40/m00/output.nc", "--json")["variables"]["t"]["linf"]
        self.assertTrue(2.0**-30 < far < 2.0**-10, far)
        self.assertTrue(2.0**-50 < near < 2.0**-30, near)

    def test_a_program_without_the_probe_or_the_field_has_no_members(self):
        self.case(text=self.CASE.replace("warm.t", "warm.q"))
        self.study("--members", "2", "--epsilons", "2^-20", code=1)
        self.assertIn("warm.q", self.record("study/members/plain/eps-2p-20/m00")["failed"])
        shutil.rmtree(self.folder / "study")
        (self.model / "heat").write_bytes(pathlib.Path("/bin/true").read_bytes())
        self.case(text=self.CASE)
        self.study("--members", "2", "--epsilons", "2^-20", code=1)


@unittest.skipIf(shutil.which("gfortran") is None or shutil.which("make") is None or shutil.which("pkg-config") is None, "no gfortran with make and pkg-config (Debian: apt-get install gfortran make pkg-config)")
class ExampleTest(CommandTest):
    def setUp(self):
        super().setUp()
        if subprocess.run(["pkg-config", "--exists", "netcdf"], check=False).returncode != 0:
            self.skipTest("no netCDF for programs in C (Debian: apt-get install libnetcdf-dev)")

    def test_commands_of_the_page_end_and_print_as_it_says(self):
        ran, checked = run_page(self, SOURCE / "docs/how-to/programs.md")
        self.assertEqual(ran, 10)
        self.assertGreater(checked, 3)

    def test_variants_of_the_example_are_called_what_they_are(self):
        shutil.copytree(SOURCE / "examples/program", self.folder / "weather")
        done = subprocess.run(["make", "-s", "FC=gfortran -std=f2018 -Wall -Wextra -Werror"], cwd=self.folder / "weather", capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assert_done("ensemble", "weather/case.toml", "-o", "study", "-q", "--members", "8", "--epsilons", "2^-10", "--members-for", "O2", code=1)
        answers = {verdict["configuration"]: verdict["answer"] for verdict in json.loads((self.folder / "study/results.json").read_text())["verdicts"]}
        # Whether options of the compiler change bits, the processor says.
        same = {"equal", "equivalent"}
        self.assertEqual((answers["O0"] in same, answers["O3"] in same, answers["Ofast"] in same), (True, True, True), answers)
        self.assertEqual((answers["single"], answers["wrong"]), ("equivalent", "different"))
        # What the failures of a model look like that ends with exit code 0.
        self.assert_fails(1, "run", "weather/case.toml", "-o", "run", "--set", "program.values.forcing=1e5", says="(program.success), though its exit code is 0")
        self.assert_fails(1, "run", "weather/case.toml", "-o", "run", "--set", "program.values.forcing=1e5", "--set", "program.success=[]", says="the program said 'weather: blown up' (program.failure)")

    def test_the_case_of_the_page_is_part_of_that_of_the_example(self):
        shown = [text for kind, text, _ in blocks(SOURCE / "docs/how-to/programs.md") if kind == "toml"]
        self.assertEqual(len(shown), 1)
        example = (SOURCE / "examples/program/case.toml").read_text().splitlines()
        self.assertEqual([line for line in shown[0].splitlines() if line not in example], [])
        self.assertLessEqual(len(example), 40)


if __name__ == "__main__":
    unittest.main()
