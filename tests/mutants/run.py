#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plants faults in the source, one at a time, and tells which the tests notice.

The faults (mutants) are the *.toml files beside this script: each an exact change of source. All those of C++ live at
once in one instrumented copy of the source, behind a switch that the environment variable ULPINE_MUTANT sets, so that
there is one build; Python, shell and cases are exchanged in a second copy. Every test runs once without a fault, which
tells its time and the faults that it reaches (kept in WORK/reach.json); a fault is tried with the tests that reach it,
those of its room and the quickest first. Results are kept in WORK/results.json: a run that was interrupted goes on, and a
second one tries only what has changed. docs/contributing/testing.md has more.
"""
import argparse
import concurrent.futures
import fcntl
import hashlib
import itertools
import json
import math
import mmap
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import threading
import time

try:
    from planted import CXX, HEADER, HERE, REACHED_BYTES, ROOT, check, instrument, load
except ModuleNotFoundError as error:
    if error.name != "tomllib":
        raise
    print("skipped: the list of mutants is read by Python 3.11 or later")
    sys.exit(77)

SOURCES = ("precision", "io", "core", "verification", "ensembles", "cli", "cmake", "tests", "analysis", "cases", "devices", "scripts",
           "benchmarks", "containers", "docs", "examples", "papers", "probe")
# Seconds that part the tests which may notice a fault: those below the first are run first, then those below the next.
STAGES = (0.0, 0.5, 5.0, math.inf)

# Tests in Python by themselves: those that build programs and link them with the probe, and that of papers/run.
SCRIPTED = {"probe_programs": "tests/probe/test_programs.py", "probe_python": "tests/probe/languages/test_python.py", "papers": "tests/papers/test_papers.py",
            "atlas_merge": "tests/atlas/test_merge.py"}

# Prints the classes of tests in the modules named.
CLASSES = """import sys, unittest
def flat(suite):
    for test in suite:
        yield from flat(test) if isinstance(test, unittest.TestSuite) else [test]
for module in sys.argv[1:]:
    for test in flat(unittest.defaultTestLoader.loadTestsFromName(module)):
        print(f"{module}.{type(test).__name__}")
