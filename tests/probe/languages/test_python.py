#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""probe/python/ulpine: what the library is given for arrays of numpy, of CUDA's interface and of DLPack, and for numbers; what is refused."""
import os
import random
import shutil
import subprocess
import sys
import textwrap
import unittest

try:
    import numpy
except ImportError:
    numpy = None

from languages import BuiltTest, CC, PROBE

HEAD = """
import ctypes, sys
import numpy as np
import ulpine

def origin(array):
    ulpine._probe.stub_origin(ctypes.c_void_p(array.__array_interface__["data"][0]))

class Cuda:
    def __init__(self, array, **more):
        self.held = array
        self.__cuda_array_interface__ = dict(array.__array_interface__, **more)

class Packed:
    def __init__(self, array, device=1):
        self.held, self.device = array, device
    def __dlpack_device__(self):
        return (self.device, 0)
    def __dlpack__(self, stream=None):
        return self.held.__dlpack__()

"""


@unittest.skipIf(numpy is None or CC is None, "no numpy or no C compiler (Debian: apt-get install python3-numpy gcc)")
class Python(BuiltTest):
    def run_python(self, text, errors=(), **variables):
        (self.folder / "model.py").write_text(HEAD + textwrap.dedent(text))
        return self.told(sys.executable, "model.py", errors=errors, PYTHONPATH=str(PROBE / "python"), **variables)

    def test_calls_are_told_as_they_were_made(self):
        told, lines = self.run_python("""
            print(ulpine.on())
            ulpine.rank(1, 3)
            ulpine.step(7)
            ulpine.time(2.5)
            for i in 1, 2:
                with ulpine.loop("sub", i):
                    ulpine.stage("flow")
            ulpine.enter("inner", 3)
            ulpine.leave()
            try:
                with ulpine.loop("ends", 1):
                    raise ValueError
            except ValueError:
                pass
            ulpine.unit("höhe", "m")
            ulpine.unwatch("x")
            ulpine.close()
        """)
        self.assertEqual(lines, ["True"])
        self.assertEqual([(call["call"], call.get("name"), call.get("number")) for call in told],
                         [("rank", None, None), ("step", None, 7), ("time", None, None), ("enter", "sub", 1), ("stage", "flow", None), ("leave", None, None),
                          ("enter", "sub", 2), ("stage", "flow", None), ("leave", None, None), ("enter", "inner", 3), ("leave", None, None), ("enter", "ends", 1),
                          ("leave", None, None), ("unit", "höhe", None), ("unwatch", "x", None), ("close", None, None)])
        self.assertEqual((told[0]["rank"], told[0]["ranks"], told[2]["seconds"], told[13]["unit"]), (1, 3, 2.5, "m"))

    def test_slices_are_told_without_a_copy(self):
        chance = random.Random(7)
        extents = (5, 4, 3, 3, 2, 2, 2)
        types = {"float32": 1, "float64": 2, "int32": 3, "int64": 4, "bool": 5, "complex64": 8, "complex128": 9, "int8": 10, "int16": 11}
        lines, wanted = [], []
        for name, code in types.items():
            for axes in range(8):
                shape = extents[:axes]
                order = chance.choice("CF")
                whole = numpy.arange(numpy.prod(shape, dtype=int)).astype(name).reshape(shape, order=order)
                index = tuple(slice(None, None, chance.choice((1, 2, -1, -2))) for _ in shape)
                lines += [f"x = np.arange({whole.size}).astype('{name}').reshape({shape}, order='{order}')", "origin(x)", f"ulpine.field('{name}', x[{index}])" if axes else f"ulpine.field('{name}', x)"]
                part = whole[index] if axes else whole
                place = part.__array_interface__["data"][0] - whole.__array_interface__["data"][0]
                values = [[value.real, value.imag] if "complex" in name else value for value in part.flatten(order="F").tolist()]
                wanted.append((code, list(part.shape), place, list(part.strides), values))
        told, _ = self.run_python("\n".join(lines))
        self.assertEqual(len(told), len(wanted))
        for call, (code, shape, place, strides, values) in zip(told, wanted):
            with self.subTest(f"{call['name']} {shape}"):
                self.assertEqual((call["type"], call["extent"], call["place"], call["flags"]), (code, shape, place, 0))
                if any(call["stride"]):  # zeros: dense
                    self.assertEqual((call["stride"], call["values"]), (strides, values))
                else:
                    self.assertEqual(numpy.empty(shape, bool).strides, tuple(s // numpy.dtype(call["name"]).itemsize for s in strides))

    def test_places_numbers_and_flags_are_told(self):
        told, _ = self.run_python("""
            x = np.arange(24.0).reshape(4, 6)[:, ::1]
            ulpine.field("part", x, first=(8, 0), whole=(40, 6))
            ulpine.state("numbered", x, whole=[4, 60], numbers=np.array([9, 0, 4, 5, 6, 7], "int32")[::-1], axis=1)
            ulpine.watch("list", x, whole=(70, 6), numbers=[50, 3, 2, 1])
            ulpine.unset("replicated", x, replicated=True)
            ulpine.field("cuda", Cuda(x, stream=2))
            ulpine.field("cuda 7", Cuda(x, stream=2), stream=7)
        """)
        part, numbered, listed, replicated, cuda, seven = told
        self.assertEqual((part["first"], part["whole"], part["call"]), ([8, 0], [40, 6], "field"))
        self.assertEqual((numbered["axis"], numbered["numbers"], numbered["whole"], numbered["call"]), (1, [7, 6, 5, 4, 0, 9], [4, 60], "state"))
        self.assertEqual((listed["axis"], listed["numbers"], listed["call"]), (0, [50, 3, 2, 1], "watch"))
        self.assertEqual((replicated["flags"], replicated["call"]), (4, "unset"))
        self.assertEqual((cuda["flags"], cuda["stream"], cuda["extent"]), (2, 2, [4, 6]))
        self.assertEqual(seven["stream"], 7)

    def test_dlpack_and_numbers_are_told(self):
        told, _ = self.run_python("""
            x = np.arange(24.0).reshape(4, 6)
            origin(x)
            ulpine.field("packed", Packed(x[::-2, 1:]))
            ulpine.state("bytes", Packed(np.array([1, 0, 3], "int8")))
            ulpine.field("gpu", Packed(x.T, 2), stream=5)
            ulpine.field("float", 1.5)
            ulpine.field("int", -3)
            ulpine.field("bool", True, replicated=True)
            ulpine.field("complex", 1 - 2j)
            ulpine.field("float32", np.float32(2.5))
            ulpine.field("sum", x.sum())
            ulpine.field("empty", x[:0])
        """)
        packed, small, gpu = told[:3]
        whole = numpy.arange(24.0).reshape(4, 6)[::-2, 1:]
        self.assertEqual((packed["extent"], packed["stride"], packed["place"], packed["values"]), ([2, 5], [-96, 8], 8 * 19, whole.flatten(order="F").tolist()))
        self.assertEqual((small["type"], small["call"]), (10, "state"))
        self.assertEqual((gpu["flags"], gpu["stream"], gpu["extent"], gpu["stride"]), (2, 5, [6, 4], [8, 48]))
        self.assertEqual([(call["type"], call["rank"], call["values"]) for call in told[3:9]],
                         [(2, 0, [1.5]), (4, 0, [-3]), (5, 0, [1]), (9, 0, [[1, -2]]), (1, 0, [2.5]), (2, 0, [276])])
        self.assertEqual((told[5]["flags"], told[9]["extent"]), (4, [0, 6]))

    def test_what_is_no_field_is_refused_in_one_line_and_the_model_goes_on(self):
        cases = {
            "np.zeros(3, 'float16')": "elements of kind 'f' and 2 bytes (the probe takes",
            "np.zeros(3, 'uint32')": "elements of kind 'u' and 4 bytes",
            "np.zeros(3, '>f8')": "elements in big-endian order",
            "np.ma.masked_less(np.arange(3.0), 1)": "a masked array",
            "np.zeros((1,) * 8)": "8 axes (the probe takes up to 7)",
            "np.broadcast_to(1.5, (3, 2))": "elements that share memory",
            "[1.0, 2.0]": "a list (neither an array",
            "'text'": "a str (neither",
            "None": "a NoneType (neither",
            "2**70": "an integer beyond 64 bits",
            "Packed(np.zeros(3), 4)": "an array on a device of DLPack's kind 4",
            "Packed(np.zeros(3, 'uint8'))": "elements of kind 'u' and 1 bytes",
            "x, first=(1,)": "first has 1 values (the array has 2 axes)",
            "x, whole=(1, 2, 3)": "whole has 3 values (the array has 2 axes)",
            "x, numbers=[1, 2]": "2 numbers for the 3 elements along axis 0",
            "x, numbers=np.arange(2)": "2 numbers for the 3 elements along axis 0",
            "x, numbers=[1, 2, 3], axis=2": "axis = 2 (the array has 2, counted from 0)",
            "x, numbers=['a', 'b', 'c']": "ValueError: invalid literal for int()",
        }
        for text, words in cases.items():
            with self.subTest(text):
                told, lines = self.run_python(f"x = np.zeros((3, 2))\nulpine.field('ice', {text})\nulpine.step(1)\nprint('goes on', ulpine.on())",
                                              errors=[f"ulpine: field 'ice': {words}"])
                self.assertEqual((told, lines), ([], ["goes on False"]))

    def test_what_cannot_be_changed_is_no_state(self):
        for text, words in (("3.0", "a number as state"), ("np.float64(3)", "a number as state"), ("np.broadcast_to(np.zeros(2), (3, 2))", "a read-only array as state")):
            for call in "state", "unset":
                with self.subTest(text):
                    self.assertEqual(self.run_python(f"ulpine.{call}('ice', {text})", errors=[f"ulpine: field 'ice': {words}"])[0], [])
            self.assertEqual(len(self.run_python(f"ulpine.field('ice', {text})")[0]), 1)

    def test_a_wrong_keyword_is_an_error_whether_asked_or_not(self):
        for variables in ({}, {"STUB_OFF": "1"}):
            _, lines = self.run_python("try:\n    ulpine.field('x', np.zeros(3), at=(1,))\nexcept TypeError as error:\n    print(error)", **variables)
            self.assertEqual(lines, ["field() got an unexpected keyword argument 'at'"])

    def test_watched_arrays_live_until_they_are_let_go(self):
        _, lines = self.run_python("""
            import weakref
            x = np.zeros(3)
            ulpine.watch("x", x)
            seen = weakref.ref(x)
            x = None
            print(seen() is not None)
            ulpine.unwatch("x")
            print(seen() is not None)
        """)
        self.assertEqual(lines, ["True", "False"])

    def test_nothing_is_called_where_nothing_is_asked_for(self):
        told, lines = self.run_python("""
            ulpine.step(1); ulpine.stage("a"); ulpine.field("x", object()); ulpine.state("x", 1); ulpine.unset("x", 1); ulpine.watch("x", 1); ulpine.unwatch("x")
            ulpine.enter("a", 1); ulpine.leave(); ulpine.unit("x", "m"); ulpine.time(1); ulpine.rank(0, 1); ulpine.close()
            with ulpine.loop("sub", 1):
                print(ulpine.on())
        """, STUB_OFF="1")
        self.assertEqual((told, lines), ([], ["False"]))


@unittest.skipIf(CC is None, "no C compiler (Debian: apt-get install gcc)")
class Library(BuiltTest):
    """Where the package finds the library."""
    def imported(self, package, **variables):
        environment = {name: value for name, value in os.environ.items() if name not in ("LD_LIBRARY_PATH", "ULPINE_PROBE_LIBRARY")}
        return subprocess.run([sys.executable, "-c", "import ulpine; print(ulpine.on())"], capture_output=True, text=True, check=False, cwd="/",
                              env=dict(environment, PYTHONPATH=str(package), **variables))

    def test_it_is_found_beside_the_package_in_lib_by_its_name_or_by_the_loader(self):
        library = self.folder / "libulpine_probe.so"
        inside, installed = self.folder / "inside", self.folder / "prefix/share/ulpine/python"
        for folder in inside, installed:
            shutil.copytree(PROBE / "python/ulpine", folder / "ulpine")
        shutil.copy(library, inside / "ulpine")
        (self.folder / "prefix/lib").mkdir()
        shutil.copy(library, self.folder / "prefix/lib")
        for package, variables in ((inside, {}), (installed, {}), (PROBE / "python", {"ULPINE_PROBE_LIBRARY": str(library)}), (PROBE / "python", {"LD_LIBRARY_PATH": str(self.folder)})):
            with self.subTest(f"{package} {variables}"):
                done = self.imported(package, **variables)
                self.assertEqual((done.returncode, done.stdout), (0, "True\n"), done.stderr)

    def test_a_library_that_is_missing_or_another_is_told_in_one_line(self):
        self.make(CC, "-shared", "-x", "c", "/dev/null", "-o", "other.so")
        for path, words in ((self.folder / "no.so", "is not found ("), (self.folder / "other.so", "other.so: has no ulpine_")):
            done = self.imported(PROBE / "python", ULPINE_PROBE_LIBRARY=str(path))
            self.assertEqual(done.returncode, 1)
            self.assertIn("ImportError: ulpine: ", done.stderr.splitlines()[-1])
            self.assertIn(words, done.stderr.splitlines()[-1])


if __name__ == "__main__":
    unittest.main()
