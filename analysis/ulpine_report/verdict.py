# SPDX-License-Identifier: Apache-2.0
"""Words for the verdicts of results.json. Nothing is decided here."""

from dataclasses import dataclass

import numpy as np

from . import gain, pieces
from .text import count, join, model_time, percent, power, scientific
from .values import number

WORDS = {"equal": "Equal", "equivalent": "Equivalent", "undecided": "Undecided", "different": "Different", None: "No verdict"}


# Families of evidence -> the kinds that the calibration measured. Gates compare numbers exactly and have no rate.
CALIBRATED = {"error": "error", "mean": "statistic mean", "spread": "statistic spread", "curve": "curve", "distribution": "distribution"}


@dataclass
class Card:
    """Configurations of one policy with one answer."""

    policy: str
    configurations: int
    answer: str | None
    word: str
    sentence: str
    lines: list  # pieces.Line: what the answer rests on
    detectable: str | None  # the smallest difference that would have shown; None where no test spoke
    needed: str  # members that would decide; empty where none are needed
    rates: str  # how often the kinds of evidence that decided err; empty where the answer cannot be wrong so, or nothing is known
    remarks: list  # sentences
    table: list  # pieces.Piece: all


def cards(study, control=False):
    """A card per policy and answer, in the order of the verdicts; those of the control ensemble apart."""
    groups = {}
    for verdict in study.verdicts:
        if verdict.control == control:
            groups.setdefault((verdict.policy, verdict.answer), []).append(verdict)
    return [card(study, policy, answer, verdicts, control) for (policy, answer), verdicts in groups.items()]


def card(study, policy, answer, verdicts, control):
    found = pieces.pieces_of(verdicts)
    remarks = []
    if not control and answer != "equal":
        remarks += [line for line in (within_reference_error(study, verdicts), policy != study.reference_policy and not any(piece.item.family == "error" and not piece.item.silent for piece in found)
                                 and equivalent_perturbation(study, policy)) if line]
    if answer not in ("equal", None) and not any(intervals_drawn(found)):
        remarks.insert(0, "No test could be made: but for gates nothing here could have shown a difference.")
    return Card("Control" if control else policy, len(verdicts), answer, WORDS[answer], control_sentence(study, answer, verdicts) if control else sentence(study, answer, verdicts),
                pieces.lines(study, found, len(verdicts)), pieces.detectable(study, found), pieces.needed(verdicts, found), rates(study, answer, found), remarks,
                sorted(found, key=lambda piece: list(pieces.FAMILIES).index(piece.item.family) if piece.item.family in pieces.FAMILIES else len(pieces.FAMILIES)))


def intervals_drawn(found):
    return (piece.item.value is not None and piece.item.margin is not None and piece.item.family != "gate" for piece in found)


def sentence(study, answer, verdicts):
    subject = join(verdict.configuration for verdict in verdicts)
    have, gives = ("have", "give") if len(verdicts) > 1 else ("has", "gives")
    if answer == "equal" and study.variants:
        return f"{subject} {gives} the same output as {study.reference}, bit for bit."
    if answer == "equal":
        return f"{subject} {gives} the same bits as {study.reference}."
    if answer == "equivalent":
        return (f"{subject} may be trusted for this case: {'their' if len(verdicts) > 1 else 'its'} differences from {study.reference} are shown to be within the margins."
                + stored(verdicts))
    if answer == "different":
        return f"{subject} may not be trusted for this case: a difference beyond a margin is shown, or something failed."
    if answer == "undecided":
        return f"Whether {subject} may be trusted is open{why_open(study, verdicts)}.{would_decide(verdicts)}"
    return f"{subject} {have} no verdict in results.json."


STORED = {"mixed": "mixed computes in float", "tf32": "tf32 rounds operands of products alone to TF32", "bf16": "bf16 rounds operands of products alone to bfloat16",
          "fp16": "fp16 rounds operands of products alone to binary16"}


