# SPDX-License-Identifier: Apache-2.0
"""Verdicts of results.json with all they rest on, and the rules they follow, as plain objects. Read here, decided in verification/."""

from dataclasses import dataclass

import numpy as np

from .text import power, scientific
from .text import told as written
from .values import any_text, array, integer, mapping, number, objects, text

ANSWERS = ("equal", "equivalent", "undecided", "different")  # from best to worst


@dataclass
class Evidence:
    """One piece of what a verdict rests on; results.hpp says what value, interval and margin are for each kind."""

    kind: str  # "error", "statistic", "curve", "distribution", "gate" or "order"
    subject: str
    part: str | None  # of a statistic: "mean" or "spread"
    epsilon_text: str | None
    pairs: int | None
    value: float | None
    interval: tuple | None
    margin: float | None
    margin_text: str | None
    detectable: float | None
    needed: int | None
    time_s: float | None
    level: int | None
    x: float | None
    answer: str | None  # one of ANSWERS; None where it cannot speak
    reason: str | None

    @property
    def family(self):
        """Its kind, of statistics "mean" or "spread"; "state" for answers on the final state that need no margin."""
        if self.kind == "error" and self.margin is None and self.answer is not None:
            return "state"
        return ("spread" if self.part == "spread" else "mean") if self.kind == "statistic" else self.kind

    @property
    def silent(self):
        """Whether there was nothing to judge: neither an answer nor a value."""
        return self.answer is None and self.value is None


@dataclass
class ErrorRatios:
    """Errors in parts of what the tolerated perturbation makes, by output time; NaN where there is none."""

    ratio: np.ndarray
    low: np.ndarray
    high: np.ndarray


@dataclass
class Verdict:
    """The answer on one unperturbed configuration other than the reference, or on the control."""

    configuration: str
    policy: str
    assembly: str
    control: bool  # the reference with other noise
    answer: str | None  # one of ANSWERS; None where results.json gives none
    would_decide: str | None
    evidence: list
    time_s: np.ndarray  # of the ratios
    errors: dict  # field -> ErrorRatios


@dataclass
class Margin:
    kind: str  # "spread", "relative" or "absolute"
    value: float
    reason: str | None

    def text(self, units=""):
        """As in the case: 0.5 sd, 2 %, 40 km."""
        if self.kind == "relative":
            return f"{scientific(100 * self.value)} %"
        return f"{scientific(self.value)} {'sd' if self.kind == 'spread' else units}".strip()


@dataclass
class Rules:
    """What the verdicts were held against; all may be missing."""

    tolerated: str | None
    reason: str | None
    statistics: Margin | None
    curves: Margin | None
    spread_ratio: float | None
    margins: dict  # name of a statistic or curve -> Margin


@dataclass
class ReferenceError:
    """The distance of the reference itself from a wider precision at the first output times."""

    configuration: str
    time_s: np.ndarray
    fields: dict  # name -> relative L2 by time


@dataclass
class Rate:
    """How often the tests erred in studies of known truth; shares of the studies, with upper 95 % bounds."""

    model: str
    evidence: str
    fault: str
    members: int | None
    studies: int | None
    false_alarms: float | None
    false_alarms_upper: float | None
    misses: float | None
    misses_upper: float | None
    undecided: float | None


@dataclass
class Calibration:
    version: str
    date: str
    rates: list


def told(value):
    """A sentence with its numbers as people read them: 2⁻¹⁰ for 2^-10."""
    return written(value) if text(value) else None


def answer(value):
    return value if isinstance(value, str) and value in ANSWERS else None


def read_verdict(raw):
    ratios = {str(name): ErrorRatios(*(array(mapping(values).get(key)) for key in ("ratio", "low", "high"))) for name, values in mapping(raw.get("errors")).items()}
    return Verdict(configuration=text(raw.get("configuration")) or "unnamed", policy=text(raw.get("policy")) or "", assembly=text(raw.get("assembly")) or "",
                   control=raw.get("control") is True, answer=answer(raw.get("answer")), would_decide=told(raw.get("would_decide")),
                   evidence=[read_evidence(item) for item in objects(raw.get("evidence"))], time_s=array(raw.get("time_s")), errors=ratios)


def read_evidence(raw):
    bounds = [number(bound) for bound in raw["interval"]] if isinstance(raw.get("interval"), list) else []
    return Evidence(kind=text(raw.get("kind")) or "", subject=text(raw.get("subject")) or "", part=text(raw.get("part")), epsilon_text=text(raw.get("epsilon_text")),
                    pairs=integer(raw.get("pairs")), value=number(raw.get("value")), interval=tuple(bounds) if len(bounds) == 2 and None not in bounds else None,
                    margin=number(raw.get("margin")), margin_text=text(raw.get("margin_text")), detectable=number(raw.get("detectable")),
                    needed=integer(raw.get("needed")), time_s=number(raw.get("time_s")), level=integer(raw.get("level")),
                    x=number(raw.get("x")), answer=answer(raw.get("answer")), reason=told(raw.get("reason")))


def read_margin(raw):
    raw = mapping(raw)
    value = number(raw.get("value"))
    return Margin(raw["kind"], value, told(raw.get("reason"))) if raw.get("kind") in ("spread", "relative", "absolute") and value is not None else None


def read_rules(raw):
    raw = mapping(raw)
    margins = {str(name): read_margin(margin) for name, margin in mapping(raw.get("margins")).items()}
    return Rules(power(text(raw.get("tolerated")) or "") or None, told(raw.get("reason")), read_margin(raw.get("statistics")), read_margin(raw.get("curves")),
                 number(raw.get("spread_ratio")), {name: margin for name, margin in margins.items() if margin})


def read_reference_error(raw):
    raw = mapping(raw)
    fields = {str(name): array(mapping(values).get("l2_relative")) for name, values in mapping(raw.get("fields")).items()}
    time_s = array(raw.get("time_s"))
    fields = {name: values for name, values in fields.items() if values.size == time_s.size}
    return ReferenceError(text(raw.get("configuration")) or "a wider precision", time_s, fields) if fields and time_s.size else None


def read_calibration(raw):
    raw = mapping(raw)
    rates = [Rate(any_text(row.get("model")), any_text(row.get("evidence")), any_text(row.get("fault")), integer(row.get("members")), integer(row.get("studies")),
                  *(number(row.get(key)) for key in ("false_alarms", "false_alarms_upper", "misses", "misses_upper", "undecided")))
             for row in objects(raw.get("rows"))]
    return Calibration(any_text(raw.get("version")), any_text(raw.get("date")), rates) if rates else None
