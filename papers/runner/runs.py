# SPDX-License-Identifier: Apache-2.0
"""Running programs so that nothing is run twice: output of a finished run lies in a folder named by its command, the programs' commit and the machine.

A run writes to a folder of another name first, which is renamed when it is done: whatever a kill leaves is no run. A program dies with the runner.
"""
import ctypes
import dataclasses
import datetime
import fcntl
import hashlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

from .paper import SOURCE, filled

RECORD = "run.json"


class Refused(Exception):
    """Nothing can be run: one line says why."""


@dataclasses.dataclass
class Outcome:
    """What became of a run: its folder, or why there is none."""
    folder: pathlib.Path | None
    why: str = ""
    short: str = ""
    failed: bool = False

    def record(self):
        return json.loads((self.folder / RECORD).read_text(encoding="utf-8"))


def die_with_parent():
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)


def programs_in(folder):
    """The folder of programs: itself, or its `bin` where a build folder is given."""
    folder = folder.resolve()
    return folder / "bin" if (folder / "bin/ulpine").is_file() else folder


def commit_of(programs):
    """What the programs say they were built from."""
    try:
        done = subprocess.run([programs / "ulpine", "--version"], capture_output=True, text=True, check=True, timeout=60)
    except (OSError, subprocess.SubprocessError) as error:
        why = error.strerror if isinstance(error, OSError) else "it did not end well"
        raise Refused(f"{programs / 'ulpine'} does not tell its version ({why}) name the folder that the program is in with --programs, or build it") from error
    return done.stdout.strip()


class Store:
    """The folder of all runs."""

    def __init__(self, folder, machine, device, quick):
        self.folder, self.machine, self.device, self.quick = folder, machine, device, quick
        self.programs = self.commit = None
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self.lock = open(folder / ".lock", "w", encoding="utf-8")
        except OSError as error:
            raise Refused(f"{folder}: nothing can be written there ({error.strerror}) name another folder with --out") from error
        try:
            fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise Refused(f"{folder}: another call writes there (it is not done) wait, or name another folder with --out") from error

    def use(self, programs):
        """Takes programs from that folder; what killed calls have left goes."""
        self.programs, self.commit = programs, commit_of(programs)
        for left in self.folder.glob("*.part"):
            shutil.rmtree(left, ignore_errors=True)

    def words(self, run):
        return [run.program, *(filled(word, {"threads": min(16, self.machine.cores)}) for word in run.arguments)]

    def key(self, run):
        """{out} is filled in later, and belongs to no key."""
        told = json.dumps([self.words(run), self.commit, self.machine.name(run.device)])
        return hashlib.sha256(told.encode()).hexdigest()[:16]

    def no_gpu(self):
        """(reason, short reason) for which there are no numbers of a GPU; empty where there are."""
        if not self.machine.gpu:
            return "this machine has no GPU", "no GPU"
        return ("it needs a GPU, and the call was with --device cpu", "not asked") if self.device == "cpu" else ("", "")

    def why_not(self, run):
        """(reason, short reason) for which this machine or this call does not make the run; empty where it does."""
        if run.device == "cuda" and self.no_gpu()[1]:
            return self.no_gpu()
        if run.device == "cuda" and run.gpus > self.machine.gpus:
            return f"it takes {run.gpus} GPUs, and this machine has {self.machine.gpus}", "one GPU"
        if run.without_gpu and not self.no_gpu()[1]:
            return "the GPU makes it instead of the host", "on the GPU"
        if self.quick and not run.in_quick:
            return "--quick leaves larger sizes out", "not quick"
        have, what = (self.machine.gpu_gib, "the GPU has") if run.device == "cuda" else (self.machine.gib, "free memory is")
        if run.gib > have:
            return f"it takes {run.gib:.3g} GiB, and {what} {have:.3g} GiB", "too large"
        return "", ""

    def kept(self, run):
        """The outcome of a run that is done already, else None."""
        folder = self.folder / self.key(run)
        return Outcome(folder) if (folder / RECORD).is_file() else None

    def make(self, run):
        """Runs the program, and keeps what it prints and writes."""
        key = self.key(run)
        part = self.folder / f"{key}.{os.getpid()}.part"
        part.mkdir()
        words = [str(self.programs / run.program), *(filled(word, {"out": str(part / "out")}) for word in self.words(run)[1:])]
        began = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        # Pages of studies take seconds to draw, and here only their numbers are wanted.
        environment = dict(os.environ, ULPINE_PYTHON="/bin/true")
        start = time.monotonic()
        try:
            with open(part / "stdout.txt", "wb") as output, open(part / "stderr.txt", "wb") as errors:
                done = subprocess.run(words, stdout=output, stderr=errors, stdin=subprocess.DEVNULL, cwd=SOURCE, env=environment, check=False,
                                      preexec_fn=die_with_parent, timeout=600 + 20 * run.seconds)
            code = done.returncode
            why = "" if code in run.accepted else f"it ended with exit code {code}: {last_line(part / 'stderr.txt')}"
        except subprocess.TimeoutExpired:
            why = f"it took more than {600 + 20 * run.seconds:.0f} s and was stopped"
        except OSError as error:
            why = f"{run.program} could not be started ({error.strerror})"
        if why:
            shutil.rmtree(part, ignore_errors=True)
            return Outcome(None, why, "failed", failed=True)
        record = {"command": self.words(run), "program": run.program, "device": run.device, "commit": self.commit, "machine": self.machine.name(run.device),
                  "exit_code": code, "began": began, "seconds": round(time.monotonic() - start, 3)}
        (part / RECORD).write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
        part.rename(self.folder / key)
        return Outcome(self.folder / key)


def last_line(path):
    lines = path.read_text(encoding="utf-8", errors="replace").strip().splitlines()
    return lines[-1][:300] if lines else "it said nothing"


def in_words(seconds):
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def say(text):
    print(text, file=sys.stderr, flush=True)


def wanted(papers, store):
    """(paper, run) of all runs that this call can make, each command once."""
    seen = set()
    for paper in papers:
        for run in paper.runs.values():
            if not store.why_not(run)[0] and store.key(run) not in seen:
                seen.add(store.key(run))
                yield paper, run


def estimate(papers, store):
    """Says how many runs there are and how long those that are missing take."""
    runs = [run for _, run in wanted(papers, store)]
    left = [run for run in runs if not store.kept(run)]
    say(f"{len(runs)} runs, {len(runs) - len(left)} of them kept from before; the rest takes about {in_words(sum(run.seconds for run in left))} on two cores")
    return left


def run_all(papers, store):
    """Makes what is missing; {(paper, run): Outcome} of all runs, also of those that are not made."""
    left = estimate(papers, store)
    made, failures = 0, {}
    for paper, run in wanted(papers, store):
        if store.kept(run):
            continue
        made += 1
        remaining = sum(each.seconds for each in left[made - 1:])
        say(f"[{made}/{len(left)}] {paper.name}: {' '.join(store.words(run))}   (about {in_words(remaining)} left)")
        outcome = store.make(run)
        if outcome.failed:
            failures[store.key(run)] = outcome
            say(f"  {outcome.why}")
    outcomes = {}
    for paper in papers:
        for run in paper.runs.values():
            why, short = store.why_not(run)
            outcomes[paper.name, run.name] = Outcome(None, why, short) if why else store.kept(run) or failures[store.key(run)]
    return outcomes
