#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks what a compiler does not: check.py ROOT [--format]. Prints `file:line: problem`; exit 1 if there is any.

Rules: a licence line in every source file; rooms include only rooms below them; third-party headers stay where they
compile fast; what is generic speaks of no core's fields and features; no power of a half, of which -fno-math-errno makes a square
root in some places alone; kernels (headers of core/ with ULPINE_HD, exec aside) take every literal and type from the precision policy. A line of a kernel
that must break the last rule ends in `// bare: reason`. Files that hold test cases are called test_*, cases of GoogleTest
SuiteOfWords.StatesWhatHolds. --format: clang-format instead (exit 77 where it is missing).
"""
import pathlib
import re
import shutil
import subprocess
import sys

ROOMS = ("precision", "io", "core", "probe", "verification", "ensembles", "cli")
MAY_INCLUDE = {
    "precision": {"precision"},
    "io": {"io", "precision"},
    "core": {"core", "io", "precision"},
    "probe": {"probe", "core", "io", "precision"},
    "verification": {"verification", "io", "precision"},
    "ensembles": {"ensembles", "verification", "core", "io", "precision"},
    "cli": set(ROOMS),
    "tests": set(ROOMS) | {"tests"},
    "benchmarks": set(ROOMS) | {"benchmarks"},
}
# The parts of core that every dynamical core may use, and what each may use itself; a core besides knows only itself.
CORE_SHARED = {
    "exec": set(),
    "ranks": {"exec"},
    "field": {"exec", "ranks"},
    "stage": {"exec", "field", "ranks"},
    "mesh": {"exec", "linalg"},
    "sounding": {"physics"},
    "fft": {"exec"},
    "linalg": {"exec", "field", "ranks"},
    "poisson": {"exec", "fft", "ranks", "stage"},
    "model": {"exec", "field", "stage", "mesh", "ranks"},
    "physics": {"field"},
    "parts": {"exec", "field", "model", "ranks", "stage"},
    "lattice": {"exec", "field", "parts", "ranks", "stage"},
}
CXX = {".cpp", ".hpp", ".cu", ".cuh"}
SCRIPTS = {".py", ".sh", ".bash", ".cmake", ".toml"}
HEAVY = {  # third-party header: the files that may include it
    "CLI/": re.compile(r"cli/(command_line\.cpp|help\.cpp|options\w*\.[ch]pp)$"),
    "fmt/": re.compile(r"\.cpp$"),
    "toml++/": re.compile(r"\.cpp$"),
    "nlohmann/json.hpp": re.compile(r"\.cpp$"),
    "netcdf": re.compile(r"(\.cpp|io/netcdf_(library|writer)\.hpp|tests/.*\.hpp)$"),
    "boost/": re.compile(r"(\.cpp|precision/quad\.hpp|tests/.*\.hpp)$"),
}
# Words of one core, and the files of generic rooms that may use them: those of the command `lkf`.
GENERIC = re.compile(r"(ensembles|io|analysis|cli|core(?!/(seaice|les|fem|fdm)/))/")
CORE_WORDS = re.compile(r"(?<![A-Za-z])(shear|lkfs?|siu|sivol|ice)(?![A-Za-z])", re.I)
MAY_USE_CORE_WORDS = {"cli/lkf.cpp", "cli/lkf_series.cpp", "cli/lkf_series.hpp", "cli/commands.hpp", "cli/options.hpp", "cli/options_comparing.cpp", "cli/CMakeLists.txt"}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
CASE = re.compile(r"^(?:TYPED_)?TEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)\)", re.M)
NAME = re.compile(r"[A-Z][A-Za-z0-9]*")
HALF = re.compile(r"(?:\w+[({])?(?:0?\.50*|1(?:\.0*)?[fFlL]?[)}]?/(?:\w+[({])?2(?:\.0*)?)[fFlL]?[)}]?")
BARE = re.compile(r"\b(double|float)\b|(?<![\w.])(\d+\.\d*|\.\d+|\d+(?=[eE]))([eE][+-]?\d+)?[fFlL]?(?!\w)")


def sources(root):
    folders = [*ROOMS, "tests", "benchmarks", "cmake", "analysis", "scripts", "cases", "papers"]
    files = [p for folder in folders for p in sorted((root / folder).rglob("*")) if p.is_file()]
    files += [root / name for name in ("CMakeLists.txt", "quickstart", "run-tests", ".ci/run")]
    return [p for p in files if p.suffix in CXX | SCRIPTS or p.name in ("CMakeLists.txt", "quickstart", "run-tests", "run")]


def without_comments(text):
    """The code with comments and string contents blanked, lines kept."""
    token = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.S)
    return token.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), text)


def check_includes(path, text):
    parts = path.split("/")
    room = parts[0]
    for number, line in enumerate(text.splitlines(), 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        bracket, header = match.groups()
        target = header.split("/")
        if bracket == '"':
            if target[0] in ROOMS and target[0] not in MAY_INCLUDE.get(room, set(ROOMS)):
                yield number, f"{room} includes {header}: that room is not below it"
            if room == "core" and target[0] == "core" and len(target) > 2 and len(parts) > 2:
                if target[1] not in CORE_SHARED.get(parts[1], set(CORE_SHARED)) | {parts[1]}:
                    yield number, f"core/{parts[1]} includes {header}: a core knows no other core, a shared part none above it"
        for prefix, allowed in HEAVY.items():
            if header.startswith(prefix) and not allowed.search(path):
                yield number, f"{header} is slow to compile or not for nvcc: keep it out of this file"
        if path.endswith(".cu") and room != "benchmarks" and bracket == "<" and not re.fullmatch(r"cuda\w*\.h|mma\.h|cufft\.h|[a-z_]+", header):
            yield number, f"a .cu file includes no third-party header ({header})"


def check_kernels(path, text):
    if not re.match(r"core/(?!exec/)\w+/.*\.hpp$", path) or "ULPINE_HD" not in text:
        return
    code = without_comments(text).splitlines()
    for number, (line, blanked) in enumerate(zip(text.splitlines(), code), 1):
        if ": public Part {" in blanked:  # the host's side of a process, below its kernels
            return
        match = BARE.search(blanked)
        if match and "// bare: " not in line:
            yield number, f"bare '{match.group()}' in a kernel: take it from the policy, as Real(1) / 6"


def last_argument(code, start):
    """The last argument of the call whose bracket opens before `start`, without blanks; empty where it does not end."""
    depth, begin = 1, start
    for at in range(start, len(code)):
        depth += (code[at] in "([{") - (code[at] in ")]}")
        if depth == 0:
            return re.sub(r"\s", "", code[begin:at])
        if depth == 1 and code[at] == ",":
            begin = at + 1
    return ""


def check_powers(path, text):
    if path.startswith("tests/"):  # which look for what such powers become
        return
    code = without_comments(text)
    for match in re.finditer(r"(?<!math::)\bpow[fl]?\s*\(", code):
        if HALF.fullmatch(last_argument(code, match.end())):
            yield code.count("\n", 0, match.start()) + 1, "a power of a half depends on its place in a loop: write sqrt"


def check_text(path, text):
    head = text.splitlines()[:2]
    if not any("SPDX-License-Identifier: Apache-2.0" in line for line in head):
        yield 1, "no SPDX-License-Identifier line at the top"
    for number, line in enumerate(text.splitlines(), 1):
        if re.search(r"\b(TODO|FIXME|XXX)\b", line) and path != "tests/style/check.py":
            yield number, "unfinished work is no comment"
        if "\t" in line and not path.endswith(".sh"):
            yield number, "a tab"
        if line != line.rstrip():
            yield number, "blanks at the end of the line"


def check_words(path, text):
    if not GENERIC.match(path) or path in MAY_USE_CORE_WORDS:
        return
    for number, line in enumerate(text.splitlines(), 1):
        match = CORE_WORDS.search(line)
        if match:
            yield number, f"'{match.group()}' is a word of one core: let the core declare it (register_model)"


def check_tests(path, text):
    parts = path.split("/")
    if parts[0] != "tests":
        return
    cases = CASE.findall(text) if path.endswith(".cpp") else []
    holds_cases = bool(cases) or (path.endswith(".py") and re.search(r"^    def test_", text, re.M))
    if holds_cases and not parts[-1].startswith("test_"):
        yield 1, f"holds test cases: call it test_{parts[-1]}"
    for suite, case in cases:
        if not (NAME.fullmatch(suite) and NAME.fullmatch(case)):
            yield 1, f"{suite}.{case}: write test names as SuiteOfWords.StatesWhatHolds"


def check_format(root):
    tool = shutil.which("clang-format")
    if tool is None:
        print("skipped: no clang-format (Debian: apt-get install clang-format)")
        return 77
    files = [str(p) for p in sources(root) if p.suffix in CXX]
    done = subprocess.run([tool, "--dry-run", "-Werror", *files], capture_output=True, text=True, check=False)
    if done.returncode == 0:
        print("clean")
        return 0
    bad = sorted({line.split(":")[0] for line in done.stderr.splitlines() if ": error: " in line and line.startswith("/")})
    print("not as clang-format has them; mend with\nclang-format -i " + " ".join(str(pathlib.Path(p).relative_to(root)) for p in bad))
    return 1


def problems(root):
    for path in sources(root):
        name = path.relative_to(root).as_posix()
        text = path.read_text(encoding="utf-8")
        checks = [check_text(name, text), check_tests(name, text), check_words(name, text)]
        if path.suffix in CXX:
            checks += [check_includes(name, text), check_kernels(name, text), check_powers(name, text)]
        for check in checks:
            for number, problem in check:
                yield f"{name}:{number}: {problem}"


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    if "--format" in sys.argv[2:]:
        return check_format(root)
    found = list(problems(root))
    print("\n".join(found) or "clean")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
