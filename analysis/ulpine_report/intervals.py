# SPDX-License-Identifier: Apache-2.0
"""Inline drawings of an interval against its margin. They carry shapes beside colours, and words for those who do not see them."""

import math

from markupsafe import Markup, escape

from .text import power, scientific

COLOURS = {"equal": "#00795a", "equivalent": "#00795a", "different": "#b3400a", "undecided": "#4b5563", None: "#4b5563"}
WIDTH, EDGE = 300, 12  # px; free at both ends
FARTHEST = 4  # margins that a linear axis shows; beyond stands an arrow
LOWEST = -4  # decade where a logarithmic axis begins at the earliest


def scaled(item, value, more_is_better=False):
    """A value of this evidence in margins, so that 1 (and -1) is the margin; None where it cannot be said."""
    margin = item.margin
    if value is None or not margin or margin <= 0:
        return None
    if item.family == "spread":
        return math.log(value) / math.log(margin) if value > 0 and margin > 1 else None
    if item.family == "gate":
        value = abs(value)
        return value / margin if not more_is_better else margin / value if value else math.inf
    return value / margin


def reach(item, more_is_better=False):
    """How far the evidence reaches, in margins: the farther end of its interval, else its value; None where there is none."""
    ends = [scaled(item, value, more_is_better) for value in (item.interval or (item.value,))]
    known = [abs(end) for end in ends if end is not None]
    return max(known) if known else None


def draw(item, subject, more_is_better=False, compact=False):
    """The evidence's value and interval over its margin; empty where there is no value or no margin to draw."""
    value = scaled(item, item.value, more_is_better)
    if value is None:
        return Markup("")
    bounds = [scaled(item, bound, more_is_better) for bound in item.interval] if item.interval else None
    low, high = sorted(bounds) if bounds and None not in bounds else (value, value)
    axis = LogAxis(low, high) if item.family in ("error", "gate") else LinearAxis(item, low, high)
    words = f"{subject}: {scientific(value)} of the margin"
    if item.interval:
        words += f", 95 % interval {scientific(low)} to {scientific(high)}"
    if item.family == "spread":
        words = f"{subject}: ratio {scientific(item.value)}" + (f", 95 % interval {scientific(min(item.interval))} to {scientific(max(item.interval))}" if item.interval else "")
    words += f"; {axis.words}; {item.answer or 'no answer'}"
    return picture(axis, low, value, high, None if compact else detectable(item, axis), item.answer, words, compact)


def detectable(item, axis):
    """Places of the smallest detectable difference, in margins."""
    size = scaled(item, item.detectable) if item.family in ("mean", "spread", "curve") else None
    if size is None or size <= 0:
        return None
    return [place for place in ((-size, size) if axis.low < 0 else (size,)) if axis.low <= place <= axis.high]


class LinearAxis:
    """From -1 to 1 margins and a little more; from 0 where nothing is negative. Of ratios: linear in the logarithm."""

    def __init__(self, item, low, high):
        self.high = min(max(1.5, 1.15 * max(abs(low), abs(high))), FARTHEST)
        signed = item.family != "distribution"
        self.low = -self.high if signed else 0.0
        if item.family == "spread":
            factor = f"{scientific(item.margin)}"
            self.ticks = [(-1, f"1 / {factor}"), (0, "1"), (1, f"× {factor}")]
            self.words = f"the margin is from 1 / {factor} to {factor}"
        elif signed:
            self.ticks = [(-1, "−margin"), (0, "0"), (1, "margin")]
            self.words = "the margin is from −1 to 1"
        else:
            self.ticks = [(0, "0"), (1, "margin")]
            self.words = "the margin is 1"

    def place(self, value):
        """0 to 1 within the axis; beyond for what lies outside."""
        return (value - self.low) / (self.high - self.low)

    @property
    def inside(self):
        return max(self.low, -1), 1


