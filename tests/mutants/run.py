#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plants faults in the source, one at a time, and tells which the tests notice.

The faults (mutants) are the *.toml files beside this script: each an exact change of source. All those of C++ live at
once in one instrumented copy of the source, behind a switch that the environment variable ULPINE_MUTANT sets, so that
there is one build; Python, shell and cases are exchanged in a second copy. Results are kept in WORK/results.json: a run
that was interrupted goes on, and a second one tries only what has changed. docs/testing.md has more.
"""
import argparse
import concurrent.futures
import fcntl
import hashlib
import json
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
    import tomllib
except ModuleNotFoundError:
    print("skipped: the list of mutants is read by Python 3.11 or later")
    sys.exit(77)

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
SOURCES = ("precision", "io", "core", "verification", "ensembles", "cli", "cmake", "tests", "analysis", "cases", "scripts",
           "benchmarks", "docs", "examples")
CXX = {".cpp", ".hpp", ".cu", ".cuh"}
FIELDS = {"name", "file", "text", "to", "mistake", "switched", "occurrence"}

# The header that every file of the instrumented copy sees first. Constant expressions have no mutants.
HEADER = """// Written by tests/mutants/run.py.
#pragma once
#if defined(__cplusplus) && !defined(__CUDACC__)
#include <cstdlib>
namespace ulpine_mutants {
__attribute__((visibility("hidden"))) inline int active = 0;
__attribute__((constructor(101))) static void read_active() {
  if (char const* text = std::getenv("ULPINE_MUTANT")) active = std::atoi(text);
}
constexpr bool on(int number) {
  if (__builtin_is_constant_evaluated()) return false;
  return active == number;
}
}  // namespace ulpine_mutants
#endif
"""

# Test programs by room, in which faults of that room can show; each list is run in the order of the time they take.
PRECISION = ["elementary", "exact_sum", "formats", "emulation", "tf32_mma", "kernel_hygiene", "lorenz96_formats"]
EXEC = ["exec_two_devices", "exec_random", "exec_host", "exec_out_of_core", "exec_reduce"]
SEAICE = ["seaice_stages", "seaice_substeps", "seaice_model", "seaice_case_setup", "seaice_properties", "seaice_bitwise", "seaice_reference", "seaice_stage_policies", "seaice_conformance", "seaice_ranks", "seaice_sphere"]
LES = ["les", "les_conformance", "cli_eddies", "les_palm"]
LES_SURFACE = ["les_random_start", "les_topography", "les_town", "les_raster", "les_surface_layer"]
CONFORMANCE = ["seaice_conformance", "les_conformance"]
IO = ["axis", "own_files", "multiples", "plain_text", "regular_file", "grid_variable", "case_file", "state", "restart", "seal", "hash_log", "trace_file", "netcdf", "output"]
ENSEMBLES = ["ensembles", "ensembles_process", "ensembles_shell", "ensembles_noise", "ensembles_ongoing_evaluation", "ensembles_study", "ensembles_locating", "ensembles_side_by_side", "ensembles_altered_files", "cli_digits", "cli_used_folders", "cli_foreign_files"]
SEARCH = ["ensembles", "cli_search"]
CLI = ["cli_usage", "cli_trust", "cli_files", "cli_runs", "cli_traces", "cli_ci", "cli_eddies", "cli_elements", "cli_studies", "cli_environment", "cli_altered", "cli_readme", "cli_tutorial", "cli_other_models", "cli_digits", "cli_ranks", "cli_foreign_files"]
PROGRAMS = {
    "precision": PRECISION + ["exec_reduce", "verification", "seaice_bitwise", "ensembles", "fft", *CONFORMANCE],
    "exec": EXEC + ["field", "seaice_bitwise", "ensembles",
                    "cli_usage", "cli_runs", *CONFORMANCE],
    "field": ["field", "stage", "model", "seaice_model", "seaice_bitwise", "ensembles", "cli_runs"],
    "stage": ["stage", "exec_two_devices", "model", "seaice_stages", "seaice_bitwise", "ensembles", "cli_runs", *CONFORMANCE],
    "model": ["model", "seaice_model", "seaice_case_setup", "ensembles", "cli_usage", "cli_runs", *CONFORMANCE],
    "seaice": SEAICE,
    "seaice_choices": ["seaice_choices", *SEAICE],
    "seaice_orders": SEAICE,
    "seaice_tensor": SEAICE,
    "seaice_sphere": ["seaice_sphere", "mesh", "cli_elsewhere"],
    "les": LES,
    "les_exact": ["les_exact"],
    "les_surface": LES_SURFACE,
    "inputs": ["grid_variable", "les_raster", "les_town", "seaice_case_setup", "seaice_sphere"],
    "linalg": ["linalg_matrix", "linalg_krylov", "linalg_multigrid"],
    "mesh": ["mesh", *SEAICE, "cli_usage"],
    "fem_petsc": ["fem_petsc", "fem_petsc_ranks", "linalg_ranks", "fem_ranks"],
    "fem": ["fem_keys", "fem_air", "fem_model", "fem_remesh", "fem_upwind", "fem_conformance", "cli_elements"],
    "sounding": ["sounding"],
    "tetra": ["tetra"],
    "fem_elements": ["fem_elements", "fem_matrices", "fem_assembly", "fem_quadrature", "fem_upwind"],
    "fem_upwind": ["fem_upwind", "fem_model"],
    "fem_ranks": ["ranks", "linalg_ranks", "fem_ranks"],
    "fem_water": ["fem_water", "fem_remesh"],
    "fem_open_sides": ["fem_open_sides", "fem_model"],
    "fdm": ["fdm_sound", "fdm_lid", "fdm_kernels", "fdm_laws", "fdm_steps", "fdm", "fdm_conformance", "cli_elsewhere"],
    "ranks": ["ranks", "exec_host", "exec_two_devices", "model", "fdm_ranks", "les_ranks", "seaice_ranks", "poisson_phases", "ensembles", "cli_ranks"],
    "fft": ["fft", "poisson_solver", "poisson_phases"],
    "poisson": ["poisson_solver", "poisson_phases"],
    "physics": ["physics"],
    "io": IO + ["ensembles", "cli_usage", "cli_files", "cli_used_folders", "cli_runs", "cli_studies", "cli_elsewhere"],
    "former_keys": ["case_file", "cli_keys"],
    "verification": ["markdown", "verification", "lkf", "calibration", "ensembles", "ensembles_study", "cli_files", "cli_studies"],
    "consistency": ["consistency", "verification", "cli_consistency"],
    "verdict": ["verification", "ensembles", "cli_studies"],
    "ensembles": ENSEMBLES + ["cli_runs", "cli_traces", "cli_studies"],
    "search": SEARCH,
    "cli": CLI + ["report"],
    "analysis": ["report"],
    "scripts": ["cli_setup", "cli_readme"],
}


class Mutant:
    def __init__(self, room, entry):
        unknown = set(entry) - FIELDS
        if unknown or not {"name", "file", "text", "to", "mistake"} <= set(entry):
            raise SystemExit(f"{room}.toml: {entry.get('name')}: keys are name, file, text, to, mistake; and switched, occurrence")
        self.room, self.entry = room, entry
        self.name, self.file, self.to = entry["name"], entry["file"], entry["to"]
        # From the name alone, so that a new mutant leaves the code of the others as it is.
        self.number = int(hashlib.sha256(f"{room}/{self.name}".encode()).hexdigest()[:7], 16) + 1
        parts = re.fullmatch(r"(.*)«(.*)»(.*)", entry["text"], re.S)
        if not parts:
            raise SystemExit(f"{room}.toml: {self.name}: text has no part in «»")
        self.parts = parts.groups()

    @property
    def compiled(self):
        return pathlib.Path(self.file).suffix in CXX

    def digest(self):
        return hashlib.sha256(json.dumps(self.entry, sort_keys=True).encode()).hexdigest()[:16]

    def place(self, source):
        """Begin and end of what is changed. Blanks match any run of blanks, so that a new line break breaks nothing."""
        pattern = "".join("(" + r"\s+".join(re.escape(word) for word in re.split(r"\s+", part)) + ")" for part in self.parts)
        found = list(re.finditer(pattern, source))
        wanted = self.entry.get("occurrence")
        if wanted is None and len(found) != 1 or wanted is not None and len(found) < wanted:
            raise ValueError(f"{self.room}.toml: {self.name}: its text occurs {len(found)} times in {self.file}")
        return found[(wanted or 1) - 1].span(2)

    def switched(self, old):
        """C++ that does the one or the other."""
        on = f"::ulpine_mutants::on({self.number})"
        if "switched" in self.entry:
            return self.entry["switched"].replace("ON", on)
        end = (old.strip() or self.to.strip())[-1:]
        if end in (";", "}"):
            if not self.to.strip():
                return f"if (!{on}) {{ {old} }}"
            return f"if ({on}) {{ {self.to} }} else {{ {old} }}"
        return f"({on} ? ({self.to}) : ({old}))"


def is_member(source, begin, end):
    """Whether the place is a member's name after its object, which belongs to what is exchanged (a statement may follow a sentence)."""
    return re.search(r"(\.|->)\s*$", source[:begin]) is not None and source[begin:end].strip()[-1:] not in (";", "}")