def stored(verdicts):
    """That fields stay in double where the policy's name says less; a blank first, empty where no policy does so."""
    words = list(dict.fromkeys(STORED[verdict.policy] for verdict in verdicts if verdict.policy in STORED))
    return f" Fields stay in double there: {join(words)}." if words else ""


def why_open(study, verdicts):
    """Why nothing decided: what is undecided, else why nothing could be tested; a colon first, empty where there is no reason."""
    found = pieces.pieces_of(verdicts)
    undecided = [piece for piece in found if piece.item.answer == "undecided"]
    if undecided:
        worst = max(undecided, key=lambda piece: pieces.badness(study, piece))
        more = f" (and {count(len(undecided) - 1, 'more piece')} of evidence)" if len(undecided) > 1 else ""
        return f": {pieces.subject(study, worst.item)}{more}, {worst.item.reason or 'which cannot be told from its margin'}"
    silent = [piece for piece in found if piece.item.silent and piece.item.reason]
    of_members = [piece for piece in silent if piece.item.family != "distribution"] or silent
    return f": no test of {pieces.heading(of_members[0].item.family).lower()} could be made, as {of_members[0].item.reason}" if of_members else ""


def would_decide(verdicts):
    """Each remedy once."""
    remedies = dict.fromkeys(remedy for verdict in verdicts for remedy in (verdict.would_decide or "").split("; ") if remedy)
    return f" Would decide: {'; '.join(remedies)}." if remedies else ""


def control_sentence(study, answer, verdicts):
    """What it means that the tests say this of the reference with other noise."""
    if answer in ("equal", "equivalent"):
        return f"The tests find {study.reference} with other noise equivalent to itself, as they must: there is no false alarm."
    if answer == "undecided":
        return f"The tests leave open whether {study.reference} with other noise is equivalent to itself: no false alarm, but little power.{would_decide(verdicts)}"
    if answer == "different":
        return f"The tests find {study.reference} with other noise different from itself: a false alarm. Differences found elsewhere in this study may be false too."
    return "The control has no verdict in results.json."


def within_reference_error(study, verdicts):
    """The fields whose error is not larger than the reference's own, in a sentence; None where there are none."""
    found = {name: fields for verdict in verdicts if (fields := fields_within(study, verdict.configuration)) for name in [verdict.configuration]}
    if not found:
        return None
    shared = list(dict.fromkeys(tuple(fields) for fields in found.values()))
    who = "Its error" if len(verdicts) == 1 else f"The error of {join(found)}" if len(shared) == 1 else None
    time = model_time(study.reference_error.time_s[-1])
    if who:
        return f"{who} after {time} is not larger than {study.reference}'s own against {study.reference_error.configuration} in {join(shared[0])}."
    told = "; ".join(f"{name} in {join(fields)}" for name, fields in found.items())
    return f"Errors after {time} that are not larger than {study.reference}'s own against {study.reference_error.configuration}: {told}."


def fields_within(study, configuration):
    return [row[0] for row in reference_rows(study, [configuration]) if row[2][0][1]]


def reference_rows(study, configurations):
    """(field, the reference's own error, [(error, whether it is not larger)] by configuration) at the last time at which the reference's error is known."""
    known = study.reference_error
    if not known:
        return []
    runs = {run.id: run for run in study.runs}
    return [(name, own[-1], [compared(runs.get(configuration), name, known.time_s[-1], own[-1]) for configuration in configurations]) for name, own in known.fields.items()]


def compared(run, name, time, own):
    """The run's error at that time (None where there is none) and whether it is not larger than `own`."""
    errors = run.errors.get(name, np.empty(0)) if run else np.empty(0)
    if not errors.size or errors.size != run.time_s.size:
        return None, False
    at = np.flatnonzero(np.abs(run.time_s - time) <= 1e-6 * max(1.0, abs(time)))
    error = number(float(errors[at[0]])) if at.size else None
    return error, bool(error is not None and error <= own)