class LogAxis:
    """Decades of the margin, so that 10^0 is the margin itself."""

    words = "the margin is 1"

    def __init__(self, low, high):
        known = [math.log10(value) for value in (low, high) if 0 < value < math.inf]
        first = max(LOWEST, min(-2, math.floor(min(known, default=0) - 0.2)))
        last = min(4, max(1, math.ceil(max(known, default=0) + 0.2)))
        self.low, self.high = 10.0**first, 10.0**last
        step = 2 if last - first > 5 else 1
        self.ticks = [(10.0**decade, "1" if decade == 0 else power(f"10^{decade}")) for decade in range(first, last + 1) if decade % step == 0]

    def place(self, value):
        if value <= 0:
            return -1.0
        return math.log(value / self.low) / math.log(self.high / self.low) if value < math.inf else 2.0

    @property
    def inside(self):
        return self.low, 1


def picture(axis, low, value, high, smallest, answer, words, compact):
    width, height, middle = (120, 18, 9) if compact else (WIDTH, 44, 15)
    edge = 6 if compact else EDGE
    top, bottom = (2, 16) if compact else (3, 27)

    def at(number):
        return edge + min(max(axis.place(number), 0), 1) * (width - 2 * edge)

    colour = COLOURS[answer]
    left, right = (at(bound) for bound in axis.inside)
    parts = [f'<rect x="{edge}" y="{top}" width="{width - 2 * edge}" height="{bottom - top}" fill="#dfe2e7" stroke="#8a92a0"/>',
             f'<rect x="{left:.1f}" y="{top}" width="{right - left:.1f}" height="{bottom - top}" fill="#fff"/>']
    parts.append(f'<path d="M{edge} {middle}H{width - edge}" stroke="#b4bac4"/>')
    for bound in (axis.inside if axis.inside[0] > axis.low else axis.inside[1:]):
        parts.append(f'<path d="M{at(bound):.1f} {top - 1}V{bottom + 1}" stroke="#1b1f26" stroke-width="1.6"/>')
    if axis.low < 0:
        parts.append(f'<path d="M{at(0):.1f} {top}V{bottom}" stroke="#8a92a0" stroke-dasharray="2 2"/>')
    for place in smallest or ():
        parts.append(f'<path d="M{at(place):.1f} {bottom - 6}l4 6h-8z" fill="#fff" stroke="#1b1f26"/>')
    if not compact:
        for place, label in axis.ticks:
            parts.append(f'<text x="{at(place):.1f}" y="{height - 4}" text-anchor="middle" font-size="11" fill="#3c434e">{escape(label)}</text>')
    parts.append(f'<path d="M{at(low):.1f} {middle}H{at(high):.1f}" stroke="{colour}" stroke-width="3"/>')
    for bound, way in ((low, -1), (high, 1)):
        if -1e-9 <= axis.place(bound) <= 1 + 1e-9:
            parts.append(f'<path d="M{at(bound):.1f} {middle - 5}v10" stroke="{colour}" stroke-width="2"/>')
        elif axis.place(bound) < 0 and way < 0 or axis.place(bound) > 1 and way > 0:  # goes on beyond the axis
            parts.append(f'<path d="M{at(bound):.1f} {middle - 5}l{5 * way} 5l{-5 * way} 5z" fill="{colour}"/>')
    parts.append(marker(at(value), middle, answer, colour, 3.6 if compact else 5))
    return Markup(f'<svg class="interval" width="{width}" height="{height}" viewBox="0 0 {width} {height}" role="img" aria-label="{escape(words)}">{"".join(parts)}</svg>')


def marker(x, y, answer, colour, size):
    """A disc inside the margin, a square on its corner outside, a ring where the evidence cannot tell."""
    if answer == "different":
        return f'<path d="M{x:.1f} {y - 1.3 * size:.1f}l{1.3 * size:.1f} {1.3 * size:.1f}l{-1.3 * size:.1f} {1.3 * size:.1f}l{-1.3 * size:.1f} {-1.3 * size:.1f}z" fill="{colour}"/>'
    if answer in ("equal", "equivalent"):
        return f'<circle cx="{x:.1f}" cy="{y}" r="{size}" fill="{colour}"/>'
    return f'<circle cx="{x:.1f}" cy="{y}" r="{size}" fill="#fff" stroke="{colour}" stroke-width="2"/>'
