# SPDX-License-Identifier: Apache-2.0
"""One hostile input: what is asked of the program, how it is called, and how its answer is judged."""
import dataclasses
import hashlib
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import time

import numpy as np
from netCDF4 import Dataset

SOURCE = pathlib.Path(__file__).resolve().parents[3]
LIMIT = 30.0  # s of a processor that nobody else uses, of inputs whose plain form takes a tenth of a second
MEMORY = 8 << 30  # bytes of address space
COMPARED = ("same", "near", "taken")
LOCK = ".ulpine.lock"  # stays where a command has looked for another one at work
CODES = {0, 1, 2, 3, 4, 130, 143}
LONGEST_LINE = 3000
FAILURES = ("hang", "crash", "lost", "nonsense", "unclear", "rejected")  # what no input may bring about
KINDS = ("right", "told", "refused", *FAILURES)

# The largest sizes that a field of an output can have in any of the cases, in its unit.
SIZES = {"u": 500, "v": 500, "w": 500, "wind_speed": 500, "siu": 500, "siv": 500, "sivol": 1e3, "siconc": 1.5, "theta": 3000, "theta_base": 3000,
         "q": 1, "qv": 1, "qc": 1, "qr": 1, "qv_base": 1, "e": 1e5, "p": 1e9, "p_base": 1e9, "rho_base": 100, "shear": 10}


@dataclasses.dataclass
class Trial:
    """What is asked of one call.

    `expected` is `same` (the answer of the plain input, or a refusal), `near` (that answer to `tolerance`, or a refusal), `taken` (the
    same, and no refusal), `refused` (nothing else will do), `differs` (exit code 1, or a refusal) or `sense` (any answer within the bounds of physics, or a refusal).
    """
    words: list
    expected: str = "sense"
    what: str = ""
    plain: list = None  # words of the plain call, in a folder of its own made by `prepare_plain`
    plain_files: dict = dataclasses.field(default_factory=dict)  # texts of files of the plain call, beside those of the surface
    says: tuple = ()  # a refusal names one of these
    before: list = dataclasses.field(default_factory=list)  # calls that make what is used, each of which has to end with 0 or 1
    owned: tuple = ("out",)  # folders below the trial's that the command may write
    answer: object = None  # folder -> what is compared with the plain input's answer; the hash of the state by default
    tolerance: float = 1e-4
    also: object = None  # folder -> what is absurd about the answer, or nothing
    sensible: bool = True  # whether the output is held against the bounds of physics
    environment: dict = dataclasses.field(default_factory=dict)


@dataclasses.dataclass
class Done:
    code: int | None  # None: it did not end
    output: str
    errors: str


def crowding():
    """How many threads want each processor of this machine, at least 1."""
    return max(1.0, os.getloadavg()[0] / os.cpu_count())


def call(program, words, folder, limit=LIMIT, environment=None):
    """Calls the program; it and its children are ended after `limit` seconds, or as many more as the machine is crowded."""
    def bounds():
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    variables = {**os.environ, "OMP_NUM_THREADS": "1", "ULPINE_PYTHON": "/bin/true", "SOURCE_DATE_EPOCH": "0", **(environment or {})}
    with subprocess.Popen([program, *map(str, words)], cwd=folder, env=variables, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          start_new_session=True, preexec_fn=bounds) as process:
        started, left = time.monotonic(), limit
        ended = False
        while not ended and left > 0:
            try:
                output, errors = process.communicate(timeout=left)
                ended = True
            except subprocess.TimeoutExpired:
                left = limit * crowding() - (time.monotonic() - started)
        if not ended:
            os.killpg(process.pid, signal.SIGKILL)
            output, errors = process.communicate()
        code = process.returncode if ended else None
    return Done(code, output.decode(errors="replace"), errors.decode(errors="replace"))


def hashes(folder, without=()):
    """Hash of every file below a folder, but for those in folders that the command owns."""
    found = {}
    for path in sorted(pathlib.Path(folder).rglob("*")):
        name = str(path.relative_to(folder))
        if path.is_symlink():
            found[name] = "link " + os.readlink(path)
        elif path.is_file() and path.name != LOCK and not any(name == owned or name.startswith(owned + "/") for owned in without):
            found[name] = hashlib.sha256(path.read_bytes()).hexdigest()
    return found


def set_words(**keys):
    """--set words of keys whose dots are written as __."""
    return [word for key, value in keys.items() for word in ("--set", f"{key.replace('__', '.')}={value}")]


def state(folder):
    """Hash of the state that a run ended with."""
    return json.loads((pathlib.Path(folder) / "out/run.json").read_text())["hash"]


def last_fields(folder):
    """Fields of the last record of an output, by name."""
    with Dataset(pathlib.Path(folder) / "out/output.nc") as file:
        return {name: np.ma.filled(variable[-1].astype(float), 0.0) for name, variable in file.variables.items()
                if variable.dimensions[:1] == ("time",) and variable.ndim > 1}


