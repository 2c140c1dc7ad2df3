# SPDX-License-Identifier: Apache-2.0
"""The pieces of evidence of verdicts in words, by family, and what was not tested. Nothing is decided here."""

import math
import re
from dataclasses import dataclass

from markupsafe import Markup

from . import intervals, metrics
from .text import amount, apart, count, join, model_time, power, scientific, units

FAMILIES = {  # family -> heading
    "state": "Final state",
    "error": "Errors against the tolerated perturbation",
    "mean": "Means of statistics",
    "spread": "Spreads of statistics",
    "curve": "Curves",
    "distribution": "Distributions",
    "gate": "Gates",
    "order": "Order of errors",
}
WAVENUMBERS = ("m-1", "m^-1", "1/m")
RANKS = {"different": 4, "undecided": 3, "equivalent": 2, "equal": 1, None: 0}
PLAIN = ("outside the margin", "within the margin")  # reasons that the drawing tells as well


@dataclass
class Piece:
    """A piece of evidence and the configurations that share it."""

    item: object  # judgement.Evidence
    configurations: list


@dataclass
class Line:
    """What a card says of one family."""

    heading: str
    answer: str | None  # of its worst piece
    tally: str  # e.g. "3 equivalent, 1 undecided"
    worst: str  # the worst piece, in words
    reason: str
    drawing: Markup


def pieces_of(verdicts):
    """All pieces of these verdicts, equal ones once."""
    found = {}
    for verdict in verdicts:
        for item in verdict.evidence:
            shared = found.setdefault(repr(item), Piece(item, []))
            if verdict.configuration not in shared.configurations:
                shared.configurations.append(verdict.configuration)
    return list(found.values())


def by_family(pieces):
    """family -> its pieces, in the order of FAMILIES and then of the evidence."""
    names = dict.fromkeys([*FAMILIES, *(piece.item.family for piece in pieces)])
    groups = {name: [piece for piece in pieces if piece.item.family == name] for name in names}
    return {name: group for name, group in groups.items() if group}


def heading(family):
    return FAMILIES[family] if family in FAMILIES else f"Evidence of kind {family or 'unknown'}"


def more_is_better(study, piece):
    gate = next((gate for gate in study.gates if gate.name == piece.item.subject and gate.run in piece.configurations), None)
    return gate is not None and metrics.more_is_better(study.metrics, gate)


def badness(study, piece):
    """The worst answer first, then the farthest of its margin."""
    return RANKS[piece.item.answer], intervals.reach(piece.item, more_is_better(study, piece)) or 0.0


def lines(study, pieces, configurations):
    """A line per family that was tested; what was not is told apart."""
    told = []
    for family, group in by_family([piece for piece in pieces if not piece.item.silent]).items():
        worst = max(group, key=lambda piece: badness(study, piece))
        words = described(study, worst.item)
        if len(worst.configurations) < configurations:
            words = f"{join(worst.configurations)}: {words}"
        told.append(Line(heading(family), worst.item.answer, tally(group), words, reason(worst.item), drawn(study, worst)))
    return told


def tally(group):
    """How many pieces have which answer; empty for a single one."""
    counts = {}
    for piece in group:
        counts[piece.item.answer] = counts.get(piece.item.answer, 0) + 1
    if len(counts) == 1:
        return f"all {len(group)}" if len(group) > 1 else ""
    return ", ".join(f"{counts[answer]} {answer or 'no difference shown'}" for answer in RANKS if answer in counts)


def drawn(study, piece, compact=False):
    return intervals.draw(piece.item, subject(study, piece.item), more_is_better(study, piece), compact)


def reason(item):
    """Why, where value and interval do not say as much."""
    said = item.reason in PLAIN or item.value is not None and (item.answer is None or item.family == "error" and item.answer != "undecided")
    return item.reason if item.reason and not said else ""


