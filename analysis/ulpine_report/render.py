# SPDX-License-Identifier: Apache-2.0
"""Puts the study, its verdicts and figures into the page."""

import functools
import math
import platform
import re
import shlex
import sys
from dataclasses import dataclass, field
from pathlib import Path

import jinja2

from . import choice, cost, curves, distributions, drawing, fields, gain, growth, load, maps, metrics, parts, pieces, statistics, text, tolerated, verdict
from .digits import of_study as digits_of_study

MARK = b'<meta name="generator" content="Ulpine">'  # in the first bytes of every page: what may be replaced


@dataclass
class Made:
    """The figures of a page, in its order."""

    maps: list  # (figure, figure of differences or None)
    curves: list
    statistics: list
    series: drawing.Figure | None
    tolerated: drawing.Figure | None
    growth: drawing.Figure | None
    ensemble_growth: drawing.Figure | None
    digits: drawing.Figure | None
    cost: drawing.Figure | None
    distributions: list = field(default_factory=list)
    choices: choice.Choices | None = None  # None: not asked for

    @property
    def all(self):
        pairs = [figure for pair in self.maps for figure in pair]
        chosen = [figure for item in self.choices.found for figure in item.figures] if self.choices else []
        return [figure for figure in (*pairs, *self.curves, *self.statistics, self.series, self.tolerated, self.growth, self.ensemble_growth, self.digits, self.cost, *self.distributions, *chosen) if figure]


def build_folder(folder, wanted=None, choosing=True):
    """The page's HTML and its figures, of whatever the folder holds: a study, other results, or both; of a file a comparison. InputError where there is nothing."""
    if Path(folder).is_file():
        return build_parts([parts.comparison_of(Path(folder), load.read_json)], [])
    found, refused = parts.parts_of(Path(folder), load.read_json)
    if found and not (Path(folder) / "results.json").exists():
        return build_parts(found, refused)
    if refused and not (Path(folder) / "results.json").exists():
        raise load.InputError(refused[0][1])
    study = load.load(folder)
    study.problems += [f"{said}; what it holds is missing here." for _, said in refused]
    return build(study, found, wanted, choosing)


def build(study, found=(), wanted=None, choosing=True):
    """The page of a study, with the sections found beside it; fields `wanted` to be chosen from, or as many as there is room for."""
    chosen = choice.choices(study, wanted) if choosing else None  # first, as it may refuse
    read, attributions = fields.load_fields(study)
    choice.leave_out_shown(chosen, read)
    made = Made(maps.figures(study, read), curves.figures(study), statistics.figures(study), growth.statistic_series(study), tolerated.tolerated(study), growth.error_growth(study),
                growth.ensemble_growth(study), digits_of_study(study), cost.cost(study), distributions.figures(study), chosen)
    figures = made.all + [figure for part in found for figure in part.figures]
    name_apart(figures)
    study.problems += [f"{part.file}: {problem}" for part in found for problem in part.problems]
    return page(study, attributions, made, found), figures


def build_parts(found, refused):
    """The page of a folder without a study."""
    figures = [figure for part in found for figure in part.figures]
    name_apart(figures)
    problems = [said for _, said in refused] + [f"{part.file}: {problem}" for part in found for problem in part.problems]
    title = next((part.case for part in found if part.case), None) or found[0].title
    created = next((part.provenance["created"][:16].replace("T", " ") for part in found if part.provenance.get("created")), "")
    return environment().get_template("parts.html.j2").render(parts=found, problems=problems, title=title, created=created, made_by=made_by(found[0].provenance), attributions=[], libraries=libraries()), figures


def name_apart(figures):
    """No two figures of one name."""
    names = {}
    for figure in figures:
        names[figure.name] = names.get(figure.name, 0) + 1
        if names[figure.name] > 1:
            figure.name += f"-{names[figure.name]}"


