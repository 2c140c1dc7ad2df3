# SPDX-License-Identifier: Apache-2.0
"""What the metrics of fields are, as results.json tells it: the report knows none of them by name."""

from dataclasses import dataclass

from .values import integer, mapping, text

MOST_DIGITS = 17  # of a double


@dataclass
class Metric:
    name: str
    direction: str  # which values are good ones: "lower", "higher", "zero", "one", "none"; empty: not told
    meaning: str  # a formula of test x and reference y
    unit: str  # "1", "ulp", "bit", or "field": that of the field
    heading: str
    digits: int
    shown: bool  # on the page

    @property
    def title(self):
        """What a column means, in words."""
        words = self.meaning or self.name
        return words if self.unit in ("", "1") else f"{words}, in the field's unit" if self.unit == "field" else f"{words}, {self.unit}"


def read_metrics(raw, runs):
    """name -> Metric, in the order of the page. Results of earlier versions do not tell what metrics are: then those of the runs, by their names."""
    told = {str(name): read_metric(str(name), mapping(value)) for name, value in mapping(raw).items()}
    if told:
        return told
    found = dict.fromkeys(name for run in runs for values in run.metrics.values() for name in values)
    return {name: read_metric(name, {}) for name in found}


def read_metric(name, raw):
    digits = integer(raw.get("digits"))
    return Metric(name, text(raw.get("direction")) or "", text(raw.get("meaning")) or "", text(raw.get("unit")) or "", text(raw.get("heading")) or name,
                  digits if digits is not None and 0 < digits <= MOST_DIGITS else 2, raw.get("shown") != "files")


def more_is_better(metrics, gate):
    """Whether values above the gate's limit pass. Where the metric's direction is not told, the gate's own answer tells."""
    known = metrics.get(gate.metric)
    if known and known.direction:
        return known.direction == "higher"
    if gate.metric in metrics and None not in (gate.value, gate.limit) and not gate.skipped and gate.value != gate.limit:
        return gate.passed == (gate.value > gate.limit)
    return False
