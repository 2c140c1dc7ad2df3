# SPDX-License-Identifier: Apache-2.0
"""One verdict per policy, from the gates of the case and the tests between ensembles.

Trust is agreement with the reference within the case's own gates:
- a failed gate, or a run that failed, in every assembly: no;
- the same in one assembly of several, a rejected test, failed members, anything that could not be judged: with limits;
- no gate could be judged: not judged. A skipped gate never counts as passed.
"""

from dataclasses import dataclass

from .text import count, join, percent, power, quantity, scientific

YES, LIMITS, NO, UNKNOWN = "yes", "limits", "no", "unknown"
WORDS = {YES: "Yes", LIMITS: "With limits", NO: "No", UNKNOWN: "Not judged"}


@dataclass
class Verdict:
    policy: str
    status: str
    word: str
    sentence: str
    reasons: list  # short sentences: what the verdict rests on
    caveats: list  # what it does not cover
    is_reference: bool


def verdicts(study):
    return [judge(study, policy) for policy in study.policies]


def describe_gate(gate):
    if gate.value is not None and gate.limit is not None:
        return f"{gate.name} ({scientific(gate.value)} against a limit of {scientific(gate.limit)})"
    return f"{gate.name} ({gate.reason})" if gate.reason else gate.name


def describe_tests(study, tests):
    """E.g. "total LKF length at ε = 2⁻²³ (+8.1 %, p = 1.2 × 10⁻⁴) and 2⁻¹⁰ (+3.0 %, p = 0.011)"."""
    groups = {}
    for test in tests:
        change = effect(study, test)
        size = f"({f'{percent(change)}, ' if change is not None else ''}p\u00a0=\u00a0{scientific(test.p)})"
        groups.setdefault(quantity(test.quantity), []).append(f"{power(test.epsilon_text)} {size}" if test.epsilon_text else size)
    return "; ".join(f"{name}{' ' if cases[0].startswith('(') else ' at ε = '}{join(cases)}" for name, cases in groups.items())


def effect(study, test):
    """Relative change of the tested mean against the baseline's ensemble; None where unknown."""
    attribute = {"lkf_count": "lkf_count", "lkf_total_length": "lkf_length_km", "lkf_total_length_km": "lkf_length_km"}.get(test.quantity)
    if not attribute:
        return None

    def mean(policy):
        return next((getattr(e, attribute)[0] for e in study.ensembles if e.policy == policy and e.epsilon_text == test.epsilon_text), None)

    new, old = mean(test.policy), mean(test.baseline)
    return (new - old) / old if new is not None and old else None


def equivalent_perturbation(study, policy):
    """How large a perturbation of the reference policy does as much to the first field as this policy: a sentence or None."""
    run = study.run_of(policy)
    ensembles = sorted((e for e in study.ensembles if e.policy == study.reference_policy), key=lambda e: e.epsilon)
    names = [name for name in ("shear", *study.fields) if run and name in run.metrics and all(name in e.spread for e in ensembles)]
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