def page(study, attributions, made, found):
    """The page's HTML."""
    return environment().get_template("report.html.j2").render(
        parts=found,
        study=study, cards=verdict.cards(study), control_cards=verdict.cards(study, control=True), headline=verdict.headline(study), measured=gain.measured(study), contents=contents(found), made_by=made_by(study.provenance), run_words=run_words(study),
        held_against=verdict.held_against(study), worst_rates=verdict.worst_rates(study), silences=pieces.silences(study, study.verdicts), absences=pieces.absences(study),
        notes=notes(study), amplitude=pieces.shared_amplitude(study), word=verdict.WORDS[study.answer], figures=made, attributions=attributions,
        overview=overview(study), overview_fields=overview_fields(study), overview_statistics=used_statistics(study)[:max(1, 8 - len(overview_fields(study)))][:3], **reference_table(study),
        gates=sorted(study.gates, key=lambda gate: (gate.passed, bool(gate.skipped))),
        declared_gates=declared_gates(study), used_metrics=used_metrics(study), more_is_better=more_is_better(study), undefined=undefined(study),
        ensembles=ensemble_table(study), control_lines=verdict.control_statement(study), costs=costs(study), bitwise=bitwise(study), bitwise_words=bitwise_words(study),
        integrals=integrals(study), libraries=libraries(), failures=[run for run in study.runs + study.members if run.failed], commands=commands(study),
        run_statistics=run_statistics(study), used_statistics=used_statistics(study))


def of_study(shown):
    """A filter that asks for the study, too."""
    return jinja2.pass_context(lambda context, item: shown(context["study"], item))


@functools.cache
def environment():
    """The templates, compiled once for all pages of a process."""
    result = jinja2.Environment(loader=jinja2.FileSystemLoader(Path(__file__).parent), autoescape=True, trim_blocks=True, lstrip_blocks=True,
                                undefined=jinja2.StrictUndefined)
    result.filters.update(amount=text.amount, scientific=text.scientific, plain=text.plain, power=text.power, duration=text.duration, memory=text.memory,
                          percent=text.percent, told=text.told, count_noun=text.count, units=text.units, digits=digits, share=verdict.share, rate=verdict.rate_words,
                          interval=lambda item: pieces.interval(item, 3), value=lambda item: text.scientific(item.value, pieces.digits_of(item, 3)), with_units=text.with_units, heading=lambda item: pieces.heading(item.family), subject=of_study(lambda study, piece: pieces.subject(study, piece.item)),
                          margin=of_study(pieces.margin_words), drawn=of_study(lambda study, piece: pieces.drawn(study, piece, compact=True)))
    return result


def notes(study):
    """The notes of the results but for what the glossary says of each evaluation."""
    return [note for note in study.notes if not any(note.startswith(f"{name}: ") for name in study.evaluations)]


def digits(error):
    """Correct decimal digits of a relative error: 6.7; "all" where there is no error."""
    found = pieces.digits(error)
    return "–" if found is None else "all" if found == math.inf else text.plain(found, 1)


def reference_table(study):
    """The table of the reference's own error beside that of each policy's run."""
    known = study.reference_error
    columns = [run.id for run in map(study.run_of, study.policies) if run and run.id != study.reference]
    return {"reference_columns": columns, "reference_rows": verdict.reference_rows(study, columns),
            "reference_time": text.model_time(float(known.time_s[-1])) if known else ""}


@dataclass
class EnsembleTable:
    amplitudes: list  # texts of the columns
    rows: list  # (quantity, whose members, cells)
    alone: bool  # whether the evaluation alone has rows


