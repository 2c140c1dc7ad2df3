# SPDX-License-Identifier: Apache-2.0
"""Reads a study folder into plain, checked objects; nothing downstream sees raw JSON.

What the report cannot do without (schema, runs with id and policy) is required and its absence an InputError. All else is
optional: a value of the wrong type counts as absent, and non-finite numbers count as undefined.
"""

import json
import math
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from . import judgement, metrics, seal
from .text import labelled, model_time, told
from .values import InputError, any_text, array, integer, is_ordinary, mapping, mean_sd, means, number, objects, text

SCHEMA = "ulpine.results/1"
LARGEST_TEXT = 1 << 30  # bytes of a file that is read whole
KINDS = ("map", "section", "series", "curve")


@dataclass
class Run:
    """One model run; unperturbed where `member` is None."""

    id: str
    policy: str  # of a program's variants the variant
    assembly: str
    device: str | None
    epsilon: float | None
    member: int | None
    control: bool  # a member of the control ensemble
    ensemble: str | None  # id of the unperturbed run whose member it is
    arithmetic: str  # the policy in which it computes
    path: str | None
    wall_s: float | None
    steps: int | None
    cells: int | None
    memory_bytes: float | None
    hash: str | None
    failed: str | None
    metrics: dict  # field -> metric -> float or None
    undefined: dict  # "field.metric" -> reason
    statistics: dict  # name -> value at the last time
    curves: dict  # name -> (x, y) at the last time
    time_s: np.ndarray  # of both series
    errors: dict  # field -> relative L2 against the reference, per time
    statistic_series: dict  # statistic -> values, per time
    integrals: dict  # name -> (initial, final)


@dataclass
class Ensemble:
    """Statistics of the perturbed members of one configuration at one amplitude."""

    configuration: str | None  # id of its unperturbed run, or of the control
    policy: str
    epsilon: float
    epsilon_text: str
    assembly: str | None
    members: int | None
    statistics: dict  # name -> (mean, sd)
    curves: dict  # name -> (x, mean, sd)
    controls: dict  # statistic -> (mean, sd) of the reference's own field with noise of this amplitude
    spread: dict  # field -> (mean, sd) of the relative L2
    growth: dict  # "time_s" -> array, field -> (mean array, sd array)


@dataclass
class Gate:
    name: str
    run: str
    policy: str
    assembly: str
    subject_kind: str  # "field", "statistic", "integral" or "curve"; may be empty
    subject: str
    metric: str
    time: str  # when it is judged: "last", "all" or a lead time
    runs: str  # which runs it holds for
    value: float | None
    limit: float | None
    passed: bool
    skipped: str | None  # why it could not be judged
    reason: str | None  # why it failed without a value


@dataclass
class Control:
    """Statistics of the reference's own fields times (1 + noise * U(-1, 1)): the evaluation's share of a signal."""

    policy: str
    noise: float | None
    draws: int | None
    statistics: dict  # name -> (mean, sd)


@dataclass
class Evaluation:
    """What made statistics and curves, e.g. the extremum of a field."""

    name: str
    kind: str
    fields: list  # that it reads
    parameters: dict  # name -> text


@dataclass
class Statistic:
    name: str
    evaluation: str
    long_name: str
    units: str
    resolution: float | None  # the least amount by which it can change
    orientation_spread: float | None  # by how much it differs over the orientations of the reference's grid

    @property
    def label(self):
        """What it is, with its units."""
        return labelled(self.long_name, self.units)


@dataclass
class Axis:
    """One of the two axes of a curve."""

    name: str
    units: str
    scale: str  # "linear" or "log"


@dataclass
class Curve:
    """A function of one coordinate, as a spectrum or a profile."""

    name: str
    evaluation: str
    long_name: str
    x: Axis
    y: Axis


@dataclass
class Request:
    """A figure that the core proposes."""

    kind: str  # "map", "section", "series" or "curve"
    subject: str  # the field, statistic or curve
    scale: str | None  # "linear", "log" or "diverging"; None: chosen by the values
    level: int | None  # of a map of a field with levels
    axis: str | None  # dimension across which a section is cut
    index: int | None  # where on it
    first: bool = False  # at the first time instead of the last


