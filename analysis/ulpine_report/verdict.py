# SPDX-License-Identifier: Apache-2.0
"""Words for the verdicts of results.json. Nothing is decided here."""

from dataclasses import dataclass

from .text import count, join, percent, power, scientific

WORDS = {"equal": "Equal", "equivalent": "Equivalent", "undecided": "Undecided", "different": "Different", None: "No verdict"}


@dataclass
class Card:
    """Configurations of one policy with one answer."""

    policy: str
    answer: str | None
    word: str
    sentence: str
    reasons: list  # short sentences: what the answer rests on


def cards(study):
    """A card per policy and answer, in the order of the verdicts."""
    groups = {}
    for verdict in study.verdicts:
        groups.setdefault((verdict.policy, verdict.answer), []).append(verdict)
    return [Card(policy, answer, WORDS[answer], sentence(study, answer, verdicts), reasons(study, policy, verdicts))
            for (policy, answer), verdicts in groups.items()]


def sentence(study, answer, verdicts):
    subject = join(verdict.configuration for verdict in verdicts)
    have, gives = ("have", "give") if len(verdicts) > 1 else ("has", "gives")
    if answer == "equal":
        return f"{subject} {gives} the same bits as {study.reference}."
    if answer == "equivalent":
        return f"{subject} may be trusted for this case: what differs is shown to be inside the margins."
    if answer == "different":
        return f"{subject} may not be trusted for this case: a difference beyond a margin is shown, or something failed."
    if answer == "undecided":
        remedies = join(dict.fromkeys(verdict.would_decide for verdict in verdicts if verdict.would_decide))
        return f"Whether {subject} may be trusted is open." + (f" Would decide: {remedies}." if remedies else "")
    return f"{subject} {have} no verdict in results.json."


def reasons(study, policy, verdicts):
    """What the evidence of a card's configurations says; said once where they share it."""
    lines = {}
    for verdict in verdicts:
        for line in evidence_lines(study, verdict):
            lines.setdefault(line, []).append(verdict.configuration)
    shared = len(verdicts)
    told = [line if len(names) == shared else f"{join(names)}: {line}" for line, names in lines.items()]
    if equivalence := policy != study.reference_policy and equivalent_perturbation(study, policy):
        told.append(equivalence)
    return told


def evidence_lines(study, verdict):
    gates = [item for item in verdict.evidence if item.kind == "gate"]
    statistics = [item for item in verdict.evidence if item.kind == "statistic"]
    lines = []
    if inside := [item for item in gates if item.answer == "equivalent"]:
        lines.append(f"Passes {count(len(inside), 'gate')}: {join(item.subject for item in inside)}.")
    lines += [f"{'Fails' if item.answer == 'different' else 'Not judged:'} {describe_gate(item)}." for item in gates if item.answer != "equivalent"]
    for answer, verb in (("different", "Outside the margin"), ("undecided", "Undecided"), ("equivalent", "Inside the margin")):
        if found := [item for item in statistics if item.answer == answer]:
            lines.append(f"{verb}: {describe_statistics(study, found)}.")
    silent = {}
    for item in statistics:
        if item.answer is None:
            silent.setdefault(item.reason or "no reason given", []).append(item)
    lines += [f"No test{where(study, items)}: {reason}." for reason, items in silent.items()]
    lines += [f"{item.reason[:1].upper()}{item.reason[1:]}." for item in verdict.evidence if item.kind == "error" and item.reason]
    return lines


def where(study, items):
    """" of maximum of w (m s⁻¹) at ε = 2⁻⁵³", "" for evidence without a statistic."""
    names = list(dict.fromkeys(study.quantity(item.subject) for item in items if item.subject))
    amplitudes = list(dict.fromkeys(power(item.epsilon_text) for item in items if item.epsilon_text))
    return (f" of {join(names)}" if names else "") + (f" at ε = {join(amplitudes)}" if amplitudes else "")


def describe_gate(item):
    if item.value is not None and item.margin is not None:
        return f"{item.subject} ({scientific(item.value)} against a limit of {scientific(item.margin)})"
    return f"{item.subject} ({item.reason})" if item.reason else item.subject


def describe_statistics(study, items):
    """E.g. "maximum of w (m s⁻¹) at ε = 2⁻²³ (+1.2 in [0.8, 1.6], margin 0.5)"."""
    return "; ".join(f"{where(study, [item]).removeprefix(' of ')} ({scientific(item.value)} in {interval(item.interval)}, margin {scientific(item.margin)})"
                     for item in items)


def interval(bounds):
    return f"[{scientific(bounds[0])}, {scientific(bounds[1])}]" if bounds else "–"


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


def headline(study):
    """The answer on the study in a sentence, e.g. "1 configuration equivalent; 2 configurations undecided."."""
    if not study.verdicts:
        return "There is nothing to judge."
    groups = {}
    for verdict in study.verdicts:
        groups.setdefault(verdict.answer, []).append(verdict.configuration)
    parts = [f"{join(groups[answer])}: {WORDS[answer].lower()}" for answer in WORDS if answer in groups]
    return "; ".join(parts) + "."


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