def cuts_a_word(source, begin, end):
    """Whether the place begins or ends amid a name."""
    return any(re.fullmatch(r"\w\w", source[at - 1:at + 1]) is not None for at in (begin, end))


def load():
    """All mutants in the order of files and entries."""
    mutants, numbers = [], set()
    for path in sorted(HERE.glob("*.toml")):
        for entry in tomllib.loads(path.read_text(encoding="utf-8")).get("mutant", []):
            mutant = Mutant(path.stem, entry)
            if mutant.room not in PROGRAMS:
                raise SystemExit(f"{path.name}: no test programs are listed for this room in run.py")
            if mutant.number in numbers:
                raise SystemExit(f"{path.name}: {mutant.name} is there twice (or another name has its number: choose another)")
            numbers.add(mutant.number)
            mutants.append(mutant)
    return mutants


def instrument(source, mutants):
    """`source` with every mutant behind its switch; mutants of the same part are chained."""
    places = {}
    for mutant in mutants:
        places.setdefault(mutant.place(source), []).append(mutant)
    spans = sorted(places)
    for before, after in zip(spans, spans[1:]):
        if before[1] > after[0]:
            names = [m.name for span in (before, after) for m in places[span]]
            raise ValueError(f"{mutants[0].file}: mutants overlap: {', '.join(names)}")
    for begin, end in reversed(spans):
        text = source[begin:end]
        for mutant in places[begin, end]:
            text = mutant.switched(text)
        source = source[:begin] + text + source[end:]
    return source


