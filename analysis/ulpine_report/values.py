# SPDX-License-Identifier: Apache-2.0
"""Values of JSON as they are used: what has the wrong type counts as absent, what is not finite as undefined."""

import json
import math
import stat

import numpy as np


class InputError(Exception):
    """Input that cannot be used; the text is one line `<problem> (<why>) <suggestion>`. Exit code 2."""


def number(value):
    """A finite float or None."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    try:
        value = float(value)
    except OverflowError:
        return None
    return value if math.isfinite(value) else None


def integer(value):
    value = number(value)
    return None if value is None else int(value)


def text(value):
    return value if isinstance(value, str) and value else None


def mapping(value):
    return value if isinstance(value, dict) else {}


def objects(value):
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def array(value):
    """1-D float array with NaN for what is no number."""
    if not isinstance(value, list):
        return np.empty(0)
    return np.array([math.nan if number(item) is None else number(item) for item in value])


def mean_sd(value, mean="mean", sd="sd"):
    value = mapping(value)
    return number(value.get(mean)), number(value.get(sd))


def means(value):
    """name -> (mean, sd)."""
    return {str(name): mean_sd(item) for name, item in mapping(value).items()}


def any_text(value):
    """A text as it is, anything else as JSON; empty for null."""
    if isinstance(value, str):
        return value
    return json.dumps(value) if value is not None else ""


def is_ordinary(path):
    """Whether a file can be read to its end: reading a pipe or a device could wait or go on for ever."""
    return stat.S_ISREG(path.stat().st_mode)
