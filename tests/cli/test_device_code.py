#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The device code of policies that are to do without double: no instruction on doubles in any kernel of their modules, but for
those that are named here, and no register that is read and never written, as a compiler's mistake leaves it. It is read as PTX,
which the modules hold as text. Of the cores whose parts are built: finite differences in ./run-tests, all in its nightly tests."""
import collections
import pathlib
import re
import unittest

from support import PROGRAM

MODULES = sorted(path for path in pathlib.Path(PROGRAM).resolve().parents[1].glob("lib*/**/ulpine/modules/*.so")
                 if path.stem.split("_")[1] in ("df32", "mixed32"))
# What computes in doubles nevertheless: core -> a class in the kernel's name -> why. In mixed32 alone where that is said.
EXCEPTIONS = {
    "les": {"StageLengths": "lengths of steps are doubles in every policy", "StepLength": "the same, of one thread",
            "SurfaceFluxes": "so is the temperature that the ground has at a time", "Noise": "of the start, random numbers"},
    "fem": {"DiagonalSize": "aggregates of the multigrid, made once a mesh", "StrengthMarker": "the same", "AggregationStarter": "the same",
            "RestJoiner": "the same", "AdvectionDiffusion": "mixed32: a function of float computes in double", "Momentum": "mixed32: the same"},
    "seaice": {"CellMean": "means of cells, for output alone"},
}
FUNCTION = re.compile(r"^(?:\.visible |\.weak )*\.(?:entry|func)\s+(?:\([^)]*\)\s*)?([\w$]+)", re.MULTILINE)
# What moves or names a double computes nothing with it.
ON_DOUBLES = re.compile(r"^\s*(?:@!?%\w+\s+)?(?!mov|ld|st|\.)([a-z][\w.]*\.f64[\w.]*)\s", re.MULTILINE)
INSTRUCTION = re.compile(r"^\s*(?:@!?(%p\d+)\s+)?([a-z][\w.]*)\s+([^;]*);", re.MULTILINE)
REGISTER = re.compile(r"%(?:f|fd|r|rd|rs|p)\d+\b")
WITHOUT_RESULT = ("st.", "bra", "ret", "bar", "red.", "membar", "fence", "cp.", "trap", "call")


def device_codes(content):
    """The texts in PTX that a file holds, each of which ends with a zero byte."""
    for start in re.finditer(rb"\n\.version \d+\.\d+\n\.target sm_", content):
        yield content[start.start() : content.index(b"\0", start.start())].decode()


def functions(code):
    """name -> text"""
    starts = list(FUNCTION.finditer(code))
    ends = [start.start() for start in starts[1:]] + [len(code)]
    return {start[1]: code[start.start() : end] for start, end in zip(starts, ends)}


def instructions_on_doubles(text):
    """instruction -> how often it stands there"""
    return collections.Counter(ON_DOUBLES.findall(text))


def undefined_registers(text):
    """Registers that are read and nowhere written. To join two halves reads none: the other may be all that is used."""
    written, read = set(), set()
    for condition, name, operands in INSTRUCTION.findall(text):
        read |= {condition} - {""}
        if name == "mov.b64" and operands.endswith("}"):
            operands = operands.split(",")[0]
        if name.startswith(WITHOUT_RESULT):
            read |= set(REGISTER.findall(operands))
        else:
            results, _, sources = operands.partition("}" if operands.startswith("{") else ",")
            written |= set(REGISTER.findall(results))
            read |= set(REGISTER.findall(sources))
    return read - written


def exceptions_of(core, policy):
    return {name for name, why in EXCEPTIONS.get(core, {}).items() if policy == "mixed32" or not why.startswith("mixed32")}


class DeviceCodeTest(unittest.TestCase):
    def test_policies_of_two_floats_do_without_doubles(self):
        if not MODULES:
            self.skipTest("no part of df32 is built (cmake --build BUILD --target ulpine_df32)")
        count = 0
        for module in MODULES:
            named, met, before = exceptions_of(*module.stem.split("_")), set(), count
            with self.subTest(module=module.stem):
                for code in device_codes(module.read_bytes()):
                    for function, text in functions(code).items():
                        count += 1
                        self.assertEqual(undefined_registers(text), set(), function)
                        excepted = {name for name in named if f"{len(name)}{name}" in function}
                        if instructions_on_doubles(text):
                            self.assertTrue(excepted, f"{function} computes in doubles")
                            met |= excepted
                self.assertTrue(met == named or count == before, f"{named - met} do without doubles")
        if not count:
            self.skipTest("the modules hold no device code (they were built without CUDA, or for one card alone)")

    def test_it_finds_what_computes_with_doubles_and_what_is_undefined(self):
        code = """
.version 9.0
.target sm_90
.visible .entry plain(.param .u64 x)
{
.reg .f64 %fd<2>;
ld.param.u64 %rd1, [x];
ld.global.f64 %fd1, [%rd1];
st.global.f64 [%rd1], %fd1;
mov.b64 %rd3, {%r1, %r2};
}
.weak .func  (.param .b64 r) helper(.param .b64 a)
{
setp.lt.f32 %p1, %f1, %f2;
@%p1 add.rn.f64 %fd1, %fd1, %fd1;
cvt.f64.f32 %fd1, %f1;
cvt.f64.f32 %fd2, %f1;
ld.local.v2.f32 {%f1, %f3}, [%rd1];
}
"""
        [read] = device_codes(b"ELF\0" + code.encode() + b"\0rest")
        found = functions(read)
        self.assertEqual(list(found), ["plain", "helper"])
        self.assertEqual(instructions_on_doubles(found["plain"]), {})
        self.assertEqual(instructions_on_doubles(found["helper"]), {"add.rn.f64": 1, "cvt.f64.f32": 2})
        self.assertEqual(undefined_registers(found["plain"]), set())
        self.assertEqual(undefined_registers(found["helper"]), {"%f2", "%rd1"})


if __name__ == "__main__":
    unittest.main()