@dataclass
class Study:
    folder: Path
    core: str
    name: str
    case_hash: str | None
    case_text: str | None
    provenance: dict
    reference: str
    runs: list  # unperturbed
    members: list
    ensembles: list
    control_ensembles: list  # of the reference with other noise; in no figure
    metrics: dict  # name -> metrics.Metric, in the order of the page
    gates: list
    evaluations: dict  # name -> Evaluation
    statistics: dict  # name -> Statistic
    curves: dict  # name -> Curve
    requests: list  # figures that the core proposes
    verdicts: list  # judgement.Verdict
    rules: object  # judgement.Rules: what the verdicts were held against
    reference_error: object  # judgement.ReferenceError or None
    calibration: object  # judgement.Calibration or None
    predictability: list  # (field, run id or members in words, mean s or None, sd s or None, how many reach it, of how many)
    controls: list
    bitwise: list  # (hash, [run ids])
    answer: str | None  # on the study as a whole, one of judgement.ANSWERS
    would_decide: str | None
    variants: bool  # whether configurations are variants of a program, which have neither policy nor assembly
    missing: tuple | None  # runs that have not been done, of how many, the command that does them
    notes: list
    plan: dict  # what the study was asked for, from manifest.json
    run_states: dict  # state -> how many runs, from manifest.json
    problems: list = field(default_factory=list)  # what could not be read, said in the report

    @property
    def policies(self):
        """Policies in the order of the runs, the reference's first."""
        names = dict.fromkeys(run.policy for run in self.runs)
        first = self.reference_policy
        return ([first] if first in names else []) + [name for name in names if name != first]

    @property
    def kind(self):
        """What configurations differ in, and a line of a figure stands for."""
        return "variant" if self.variants else "policy"

    @property
    def reference_policy(self):
        return self.reference_run.policy if self.reference_run else self.reference.split("/")[0]

    @property
    def reference_run(self):
        return next((run for run in self.runs if run.id == self.reference), None)

    def run_of(self, policy):
        """The unperturbed run that stands for a policy in figures: deterministic where there is one, not failed."""
        runs = [run for run in self.runs if run.policy == policy]
        return min(runs, key=lambda run: (run.failed is not None, run.assembly != "deterministic"), default=None)

    @property
    def fields(self):
        return list(dict.fromkeys(name for run in self.runs for name in run.metrics))

    def leading(self, fields):
        """`fields` with those first that the core proposes to draw, then those that are evaluated."""
        first = [request.subject for request in self.requests] + [name for evaluation in self.evaluations.values() for name in evaluation.fields]
        return [name for name in dict.fromkeys(first) if name in fields] + [name for name in fields if name not in first]

    def quantity(self, name):
        """What a statistic's name means in words, with its units unless it is a number."""
        if name not in self.statistics:
            return name.replace("_", " ")
        statistic = self.statistics[name]
        return statistic.long_name if statistic.units in ("", "1") else statistic.label

    def name_of(self, name):
        """The long name of a statistic or curve; of anything else its name."""
        known = self.statistics.get(name) or self.curves.get(name)
        return known.long_name if known else name

    def label(self, name):
        """The same with its units in any case, for tables."""
        return self.statistics[name].label if name in self.statistics else name.replace("_", " ")


def power_text(value):
    """2^-23 for 1.19e-7, else the number."""
    exponent = math.log2(value) if value > 0 else 0.5
    return f"2^{round(exponent)}" if abs(exponent - round(exponent)) < 1e-2 else f"{value:.3g}"