def nonsense_of_output(folder):
    """What an output has that no air and no ice can have, or nothing."""
    path = pathlib.Path(folder) / "out/output.nc"
    if not path.exists():
        return ""
    with Dataset(path) as file:
        for name, variable in file.variables.items():
            if variable.dtype.kind != "f":
                continue
            values = np.ma.compressed(variable[...])
            if values.size and not np.isfinite(values).all():
                return f"{name} is not finite"
            largest = float(np.abs(values).max()) if values.size else 0.0
            if largest > SIZES.get(name, 1e12):
                return f"{name} reaches {largest:g}"
    return ""


def complaint_of_refusal(trial, done):
    """Why a refusal is none that a user can act on, or nothing."""
    lines = done.errors.splitlines()
    if len(lines) != 1 or not lines[0].startswith("ulpine: "):
        return f"{len(lines)} lines of refusal"
    if re.search(r"[\x00-\x08\x0b-\x1f\x7f\ufffd]", lines[0]):
        return "control characters in the refusal"
    if len(lines[0]) > LONGEST_LINE:
        return f"a refusal of {len(lines[0])} characters"
    if done.code == 2 and trial.says and not any(word in lines[0] for word in trial.says):
        return f"the refusal names none of {', '.join(trial.says)}"
    return ""


def broken(done):
    """Whether the program has broken down rather than answered, as a text or nothing."""
    if done.code is None:
        return ("hang", "did not end")
    text = done.output + done.errors
    if done.code not in CODES:
        return ("crash", f"exit code {done.code}")
    for word in ("Traceback", "terminate called", "internal error", "Sanitizer", "runtime error", "Segmentation", "Assertion"):
        if word in text:
            return ("crash", f"says {word!r}")
    return None


def judge(trial, done, folder, before, plain):
    """(kind, why) of an answer; `before` are the hashes of the files before the call, `plain` the answer of the plain input."""
    fault = broken(done)
    if fault:
        return fault
    after = hashes(folder, trial.owned)
    gone = [name for name in before if after.get(name) != before[name]]
    if gone:
        return "lost", f"{gone[0]} was {'changed' if gone[0] in after else 'removed'}"
    strays = [name for name in after if name not in before]
    if strays:
        return "lost", f"{strays[0]} was written where nothing was asked for"
    if done.code in (2, 3):
        complaint = complaint_of_refusal(trial, done)
        if complaint:
            return "unclear", complaint
        if trial.expected == "taken":
            return "rejected", "a valid input is refused"
        return "refused", ""
    if done.code and len(done.errors.splitlines()) > 1:
        return "unclear", f"{len(done.errors.splitlines())} lines on standard error"
    if trial.expected == "refused":
        return ("told", "") if done.code == 1 else ("nonsense", "not refused")
    if trial.expected == "differs":
        return ("right", "") if done.code == 1 else ("nonsense", f"a difference is not told (exit code {done.code})")
    if done.code and not trial.answer:
        return "told", ""
    nonsense = (nonsense_of_output(folder) if trial.sensible else "") or (trial.also(folder) if trial.also else "")
    if nonsense:
        return "nonsense", nonsense
    if trial.expected in COMPARED:
        answer = (trial.answer or (last_fields if trial.expected == "near" else state))(folder)
        difference = difference_of(answer, plain, trial.tolerance if trial.expected == "near" else None)
        if difference:
            return "nonsense", difference
    return "right", ""


def difference_of(answer, plain, tolerance):
    """How two answers differ, or nothing; arrays may differ by `tolerance` of the largest value where there is one."""
    if tolerance is None and isinstance(answer, dict) and all(isinstance(value, np.ndarray) for value in answer.values()):
        tolerance = 0.0
    if tolerance is None:
        return "" if answer == plain else "not the answer of the same input in plain form"
    if answer.keys() != plain.keys():
        return "other fields than the same input in plain form"
    for name, values in answer.items():
        scale = np.abs(plain[name]).max()
        if values.shape != plain[name].shape or np.abs(values - plain[name]).max() > tolerance * (scale + 1e-3) or (np.isnan(values) != np.isnan(plain[name])).any():
            return f"{name} is not that of the same input in plain form"
    return ""


def fixture(name, folder, program, calls):
    """A folder that calls have made once for all trials of the process, copied below `folder`."""
    place = pathlib.Path(folder).parent / "fixtures" / name
    if not place.exists():
        work = fresh(place.with_name(name + ".part"))
        for words in calls:
            done = call(program, words, work, limit=10 * LIMIT)
            if done.code not in (0, 1, 4):
                raise RuntimeError(f"{words}: {done.errors}")
        work.rename(place)
    shutil.copytree(place, folder, dirs_exist_ok=True, symlinks=True)


def fresh(folder):
    shutil.rmtree(folder, ignore_errors=True)
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True)
    (folder / "notes.txt").write_text("what nobody may touch\n")
    return folder