def held_against(study):
    """What the verdicts were held against, as (what, amount, reason); empty for results without rules."""
    rules = study.rules
    told = []
    if rules.tolerated:
        told.append(("errors", f"what a perturbation of ε = {rules.tolerated} makes, which is tolerated", rules.reason))
    if rules.statistics:
        told.append(("means of statistics", rules.statistics.text(), rules.statistics.reason))
    if rules.spread_ratio:
        told.append(("spreads of statistics", f"a factor of {scientific(rules.spread_ratio)} up or down", None))
    if rules.curves:
        told.append(("curves", rules.curves.text(), rules.curves.reason))
    for name, margin in rules.margins.items():
        units = study.statistics[name].units if name in study.statistics else study.curves[name].y.units if name in study.curves else ""
        told.append((study.name_of(name), margin.text(units), margin.reason))
    return told


def worst_rates(study):
    """(evidence, how many calibrated cases, false alarms, misses) by kind of evidence: of each the case with the largest share, as (share, upper bound) or None."""
    rows = study.calibration.rates if study.calibration else []
    kinds = dict.fromkeys(rate.evidence for rate in rows)
    return [(kind, sum(rate.evidence == kind for rate in rows), *(worst_rate([rate for rate in rows if rate.evidence == kind], key) for key in ("false_alarms", "misses")))
            for kind in kinds]


def worst_rate(rows, key):
    """The largest share and its upper bound; of equal shares that of the most studies."""
    known = [(getattr(rate, key), getattr(rate, f"{key}_upper")) for rate in rows if getattr(rate, key) is not None]
    return max(known, key=lambda pair: (pair[0], -(pair[1] if pair[1] is not None else 1)), default=None)


def rates(study, answer, found):
    """How often evidence of the kinds that decided was wrong in the calibration, at worst: false alarms of `different`, misses of `equivalent`. Other answers are neither."""
    key, noun = {"different": ("false_alarms", "False alarms"), "equivalent": ("misses", "Misses")}.get(answer, (None, None))
    if key is None or not study.calibration:
        return ""
    told, measured, asked = [], set(), set()
    for family, group in pieces.by_family([piece for piece in found if piece.item.answer == answer and piece.item.family in CALIBRATED]).items():
        rows = [row for row in study.calibration.rates if row.evidence == CALIBRATED[family] and row.members is not None and getattr(row, key) is not None]
        for members in sorted({piece.item.pairs for piece in group if piece.item.pairs is not None}):
            if not rows:
                told.append(f"{pieces.heading(family).lower()}: not measured")
                continue
            nearest = min((row.members for row in rows), key=lambda known: (abs(known - members), known))
            near = [row for row in rows if row.members == nearest]
            told.append(f"{pieces.heading(family).lower()} {rate_words(worst_rate(near, key))} in {count(len(near), 'calibrated case')}")
            measured.add(nearest)
            asked.update({members} - {nearest})
    if not told:
        return ""
    how = f" Measured with {join(map(str, sorted(measured)))} members" + (f", not with {join(map(str, sorted(asked)))}" if asked else "") + "." if measured else ""
    return f"{noun} of what decided, at worst: {'; '.join(dict.fromkeys(told))}.{how}"


def rate_words(rate):
    """1.7 % (at most 9.0 %): the share seen and its upper bound."""
    return "–" if rate is None else share(rate[0]) + (f" (at most {share(rate[1])})" if rate[1] is not None else "")


def share(value):
    return f"{scientific(100 * value)}\u202f%" if value is not None else "–"