def load(folder):
    """The study in `folder`; InputError where there is none or it cannot be used."""
    folder = Path(folder)
    if not folder.is_dir():
        raise InputError(f"{folder}: no such folder (a study folder is what `ulpine ensemble -o DIR` writes) check the path")
    results = read_json(folder / "results.json")
    if results is None:
        raise InputError(f"{folder / 'results.json'}: not there (the report is made from it) run `ulpine ensemble` or `ulpine report`")
    schema = results.get("schema")
    if schema != SCHEMA:
        raise InputError(f"{folder / 'results.json'}: schema {json.dumps(schema)[:60]} (this report reads {SCHEMA}) use the ulpine version that wrote the study")
    if not isinstance(results.get("runs"), list):
        raise InputError(f"{folder / 'results.json'}: runs: not a list (every study has runs) make the study anew")

    name_variants(results)
    problems = []
    plan, run_states = read_manifest(folder / "manifest.json", problems)
    runs = [read_run(folder, index, raw) for index, raw in enumerate(results["runs"])]
    by_id = {run.id: run for run in runs}
    unperturbed = [run for run in runs if run.member is None and run.epsilon is None]
    case = mapping(results.get("case"))
    verdicts = [judgement.read_verdict(raw) for raw in objects(results.get("verdicts"))]
    control = {verdict.configuration for verdict in verdicts if verdict.control} - {run.id for run in unperturbed}
    ensembles = [ensemble for ensemble in map(read_ensemble, objects(results.get("ensembles"))) if ensemble]
    reference = text(results.get("reference")) or "fp64/deterministic"
    variants = bool(unperturbed) and not any(run.assembly for run in unperturbed)
    if variants:
        name_by_variant(reference, control, runs, ensembles, verdicts)
    if reference not in by_id:
        problems.append(f"The reference run {reference} is not among the runs; comparisons with it are missing.")

    return Study(
        folder=folder, core=text(case.get("core")) or "unknown core", name=text(case.get("name")) or folder.name,
        case_hash=text(case.get("hash")), case_text=read_text(folder / "case.toml"),
        provenance={str(key): any_text(value) for key, value in mapping(results.get("provenance")).items()},
        reference=reference, runs=unperturbed, members=[run for run in runs if run not in unperturbed],
        ensembles=[ensemble for ensemble in ensembles if ensemble.configuration not in control],
        control_ensembles=[ensemble for ensemble in ensembles if ensemble.configuration in control],
        metrics=metrics.read_metrics(results.get("metrics"), runs), gates=[read_gate(raw, by_id) for raw in objects(results.get("gates"))],
        evaluations=by_name(read_evaluation, results.get("evaluations")), statistics=by_name(read_statistic, results.get("statistics")),
        curves=by_name(read_curve, results.get("curves")), requests=[request for request in map(read_request, objects(results.get("figures"))) if request],
        verdicts=verdicts, rules=judgement.read_rules(results.get("rules")), reference_error=judgement.read_reference_error(results.get("reference_error")),
        calibration=judgement.read_calibration(results.get("calibration")),
        predictability=read_predictability(results.get("predictability")),
        controls=[Control(str(raw.get("policy")), number(raw.get("noise")), integer(raw.get("draws")), means(raw.get("statistics")))
                  for raw in objects(results.get("controls"))],
        bitwise=[(text(raw.get("hash")) or "", [str(run) for run in raw.get("runs") or []] if isinstance(raw.get("runs"), list) else [])
                 for raw in objects(results.get("bitwise"))],
        answer=judgement.answer(results.get("answer")), would_decide=judgement.told(results.get("would_decide")), variants=variants, missing=read_missing(results.get("missing")),
        notes=[*map(read_broken_order, objects(results.get("broken_order"))),
               *([told(str(note)) for note in results.get("notes")] if isinstance(results.get("notes"), list) else [])],
        plan=plan, run_states=run_states, problems=problems)


def name_by_variant(reference, control, runs, ensembles, verdicts):
    """Gives each variant of a program, its members and its verdict the variant's name where others have a policy: figures and cards stand for it."""
    for run in runs:
        run.policy = run.id if run.member is None else reference if run.control else run.ensemble or run.id.split("/")[0]
    for ensemble in ensembles:
        ensemble.policy = reference if ensemble.configuration in control else ensemble.configuration or ensemble.policy
    for verdict in verdicts:
        verdict.policy = reference if verdict.control else verdict.configuration


def read_predictability(raw):
    rows = []
    for item in objects(raw):
        for entry in objects(item.get("entries")):
            who = text(entry.get("run")) or f"members of the reference, ε = {text(entry.get('epsilon_text')) or '?'}"
            rows.append((str(item.get("field")), who, number(entry.get("mean_s")), number(entry.get("sd_s")), integer(entry.get("runs")), integer(entry.get("of"))))
    return rows


