# SPDX-License-Identifier: Apache-2.0
"""Runs the tests of the report; exit code 77 (skipped) with a line where this Python lacks a module."""

import importlib.util
import sys
import unittest
from pathlib import Path

missing = [name for name in ("numpy", "xarray", "netCDF4", "matplotlib", "jinja2") if importlib.util.find_spec(name) is None]
if missing:
    print(f"skipped: {sys.executable} lacks {', '.join(missing)}")
    sys.exit(77)
suite = unittest.defaultTestLoader.discover(str(Path(__file__).parent))
sys.exit(not unittest.TextTestRunner(verbosity=2).run(suite).wasSuccessful())