def ensemble_table(study):
    """A row per quantity and ensemble, a column per amplitude, so that many statistics make a longer table and no wider one."""
    ensembles = sorted(study.ensembles, key=lambda e: study_order(study, e.policy)) + study.control_ensembles
    amplitudes = [name for _, name in sorted({(e.epsilon, e.epsilon_text) for e in ensembles})]
    several = len({e.assembly for e in study.ensembles}) > 1

    def owner(e):
        return "control" if e in study.control_ensembles else e.configuration or f"{e.policy}/{e.assembly}" if several else e.policy

    owners = {}
    for e in ensembles:
        owners.setdefault(owner(e), {}).setdefault(e.epsilon_text, e)
    rows = [("members", name, [text.plain(found[a].members) if a in found else "–" for a in amplitudes]) for name, found in owners.items()]
    alone = False
    for statistic in used_statistics(study):
        label = study.label(statistic)
        rows += [(label, name, [text.mean_sd(found[a].statistics.get(statistic, (None, None))) if a in found else "–" for a in amplitudes]) for name, found in owners.items()]
        controls = {e.epsilon_text: e.controls[statistic] for e in ensembles if e.controls.get(statistic, (None, None))[0] is not None}
        if controls:
            alone = True
            rows.append((label, "(evaluation alone)", [text.mean_sd(controls.get(a, (None, None))) for a in amplitudes]))
        spread = study.statistics[statistic].orientation_spread if statistic in study.statistics else None
        if spread:
            rows.append((label, "(over orientations)", [f"differs by {text.scientific(spread)}" for _ in amplitudes]))
    for field in spread_fields(study):
        rows += [(f"spread of {field} (1)", name, [text.scientific(found[a].spread.get(field, (None, None))[0]) if a in found else "–" for a in amplitudes])
                 for name, found in owners.items()]
    return EnsembleTable(amplitudes, rows if amplitudes else [], alone)


def study_order(study, policy):
    return study.policies.index(policy) if policy in study.policies else len(study.policies)


def overview_fields(study):
    """At most six fields for the summary table, in the order of the study."""
    return [name for name in study.fields if any(run.metrics.get(name, {}).get("l2_relative") is not None for run in study.runs)][:6]


def spread_fields(study):
    """Two fields for the table of ensembles."""
    return study.leading(list(dict.fromkeys(name for e in study.ensembles for name in e.spread)))[:2]


def used_statistics(study):
    """The statistics that a run or an ensemble has a value of, those of the study first."""
    owners = [run.statistics for run in study.runs] + [{name: mean for name, (mean, _) in e.statistics.items()} for e in study.ensembles]
    names = list(dict.fromkeys([*study.statistics, *(name for run in study.runs for name in run.statistics)]))
    return [name for name in names if any(owner.get(name) is not None for owner in owners)]


def declared_gates(study):
    """(gate, its limits) for each thing that a case asks for; a limit that follows the spread is another for each configuration."""
    limits = {}
    for gate in study.gates:
        if gate.subject:
            found = limits.setdefault((gate.name, gate.subject_kind, gate.subject, gate.metric, gate.time, gate.runs), (gate, set()))
            found[1].add(gate.limit)
    return [(gate, sorted(limit for limit in found if limit is not None)) for gate, found in limits.values()]


def run_statistics(study):
    """(name, run, value, difference to the reference, relative difference), a row per statistic and unperturbed run."""
    rows = []
    for name in used_statistics(study):
        base = study.reference_run.statistics.get(name) if study.reference_run else None
        for run in sorted(study.runs, key=lambda run: study_order(study, run.policy)):
            value = run.statistics.get(name)
            if value is not None:
                change = value - base if base is not None and run.id != study.reference else None
                rows.append((name, run, value, change, change / abs(base) if change is not None and base else None))
    return rows


def overview(study):
    """A row per unperturbed run for the summary table."""
    rows = []
    for run in sorted(study.runs, key=lambda run: study_order(study, run.policy)):
        gates = [gate for gate in study.gates if gate.run == run.id]
        rows.append({
            "run": run, "is_reference": run.id == study.reference, "answer": next((verdict.answer for verdict in study.verdicts if verdict.configuration == run.id), None),
            "speed_up": gain.speed_up(study, run), "emulated": gain.is_emulated(run), "memory_ratio": gain.memory_ratio(study, run),
            "errors": [run.metrics.get(name, {}).get("l2_relative") for name in overview_fields(study)],
            "reasons": [run.undefined.get(f"{name}.l2_relative") for name in overview_fields(study)],
            "passed": sum(gate.passed for gate in gates), "skipped": sum(bool(gate.skipped) for gate in gates),
            "failed": sum(not gate.passed and not gate.skipped for gate in gates)})
    return rows