def judge(study, policy):
    runs = [run for run in study.runs if run.policy == policy]
    crashed = {run.id for run in runs + study.members if run.failed}  # told once, not once more per gate
    gates = [gate for gate in study.gates if gate.policy == policy and gate.run not in crashed]
    passed = [gate for gate in gates if gate.passed]
    skipped = [gate for gate in gates if gate.skipped]
    failed = [gate for gate in gates if not gate.passed and not gate.skipped]
    tests = [test for test in study.tests if test.policy == policy]
    rejected = [test for test in tests if test.rejected]
    judged = [test for test in tests if test.p is not None]
    lost = [run for run in runs if run.failed]
    lost_members = [run for run in study.members if run.policy == policy and run.failed]
    assemblies = list(dict.fromkeys(run.assembly for run in runs))
    bad = {run.assembly for run in lost} | {gate.assembly for gate in failed}
    good = [assembly for assembly in assemblies if assembly not in bad]
    reference = policy == study.reference_policy
    baseline = tests[0].baseline if tests else study.reference_policy

    reasons, caveats = [], []
    if passed:
        reasons.append(f"Passes {count(len(passed), 'gate')}: {join(dict.fromkeys(gate.name for gate in passed))}.")
    if failed:
        reasons.append("Fails " + join(f"{describe_gate(gate)} in {gate.run}" for gate in failed) + ".")
    for run in lost:
        reasons.append(f"The run {run.id} failed: {run.failed}.")
    if rejected:
        reasons.append(f"Differs measurably from {baseline} in " + describe_tests(study, rejected) + ".")
    if judged and not rejected:
        reasons.append(f"No measurable difference from {baseline} in {count(len(judged), 'ensemble test')} "
                       f"(smallest p\u00a0=\u00a0{scientific(min(test.p for test in judged))}).")
    if not reference and (sentence := equivalent_perturbation(study, policy)):
        reasons.append(sentence)
    if skipped:
        caveats.append("Not judged: " + join(f"{gate.name} in {gate.run} ({gate.skipped})" for gate in skipped) + ".")
    if len(judged) < len(tests):
        why = next((test.reason for test in tests if test.p is None and test.reason), "no p-value")
        caveats.append(f"{count(len(tests) - len(judged), 'ensemble test')} could not be judged ({why}).")
    if lost_members:
        caveats.append(f"{len(lost_members)} of its {sum(run.policy == policy for run in study.members)} perturbed runs failed.")
    if not tests and not reference:
        caveats.append("No ensemble test was made, so nothing is said about its statistics.")

    def verdict(status, sentence):
        return Verdict(policy, status, WORDS[status], sentence, reasons, caveats, reference)

    everywhere = f" in {join(filter(None, assemblies))} assembly" if any(assemblies) else ""
    if bad and not good:
        causes = [f"it fails gate {name}" for name in dict.fromkeys(gate.name for gate in failed)] + [f"the run {run.id} failed" for run in lost]
        return verdict(NO, f"{policy} may not be trusted for this case: {join(causes)}.")
    if not passed:
        return verdict(UNKNOWN, f"{policy} cannot be judged: " + ("every gate was skipped." if gates else "the case sets no gate for it."))

    limits = []
    if bad:
        causes = [f"{gate.run} fails gate {gate.name}" for gate in failed] + [f"the run {run.id} failed" for run in lost]
        limits.append(f"only in {join(good)} assembly, as {join(dict.fromkeys(causes))}")
    if rejected:
        limits.append(f"not for {join(dict.fromkeys(quantity(test.quantity) for test in rejected))}, which differs measurably from that of {baseline}")
    if skipped:
        limits.append(f"{len(skipped)} of its {count(len(gates), 'gate')} could not be judged")
    if len(judged) < len(tests):
        limits.append(f"{len(tests) - len(judged)} of its {count(len(tests), 'ensemble test')} could not be judged")
    if lost_members:
        limits.append(f"{len(lost_members)} of its perturbed runs failed")
    if limits:
        return verdict(LIMITS, f"{policy} may be trusted only with limits: {'; '.join(limits)}.")

    met = {1: "meets its one gate", 2: "meets both its gates"}.get(len(passed), f"meets all its {len(passed)} gates")
    if reference:
        return verdict(YES, f"{policy} is what all others are measured against;{everywhere} it {met}.")
    statistics = f", and its statistics do not differ measurably from those of {baseline}" if judged else ""
    return verdict(YES, f"{policy} may be trusted for this case{everywhere}: it {met}{statistics}.")


def headline(all_verdicts):
    """The study in a sentence, e.g. "2 of 3 policies may be trusted; 1 with limits."."""
    candidates = [verdict for verdict in all_verdicts if not verdict.is_reference] or all_verdicts
    names = {status: [verdict.policy for verdict in candidates if verdict.status == status] for status in WORDS}
    parts = [f"{join(names[status])} {words}" for status, words in ((YES, "may be trusted"), (LIMITS, "only with limits"), (NO, "may not be trusted"),
                                                                   (UNKNOWN, "could not be judged")) if names[status]]
    return "; ".join(parts) + "." if parts else "There is nothing to judge."


def test_statement(study):
    """The tests in words: (sentences, one per policy)."""
    sentences = []
    for policy in study.policies:
        tests = [test for test in study.tests if test.policy == policy]
        if not tests:
            continue
        rejected, open_tests = [t for t in tests if t.rejected], [t for t in tests if t.p is None]
        judged = [t for t in tests if t.p is not None]
        if rejected:
            line = f"{policy} differs measurably from {tests[0].baseline} in " + describe_tests(study, rejected) + "."
            if len(judged) > len(rejected):
                line += f" Its other {count(len(judged) - len(rejected), 'test')} found no difference."
        elif judged:
            line = (f"{policy} does not differ measurably from {tests[0].baseline} in any of {count(len(judged), 'test')} "
                    f"(smallest p\u00a0=\u00a0{scientific(min(t.p for t in judged))}).")
        else:
            line = f"{policy} could not be tested."
        if open_tests:
            line += f" {count(len(open_tests), 'test')} not judged: {open_tests[0].reason or 'no p-value'}."
        sentences.append((policy, bool(rejected), line))
    return sentences


def control_statement(study):
    """What the detector alone does to the LKF statistics, in sentences; controls without effect share one."""
    reference = study.reference_run
    sentences, same = [], []
    for control in study.controls:
        parts = []
        for label, (mean, sd), base in (("total length", control.length_km, reference and reference.lkf_length_km),
                                        ("number", control.count, reference and reference.lkf_count)):
            if mean is not None and base:
                parts.append((label, (mean - base) / base, sd / base if sd is not None else 0))
        if not parts:
            continue
        size = f"{control.policy} size ({scientific(control.noise)})"
        if all(abs(change) + sd < 5e-4 for _, change, sd in parts):
            same.append(size)
        else:
            changes = join(f"{label} by {percent(change)} (sd {100 * sd:.1f} %)" for label, change, sd in parts)
            sentences.append(f"The detector alone, given the reference's shear with noise of {size}, changes the {changes}"
                             ": so much of a difference may be the detector's and not the model's.")
    if same:
        sentences.insert(0, f"The detector alone, given the reference's shear with noise of {join(same, 'or')}, finds the same LKFs.")
    return sentences