def in_constant(source, begin):
    """Whether the place is in the value of a constexpr variable or in a static_assert, where mutants are never on."""
    statement = re.split(r"[;}]", source[:begin])[-1]
    return re.search(r"\b(constexpr|constinit)\b[^()]*(?<!operator)(?<!operator=)[={]|\bstatic_assert\b", statement) is not None


def can_switch(part, to):
    """Whether both are expressions, or the part a statement."""
    if (part.strip() or to.strip())[-1:] in (";", "}"):
        return not re.match(r"[\w:<>,. =]+\{[^;]*\}$", part.strip())
    operator = re.compile(r"[-+*/%<>=!&|^~?:]+|(\|\||&&|[/%<>=|^?]).*", re.S)
    return bool(to.strip()) and not any(operator.fullmatch(text.strip()) for text in (part, to))


def check(mutants):
    """Problems of the list: texts that are not there, not alone, overlap, or are constants."""
    problems, sources = [], {}
    for mutant in mutants:
        sources.setdefault(mutant.file, []).append(mutant)
    for file, group in sources.items():
        if not (ROOT / file).is_file():
            problems.append(f"{file}: no such file, but {group[0].room}.toml has mutants of it")
            continue
        source = (ROOT / file).read_text(encoding="utf-8")
        applies = []
        for mutant in group:
            try:
                begin, end = mutant.place(source)
                if source[begin:end] == mutant.to:
                    problems.append(f"{mutant.room}.toml: {mutant.name}: changes nothing")
                if mutant.compiled and "switched" not in mutant.entry:
                    if not can_switch(source[begin:end], mutant.to):
                        problems.append(f"{mutant.room}.toml: {mutant.name}: no switch can choose between its texts (give `switched`)")
                    if is_member(source, begin, end):
                        problems.append(f"{mutant.room}.toml: {mutant.name}: exchanges a member's name alone (put its object into «», too)")
                    if cuts_a_word(source, begin, end):
                        problems.append(f"{mutant.room}.toml: {mutant.name}: begins or ends amid a name")
                if mutant.compiled and in_constant(source, begin):
                    problems.append(f"{mutant.room}.toml: {mutant.name}: is never on, in a constant expression")
                applies.append(mutant)
            except ValueError as error:
                problems.append(str(error))
        if group[0].compiled:
            try:
                instrument(source, applies)
            except ValueError as error:
                problems.append(str(error))
    return problems


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
        self.results = json.loads(self.results_path.read_text()) if self.results_path.is_file() else {}
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
        text = json.dumps(self.results, indent=1, sort_keys=True) + "\n"
        part = self.results_path.with_suffix(".part")
        part.write_text(text)
        part.replace(self.results_path)

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
        names = sorted({"test_" + p for p in programs - scripts} | ({"ulpine", "ulpine_served", "lorenz96", "lorenz96_contracted"} if scripts else set()))
        begin = time.monotonic()
        # Goes on after an error, so that all mutants that do not compile are told at once.
        command = ["cmake", "--build", str(self.build), "-j", str(self.options.jobs), "--target", *names, "--", "-k", "0"]
        subprocess.run(["nice", *command], check=True)
        print(f"built in {time.monotonic() - begin:.0f} s", flush=True)

    @staticmethod
    def compiled_program(name):
        return not name.startswith("cli_") and name != "report"

    def command(self, program, tree):
        """The command line of a test program, which stops at its first failure."""
        if program.startswith("cli_"):
            return ["/usr/bin/python3", "-B", tree / "tests/cli" / f"test_{program[4:]}.py", "-f"]
        if program == "report":
            return ["/usr/bin/python3", "-B", "-m", "unittest", "discover", "-f", "-s", tree / "tests/report"]
        return [self.build / "tests/bin" / f"test_{program}", "--gtest_fail_fast=1", "--gtest_brief=1"]

    def run_program(self, program, number, data, tree, limit, place):
        """(noticed, how, seconds, last lines) of one test program with mutant `number`."""
        command = self.command(program, tree)
        folder = self.work / "run" / place
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        environment = {**os.environ, "ULPINE_MUTANT": str(number), "ULPINE_TEST_DATA": str(data), "ULPINE_SOURCE_DIR": str(tree),
                       "ULPINE_PROGRAM": str(self.build / "bin/ulpine"), "ULPINE_SERVED": str(self.build / "tests/bin/ulpine_served"),
                       "ULPINE_LORENZ96": str(self.build / "bin/lorenz96"),
                       "ULPINE_CONTRACTED": str(self.build / "tests/bin/lorenz96_contracted"), "TMPDIR": str(folder), "PYTHONDONTWRITEBYTECODE": "1",
                       "OMP_WAIT_POLICY": "passive"}  # threads of two mutants do not spin for each other
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

    def baseline(self, rooms, data_folders):
        """Times of all programs without a mutant; ends where one fails. Times are kept for the same tree."""
        tree = tree_digest()
        kept = self.results.setdefault("baseline", {})
        programs = sorted({p for room in rooms for p in PROGRAMS[room]})
        for label, data in data_folders:
            for program in self.fitting(programs, label):
                key = f"{program}/{label}"
                if kept.get(key, {}).get("tree") == tree:
                    continue
                noticed, how, seconds, text = self.run_program(program, 0, data, self.tree, 900, "baseline")
                if noticed:
                    raise SystemExit(f"{text}\n{program} ({label}) does not pass without a mutant: {how}")
                kept[key] = {"tree": tree, "seconds": round(seconds, 2)}
                print(f"  {program} ({label}): {seconds:.1f} s", flush=True)
                self.save()

    @staticmethod
    def fitting(programs, label):
        """The programs to run with this folder: with the data only those that use them."""
        return [p for p in programs if label == "without" or uses_data(p)]

    def seconds_of(self, program, label):
        return self.results["baseline"][f"{program}/{label}"]["seconds"]

    def try_mutant(self, mutant, label, data, place):
        """Runs the programs of the mutant's room with one data folder until one notices it; None where it was interrupted."""
        tree = self.tree
        if not mutant.compiled:
            tree = self.work / "trees" / place
            source = (self.tree / mutant.file).read_text(encoding="utf-8")
            begin, end = mutant.place(source)
            copy_tree(self.tree, tree, {mutant.file: (source[:begin] + mutant.to + source[end:]).encode()})
        spent = 0.0
        for program in sorted(self.fitting(PROGRAMS[mutant.room], label), key=lambda p: self.seconds_of(p, label)):
            limit = 60 + 20 * self.seconds_of(program, label)
            number = mutant.number if mutant.compiled else 0
            noticed, how, seconds, text = self.run_program(program, number, data, tree, limit, place)
            spent += seconds
            if how == "time limit" and not self.stop.is_set():  # a crowded machine is no fault: it has to happen twice
                noticed, how, seconds, text = self.run_program(program, number, data, tree, limit, place)
                spent += seconds
            if self.stop.is_set():
                return None
            if noticed:
                lines = [line for line in text.splitlines() if re.match(r"\[  FAILED  \]|FAIL:|ERROR:", line)]
                return {"noticed": True, "with": label, "program": program, "how": how, "test": lines[0] if lines else "", "seconds": round(spent, 1)}
        return {"noticed": False, "seconds": round(spent, 1)}

    def wanted(self, mutant, label, tree):
        """Whether the mutant has to be tried: it is new or changed, or survived tests that have changed since."""
        result = self.results["mutants"].get(f"{mutant.room}/{mutant.name}")
        if result is None or result["digest"] != mutant.digest():
            return label == "without"
        return not result["noticed"] and result["tried"].get(label) != tree

    def run(self, mutants):
        """Tries all without the data, then the survivors with them."""
        folders = [("without", self.no_data)] + ([("with", self.options.data)] if self.options.data else [])
        self.baseline(sorted({m.room for m in mutants}), folders)
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
        cost = {room: sum(self.seconds_of(p, label) for p in self.fitting(PROGRAMS[room], label)) for room in {m.room for m in mutants}}
        todo = sorted((m for m in mutants if self.wanted(m, label, tree)), key=lambda m: cost[m.room])
        print(f"{len(todo)} of {len(mutants)} mutants to try {label} data, {self.options.jobs} at a time", flush=True)
        free = [f"worker{i}" for i in range(self.options.jobs)]

        def work(mutant):
            if self.stop.is_set():
                return
            with self.lock:
                place = free.pop()
            try:
                result = self.try_mutant(mutant, label, data, place)
            finally:
                with self.lock:
                    free.append(place)
            if result is None:
                return
            with self.lock:
                name = f"{mutant.room}/{mutant.name}"
                before = self.results["mutants"].get(name, {})
                if before.get("digest") != mutant.digest():
                    before = {}
                result["seconds"] = round(result["seconds"] + (before.get("seconds", 0) if label == "with" else 0), 1)
                self.results["mutants"][name] = {**result, "digest": mutant.digest(), "tried": {**before.get("tried", {}), label: tree}}
                self.save()
                word = result["program"] if result["noticed"] else "SURVIVED"
                print(f"{name}: {word} {label} data ({result['seconds']:.0f} s)", flush=True)

        with concurrent.futures.ThreadPoolExecutor(self.options.jobs) as pool:
            try:
                for future in concurrent.futures.as_completed([pool.submit(work, m) for m in todo]):
                    future.result()
            except BaseException:
                self.stop.set()
                with self.lock:
                    children = list(self.children)
                for child in children:
                    child.kill()
                raise
        return len(todo)


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
        survivors += [f"- {room}/{m.name}: {m.entry['mistake']} ({m.file})" for m, r in tried if not r["noticed"]]
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
    mutants = load()
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
