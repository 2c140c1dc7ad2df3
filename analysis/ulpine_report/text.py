# SPDX-License-Identifier: Apache-2.0
"""Numbers, powers and lists as people read them; plain Unicode text, used in HTML and in figures alike."""

import math
import re

SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


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


def apart(values, digits=2, most=8):
    """The digits, `digits` or more, with which numbers that differ are written differently; at most `most`."""
    known = {value for value in values if value is not None and math.isfinite(value)}
    return next((n for n in range(digits, most) if len({scientific(value, n) for value in known}) == len(known)), most)


def told(words):
    """A text of the program's as people read it: 2⁻¹⁰ for 2^-10, 1.9 × 10⁻⁵ for 1.9e-05, 2700 for 2.7e+03."""
    def written(match):
        value, digits = float(match.group()), match.group(1).replace(".", "").lstrip("0")
        return scientific(value, len(digits) or 1) if math.isfinite(value) else match.group()

    return re.sub(r"(?<![\w.])(\d+(?:\.\d+)?)e[+-]\d{1,3}(?!\w)", written, power(words))


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
    """m s⁻¹ for "m s-1", m² for "(m)2", kg for "kg m-3 m3"; "no units given" for an empty text."""
    name = merged(re.sub(r"\(([A-Za-z°%]+)\)(?=\^?\d)", r"\1", name))
    return re.sub(r"(?<=[A-Za-z°%)])\^?([+-]?\d+)(?=$|[\s/*)])", lambda match: match.group(1).removeprefix("+").translate(SUPERSCRIPTS), name) or "no units given"


def merged(name):
    """Units of which each symbol stands once, with its powers added: "kg" for "kg m-3 m3"; others as they are."""
    factors = [re.fullmatch(r"([A-Za-z°%]+)\^?([+-]?\d+)?", word) for word in name.split()]
    symbols = [factor and factor.group(1) for factor in factors]
    if None in factors or len(set(symbols)) == len(symbols):
        return name
    powers = dict.fromkeys(symbols, 0)
    for factor in factors:
        powers[factor.group(1)] += int(factor.group(2) or 1)
    return " ".join(symbol + ("" if power == 1 else str(power)) for symbol, power in powers.items() if power) or "1"


def with_units(name):
    """A name that ends in its units in brackets, these as people read them: volume (m³)."""
    words, bracket, unit = name.removesuffix(")").rpartition(" (")
    return labelled(words, unit) if bracket and name.endswith(")") else name


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
    """Time since the start in the unit that reads best, e.g. 2 d, 36 h, 90 s, 500 s."""
    for unit, length in (("d", 86400), ("h", 3600), ("min", 60)):
        quarters = 4 * (seconds / length)
        is_round = math.isfinite(quarters) and abs(quarters - round(quarters)) < 1e-9
        if seconds >= 2 * length and (is_round or unit != "min") or seconds >= length and seconds % length == 0:
            return f"{seconds / length:.4g} {unit}"
    return f"{amount(seconds, 4)} s"


def join(items, last="and"):
    """a, b and c."""
    items = list(items)
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} {last} {items[-1]}" if items else ""


def count(amount, noun):
    """1 gate, 3 gates."""
    return f"{amount} {noun}" + ("" if amount == 1 else "s")