"""

# Test programs by room, in which faults of that room can show.
PRECISION = ["elementary", "exact_sum", "formats", "emulation", "tf32_mma", "kernel_hygiene", "lorenz96_formats"]
EXEC = ["exec_two_devices", "exec_random", "exec_host", "exec_out_of_core", "exec_reduce"]
SEAICE = ["seaice_stages", "seaice_substeps", "seaice_model", "seaice_case_setup", "seaice_properties", "seaice_bitwise", "seaice_reference", "seaice_stage_policies", "seaice_conformance", "seaice_ranks", "seaice_sphere"]
LES = ["les", "les_keys", "les_conformance", "cli_eddies", "cli_keys", "les_palm"]
LES_SURFACE = ["les_random_start", "les_topography", "les_town", "les_raster", "les_surface_layer"]
CONFORMANCE = ["seaice_conformance", "les_conformance"]
IO = ["axis", "own_files", "file_set", "multiples", "plain_text", "regular_file", "grid_variable", "case_file", "state", "restart", "seal", "hash_log", "trace_file", "netcdf", "output"]
ENSEMBLES = ["ensembles", "ensembles_process", "ensembles_shell", "ensembles_noise", "ensembles_ongoing_evaluation", "ensembles_study", "ensembles_locating", "ensembles_side_by_side", "ensembles_altered_files", "cli_digits", "cli_used_folders", "cli_foreign_files", "ensembles_programs", "cli_programs", "cli_failed_programs", "cli_tables", "cli_alone"]
SEARCH = ["ensembles", "cli_search"]
CLI = ["cli_usage", "cli_trust", "cli_files", "cli_runs", "cli_traces", "cli_ci", "cli_eddies", "cli_elements", "cli_studies", "cli_environment", "cli_altered", "cli_readme", "cli_tutorial", "cli_other_models", "cli_digits", "cli_ranks", "cli_foreign_files", "cli_declared_keys", "cli_extends", "cli_keys", "cli_pages", "cli_rank_traces", "cli_same", "cli_programs", "cli_failed_programs", "cli_file_sets", "cli_lkf_series", "cli_formats"]
PROGRAMS = {
    "precision": PRECISION + ["exec_reduce", "verification", "seaice_bitwise", "ensembles", "fft", *CONFORMANCE],
    "double_float": ["double_float", "exec_reduce", "field", "restart", "stage"],
    "exec": EXEC + ["field", "seaice_bitwise", "ensembles",
                    "cli_usage", "cli_runs", *CONFORMANCE],
    "field": ["field", "stage", "model", "seaice_model", "seaice_bitwise", "ensembles", "cli_runs"],
    "stage": ["stage", "exec_two_devices", "model", "seaice_stages", "seaice_bitwise", "ensembles", "cli_runs", *CONFORMANCE],
    "model": ["model", "seaice_model", "seaice_case_setup", "ensembles", "cli_usage", "cli_parts", "cli_runs", *CONFORMANCE],
    "seaice": SEAICE,
    "seaice_choices": ["seaice_choices", *SEAICE],
    "seaice_orders": SEAICE,
    "seaice_tensor": SEAICE,
    "seaice_sphere": ["seaice_sphere", "mesh", "cli_elsewhere"],
    "les": LES,
    "les_exact": ["les_exact"],
    "cards": ["cards", "cli_cards"],
    "operations": ["exec_counting", "fft_counted", "lorenz96_operations", "cli_operations"],
    "les_surface": LES_SURFACE,
    "inputs": ["grid_variable", "les_raster", "les_town", "seaice_case_setup", "seaice_sphere"],
    "linalg": ["linalg_matrix", "linalg_krylov", "linalg_multigrid"],
    "mesh": ["mesh", *SEAICE, "cli_usage"],
    "fem_petsc": ["fem_petsc", "fem_petsc_ranks", "linalg_ranks", "fem_ranks", "cli_keys"],
    "fem": ["fem_keys", "fem_air", "fem_model", "fem_remesh", "fem_upwind", "fem_conformance", "cli_elements", "cli_keys"],
    "lattice": ["lattice", "fdm_laws", "fdm_ranks", "les_ranks"],
    "sounding": ["sounding"],
    "tetra": ["tetra"],
    "fem_elements": ["fem_elements", "fem_matrices", "fem_assembly", "fem_quadrature", "fem_upwind"],
    "fem_upwind": ["fem_upwind", "fem_model"],
    "fem_ranks": ["ranks", "linalg_ranks", "fem_ranks"],
    "fem_water": ["fem_water", "fem_remesh"],
    "fem_open_sides": ["fem_open_sides", "fem_model"],
    "fdm": ["fdm_sound", "fdm_lid", "fdm_keys", "fdm_kernels", "fdm_laws", "fdm_steps", "fdm", "fdm_conformance", "cli_elsewhere", "cli_keys"],
    "ranks": ["ranks", "exec_host", "exec_two_devices", "model", "fdm_ranks", "les_ranks", "seaice_ranks", "poisson_phases", "ensembles", "cli_ranks"],
    "fft": ["fft", "poisson_solver", "poisson_phases"],
    "poisson": ["poisson_solver", "poisson_phases"],
    "physics": ["physics"],
    "io": IO + ["cli_extends", "cli_file_sets", "ensembles", "cli_usage", "cli_files", "cli_used_folders", "cli_runs", "cli_studies", "cli_elsewhere", "cli_formats"],
    "former_keys": ["case_file", "cli_keys"],
    "verification": ["judging_keys", "markdown", "distributions", "verification", "lkf", "calibration", "ensembles", "ensembles_study", "cli_files", "cli_studies", "cli_lkf_series"],
    "sameness": ["verification", "cli_same"],
    "atlas": ["atlas", "atlas_merge", "ensembles_known_differences", "fft", "cli_rank_traces"],
    "consistency": ["consistency", "distributions", "verification", "cli_consistency", "published", "cli_published"],
    "verdict": ["verification", "ensembles", "cli_studies"],
    "ensembles": ENSEMBLES + ["cli_runs", "cli_traces", "cli_studies", "cli_keys"],
    "search": SEARCH,
    "programs": ["ensembles_programs", "cli_failed_programs", "cli_programs"],
    "cli": CLI + ["report"],
    "analysis": ["report"],
    "papers": ["papers"],
    "scripts": ["cli_setup", "cli_readme", "cli_pages"],
    "probe": ["probe_engine", "probe_programs", "probe_settings", "probe_modes"],
    "probe_languages": ["probe_python"],
    "python": ["python_analysis", "python_study"],
}


def write_if_changed(path, data):
    if not path.is_file() or path.read_bytes() != data:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def copy_tree(source, target, changed):
    """Copies the source to `target`, with the files in `changed` as given; files that stay alike keep their times."""
    files = [p for folder in SOURCES for p in (source / folder).rglob("*") if p.is_file() and "__pycache__" not in p.parts]
    files += [p for p in source.iterdir() if p.is_file()]
    wanted = set()
    for path in files:
        name = path.relative_to(source).as_posix()
        wanted.add(name)
        write_if_changed(target / name, changed.get(name, path.read_bytes()))
        shutil.copymode(path, target / name)
    for path in target.rglob("*"):
        name = path.relative_to(target)
        if path.is_file() and name.parts[0] != "build" and "__pycache__" not in name.parts and name.as_posix() not in wanted:
            path.unlink()


def sources_of(program):
    """The files of tests/ that a test program is made of."""
    if program.startswith("cli_"):
        return [ROOT / "tests/cli" / f"test_{program[4:]}.py"]
    if program.startswith("python_"):
        return [ROOT / "tests/python" / f"test_{program[7:]}.py", ROOT / "tests/python/helpers.py"]
    if program in SCRIPTED:
        return [ROOT / SCRIPTED[program]]
    if program == "report":
        return list((ROOT / "tests/report").glob("*.py"))
    if program.startswith("ensembles_"):  # those of its loop
        return list((ROOT / "tests/ensembles").glob("*.cpp"))
    files = []
    for listing in (ROOT / "tests").glob("*/CMakeLists.txt"):
        found = re.search(rf"ulpine_test\({program}\s+(?:TOGETHER\s+)?SOURCES\s+(.*?)\s+(?:ALONE|LIBRARIES)", listing.read_text(encoding="utf-8"), re.S)
        # Sources of other rooms that a test compiles anew come by a variable of CMake's.
        names = found.group(1).split() if found else []
        files += [listing.parent / name for name in names if not name.startswith("${")]
    return files


def uses_data(program):
    """Whether the sources of a test program, or what of tests/ they include, speak of the reference data."""
    texts = [path.read_text(encoding="utf-8") for path in sources_of(program)]
    texts += [(ROOT / "tests" / name).read_text(encoding="utf-8") for text in texts for name in re.findall(r'#include "((?:support|seaice)/[^"]+)"', text)]
    return any(re.search(r"ULPINE_TEST_DATA|data_folder|reference_file", text) for text in texts)


def gtest_names(listed):
    """The tests in what a GoogleTest program lists, but for those that are switched off."""
    names, suite = [], ""
    for line in listed.splitlines():
        name = line.split("#")[0].rstrip()
        if not name.startswith(" "):
            suite = name if name.endswith(".") else ""
        elif suite and "DISABLED_" not in suite + name:
            names.append(suite + name.strip())
    return names


def write_json(path, value):
    part = path.with_suffix(".part")
    part.write_text(json.dumps(value, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    part.replace(path)


def tree_digest():
    total = hashlib.sha256()
    for folder in SOURCES:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.is_file() and path.suffix in CXX | {".py", ".sh", ".toml", ".txt", ".cmake", ".j2"} and HERE not in path.parents:
                total.update(path.relative_to(ROOT).as_posix().encode() + path.read_bytes())
    return total.hexdigest()[:16]


class Harness:
    def __init__(self, options):
        self.options = options
        self.work = options.work.resolve()
        self.tree, self.build = self.work / "tree", self.work / "build"
        self.no_data = self.work / "no-data"  # is never made
        self.lock = threading.Lock()
        self.stop = threading.Event()
        self.results_path = self.work / "results.json"
        self.reach_path = self.work / "reach.json"
        self.results, self.reach = (json.loads(path.read_text()) if path.is_file() else {} for path in (self.results_path, self.reach_path))
        self.children = set()

    def hold(self):
        """Keeps a second run out of the folder until this one ends."""
        self.work.mkdir(parents=True, exist_ok=True)
        self.held = (self.work / "lock").open("w")
        try:
            fcntl.flock(self.held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise SystemExit(f"{self.work}: another run is at work there (it would be disturbed) wait for it or use --work") from None

    def save(self):
        write_json(self.results_path, self.results)

    def prepare(self, mutants, rooms):
        """The instrumented copy with all mutants, and the programs of `rooms` in it, built."""
        by_file, changed = {}, {}
        for mutant in mutants:
            if mutant.compiled:
                by_file.setdefault(mutant.file, []).append(mutant)
        for file, group in by_file.items():
            changed[file] = instrument((ROOT / file).read_text(encoding="utf-8"), group).encode()
        copy_tree(ROOT, self.tree, changed)
        header = self.work / "mutants.hpp"
        write_if_changed(header, HEADER.encode())
        subprocess.run(["cmake", "-G", "Ninja", "-S", self.tree, "-B", self.build, "-DULPINE_CUDA=OFF", "-DCMAKE_BUILD_TYPE=Release",
                        "-DCMAKE_CXX_FLAGS_RELEASE=-O2 -DNDEBUG", f"-DCMAKE_CXX_FLAGS=-include {header}",
                        f"-DULPINE_TEST_DATA={self.no_data}"], check=True, stdout=subprocess.DEVNULL)
        programs = {p for room in rooms for p in PROGRAMS[room]}
        scripts = {p for p in programs if not self.compiled_program(p)}  # they call programs
        names = sorted({"test_" + p for p in programs - scripts} | ({"ulpine", "ulpine_served", "lorenz96", "lorenz96_contracted"} if scripts - set(SCRIPTED) else set()) | ({"ulpine_probe"} if scripts & {*SCRIPTED, *PROGRAMS["python"]} else set())
                       | ({"ulpine_analysis"} if scripts & set(PROGRAMS["python"]) else set()))
        begin = time.monotonic()
        # Goes on after an error, so that all mutants that do not compile are told at once.
        command = ["cmake", "--build", str(self.build), "-j", str(self.options.jobs), "--target", *names, "--", "-k", "0"]
        subprocess.run(["nice", *command], check=True)
        print(f"built in {time.monotonic() - begin:.0f} s", flush=True)

    @staticmethod
    def compiled_program(name):
        return not name.startswith(("cli_", "python_")) and name != "report" and name not in SCRIPTED

    def command(self, program, tree, tests):
        """The command line of a test program that runs these of its tests (of a Python program: its classes) up to the first failure."""
        if program.startswith("cli_"):
            return ["/usr/bin/python3", "-B", tree / "tests/cli" / f"test_{program[4:]}.py", "-f", *tests]
        if program in SCRIPTED:
            return ["/usr/bin/python3", "-B", tree / SCRIPTED[program], "-f", *tests]
        if program.startswith("python_"):
            return ["/usr/bin/python3", "-B", tree / "tests/python" / f"test_{program[7:]}.py", "-x", "-k", " or ".join(tests)]
        if program == "report":
            return ["/usr/bin/python3", "-B", "-m", "unittest", "-f", *tests]
        return [self.program(program), "--gtest_fail_fast=1", "--gtest_brief=1", "--gtest_filter=" + ":".join(tests)]

    def program(self, name):
        return self.build / "tests/bin" / f"test_{name}"

    def environment(self, tree):
        return {"ULPINE_SOURCE_DIR": str(tree), "ULPINE_PROGRAM": str(self.build / "bin/ulpine"), "ULPINE_SERVED": str(self.build / "tests/bin/ulpine_served"),
                "ULPINE_LORENZ96": str(self.build / "bin/lorenz96"), "ULPINE_CONTRACTED": str(self.build / "tests/bin/lorenz96_contracted"),
                "ULPINE_PROBE_FOLDER": str(self.build / "probe"), "PYTHONDONTWRITEBYTECODE": "1",
                "OMP_WAIT_POLICY": "passive"}  # threads of two mutants do not spin for each other

    def tests_of(self, program):
        """The names of a program's tests, as `command` takes them."""
        if self.compiled_program(program):
            listed = subprocess.run([self.program(program), "--gtest_list_tests"], check=True, capture_output=True, text=True).stdout
            return gtest_names(listed)
        sources = sources_of(program)
        if program.startswith("python_"):
            return sorted(re.findall(r"^def (test_\w+)", sources[0].read_text(encoding="utf-8"), re.M))
        listed = subprocess.run(["/usr/bin/python3", "-B", "-c", CLASSES, *sorted(path.stem for path in sources if path.stem.startswith("test_"))],
                                check=True, capture_output=True, text=True,
                                env={**os.environ, **self.environment(self.tree), "PYTHONPATH": str(self.tree / sources[0].parent.relative_to(ROOT))}).stdout
        return sorted({name if program == "report" else name.split(".")[1] for name in listed.split()})

    def run_tests(self, program, tests, data, tree, limit, place, switch):
        """(noticed, how, seconds, last lines) of these tests of a program, with the environment `switch`."""
        command = self.command(program, tree, tests)
        folder = self.work / "run" / place
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        environment = {**os.environ, **self.environment(tree), **switch, "ULPINE_TEST_DATA": str(data), "TMPDIR": str(folder)}
        if program == "report":
            environment["PYTHONPATH"] = str(tree / "tests/report")
        if program.startswith("python_"):
            environment["ULPINE_PROBE_LIBRARY"] = str(self.build / "probe/libulpine_probe.so")
            environment["ULPINE_ANALYSIS_LIBRARY"] = str(self.build / "verification/c/libulpine_analysis.so")
        begin = time.monotonic()
        output = folder / "output"
        with output.open("wb") as stream:
            process = subprocess.Popen(["nice", *map(str, command)], cwd=folder, env=environment, stdout=stream,
                                       stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, start_new_session=True)
        with self.lock:
            self.children.add(process)
        try:
            code = process.wait(limit)
            how = "failed" if code in (1, 2) else f"exit {code}"
        except subprocess.TimeoutExpired:
            code, how = -1, "time limit"
        finally:
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.wait()
            with self.lock:
                self.children.discard(process)
        seconds = time.monotonic() - begin
        text = output.read_bytes()[-4000:].decode(errors="replace")
        shutil.rmtree(folder, ignore_errors=True)
        return code not in (0, 77), how, seconds, text

    def reached_by(self, program, test, data, numbers, place):
        """Seconds of one test without a fault, and which of `numbers` it reaches (None: all, where that cannot be kept)."""
        kept = self.work / "run" / f"{place}.reached"
        kept.parent.mkdir(parents=True, exist_ok=True)
        with kept.open("wb+") as file:
            file.truncate(REACHED_BYTES)
            noticed, how, seconds, text = self.run_tests(program, [test], data, self.tree, 900, place, {"ULPINE_MUTANTS_REACHED": str(kept)})
            with mmap.mmap(file.fileno(), 0) as bytes_:
                reached = [number for number in numbers if bytes_[number]]
        kept.unlink()
        if noticed and not self.stop.is_set():  # a test may bound its memory, or look at its environment
            reached = None
            noticed, how, seconds, text = self.run_tests(program, [test], data, self.tree, 900, place, {"ULPINE_MUTANT": "0"})
        if noticed and not self.stop.is_set():
            print(f"{text}\n{program} {test}: does not pass by itself, so no mutant is tried with it ({how})", flush=True)
        return {"seconds": round(seconds, 2), "reached": reached, "passes": not noticed}

    def baseline(self, mutants, data_folders):
        """What each test reaches, and its time. Kept for the same tree and list."""
        numbers = sorted(m.number for m in mutants if m.compiled)
        tree = hashlib.sha256(f"{tree_digest()} {numbers}".encode()).hexdigest()[:16]
        programs = sorted({p for m in mutants for p in PROGRAMS[m.room]})
        pending = []
        for label, data in data_folders:
            for program in self.fitting(programs, label):
                key = f"{program}/{label}"
                if self.reach.get(key, {}).get("tree") != tree:
                    self.reach[key] = {"tree": tree, "tests": {}}
                pending += [(key, program, test, data) for test in self.tests_of(program) if test not in self.reach[key]["tests"]]

        def look(key, program, test, data, place):
            found = self.reached_by(program, test, data, numbers, place)
            with self.lock:
                if not self.stop.is_set():
                    self.reach[key]["tests"][test] = found

        print(f"{len(pending)} tests to run without a fault", flush=True)
        self.side_by_side(look, pending, lambda: write_json(self.reach_path, self.reach))

    def side_by_side(self, function, calls, save):
        """Calls the function with each of `calls` and a worker's name, `jobs` at a time; saves every 20 seconds and in the end."""
        free = [f"worker{i}" for i in range(self.options.jobs)]
        saved = time.monotonic()

        def work(call):
            if self.stop.is_set():
                return
            with self.lock:
                place = free.pop()
            try:
                function(*call, place)
            finally:
                with self.lock:
                    free.append(place)

        with concurrent.futures.ThreadPoolExecutor(self.options.jobs) as pool:
            try:
                for future in concurrent.futures.as_completed([pool.submit(work, call) for call in calls]):
                    future.result()
                    if time.monotonic() > saved + 20:
                        saved = time.monotonic()
                        with self.lock:
                            save()
            except BaseException:
                self.stop.set()
                with self.lock:
                    children = list(self.children)
                for child in children:
                    child.kill()
                raise
            finally:
                with self.lock:
                    save()

    @staticmethod
    def fitting(programs, label):
        """The programs to run with this folder: with the data only those that use them."""
        return [p for p in programs if label == "without" or uses_data(p)]

    def calls_for(self, mutant, label):
        """(seconds, program, tests) that can notice the mutant: tests that reach it, those of its room first, then the other
        programs', of either the quick ones of all programs first."""
        own = PROGRAMS[mutant.room]
        others = sorted({key.rsplit("/", 1)[0] for key in self.reach} - set(own)) if mutant.compiled else []
        return [call for programs in (own, others) for call in self.calls_of(mutant, label, programs)]

    def calls_of(self, mutant, label, programs):
        calls = []
        for low, high in itertools.pairwise(STAGES):
            stage = []
            for program in self.fitting(programs, label):
                tests = {name: test["seconds"] for name, test in self.reach.get(f"{program}/{label}", {"tests": {}})["tests"].items()
                         if test["passes"] and low <= test["seconds"] < high and (not mutant.compiled or test["reached"] is None and program in PROGRAMS[mutant.room] or mutant.number in (test["reached"] or ()))}
                if tests:
                    stage.append((sum(tests.values()), program, sorted(tests)))
            calls += sorted(stage)
        return calls

    def try_mutant(self, mutant, label, data, place):
        """Runs the tests that reach the mutant, with one data folder, until one notices it; None where it was interrupted."""
        tree = self.tree
        if not mutant.compiled:
            tree = self.work / "trees" / place
            source = (self.tree / mutant.file).read_text(encoding="utf-8")
            begin, end = mutant.place(source)
            copy_tree(self.tree, tree, {mutant.file: (source[:begin] + mutant.to + source[end:]).encode()})
        spent, calls = 0.0, self.calls_for(mutant, label)
        switch = {"ULPINE_MUTANT": str(mutant.number if mutant.compiled else 0)}
        for usual, program, tests in calls:
            arguments = (program, tests, data, tree, 60 + 20 * usual, place, switch)
            noticed, how, seconds, text = self.run_tests(*arguments)
            spent += seconds
            if how == "time limit" and not self.stop.is_set():  # a crowded machine is no fault: it has to happen twice
                noticed, how, seconds, text = self.run_tests(*arguments)
                spent += seconds
            if self.stop.is_set():
                return None
            if noticed:
                lines = [line for line in text.splitlines() if re.match(r"\[  FAILED  \]|FAIL:|ERROR:", line)]
                return {"noticed": True, "with": label, "program": program, "how": how, "test": lines[0] if lines else "", "seconds": round(spent, 1)}
        return {"noticed": False, "reached": bool(calls), "seconds": round(spent, 1)}

    def wanted(self, mutant, label, tree):
        """Whether the mutant has to be tried: it is new or changed, or survived tests that have changed since."""
        result = self.results["mutants"].get(f"{mutant.room}/{mutant.name}")
        if result is None or result["digest"] != mutant.digest():
            return label == "without"
        return not result["noticed"] and result["tried"].get(label) != tree

    def run(self, mutants):
        """Tries all without the data, then the survivors with them."""
        folders = [("without", self.no_data)] + ([("with", self.options.data)] if self.options.data else [])
        self.baseline(mutants, folders)
        self.results.setdefault("mutants", {})
        if self.options.fresh:
            for mutant in mutants:
                self.results["mutants"].pop(f"{mutant.room}/{mutant.name}", None)
        begin, tried = time.monotonic(), 0
        for label, data in folders:
            tried += self.run_with(label, data, mutants)
        if tried:
            self.results["last_run"] = {"mutants": tried, "seconds": round(time.monotonic() - begin), "jobs": self.options.jobs}
            self.save()

    def run_with(self, label, data, mutants):
        """One pass over the mutants; how many were tried."""
        tree = tree_digest()
        pending = [m for m in mutants if self.wanted(m, label, tree)]
        print(f"{len(pending)} of {len(mutants)} mutants to try {label} data, {self.options.jobs} at a time", flush=True)

        def work(mutant, place):
            result = self.try_mutant(mutant, label, data, place)
            if result is None:
                return
            with self.lock:
                name = f"{mutant.room}/{mutant.name}"
                before = self.results["mutants"].get(name, {})
                if before.get("digest") != mutant.digest():
                    before = {}
                result["seconds"] = round(result["seconds"] + (before.get("seconds", 0) if label == "with" else 0), 1)
                result["reached"] = result["noticed"] or result["reached"] or before.get("reached", False)
                self.results["mutants"][name] = {**result, "digest": mutant.digest(), "tried": {**before.get("tried", {}), label: tree}}
                word = result["program"] if result["noticed"] else "SURVIVED" if result["reached"] else "NOT REACHED"
                print(f"{name}: {word} {label} data ({result['seconds']:.0f} s)", flush=True)

        self.side_by_side(work, [(mutant,) for mutant in pending], self.save)
        return len(pending)