def read_json(path):
    """The object in a JSON file, None where there is no file."""
    try:
        if not is_ordinary(path):
            raise InputError(f"{path}: cannot be read (it is no ordinary file) put the file in its place")
        if path.stat().st_size > LARGEST_TEXT:
            raise InputError(f"{path}: cannot be read (it has more than {LARGEST_TEXT} bytes, which is too much for results) make it anew with `ulpine report`")
        data = path.read_bytes()
        value = json.loads(data.decode("utf-8"))
    except FileNotFoundError:
        return None
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror}) check its permissions") from None
    except (ValueError, RecursionError) as error:
        line = f"line {error.lineno}: {error.msg}" if isinstance(error, json.JSONDecodeError) else type(error).__name__
        raise InputError(f"{path}: no valid JSON ({line}) make it anew with `ulpine report`") from None
    if not isinstance(value, dict):
        raise InputError(f"{path}: no JSON object at the top ({type(value).__name__}) make it anew with `ulpine report`")
    if not seal.is_whole(data):
        raise InputError(f"{path}: was altered (its seal does not fit its content) make it anew with `ulpine report`")
    return value


def read_text(path):
    try:
        if not is_ordinary(path) or path.stat().st_size > LARGEST_TEXT:
            return None
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None


def name_variants(results):
    """Of a program, whose runs have neither policies nor assemblies, puts the name of its variant where the page has the policy."""
    if mapping(results.get("case")).get("core") != "program":
        return
    reference = text(results.get("reference"))
    for kind, key in (("runs", "id"), ("ensembles", "configuration"), ("verdicts", "configuration")):
        for raw in objects(results.get(kind)):
            name = (text(raw.get(key)) or "").split("/")[0]
            raw["policy"] = reference if name == "control" else name or raw.get("policy")


def read_run(folder, index, raw):
    where = f"{folder / 'results.json'}: runs[{index}]"
    if not isinstance(raw, dict):
        raise InputError(f"{where}: not an object (a run has keys) make it anew with `ulpine report`")
    for key in ("id", "policy"):
        if not text(raw.get(key)):
            raise InputError(f"{where}.{key}: missing or no text (every run needs it) make it anew with `ulpine report`")
    series = mapping(raw.get("series"))
    return Run(
        id=raw["id"], policy=raw["policy"], assembly=text(raw.get("assembly")) or "", device=text(raw.get("device")),
        epsilon=number(raw.get("epsilon")), member=integer(raw.get("member")), control=raw.get("control") is True, ensemble=text(raw.get("ensemble")),
        arithmetic=raw["policy"], path=text(raw.get("path")), wall_s=number(raw.get("wall_s")),
        steps=integer(raw.get("steps")), cells=integer(raw.get("cells")), memory_bytes=number(raw.get("memory_bytes")), hash=text(raw.get("hash")),
        failed=text(raw.get("failed")) or ("failed" if raw.get("failed") is True else None),
        metrics={str(name): {str(key): number(value) for key, value in mapping(values).items()} for name, values in mapping(raw.get("metrics")).items()},
        undefined={str(key): str(value) for name in ("undefined", "incomparable") for key, value in mapping(raw.get(name)).items()},
        statistics={str(name): number(value) for name, value in mapping(raw.get("statistics")).items()}, curves=read_curves(raw, "x", "y"),
        time_s=array(series.get("time_s")),
        errors={str(name): array(mapping(values).get("l2_relative")) for name, values in mapping(series.get("fields")).items()},
        statistic_series={str(name): array(values) for name, values in mapping(series.get("statistics")).items()},
        integrals={str(name): mean_sd(values, "initial", "final") for name, values in mapping(raw.get("integrals")).items()})


def read_ensemble(raw):
    epsilon = number(raw.get("epsilon"))
    if not text(raw.get("policy")) or epsilon is None:
        return None
    growth = mapping(raw.get("growth"))
    return Ensemble(
        configuration=text(raw.get("configuration")), policy=raw["policy"], epsilon=epsilon, epsilon_text=text(raw.get("epsilon_text")) or power_text(epsilon), assembly=text(raw.get("assembly")),
        members=integer(raw.get("members")), statistics=means(raw.get("statistics")), curves=read_curves(raw, "x", "mean", "sd"), controls=means(raw.get("controls")),
        spread={str(name): mean_sd(values, "l2_relative_mean", "l2_relative_sd") for name, values in mapping(raw.get("spread")).items()},
        growth={"time_s": array(growth.get("time_s")),
                **{str(name): (array(mapping(values).get("mean")), array(mapping(values).get("sd")))
                   for name, values in mapping(growth.get("fields")).items()}})