def libraries():
    """The versions of what made this page, e.g. "Python 3.11.2, numpy 1.24.2"."""
    names = [name for name in ("numpy", "xarray", "netCDF4", "matplotlib", "jinja2") if name in sys.modules]
    return ", ".join([f"Python {platform.python_version()}", *(name + version(name) for name in names)])


def version(name):
    """The version of a loaded library with a blank before it; empty for the 999 that xarray gives where its package says none."""
    found = str(sys.modules[name].__version__)
    return "" if found == "999" else f" {found}"


def used_metrics(study):
    """The metrics of the page that at least one run has."""
    return [item for item in study.metrics.values() if item.shown and any(values.get(item.name) is not None for run in study.runs for values in run.metrics.values())]


def more_is_better(study):
    """Names of the metrics of gates of which large values pass."""
    return list(dict.fromkeys(gate.metric for gate in study.gates if metrics.more_is_better(study.metrics, gate)))


def undefined(study):
    """(reason, ["field.metric"], [run ids]) of undefined metrics; those that share reason and runs together."""
    runs_of = {}
    for run in study.runs:
        for name, reason in run.undefined.items():
            runs_of.setdefault((reason, name), []).append(run.id)
    groups = {}
    for (reason, name), runs in runs_of.items():
        groups.setdefault((reason, tuple(runs)), []).append(name)
    return [(reason, names, runs) for (reason, runs), names in groups.items()]


def costs(study):
    rows = []
    for run in sorted((run for run in study.runs if not run.failed), key=lambda run: study_order(study, run.policy)):
        per_update = run.wall_s / run.steps / run.cells if run.wall_s and run.steps and run.cells else None
        rows.append({"run": run, "speed_up": gain.speed_up(study, run), "emulated": gain.is_emulated(run), "updates": 1 / per_update if per_update else None,
                     "memory_ratio": gain.memory_ratio(study, run)})
    return rows


def bitwise(study):
    """Groups of unperturbed runs with equal final state: those given, else those found by equal policy and hash."""
    if study.bitwise:
        return study.bitwise
    groups = {}
    for run in study.runs:
        if run.hash and not run.failed:
            groups.setdefault((run.policy, run.hash), []).append(run.id)
    return [(key[1], runs) for key, runs in groups.items()]


def bitwise_words(study):
    """What equal bits are to be expected; nothing where each policy was run in one way only."""
    if study.variants:
        return "Equal bits are not expected of variants; where they are equal, the change has no effect on this case."
    ways = {policy: {(run.assembly, run.device) for run in study.runs if run.policy == policy} for policy in study.policies}
    if study.core == "program":
        return "Variants with equal bits round alike; whether others differ by more than rounding is told in the cards of the first page."
    if all(len(found) < 2 for found in ways.values()):
        return "Each policy was run in one assembly on one device, so that no two runs are expected to be equal; `ulpine bitwise` repeats a run."
    return ("Equal bits are expected within a policy in deterministic assembly, not between policies. Where others differ, `ulpine bitwise` names the first stage that does, "
            "and what is known of the libraries that it calls.")


def run_words(study):
    """How many runs were compared and how many failed, and what the study did besides, in sentences."""
    compared, failed = len(study.runs) + len(study.members), sum(run.failed is not None for run in study.runs + study.members)
    told = [f"{failed or 'None'} of {text.count(compared, 'run')} that are compared failed: {len(study.runs)} unperturbed, {len(study.members)} members of ensembles."]
    others = study.run_states.get("done", 0) + study.run_states.get("failed", 0) - compared
    if others > 0:
        told.append(f"{text.count(others, 'more run')} {'was' if others == 1 else 'were'} done"
                    + (f" in {study.reference_error.configuration}, which tells the reference's own error." if study.reference_error and others == 1 else "; nothing is held against it." if others == 1 else "."))
    if left := [f"{amount} {state}" for state, amount in study.run_states.items() if state not in ("done", "failed")]:
        told.append(f"Not done: {', '.join(left)}.")
    return " ".join(told)


