# SPDX-License-Identifier: Apache-2.0
"""What runs gained in time and memory over the reference: measured numbers alone, and no time of a format that its device emulates."""

import re

from .policies import POLICIES
from .text import count, duration, join, plain, scientific

FORMAT = re.compile(r"e\d+m\d+(-[a-z]+\d*)?")  # a binary format of any size, as e8m7-sr1
FASTER = 1.05  # the least speed-up that is told: single measurements differ by some per cent
ALIKE = 1.1  # of two speed-ups, below which the memory tells which run is named
SMALLER = 0.95  # likewise the largest share of the memory
HALF = (0.48, 0.52)  # shares of the memory that are called half


def is_emulated(run):
    """Whether other operations stand in for those of the run's arithmetic on its device, so that its time tells nothing of hardware that has it."""
    policy = POLICIES.get(run.arithmetic)
    if policy is None:
        return FORMAT.fullmatch(run.arithmetic) is not None
    return policy.compute == "float128" or policy.multiplicand != "Exact" and not (run.device or "").startswith("cuda")


def speed_up(study, run):
    """The reference's time over the run's; None where either is missing or the run's arithmetic is emulated."""
    reference = study.reference_run
    if reference is None or run is reference or run.failed or reference.failed or is_emulated(run):
        return None
    return reference.wall_s / run.wall_s if reference.wall_s and run.wall_s and reference.wall_s > 0 and run.wall_s > 0 else None


def memory_ratio(study, run):
    """The run's memory in parts of the reference's; None where either is missing."""
    reference = study.reference_run
    return run.memory_bytes / reference.memory_bytes if reference and reference.memory_bytes and run.memory_bytes and not run.failed else None


def name_of(study, run):
    """The policy where it has one run, else the run's name."""
    return run.policy if sum(other.policy == run.policy for other in study.runs) == 1 else run.id


def memory_words(ratio):
    return "half the memory" if HALF[0] <= ratio <= HALF[1] else f"{plain(100 * ratio)}\u202f% of the memory"


def agreeing(study):
    """The unperturbed runs other than the reference that were found equal or equivalent."""
    good = {verdict.configuration for verdict in study.verdicts if not verdict.control and verdict.answer in ("equal", "equivalent")}
    return [run for run in study.runs if run.id in good and run.id != study.reference]


def fastest(study):
    """(speed-up, run) of the fastest run that agrees; of those that single measurements cannot tell apart that with the least memory. None where nothing was measured."""
    known = [(speed, run) for run in agreeing(study) if (speed := speed_up(study, run)) is not None]
    best = max((speed for speed, _ in known), default=0)
    return min((entry for entry in known if entry[0] * ALIKE >= best), key=lambda entry: (memory_ratio(study, entry[1]) or 1, -entry[0]), default=None)


def sentence(study):
    """What is gained by what agrees, e.g. "fp32 is 1.9 times as fast in half the memory."; empty where nothing was measured."""
    small = [(ratio, run) for run in agreeing(study) if (ratio := memory_ratio(study, run)) is not None]
    best, least = fastest(study), min(small, key=lambda entry: entry[0], default=None)
    if best and best[0] >= FASTER:
        ratio = memory_ratio(study, best[1])
        return f"{name_of(study, best[1])} is {scientific(best[0])} times as fast" + (f" in {memory_words(ratio)}" if ratio is not None and ratio <= SMALLER else "") + "."
    if least and least[0] <= SMALLER:
        return f"{name_of(study, least[1])} needs {memory_words(least[0])}" + ("; none that agrees was faster than the reference." if best else ".")
    return "None that agrees was faster than the reference." if best else ""


def measured(study):
    """The times behind the sentence, and whose are emulated; empty where there is nothing to say."""
    best, told = fastest(study), []
    if best:
        told.append(f"Single measurements with output: {duration(study.reference_run.wall_s)} of {study.reference}, {duration(best[1].wall_s)} of {best[1].id}.")
    if words := emulated(study):
        told.append(words)
    return " ".join(told)


def emulated(study):
    """Which policies are emulated on the devices of the study, in a sentence; empty where none is."""
    found = {}
    for run in study.runs:
        if is_emulated(run):
            found.setdefault(run.device or "this device", []).append(run.policy)
    told = [f"{join(dict.fromkeys(names))} {'is' if len(set(names)) == 1 else 'are'} emulated on {device}" for device, names in found.items()]
    return f"{'; '.join(told)}: the answer is that of the format, the time is not, and no speed-up is claimed." if told else ""


def compared(study):
    """How many configurations are judged, in words: 7 configurations, 3 variants."""
    return count(sum(not verdict.control for verdict in study.verdicts), "variant" if study.variants else "configuration")
