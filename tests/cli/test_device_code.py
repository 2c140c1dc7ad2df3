#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The device code of policies that are to do without double: no instruction on doubles in any kernel of their modules, but for
those that are named here. It is read as PTX, which the modules hold as text."""
import collections
import pathlib
import re
import unittest

from support import PROGRAM

MODULES = sorted(path for path in pathlib.Path(PROGRAM).resolve().parents[1].glob("lib*/**/ulpine/modules/*.so")
                 if path.stem.split("_")[1] in ("df32", "mixed32"))
FUNCTION = re.compile(r"^(?:\.visible |\.weak )*\.(?:entry|func)\s+(?:\([^)]*\)\s*)?([\w$]+)", re.MULTILINE)
# What moves or names a double computes nothing with it.
ON_DOUBLES = re.compile(r"^\s*(?:@!?%\w+\s+)?(?!mov|ld|st|\.)([a-z][\w.]*\.f64[\w.]*)\s", re.MULTILINE)


def device_codes(content):
    """The texts in PTX that a file holds, each of which ends with a zero byte."""
    for start in re.finditer(rb"\n\.version \d+\.\d+\n\.target sm_", content):
        yield content[start.start() : content.index(b"\0", start.start())].decode()


def instructions_on_doubles(code):
    """function -> instruction -> how often it stands there; all functions."""
    starts = list(FUNCTION.finditer(code))
    ends = [start.start() for start in starts[1:]] + [len(code)]
    return {start[1]: collections.Counter(ON_DOUBLES.findall(code[start.start() : end])) for start, end in zip(starts, ends)}


class DeviceCodeTest(unittest.TestCase):
    def test_policies_of_two_floats_do_without_doubles(self):
        if not MODULES:
            self.skipTest("no part of df32 is built (cmake --build BUILD --target ulpine_df32)")
        read = 0
        for module in MODULES:
            with self.subTest(module=module.stem):
                for code in device_codes(module.read_bytes()):
                    for function, found in instructions_on_doubles(code).items():
                        read += 1
                        self.assertFalse(found, function)
        if not read:
            self.skipTest("the modules hold no device code (they were built without CUDA, or for one card alone)")

    def test_it_finds_what_computes_with_doubles(self):
        code = """
.version 9.0
.target sm_90
.visible .entry plain(.param .u64 x)
{
.reg .f64 %fd<2>;
ld.global.f64 %fd1, [%rd1];
st.global.f64 [%rd2], %fd1;
}
.weak .func  (.param .b64 r) helper(.param .b64 a)
{
@%p1 add.rn.f64 %fd1, %fd1, %fd1;
cvt.f64.f32 %fd1, %f1;
cvt.f64.f32 %fd2, %f1;
}
"""
        [read] = device_codes(b"ELF\0" + code.encode() + b"\0rest")
        self.assertEqual(instructions_on_doubles(read), {"plain": {}, "helper": {"add.rn.f64": 1, "cvt.f64.f32": 2}})


if __name__ == "__main__":
    unittest.main()