def contents(found):
    """(anchor, title) of the page's sections, with those of other files."""
    return [("verdict", "Verdicts"), ("untested", "What was not tested"), ("overview", "Overview"), ("cost", "Time and memory"), ("reference", "The reference's own error"), ("gates", "Gates"),
            ("maps", "Maps"), ("choose", "Choose a field"), ("curves", "Curves"), ("statistics", "Statistics"), ("growth", "Error growth"), ("digits", "Digits in time"),
            *((part.anchor, part.title) for part in found), ("bitwise", "Bitwise equality"), ("conservation", "Conservation and failures"), ("metrics", "All metrics"),
            ("provenance", "Provenance"), ("reproduce", "How to reproduce"), ("glossary", "Glossary")]


def made_by(provenance):
    """Who made it on what, for the first screen: "Ulpine 0.1.0 (0123abcd), GNU 12.2.0, on a processor, cpu"; only what is known."""
    version, commit = provenance.get("version"), provenance.get("commit")
    made = " ".join(part for part in (f"Ulpine {version}" if version else "", f"({commit})" if commit else "") if part)
    parts = [made, provenance.get("compiler"), provenance.get("host_cpu"), provenance.get("device")]
    return ", ".join(part for part in parts if part)


def integrals(study):
    """(name, run id, initial, final, relative change or None), a row per integral and unperturbed run."""
    rows = []
    for name in dict.fromkeys(name for run in study.runs for name in run.integrals):
        for run in study.runs:
            if name in run.integrals:
                initial, final = run.integrals[name]
                change = (final - initial) / initial if initial and final is not None else None
                rows.append((name, run.id, initial, final, change))
    return rows


def commands(study):
    """Command lines that make the study and this page again, an option a line: from the plan in the manifest, else from what the results show."""
    plan = study.plan
    amplitudes = dict(sorted((e.epsilon, e.epsilon_text) for e in study.ensembles))
    members = max((run.member + 1 for run in study.members if run.member is not None), default=max((e.members or 0 for e in study.ensembles), default=0))
    devices = listed(plan, "devices") or [load.text(plan.get("device"))] if plan else list(dict.fromkeys(run.device for run in study.runs if run.device))
    devices = [name for name in devices if name and re.fullmatch(r"cpu|cuda(:\d+)?", name)]
    configurations = listed(plan, "configurations")
    found = {"configurations": ",".join(configurations)} if configurations else {} if study.variants else {
        "policies": ",".join(listed(plan, "policies") or dict.fromkeys(run.policy for run in study.runs)),
        "assemblies": ",".join(listed(plan, "assemblies") or dict.fromkeys(run.assembly for run in study.runs if run.assembly)),
        "device" if len(devices) == 1 else "devices": ",".join(devices)}
    of_program = study.core == "program"
    if of_program and not configurations:
        found = {}  # all variants
    found |= {
        "reference": load.text(plan.get("reference")) or "",
        "members-for": ",".join(listed(plan, "members_for")),
        "epsilons": ",".join(listed(plan, "epsilons") or amplitudes.values()),
        "perturb": ",".join(name for name in listed(plan, "perturb") if name != "{amplitude}"),
        "members": str(load.integer(plan.get("members")) or members or ""),
        "seed": str(plan.get("seed", study.provenance.get("seed", ""))),
        "quad-until": f"{load.number(plan.get('quad_until_s')):g} s" if load.number(plan.get("quad_until_s")) is not None and not of_program else "",
        "until": f"{load.number(plan.get('until_s')):g} s" if load.number(plan.get("until_s")) else "",
    }
    lines = [" ".join(["ulpine", "ensemble", "case.toml", "-o", "STUDY"])]
    lines += [f"--{option} {shlex.quote(value)}" for option, value in found.items() if value]
    lines += ["--control"] if plan.get("control") is True else []
    return [" \\\n  ".join(lines), "ulpine report STUDY"]


def listed(plan, key):
    value = plan.get(key)
    return [str(item) for item in value] if isinstance(value, list) else []