def subject(study, item):
    """What the piece is about, with time, level, place and amplitude."""
    if item.family == "error":
        parts = [item.subject] + ([f"after {model_time(item.time_s)}"] if item.time_s is not None else []) + ([f"level {item.level + 1}"] if item.level is not None else [])
        return ", ".join(part for part in parts if part) or "all"
    if item.family not in ("mean", "spread", "curve", "distribution"):
        return item.subject
    name = study.name_of(item.subject) or "all"
    if item.x is not None and item.subject in study.curves:
        axis = study.curves[item.subject].x
        if axis.units in WAVENUMBERS and item.x > 0:
            name += f" at wavelength {amount(1e-3 / item.x, 3)} km"
        else:
            name += f" at {axis.name} {amount(item.x, 3)}" + (f" {units(axis.units)}" if axis.units not in ("", "1") else "")
    return name + (f", ε = {power(item.epsilon_text)}" if item.epsilon_text and not shared_amplitude(study) else "")


def shared_amplitude(study):
    """The one amplitude at which ensembles were tested, which is told once; None where there are several."""
    used = {item.epsilon_text for verdict in study.verdicts for item in verdict.evidence if item.epsilon_text and not item.silent}
    return power(used.pop()) if len(used) == 1 else None


def unit_of(study, item):
    statistic = study.statistics.get(item.subject)
    return f" {units(statistic.units)}" if item.family == "mean" and statistic and statistic.units not in ("", "1") else ""


def shown(item, value):
    """A value, an end of the interval or a margin as the table has it."""
    return scientific(value, 2 if item.family != "gate" else 3)


def digits_of(item, least=2):
    """Digits with which value and interval are written, so that no interval is rounded to nothing."""
    return apart([item.value, *(item.interval or ())], least)


def interval(item, least=2):
    digits = digits_of(item, least)
    return f"[{scientific(item.interval[0], digits)}, {scientific(item.interval[1], digits)}]" if item.interval else "–"


def margin_words(study, item):
    """The margin with what was asked for: 40 km (0.5 sd)."""
    if item.margin is None:
        return "–"
    if item.family == "spread":
        return f"1 / {scientific(item.margin)} to {scientific(item.margin)}"
    asked = item.margin_text if item.margin_text and item.margin_text != f"{scientific(item.margin)}{unit_of(study, item)}" else ""
    return f"{shown(item, item.margin)}{unit_of(study, item)}" + (f" ({asked})" if asked else "")


def described(study, item):
    """The piece in a line: what, value, interval, margin."""
    what = subject(study, item)
    if item.value is None or item.family in ("order", "state"):
        return what
    span = f" {interval(item)}" if item.interval else ""
    value = scientific(item.value, digits_of(item))
    if item.family == "error":
        return f"{what}: {value}{span} of what the perturbation makes"
    if item.family == "gate":
        return f"{what}: {shown(item, item.value)}, limit {shown(item, item.margin)}"
    kind = {"mean": "difference", "spread": "ratio", "curve": "largest difference", "distribution": "largest distance"}.get(item.family, "value")
    return f"{what}: {kind} {value}{unit_of(study, item)}{span}, margin {margin_words(study, item)}"


def detectable(study, pieces):
    """The smallest difference that each test would have shown with 80 % power: (sentence, whether all are within their margins) or None.

    Of all tests the bluntest, in parts of its margin.
    """
    known = []
    for piece in pieces:
        size = intervals.scaled(piece.item, piece.item.detectable) if piece.item.family in ("mean", "spread", "curve") else None
        if size is not None:
            known.append((size, piece))
    means = [entry for entry in known if entry[1].item.family == "mean"]
    if not known:
        return None
    size, piece = max(means or known, key=lambda entry: entry[0])
    item = piece.item
    exact = f"a ratio of {scientific(item.detectable)}" if item.family == "spread" else f"{scientific(item.detectable)}{unit_of(study, item)}"
    what = study.name_of(item.subject)
    return f"{scientific(size)} of the margin at most ({exact} in {what})"


def needed(verdicts, pieces):
    """Members that would decide; "" for what needs none."""
    answers = {verdict.answer for verdict in verdicts}
    if answers <= {"equal"}:
        return ""
    pairs = [piece.item.pairs for piece in pieces if piece.item.pairs and not piece.item.silent]
    has = f"{min(pairs)} to {max(pairs)} members" if pairs and min(pairs) < max(pairs) else f"{pairs[0]} members" if pairs else ""
    if answers & {"undecided", None}:
        asked = [piece.item.needed for piece in pieces if piece.item.needed]
        if asked:
            left = [piece for piece in pieces if piece.item.answer == "undecided" and not piece.item.needed and piece.item.family not in ("gate", "order", "state")]
            return f"{max(asked)}" + (f" for all but {count(len(left), 'undecided piece')}" if left else "") + (f"; there are {has}" if has else "")
        return least_needed(verdicts) or "no number of them is known to decide"
    return f"none more: decided with {has}" if has else "none more"