def read_curves(raw, *keys):
    """name -> the arrays under `keys`; without curves whose arrays are empty or differ in length."""
    curves = {str(name): tuple(array(mapping(value).get(key)) for key in keys) for name, value in mapping(raw.get("curves")).items()}
    return {name: arrays for name, arrays in curves.items() if arrays[0].size and len({values.size for values in arrays}) == 1}


def by_name(read, items):
    """name -> what `read` makes of each object that has a name."""
    return {raw["name"]: read(raw) for raw in objects(items) if text(raw.get("name"))}


def read_evaluation(raw):
    parameters = {str(key): any_text(value) for key, value in raw.items() if key not in ("name", "kind", "field", "fields") and value is not None}
    several = raw.get("fields") if isinstance(raw.get("fields"), list) else []
    fields = [name for name in [raw.get("field"), *several] if text(name)]
    return Evaluation(raw["name"], text(raw.get("kind")) or "", fields, parameters)


def read_statistic(raw):
    return Statistic(raw["name"], text(raw.get("evaluation")) or "", text(raw.get("long_name")) or raw["name"].replace("_", " "), text(raw.get("units")) or "",
                     number(raw.get("resolution")), number(raw.get("orientation_spread")))


def read_axis(raw, name):
    raw = mapping(raw)
    return Axis(text(raw.get("name")) or name, text(raw.get("units")) or "", "log" if raw.get("scale") == "log" else "linear")


def read_curve(raw):
    name = text(raw.get("long_name")) or raw["name"].replace("_", " ")
    return Curve(raw["name"], text(raw.get("evaluation")) or "", name, read_axis(raw.get("x"), "x"), read_axis(raw.get("y"), name))


def read_request(raw):
    subject = next((raw[key] for key in ("field", "statistic", "curve") if text(raw.get(key))), None)
    if raw.get("kind") not in KINDS or subject is None:
        return None
    return Request(raw["kind"], subject, raw["scale"] if raw.get("scale") in ("linear", "log", "diverging") else None, integer(raw.get("level")),
                   text(raw.get("axis")), integer(raw.get("index")))


def read_gate(raw, by_id):
    run = str(raw.get("run") or "")
    parts = run.split("/")
    known = by_id.get(run)
    subject, runs = mapping(raw.get("subject")), raw.get("runs")
    return Gate(name=str(raw.get("name") or "unnamed"), run=run, policy=known.policy if known else parts[0],
                assembly=known.assembly if known else "/".join(parts[1:2]),
                subject_kind=text(subject.get("kind")) or "", subject=text(subject.get("name")) or "", metric=text(raw.get("metric")) or "",
                time=any_text(raw.get("time")) if number(raw.get("time")) is None else model_time(number(raw["time"])), runs=(", ".join(map(str, runs)) or "all") if isinstance(runs, list) else any_text(runs),
                value=number(raw.get("value")), limit=number(raw.get("limit")),
                passed=raw.get("passed") is True and not raw.get("skipped"),
                skipped=told(str(raw["skipped"])) if raw.get("skipped") else ("no result given" if not isinstance(raw.get("passed"), bool) else None),
                reason=judgement.told(raw.get("reason")))


def read_broken_order(raw):
    """Of two configurations of which the closer one has the worse answer a sentence."""
    closer, worse, farther, better = (told(str(raw.get(key))) for key in ("closer", "closer_answer", "farther", "farther_answer"))
    return (f"Order of errors broken: those of {closer} are all no larger than those of {farther}, yet {closer} is {worse} and {farther} {better}. "
            "No answer was changed for it.")


def read_missing(raw):
    raw = mapping(raw)
    runs = integer(raw.get("runs"))
    return (runs, integer(raw.get("of")), text(raw.get("command"))) if runs else None


def read_manifest(path, problems):
    """(plan, how many runs are in which state); both empty without a manifest."""
    try:
        manifest = read_json(path) or {}
    except InputError as error:
        problems.append(str(error))
        return {}, {}
    counts = {}
    for entry in objects(list(mapping(manifest.get("runs")).values())):
        state = text(entry.get("state"))
        if state:
            counts[state] = counts.get(state, 0) + 1
    return mapping(manifest.get("plan")), counts
