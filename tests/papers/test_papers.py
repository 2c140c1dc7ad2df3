#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""papers/run on stand-ins for its programs: it goes on after a kill, says what a machine lacks, and types no number by hand; and what papers/*.toml and *.csv say."""
import csv
import html
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

if sys.version_info < (3, 11):
    print("skipped: papers/run needs Python 3.11 or later")
    sys.exit(77)

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "papers"))
sys.dont_write_bytecode = True

from runner import chart, machine, numbers, paper, table  # noqa: E402

# What the programs stand in for print; each call leaves a line in $CALLS, and waits as $WAIT says.
PROGRAM = """#!/bin/sh
echo "$(basename "$0") $*" >>"$CALLS"
case "$*" in *--version*) echo "ulpine 0.0.0 (commit ${COMMIT:-stand-in})"; exit 0;; esac
sleep "${WAIT:-0}"
[ "$(basename "$0")" != "${BROKEN:-none}" ] || { echo "a line before" >&2; echo "the disk <is> full" >&2; exit 3; }
"""
BENCH = {
    "bench_exec_host": """echo '{"benchmarks": [{"bytes_per_second": 8.0e9}]}'""",
    "bench_routines": r"""line() { printf '  %-32s %10.1f  [%.1f, 99.0] us\n' "$1" 98 "$2"; }
printf '2000 tetrahedra, 300 nodes; host: 1 threads\nhost, double\n'
line 'positions gathered, by element' 40; line 'positions gathered, by number' 20; line 'get_edge_lengths' 800; line 'edge_length_tensor' 100
[ -z "$GPU" ] || { printf 'GPU, double\n'; line 'get_edge_lengths' 2; }""",
    "bench_fem_host": r"""printf 'scalar, tensor, 11 points fp64   elements         2900.0 [2000.0, 3000.0] ns an element, processor 1.0\n'
printf 'scalar, tensor           fp64   elements         110.0 [100.0, 120.0] ns an element, processor 1.0\n'""",
    "bench_fem": r"""printf '2000 tetrahedra, 300 nodes\nscalar, tensor, 11 points, fp64: floor 8.5 us (1.0 MB)\n  atomic            20.0  [1.0, 3.0] us, 2.00 times the floor\n'
printf 'scalar, tensor, fp64: floor 8.5 us (1.0 MB)\n  patches, 56          2.0  [1.0, 3.0] us, 2.00 times the floor\n'""",
    "bench_loop14": r"""printf 'host      fp32  100   1       99.0 ms [%s, 99.0] of 9      46.7 GB/s\n' "${HOST_MS:-12.5000}"
printf 'host      fp32  100   2       9.0000 ms [5.0000, 9.0] of 9      46.7 GB/s\n'""",
}
OTHERS = ("ulpine", "bench_seaice", "bench_seaice_tables", "bench_thesis_host", "bench_poisson", "bench_les")


class RunnerTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.programs, self.out, self.calls = self.folder / "bin", self.folder / "out", self.folder / "calls"
        for name in (*BENCH, *OTHERS):
            self.program(f"bin/{name}", PROGRAM + BENCH.get(name, ""))
        self.gpu(None)

    def program(self, path, text):
        path = self.folder / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)

    def gpu(self, name, gib=100, count=1):
        lines = "".join(f"echo '{name}, {gib * 1024}'\n" for _ in range(count))
        self.program("path/nvidia-smi", f"#!/bin/sh\n{lines}" if name else "#!/bin/sh\nexit 6\n")

    def environment(self, **settings):
        return dict(os.environ, PATH=f"{self.folder / 'path'}:{os.environ['PATH']}", CALLS=str(self.calls), **settings)

    def words(self, *words):
        return [sys.executable, "-B", str(SOURCE / "papers/run"), *words, "--programs", str(self.programs), "--out", str(self.out)]

    def call(self, *words, **settings):
        return subprocess.run(self.words(*words), env=self.environment(**settings), capture_output=True, text=True, check=False, timeout=300)

    def done(self, *words, code=0, **settings):
        done = self.call(*words, **settings)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def made(self):
        """Calls of the programs without those that ask for their version."""
        return [line for line in self.calls.read_text().splitlines() if "--version" not in line] if self.calls.exists() else []

    def runs(self):
        return sorted(path.parent.name for path in (self.out / "runs").glob("*/run.json"))

    def page(self, name):
        """A page without the times at which its runs were made."""
        return re.sub(r"\d{4}-\d\d-\d\dT[\d:]+Z, [\d.]+ s", "", (self.out / f"{name}.html").read_text(encoding="utf-8"))

    def rows(self, name):
        with open(self.out / f"{name}.csv", newline="", encoding="utf-8") as file:
            return {(row["result"], row["row"]): row for row in csv.DictReader(file)}

    def assert_refused(self, code, says, *words):
        done = self.call(*words)
        lines = [line for line in done.stderr.splitlines() if not line.startswith("this machine has no GPU")]
        self.assertEqual((done.returncode, len(lines), done.stdout), (code, 1, ""), done.stderr)
        self.assertTrue(lines[0].startswith("papers/run: "), lines[0])
        self.assertIn(says, lines[0])

    def test_bad_usage_is_one_line(self):
        for words, says in ((("fluidty", "--quick"), "fluidty"), (("all", "--quik"), "--quik"), (("arps", "--device", "tpu"), "tpu"), ((), "PAPER")):
            self.assert_refused(2, says, *words)
        self.assertEqual(self.made(), [])

    def test_a_gpu_that_is_asked_for_must_be_there(self):
        self.assert_refused(3, "no GPU found", "arps", "--device", "cuda")

    def test_programs_must_be_there(self):
        (self.programs / "ulpine").unlink()
        self.assert_refused(3, "does not tell its version", "arps")

    def test_a_folder_that_cannot_be_made_is_said(self):
        self.out.write_text("a file")
        self.assert_refused(3, "nothing can be written there", "arps", "--quick")

    def test_an_estimate_runs_nothing(self):
        self.assertRegex(self.done("all", "--quick", "--estimate").stderr, r"about \d+ min")
        self.assertEqual(self.made(), [])

    def test_the_estimate_of_quick_is_below_a_quarter_of_an_hour(self):
        runs = {(run.program, *run.arguments): run for name in paper.NAMES for run in paper.load(name, True).runs.values() if run.in_quick and run.device != "cuda"}
        self.assertLess(sum(run.seconds for run in runs.values()), 15 * 60)
        self.assertLess(max(run.gib for run in runs.values()), 4)

    def test_killed_at_random_it_ends_with_the_same_runs_and_pages(self):
        self.done("fluidity", "--quick")
        expected, whole, first = self.page("fluidity"), self.runs(), self.made()
        self.assertEqual(len(whole), len(first))
        self.out = self.folder / "killed"
        self.calls.unlink()
        chance = random.Random(5)
        for _ in range(10):
            process = subprocess.Popen(self.words("fluidity", "--quick"), env=self.environment(WAIT="0.15"), stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
            time.sleep(chance.uniform(0.1, 0.6))
            process.send_signal(chance.choice((signal.SIGKILL, signal.SIGTERM)))
            process.wait()
        self.done("fluidity", "--quick")
        self.assertEqual((self.runs(), self.page("fluidity")), (whole, expected))
        self.assertEqual(list((self.out / "runs").glob("*.part")), [])
        bytes_once, calls = (self.out / "fluidity.html").read_bytes(), len(self.made())
        self.done("fluidity", "--quick")
        self.assertEqual(((self.out / "fluidity.html").read_bytes(), len(self.made())), (bytes_once, calls), "nothing is run again, and the page stays")

    def test_other_programs_are_run_again(self):
        self.done("arps", "--quick")
        calls = len(self.made())
        self.done("arps", "--quick", COMMIT="another")
        self.assertEqual(len(self.made()), 2 * calls)

    def test_two_calls_do_not_share_a_folder(self):
        process = subprocess.Popen(self.words("arps", "--quick"), env=self.environment(WAIT="3"), stderr=subprocess.PIPE, text=True)
        for line in process.stderr:
            if line.startswith("[1/"):
                break
        self.assert_refused(3, "another call writes there", "arps", "--quick")
        process.kill()
        process.wait()
        process.stderr.close()

    def test_every_numbered_result_is_on_its_page_and_in_the_list_of_all(self):
        self.done("all", "--quick")
        index = self.page("index")
        everything = json.loads((self.out / "papers.json").read_text())
        self.assertEqual([each["name"] for each in everything["papers"]], list(paper.NAMES))
        for name in paper.NAMES:
            page, rows = self.page(name), self.rows(name)
            results = paper.load(name, True).results
            self.assertEqual([result["number"] for result in next(each for each in everything["papers"] if each["name"] == name)["results"]], [result.number for result in results])
            for result in results:
                self.assertIn(f"<h2>{html.escape(result.number, quote=False)}: {html.escape(result.title, quote=False)}</h2>", page)
                self.assertIn(f">{html.escape(result.number, quote=False)}</a>", index)
                for row in result.rows:
                    self.assertIn((result.number, row.name), rows)
                    self.assertIn(f">{html.escape(row.name, quote=False)}</th>", page)
                    for device, value in row.paper.items():
                        self.assertEqual(rows[result.number, row.name][f"paper_{device}"], "..".join(map(str, value)) if isinstance(value, tuple) else str(value))
        self.assertNotRegex(index, r"(?:src|href)=\"(?:https?:)?//(?!doi\.org|scipedia)", "pages load nothing")

    def test_numbers_are_those_of_the_programs(self):
        self.done("fluidity", "--quick")
        rows = self.rows("fluidity")
        scalar = rows["Table 8", "advection and diffusion of a scalar"]
        self.assertAlmostEqual(float(scalar["kept_cpu"]), 2000e-9 * 554394 * 1e3)
        self.assertAlmostEqual(float(scalar["ours_cpu"]), 100e-9 * 554394 * 1e3)
        self.assertAlmostEqual(float(scalar["ratio_cpu"]), 20)
        self.assertAlmostEqual(float(scalar["paper_cpu_over_ours"]), 2563 / (100e-9 * 554394 * 1e3))
        # 40 us for 2000 elements are 20 ns an element.
        self.assertAlmostEqual(float(rows["Table 3", "positions gathered, double"]["kept_cpu"]), 20e-9 * 554394 * 1e3)
        self.assertEqual(rows["Table 3", "positions gathered, float"]["ours_cpu"], "")
        self.done("arps", "--quick")
        self.assertEqual(self.rows("arps")["Figure 5", "100^3"]["kept_cpu"], "12.5")
        self.assertIn(">12.5</td>", self.page("arps"))
        self.assertAlmostEqual(float(self.rows("arps")["Figure 7", "100^3"]["ours_cpu"]), 2.5)
        self.done("arps", "--quick", HOST_MS="77.7", COMMIT="another")
        self.assertIn(">77.7</td>", self.page("arps"))
        self.assertNotIn(">12.5</td>", self.page("arps"))

    def test_a_missing_gpu_is_said_and_the_rest_goes_on(self):
        self.assertIn("this machine has no GPU", self.done("fluidity", "--quick").stderr)
        page = self.page("fluidity")
        self.assertIn("not run yet on a card", page)
        self.assertIn(">no GPU</span>", page)
        self.assertIn("ours_gpu: no GPU", self.rows("fluidity")["Table 8", "momentum"]["missing"])
        self.assertFalse(any(line.startswith("bench_fem ") for line in self.made()))

    def test_a_gpu_is_used_and_its_memory_accounted_for(self):
        self.gpu("NVIDIA H200")
        self.done("fluidity", "--quick", GPU="1")
        scalar = self.rows("fluidity")["Table 8", "advection and diffusion of a scalar"]
        ours = 2e-6 / 2000 * 554394 * 1e3
        self.assertAlmostEqual(float(scalar["ours_gpu"]), ours)
        self.assertAlmostEqual(float(scalar["ratio_gpu"]), 10)
        self.assertAlmostEqual(float(scalar["paper_gpu_over_ours"]), 11.57 / ours)
        known = machine.cards()
        self.assertIn(f"account for a factor of {chart.short(known['h200'][1] / known['a100_40gb'][1])} of that", self.page("fluidity"))
        self.assertAlmostEqual(float(self.rows("fluidity")["Table 4", "get_edge_lengths"]["kept_gpu"]), 2e-6 / 2000 * 554394 * 1e3)
        self.done("cfd-guide", "--quick")
        self.assertIn("it takes 2 GPUs, and this machine has 1", self.page("cfd-guide"))

    def test_the_host_alone_is_taken_when_asked_for(self):
        self.gpu("NVIDIA H200")
        self.done("fluidity", "--quick", "--device", "cpu")
        self.assertIn(">not asked</span>", self.page("fluidity"))
        self.assertFalse(any(line.startswith("bench_fem ") for line in self.made()))

    def test_what_is_too_large_is_said_in_its_place(self):
        self.gpu("NVIDIA small", gib=1)
        self.done("palm", "--quick")
        self.assertIn(">too large</span>", self.page("palm"))
        self.assertIn("and the GPU has 1 GiB", self.page("palm"))
        self.assertIn(">not quick</span>", self.page("palm"))

    def test_a_failed_run_is_said_and_tried_again(self):
        self.done("arps", "--quick", code=1, BROKEN="bench_loop14")
        self.assertIn("it ended with exit code 3: the disk &lt;is&gt; full", self.page("arps"))
        self.assertEqual(len(self.runs()), 1, "the bandwidth alone")
        self.done("arps", "--quick")
        self.assertEqual(len(self.runs()), 4)
        self.assertNotIn("the disk", self.page("arps"))


    def build(self, *words, code=0):
        """Calls papers/run in a copy of the source whose cmake is a stand-in that puts the programs where a build would."""
        tree = self.folder / "tree"
        for name in ("papers", "scripts", "devices", "analysis"):
            shutil.copytree(SOURCE / name, tree / name)
        self.program("path/dpkg-query", "#!/bin/sh\necho \"package $*\" >>\"$CALLS\"\nprintf installed\n")
        self.program("path/cmake", f"""#!/bin/sh
echo "cmake $* (CUDA ${{ULPINE_CUDA:-asked of nobody}})" >>"$CALLS"
[ -z "$NO_BUILD" ] || {{ echo "no compiler" >&2; exit 1; }}
mkdir -p build/cpu && cp -r {self.programs} build/cpu/
""")
        done = subprocess.run([sys.executable, "-B", str(tree / "papers/run"), *words, "--out", str(self.out)], env=self.environment(**({"NO_BUILD": "1"} if code else {}), CUDACXX=""),
                              capture_output=True, text=True, check=False, timeout=300)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def test_it_builds_what_it_needs_and_no_more(self):
        self.build("arps", "--quick", "--device", "cpu")
        calls = [line for line in self.made() if line.startswith("cmake")]
        self.assertEqual(len(calls), 3)
        self.assertTrue(any(line.startswith("package") and line.endswith(" libbenchmark-dev") for line in self.made()))
        self.assertIn("--preset cpu", calls[0])
        self.assertIn("-DULPINE_BENCHMARKS=ON", calls[1])
        self.assertTrue(calls[2].endswith(" --target bench_exec_host bench_loop14 ulpine_program (CUDA OFF)"), calls[2])
        self.assertEqual(len(self.runs()), 4)

    def test_modules_of_rare_policies_are_built_for_runs_that_need_them(self):
        self.build("palm", "--quick", "--device", "cpu")
        targets = next(line for line in self.made() if "--target" in line).split()
        for target in ("bench_thesis_host", "ulpine_les_emulated", "bench_les"):
            self.assertIn(target, targets)
        self.assertNotIn("bench_poisson", targets)

    def test_a_build_that_fails_is_said(self):
        done = self.build("arps", "--quick", code=3)
        self.assertIn("no compiler", done.stderr)
        self.assertTrue(done.stderr.splitlines()[-1].startswith("papers/run: the programs were not built"), done.stderr)
        self.assertEqual(self.runs(), [])


class FilesTest(unittest.TestCase):
    def test_every_number_of_a_paper_has_a_source_and_a_row(self):
        for name in paper.NAMES:
            rows = {(result.number, row.name) for result in paper.load(name, False).results for row in result.rows}
            for (number, row), own in paper.numbers_of_paper(SOURCE / f"papers/{name}.csv").items():
                self.assertIn((number, row), rows)
                self.assertTrue(all(source for _, source in own.values()))

    def test_a_number_without_a_row_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            (folder / "arps.toml").write_text('title = "t"\n[run.a]\nprogram = "p"\n[[result]]\nnumber = "Table 1"\ntitle = "t"\n[[result.row]]\nname = "r"\nours_cpu = "a:n"\n')
            (folder / "arps.csv").write_text("result,row,device,value,source\nTable 1,other,cpu,3,text\n")
            self.assertRaisesRegex(paper.PaperError, "no row has the number", paper.load, "arps", True, folder)
            (folder / "arps.csv").write_text("result,row,device,value,source\nTable 1,r,cpu,3,\n")
            self.assertRaisesRegex(paper.PaperError, "a source", paper.load, "arps", True, folder)
            (folder / "arps.csv").write_text("result,row,device,value,source\n")
            self.assertEqual(paper.load("arps", True, folder).results[0].rows[0].sides, {"ours_cpu": "a:n"})
            (folder / "arps.toml").write_text((folder / "arps.toml").read_text().replace("ours_cpu", "ours_gpu"))
            self.assertRaisesRegex(paper.PaperError, "names no run of its device", paper.load, "arps", True, folder)

    def test_the_results_of_the_five_texts_are_all_there(self):
        expected = {"fluidity": [*(f"Table {n}" for n in range(3, 11)), "Restart comparison"], "arps": [f"Figure {n}" for n in (5, 6, 7)], "cfd-guide": [f"Rule {n}" for n in range(1, 7)],
                    "palm": ["Table 5.2", "Table 5.3", *(f"Table 6.{n}" for n in range(1, 9)), *(f"Figure 6.{n}" for n in range(2, 7))],
                    "nextsim": ["Figure 3", "Figure 4", "Figure 5", "Figure 7", "Figure 9", "Table 4", "Table 5", "Maps", "Precision study"]}
        for name, wanted in expected.items():
            self.assertEqual(sorted(set(wanted) - {result.number for result in paper.load(name, False).results}), [])


class NumbersTest(unittest.TestCase):
    def read(self, entry, text, file="stdout.txt"):
        run = paper.Run("r", "p", [], "cpu", 1, 1, entry if isinstance(entry, list) else [entry], [0], True)
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / file).write_text(text)
            return numbers.read(run, pathlib.Path(folder))

    def test_lines_under_headings(self):
        entry = {"under": [r"^(?P<real>\w+):$"], "pattern": r"^  (?P<what>\w+) (?P<number>[\d.]+) us", "name": "{real} {what}", "unit": "us", "scale": 2, "per": r"^(\d+) cells"}
        self.assertEqual(self.read(entry, "4 cells\ndouble:\n  a 8.0 us\nfloat:\n  a 6.0 us\n  b x us\n"), {"double a": (4.0, "us"), "float a": (3.0, "us")})
        self.assertEqual(self.read(entry, "double:\n  a 8.0 us\n"), {}, "what divides is missing")

    def test_json(self):
        text = json.dumps({"runs": [{"id": "a", "v": 3, "g": 1}, {"id": "b", "v": None, "g": 2}], "stages": [{"name": "x.solve", "s": 1.0}, {"name": "y", "s": 3.0}], "list": [5, 6, 7], "flag": True})
        for path, value in ((["runs", {"id": "a"}, "v"], 3), (["list", 1], 6), (["list", "first"], 5), (["list", "middle"], 6), (["list", "last"], 7)):
            self.assertEqual(self.read({"path": path, "name": "n"}, text), {"n": (value, "")})
        for path in (["runs", {"id": "b"}, "v"], ["runs", {"id": "c"}, "v"], ["list", 9], ["flag"], ["nothing", "here"]):
            self.assertEqual(self.read({"path": path, "name": "n"}, text), {})
        self.assertEqual(self.read({"path": ["stages"], "matching": "solve$", "of": "s", "name": "n", "scale": 100}, text), {"n": (25.0, "")})
        self.assertEqual(self.read({"path": ["list", 2], "over": ["list", 0], "name": "n"}, text), {"n": (7 / 5, "")})
        self.assertEqual(self.read({"path": ["list", 0], "name": "n"}, "no JSON"), {})

    def test_numbers_of_numbers(self):
        pattern = {"pattern": r"^(?P<what>\w+) (?P<number>[\d.]+)", "name": "{what}", "unit": "ms"}
        self.assertEqual(self.read([pattern, {"divide": ["a1", "a2"], "name": "ratio"}, {"among": "a.", "take": "max", "name": "most"}, {"among": "a.", "take": "min", "name": "least"},
                                    {"divide": ["a1", "a3"], "name": "none"}], "a1 6\na2 4\nbb 9\n"),
                         {"a1": (6.0, "ms"), "a2": (4.0, "ms"), "bb": (9.0, "ms"), "ratio": (1.5, ""), "most": (6.0, "ms"), "least": (4.0, "ms")})

    def test_p_values(self):
        # By hand: U = 0 of a mean of 8 and a variance of 12, z = 7.5 / sqrt(12) = 2.165, two-sided 0.0304.
        self.assertAlmostEqual(numbers.mann_whitney([1, 2, 3, 4], [5, 6, 7, 8]), 0.030383, places=5)
        self.assertAlmostEqual(numbers.mann_whitney([5, 6, 7, 8], [1, 2, 3, 4]), 0.030383, places=5)
        # With ties: ranks 1.5 1.5 4 against 4 4 6, U = 1 of 4.5, variance 9 / 12 (7 - 30 / 30) = 4.5, z = 3 / sqrt(4.5), 0.1573.
        self.assertAlmostEqual(numbers.mann_whitney([1, 1, 2], [2, 2, 3]), 0.157299, places=5)
        self.assertEqual(numbers.mann_whitney([2, 2], [2, 2]), 1)
        self.assertIsNone(numbers.mann_whitney([1], [2, 3]))
        text = json.dumps({"runs": [{"e": "a", "s": value} for value in (1, 2, 3, 4)] + [{"e": "b", "s": value} for value in (5, 6, 7, 8)]})
        found = self.read({"path": ["runs", {"e": "a", "*": ["s"]}], "ranks": ["runs", {"e": "b", "*": ["s"]}], "name": "p"}, text)
        self.assertAlmostEqual(found["p"][0], 0.030383, places=5)

    def test_units(self):
        result = paper.Result("Table 1", "t", "ms", "", "", [], count=1000)
        self.assertAlmostEqual(table.converted(20, "ns an element", result), 0.02)
        self.assertAlmostEqual(table.converted(20, "us", result), 0.02)
        self.assertEqual(table.converted(20, "GB/s", result), 20)
        self.assertEqual(table.converted(20, "ns", paper.Result("Table 1", "t", "%", "", "", [])), 20)

    def test_ratios(self):
        time_of = paper.Result("Table 1", "t", "ms", "", "", [])
        self.assertEqual(table.ratios_of(time_of, {"kept_cpu": 6.0, "ours_cpu": 2.0, "paper_gpu": 4.0}), {"ratio_cpu": 3.0})
        rate = paper.Result("Table 1", "t", "GB/s", "", "", [], higher=True)
        self.assertEqual(table.ratios_of(rate, {"kept_gpu": 6.0, "ours_gpu": 3.0, "paper_gpu": 1.5}), {"ratio_gpu": 0.5, "paper_gpu_over_ours": 2.0})
        self.assertEqual(table.ratios_of(paper.Result("Table 1", "t", "", "", "", [], compare=False), {"kept_cpu": 6.0, "ours_cpu": 2.0}), {})

    def test_states_tell_what_stands_beside_the_papers_numbers(self):
        def line(values, ranges):
            return table.Line("row", None, values, {}, {}, "", ranges)
        self.assertFalse(line({"ours_cpu": 0.95}, {"paper_gpu": (0.93, 0.98)}).is_outside())
        self.assertTrue(line({"ours_cpu": 0.37}, {"paper_gpu": (0.93, 0.98)}).is_outside())
        self.assertTrue(line({"ours_cpu": 0.95, "ours_gpu": 0.99}, {"paper_gpu": (0.93, 0.98)}).is_outside())
        self.assertFalse(line({"ours_cpu": 0.5}, {"paper_cpu": (0.0, 0.1), "paper_gpu": (0.4, 0.6)}).is_outside())
        self.assertFalse(line({"ours_cpu": 0.37, "paper_cpu": 0.9}, {}).is_outside())
        self.assertTrue(line({"paper_cpu": 0.9}, {}).of_paper())
        self.assertTrue(line({}, {"paper_gpu": (0.4, 0.6)}).of_paper())
        self.assertFalse(line({"ours_cpu": 0.9}, {}).of_paper())

    def test_cards_are_known_by_the_drivers_name(self):
        known = machine.cards()
        self.assertGreater(len(known), 10)
        for name, card in (("NVIDIA H200", "h200"), ("NVIDIA GH200 480GB", "gh200"), ("NVIDIA A100-SXM4-40GB", "a100_40gb"), ("NVIDIA A100-SXM4-80GB", "a100_80gb"), ("NVIDIA H100 80GB HBM3", "h100"),
                           ("NVIDIA H100 PCIe", "h100_pcie"), ("NVIDIA GeForce RTX 4090", "rtx_4090"), ("NVIDIA GeForce RTX 3060", ""), ("Tesla V100-SXM2-16GB", "v100")):
            self.assertEqual(machine.card_of(name, known), card)

    def test_numbers_are_short(self):
        for value, words in ((0, "0"), (1234.5, "1234"), (12.345, "12.3"), (0.123456, "0.123"), (1.0, "1.00"), (1e-14, "1.00e-14"), (2.5e7, "2.50e7"), (0.00123, "0.00123"), (-0.015, "-0.015"), (9.9991, "10.0")):
            self.assertEqual(chart.short(value), words)


if __name__ == "__main__":
    unittest.main()