def equivalent_perturbation(study, policy):
    """How large a perturbation of the reference policy does as much to the first field as this policy: a sentence or None."""
    run = study.run_of(policy)
    ensembles = sorted((e for e in study.ensembles if e.policy == study.reference_policy), key=lambda e: e.epsilon)
    names = [name for name in study.leading(study.fields) if run and name in run.metrics and all(name in e.spread for e in ensembles)]
    if not names or not ensembles:
        return None
    error = run.metrics[names[0]].get("l2_relative")
    sizes = [(e.epsilon_text, e.spread[names[0]][0]) for e in ensembles if e.spread[names[0]][0] is not None]
    if not error or not sizes:
        return None
    least = next((text for text, size in sizes if size >= error), None)
    subject = f"Its error in {names[0]} (relative L2 {scientific(error)})"
    if least is None:
        return f"{subject} exceeds what even a perturbation of ε = {power(sizes[-1][0])} does to {study.reference_policy} ({scientific(sizes[-1][1])})."
    return f"{subject} is no larger than what a perturbation of ε = {power(least)} does to {study.reference_policy}."


AGREE = {"equal": ("has the same bits as {}", "have the same bits as {}"), "equivalent": ("agrees with {}", "agree with {}"), "undecided": ("is undecided", "are undecided"),
         "different": ("differs", "differ"), None: ("has no verdict", "have no verdict")}  # answer -> of one, of several


def headline(study):
    """The answer on the study and what is gained, e.g. "All 7 configurations agree with fp64/deterministic. fp32 is 1.9 times as fast in half the memory."."""
    judged = [verdict for verdict in study.verdicts if not verdict.control]
    if not judged:
        return "There is nothing to judge."
    answers = {verdict.answer for verdict in judged}
    alike = answers == {"equal", "equivalent"}  # equal ones agree, too
    groups = {answer: [verdict for verdict in judged if verdict.answer == answer or alike] for answer in (["equivalent"] if alike else [answer for answer in WORDS if answer in answers])}
    parts, reference = [], study.reference
    for answer, verdicts in groups.items():
        whole = len(groups) == 1 and len(verdicts) > 1
        told = names(study, judged, verdicts)
        words = AGREE[answer][whole or len(told) > 1]
        if study.variants:
            words = words.replace("the same bits as", "the same output as")
        parts.append(f"{'All ' + gain.compared(study) if whole else join(told)} {words.format(reference)}")
        reference = "it" if "{}" in words else reference
    within = " within what the case tolerates" if study.rules.tolerated and answers <= {"equal", "equivalent"} and "equivalent" in answers else ""
    gained = gain.sentence(study)
    return "; ".join(parts) + within + "." + (f" {gained}" if gained else "")


def names(study, judged, verdicts):
    """Names of these verdicts' configurations; the policy alone for all of its configurations, but for the reference's."""
    told = {}
    for verdict in verdicts:
        whole = verdict.policy not in ("", study.reference_policy) and all(other in verdicts for other in judged if other.policy == verdict.policy)
        told.setdefault(verdict.policy if whole else verdict.configuration)
    return list(told)


def control_statement(study):
    """What the evaluation alone does to the statistics, in sentences; controls without effect share one."""
    reference = study.reference_run
    sentences, same = [], []
    for control in study.controls:
        parts = []
        for name, (mean, sd) in control.statistics.items():
            base = reference and reference.statistics.get(name)
            if mean is not None and base:
                parts.append((study.quantity(name), (mean - base) / abs(base), sd / abs(base) if sd is not None else 0))
        if not parts:
            continue
        size = f"{control.policy} size ({scientific(control.noise)})"
        if all(abs(change) + sd < 5e-4 for _, change, sd in parts):
            same.append(size)
        else:
            changes = join(f"{label} by {percent(change)} (sd {100 * sd:.1f} %)" for label, change, sd in parts)
            sentences.append(f"The evaluation alone, given the reference's own fields with noise of {size}, changes {changes}"
                             ": so much of a difference may be the evaluation's and not the model's.")
    if same:
        sentences.insert(0, f"The evaluation alone, given the reference's own fields with noise of {join(same, 'or')}, finds the same statistics.")
    return sentences
