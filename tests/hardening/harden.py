#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Kills and full disks: whatever happens to a study on its way, the results it ends with are those of an undisturbed one.

    tests/hardening/harden.py [--kills 100] [--disks 20]      of build/cpu/bin/ulpine, or the program in ULPINE_PROGRAM

Every second disturbed call is a pair of processes on one folder: two studies, a study and its report, two shares, twice
the same share. Each process is stopped by KILL, TERM or INT at a random moment of its life; the study is then resumed.
A full disk is a small tmpfs where one can be mounted, else a limit on the size of files."""
import argparse
import collections
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

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))
from support import CASE, PROGRAM, SMALL, limit  # noqa: E402

STUDY = (*SMALL, "--policies", "fp64,fp32", "--epsilons", "2^-23", "--members", "2", "--until", "20 min", "--quad-until", "0 s", "--jobs", "2", "--quiet")
ENVIRONMENT = dict(os.environ, ULPINE_PYTHON="/bin/true")
SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
ENDS = {signal.SIGKILL: -signal.SIGKILL, signal.SIGTERM: 143, signal.SIGINT: 130}
# What may differ between two undisturbed calls: how long something took, when it was, and the seal over both.
TIMES = re.compile(r'"(wall_s|created|seal)": ("[^"]*"|[-+.0-9eE]+)')


class Harm(Exception):
    """Something that must not happen has happened."""


def ensemble(folder, *words):
    return ("ensemble", CASE, *STUDY, "-o", folder, "--resume", *words)


def start(words, **options):
    return subprocess.Popen([PROGRAM, *map(str, words)], env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)


def end(process, what, allowed):
    """Waits; the exit code, which is among the allowed, with at most one line on standard error. In use is allowed where 3 is."""
    try:
        _, errors = process.communicate(timeout=120)
    except subprocess.TimeoutExpired:
        process.kill()
        raise Harm(f"{what}: does not end") from None
    if process.returncode not in allowed or len(errors.splitlines()) > 1 or "internal error" in errors:
        raise Harm(f"{what}: exit code {process.returncode} (allowed: {sorted(allowed)}): {errors.strip()}")
    return process.returncode, errors


def results(folder):
    return TIMES.sub(r'"\1": 0', (folder / "results.json").read_text())


def leftovers(folder):
    return [str(path.relative_to(folder)) for path in folder.rglob("*") if path.name.endswith((".part", ".tmp"))]


def require_whole(folder, reference, code, history):
    """Resumes to the end and compares."""
    end(start(ensemble(folder)), "resumed study", {code})
    if results(folder) != reference:
        shutil.copy(folder / "results.json", "harm-results.json")
        raise Harm(f"results differ from the undisturbed ones (kept as harm-results.json) after {history}")
    if leftovers(folder):
        raise Harm(f"left behind after {history}: {leftovers(folder)}")


def stop_after(process, delay, number):
    """Sends the signal after the delay unless the process has ended by itself; whether it was sent in time."""
    try:
        process.wait(timeout=max(delay, 0))
        return False
    except subprocess.TimeoutExpired:
        process.send_signal(number)
        return True


def pair_of(folder, kind):
    if kind == "studies":
        return ensemble(folder), ensemble(folder)
    if kind == "study and report":
        return ensemble(folder), ("report", folder, "--quiet", "--threads", "2")
    if kind == "shares":
        return ensemble(folder, "--only", "0/2"), ensemble(folder, "--only", "1/2")
    return ensemble(folder, "--only", "0/1"), ensemble(folder, "--only", "0/1")


def disturb(folder, number, random_, duration, code, tally):
    """One call or pair, killed; returns (kills, what was done)."""
    kinds = ("studies", "study and report", "shares", "one share twice")
    kind = kinds[number // 2 % len(kinds)] if number % 2 else "one study"
    commands = (ensemble(folder),) if kind == "one study" else pair_of(folder, kind)
    processes, plans = [], []
    begin = time.monotonic()
    for command in commands:
        processes.append(start(command))
        plans.append((random_.uniform(0, duration), random_.choice(SIGNALS)))
    history, kills = [], 0
    for index in sorted(range(len(processes)), key=lambda i: plans[i][0]):
        process, (delay, signal_number) = processes[index], plans[index]
        sent = stop_after(process, begin + delay - time.monotonic(), signal_number)
        kills += sent
        what = f"{kind}, process {index + 1}, {signal_number.name} after {delay:.2f} s"
        # Ended by itself: done, refused beside another (3), no study yet for a share or report (2), or a report of a
        # study that another has been stopped in (4: runs are missing).
        allowed = {code, 0, 2, 3, 4} if len(commands) > 1 else {code}
        if sent:
            # -TERM, -INT: before the program could ask for signals.
            allowed |= {ENDS[signal_number], -signal_number}
        ended, errors = end(process, what, allowed)
        refused = ended == 3 and "in use" in errors
        if ended == 3 and not refused:
            raise Harm(f"{what}: {errors.strip()}")
        if ended == 2 and "study" not in errors:
            raise Harm(f"{what}: {errors.strip()}")
        tally["refused, in use" if refused else f"ended with {ended}"] += 1
        history.append(what + f" -> {ended}")
    return kills, "; ".join(history)


def kill_studies(base, count, random_, reference, duration, code):
    tally = collections.Counter()
    kills = calls = studies = 0
    while kills < count:
        folder = base / f"study-{studies}"
        studies += 1
        history = []
        for _ in range(random_.randint(1, 5)):
            more, what = disturb(folder, calls, random_, duration, code, tally)
            calls += 1
            kills += more
            history.append(what)
        require_whole(folder, reference, code, history)
        shutil.rmtree(folder)
    return f"{kills} kills in {calls} calls ({calls // 2} of them pairs) of {studies} studies: " + ", ".join(
        f"{number} {name}" for name, number in sorted(tally.items()))


class SmallDisk:
    """A tmpfs of some kB, which can be made large."""

    def __init__(self, folder, kilobytes):
        self.folder = folder
        folder.mkdir(exist_ok=True)
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "tmpfs", folder], check=True, capture_output=True)

    def enlarge(self):
        subprocess.run(["mount", "-o", "remount,size=256m", self.folder], check=True, capture_output=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        subprocess.run(["umount", self.folder], check=True)


def can_mount(base):
    try:
        with SmallDisk(base / "probe", 64):
            return True
    except (OSError, subprocess.CalledProcessError):
        return False


def fill_disks(base, count, random_, reference, size, largest, code):
    """`size`: kB of the whole study, `largest`: bytes of its largest file."""
    mounted = can_mount(base)
    full = calls = 0
    while full < count:
        calls += 1
        if calls > 10 * count + 10:
            raise Harm(f"only {full} of {calls} disks were full")
        if mounted:
            kilobytes = random_.randint(8, size)
            with SmallDisk(base / "disk", kilobytes) as disk:
                folder = disk.folder / "study"
                ended, _ = end(start(ensemble(folder)), f"disk of {kilobytes} kB", {3, code})
                full += ended == 3
                disk.enlarge()
                require_whole(folder, reference, code, [f"a full disk of {kilobytes} kB"])
        else:
            folder = base / "limited"
            bytes_ = random_.randint(256, largest)
            ended, _ = end(start(ensemble(folder), preexec_fn=limit(FSIZE=bytes_)), f"files of {bytes_} bytes", {3, code})
            full += ended == 3
            require_whole(folder, reference, code, [f"files of at most {bytes_} bytes"])
            shutil.rmtree(folder)
    return f"{full} full disks ({'tmpfs' if mounted else 'limits on the size of files: no tmpfs can be mounted here'}) in {calls} calls"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--disks", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    random_ = random.Random(options.seed)
    begin = time.monotonic()
    with tempfile.TemporaryDirectory() as name:
        base = pathlib.Path(name)
        codes, durations = set(), []
        for number in range(2):
            whole = base / f"whole-{number}"
            started = time.monotonic()
            codes.add(end(start(ensemble(whole)), "undisturbed study", {0, 1, 4})[0])
            durations.append(time.monotonic() - started)
        reference = results(base / "whole-0")
        if len(codes) != 1 or results(base / "whole-1") != reference:
            raise Harm("two undisturbed studies differ in more than times")
        code = codes.pop()
        files = [path.stat().st_size for path in whole.rglob("*") if path.is_file()]
        print(f"undisturbed: {max(durations):.2f} s, exit code {code}, {len(reference)} bytes of results")
        print(kill_studies(base, options.kills, random_, reference, 0.9 * max(durations), code))
        print(fill_disks(base, options.disks, random_, reference, sum(size // 1024 + 4 for size in files), max(files), code))
    print(f"all results equal the undisturbed ones but for times, nothing is left behind; {time.monotonic() - begin:.0f} s, seed {options.seed}")


if __name__ == "__main__":
    try:
        main()
    except Harm as harm:
        sys.exit(f"harden: {harm}")