def table(mutants, results):
    """The results by room, and the survivors, as Markdown."""
    found = results.get("mutants", {})
    rows = ["| room | planted | noticed without data | noticed with data | survive |", "|---|---|---|---|---|"]
    survivors, limits, sums = [], [], [0, 0, 0, 0]
    for room in sorted({m.room for m in mutants}):
        tried = [(m, found[f"{room}/{m.name}"]) for m in mutants if m.room == room and f"{room}/{m.name}" in found]
        without = sum(r["noticed"] and r["with"] == "without" for _, r in tried)
        noticed = sum(r["noticed"] for _, r in tried)
        numbers = [len(tried), without, noticed, len(tried) - noticed]
        sums = [a + b for a, b in zip(sums, numbers)]
        rows.append(f"| {room} | " + " | ".join(map(str, numbers)) + " |")
        survivors += [f"- {room}/{m.name}: {m.entry['mistake']} ({m.file}{'' if r['reached'] else ', reached by no test'})" for m, r in tried if not r["noticed"]]
        limits += [f"- {room}/{m.name}: {r['program']}" for m, r in tried if r["noticed"] and r["how"] == "time limit"]
    rows.append("| all | " + " | ".join(map(str, sums)) + " |")
    text = "\n".join(rows) + "\n"
    if survivors:
        text += "\nSurvivors:\n\n" + "\n".join(survivors) + "\n"
    if limits:
        text += "\nNoticed only by the time limit:\n\n" + "\n".join(limits) + "\n"
    if "last_run" in results:
        last = results["last_run"]
        text += f"\nLast run: {last['mutants']} mutants in {last['seconds']} s, {last['jobs']} at a time.\n"
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0], epilog="Exit status: 0, also with survivors; 1 where --check finds problems.")
    parser.add_argument("--room", action="append", choices=sorted(PROGRAMS), help="only mutants of this room (may be repeated)")
    parser.add_argument("--only", action="append", metavar="NAME", help="only this mutant (may be repeated)")
    parser.add_argument("--data", type=pathlib.Path, default=os.environ.get("ULPINE_TEST_DATA"), metavar="DIR",
                        help="reference data: survivors without are run again with them (default: $ULPINE_TEST_DATA)")
    parser.add_argument("--work", type=pathlib.Path, default=ROOT / "build/mutants", metavar="DIR", help="copies, build and results (default: build/mutants)")
    parser.add_argument("--jobs", type=int, default=2, help="mutants at a time (default: 2)")
    parser.add_argument("--fresh", action="store_true", help="try all again, also those tried before")
    parser.add_argument("--build-only", action="store_true", help="build the instrumented copy and stop")
    parser.add_argument("--list", action="store_true", help="list the mutants and stop")
    parser.add_argument("--check", action="store_true", help="check that every mutant's text is in the source, once, and stop")
    parser.add_argument("--table", action="store_true", help="print the table of what is known and stop")
    options = parser.parse_args()
    options.data = pathlib.Path(options.data).resolve() if options.data else None
    mutants = load(PROGRAMS)
    if options.list:
        for mutant in mutants:
            print(f"{mutant.room}/{mutant.name}: {mutant.entry['mistake']} ({mutant.file})")
        print(f"{len(mutants)} mutants")
        return 0
    problems = check(mutants)
    if problems or options.check:
        print("\n".join(problems) or f"{len(mutants)} mutants apply")
        return 1 if problems else 0
    harness = Harness(options)
    chosen = [m for m in mutants if (not options.room or m.room in options.room) and (not options.only or m.name in options.only)]
    if not options.table:
        harness.hold()
        harness.prepare(mutants, {m.room for m in chosen})
        if options.build_only:
            return 0
        harness.run(chosen)
    print(table(chosen, harness.results))
    return 0


def interrupt(*_):
    raise KeyboardInterrupt


if __name__ == "__main__":
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, interrupt)
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