def least_needed(verdicts):
    """The members without which no test can be made, of verdicts that name them among what would decide; "" where none does."""
    least = [int(match.group(1)) for verdict in verdicts for match in re.finditer(r"at least (\d+) (?:perturbed )?members", verdict.would_decide or "")]
    return f"at least {max(least)}, for tests to be made" if least else ""


def plain_numbers(reason):
    """A reason without its numbers, by which alike ones are found."""
    return re.sub(r"(?<![A-Za-z])\d[\d.]*(e[-+]?\d+|\u202f×\u202f10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)?", "#", reason)


def silences(study, verdicts):
    """(what, for which configurations, why) of silent pieces; reasons that differ in their numbers only stand together."""
    groups = {}
    for piece in pieces_of(verdicts):
        if piece.item.silent:
            groups.setdefault(plain_numbers(piece.item.reason or "no reason given"), []).append(piece)
    told = []
    for group in groups.values():
        what = []
        for family, members in by_family(group).items():
            names = list(dict.fromkeys(study.name_of(piece.item.subject) for piece in members if piece.item.subject))
            amplitudes = list(dict.fromkeys(power(piece.item.epsilon_text) for piece in members if piece.item.epsilon_text))
            title = "Statistics" if family == "mean" else heading(family)
            what.append(title + (f" ({join(names)})" if names else "") + (f" at ε = {join(amplitudes)}" if amplitudes else ""))
        reasons = list(dict.fromkeys(piece.item.reason or "no reason given" for piece in group))
        told.append(("; ".join(what), join(dict.fromkeys(name for piece in group for name in piece.configurations)),
                     reasons[0] + (f" (and {len(reasons) - 1} more that differ in numbers)" if len(reasons) > 1 else "")))
    return told


def absences(study):
    """What the study as a whole did not test, a sentence each."""
    spoken = {piece.item.family for piece in pieces_of(study.verdicts) if not piece.item.silent}
    told = []
    if study.missing:
        runs, of, command = study.missing
        told.append(f"{runs}{f' of {of}' if of else ''} runs have not been done" + (f"; this does them: {command}" if command else "") + ".")
    if "error" not in spoken:
        told.append("Errors against a perturbation that one tolerates" + ("." if study.rules.tolerated else ": none is stated (verify.tolerated)."))
    for family, words in (("mean", "Means of statistics of an ensemble."), ("spread", "Spreads of statistics of an ensemble."), ("curve", "Curves, such as spectra and profiles."),
                          ("distribution", "Distributions of statistics over the members.")):
        if family not in spoken:
            told.append(words)
    if "gate" not in spoken:
        told.append("Limits of the case's own: it sets no gates.")
    amplitudes = dict(sorted((ensemble.epsilon, ensemble.epsilon_text) for ensemble in study.ensembles))
    judged = pieces_of(study.verdicts)
    used = {piece.item.epsilon_text for piece in judged}  # silent ones too: their reasons are told
    words = {word for piece in judged if piece.item.silent for word in re.split(r"[\s:,]+", piece.item.reason or "")}
    if left := [power(name) for name in amplitudes.values() if name not in used and power(name) not in words]:
        told.append(f"Members perturbed by ε = {join(left)}: nothing rests on them.")
    if not any(verdict.control for verdict in study.verdicts):
        told.append("Whether the tests find the reference equal to itself with other noise: there is no control ensemble (--control).")
    if not study.reference_error:
        told.append(f"How far {study.reference} itself is from a wider precision.")
    if not study.calibration:
        told.append("How often these tests err: results.json holds no calibration.")
    told.append("Other cases, longer runs, other meshes and other machines; and how well the model describes nature.")
    return told


def digits(error):
    """Correct decimal digits of a relative error; None where it is unknown, infinite where there is none."""
    if error is None or not math.isfinite(error):
        return None
    return -math.log10(error) if error > 0 else math.inf
