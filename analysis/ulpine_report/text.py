# SPDX-License-Identifier: Apache-2.0
"""Numbers, powers and lists as people read them; plain Unicode text, used in HTML and in figures alike."""

import math
import re

SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
DIGITS = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "−0123456789")


def power(label):
    """2⁻²³ for "2^-23"; other texts as they are."""
    return re.sub(r"\^(-?\d+)", lambda match: match.group(1).translate(SUPERSCRIPTS), label)


def scientific(value, digits=2):
    """`digits` significant digits: 0.031, 12, 1.9 × 10⁻³; an en dash where there is no value."""
    if value is None or not math.isfinite(value):
        return "–"
    if value == 0:
        return "0"
    mantissa, exponent = f"{value:.{digits - 1}e}".split("e")
    exponent = int(exponent)
    if -2 <= exponent < 6:
        return plain(value, max(0, digits - 1 - exponent))
    return f"{mantissa}\u202f×\u202f10{str(exponent).translate(SUPERSCRIPTS)}".replace("-", "−")


def compact(value, digits=2):
    """As scientific, but 1.9e−5: for wide tables."""
    return as_compact(scientific(value, digits))


def as_compact(words):
    """1.9e−5 for every 1.9 × 10⁻⁵ in a text."""
    return re.sub(r"\u202f×\u202f10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)", lambda match: "e" + match.group(1).translate(DIGITS), words)


def plain(value, decimals=0):
    """Fixed decimals, thin spaces between thousands."""
    if value is None or not math.isfinite(value):
        return "–"
    return f"{value:,.{decimals}f}".replace(",", "\u202f").replace("-", "−")


def amount(value, digits=4):
    """As scientific, but whole numbers as such: 46."""
    return plain(value) if value is not None and math.isfinite(value) and value == round(value) and abs(value) < 1e6 else scientific(value, digits)


def mean_sd(pair):
    """mean ± sd, the sd with two significant digits and the mean as exact: 46.2 ± 1.1, (1.94 ± 0.12) × 10⁻⁵."""
    mean, sd = pair
    if mean is None:
        return "–"
    if not sd or not math.isfinite(sd) or not math.isfinite(mean):
        return amount(mean, 4) + (" ± 0" if sd == 0 else "")
    largest = math.floor(math.log10(max(abs(mean), abs(sd))))
    digits = 1 - math.floor(math.log10(abs(sd)))
    if digits + largest > 5:
        return f"{amount(mean, 6)} ± {scientific(sd)}"
    if -3 <= largest < 6:
        return f"{plain(mean, max(0, digits))} ± {plain(sd, max(0, digits))}"
    decimals, scale = max(0, digits + largest), 10.0**-largest
    return f"({plain(mean * scale, decimals)} ± {plain(sd * scale, decimals)})\u202f×\u202f10{str(largest).translate(SUPERSCRIPTS)}"


def units(name):
    """m s⁻¹ for "m s-1", m² for "(m)2"; "no units given" for an empty text."""
    name = re.sub(r"\(([A-Za-z°%]+)\)(?=\^?\d)", r"\1", name)
    return re.sub(r"(?<=[A-Za-z°%)])\^?([+-]?\d+)(?=$|[\s/*)])", lambda match: match.group(1).removeprefix("+").translate(SUPERSCRIPTS), name) or "no units given"


def labelled(name, unit):
    """A quantity with its units, as on an axis: speed (m s⁻¹)."""
    return f"{name} ({units(unit)})"


def percent(ratio):
    """+3.1 % with sign, for a ratio of 0.031."""
    sign = "+" if ratio > 0 else "−" if ratio < 0 else "±"
    size = abs(100 * ratio)
    return f"{sign}{size:.1f} %" if size >= 0.05 or size == 0 else f"{sign}{scientific(size, 1)} %"


def duration(seconds):
    """850 ms, 12.3 s, 4 min 5 s, 2 h 3 min."""
    if seconds is None:
        return "–"
    if seconds < 1:
        return f"{1000 * seconds:.3g} ms"
    if seconds < 120:
        return f"{seconds:.3g} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 120:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"


def memory(size):
    if size is None:
        return "–"
    for unit in ("B", "KiB", "MiB", "GiB", "TiB"):
        if abs(size) < 1024 or unit == "TiB":
            return f"{size:.3g} {unit}" if abs(size) < 1000 else f"{size:.0f} {unit}"
        size /= 1024


def model_time(seconds):
    """Time since the start in the unit that reads best, e.g. 2 d, 36 h, 90 s."""
    for unit, length in (("d", 86400), ("h", 3600), ("min", 60)):
        if seconds >= 2 * length or (seconds >= length and seconds % length == 0):
            return f"{seconds / length:.4g} {unit}"
    return f"{seconds:.4g} s"


def join(items, last="and"):
    """a, b and c."""
    items = list(items)
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} {last} {items[-1]}" if items else ""


def count(amount, noun):
    """1 gate, 3 gates."""
    return f"{amount} {noun}" + ("" if amount == 1 else "s")
