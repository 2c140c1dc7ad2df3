#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""probe/include/ulpine.hpp and ulpine.h: what the library is given for containers, spans with extents and views."""
import unittest

from languages import BuiltTest, CC, CXX, HERE, PROBE


@unittest.skipIf(CXX is None or CC is None, "no C++ compiler (Debian: apt-get install g++)")
class Cpp(BuiltTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.make(CXX, "-std=c++20", "-O1", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-I", PROBE / "include", HERE / "cases.cpp", "-L.", "-lulpine_probe", "-o", "cases")

    def test_calls_are_told_as_they_were_made(self):
        told, _ = self.told("./cases")
        self.assertEqual([(call["call"], call.get("name"), call.get("number")) for call in told[:9]],
                         [("rank", None, None), ("step", None, 5), ("time", None, None), ("enter", "sub", 1), ("stage", "flow", None), ("leave", None, None),
                          ("enter", "sub", 2), ("stage", "flow", None), ("leave", None, None)])
        self.assertEqual((told[0]["rank"], told[0]["ranks"], told[2]["seconds"]), (1, 3, 2.5))
        self.assertEqual((told[9]["name"], told[9]["unit"]), ("x", "K"))
        self.assertEqual([(call["call"], call.get("name")) for call in told[-2:]], [("unwatch", "watch"), ("close", None)])

    def test_arrays_are_told_with_their_places(self):
        told, _ = self.told("./cases")
        of = {call["name"]: call for call in told if "extent" in call}
        self.assertEqual({name: of[name]["call"] for name in ("x", "box", "back", "state", "unset", "watch", "scalar", "view")},
                         {"x": "field", "box": "field", "back": "field", "state": "state", "unset": "unset", "watch": "watch", "scalar": "field", "view": "state"})
        self.assertTrue(all(of[name]["flags"] == 0 for name in ("x", "box", "back", "state", "watch", "view")))
        self.assertEqual((of["x"]["extent"], of["x"]["place"], of["x"]["type"]), ([24], 0, 2))
        self.assertEqual((of["box"]["extent"], of["box"]["stride"], of["box"]["first"], of["box"]["whole"]), ([2, 3, 4], [0, 0, 0], [0, 3, 0], [2, 9, 4]))
        self.assertEqual((of["back"]["stride"], of["back"]["place"]), ([-96, -32], 8 * 23))
        self.assertEqual(of["back"]["values"], [23, 11, 19, 7, 15, 3])  # the stub lets the first axis run fastest
        self.assertEqual((of["state"]["extent"], of["state"]["place"], of["state"]["numbers"], of["state"]["axis"]), ([3], 32, [9, 0, 4], 0))
        self.assertEqual((of["second"]["extent"], of["second"]["axis"], of["second"]["numbers"]), ([8, 3], 1, [9, 0, 4]))
        self.assertEqual((of["unset"]["flags"], of["unset"]["stream"]), (6, 77))
        self.assertEqual((of["scalar"]["rank"], of["scalar"]["flags"], of["scalar"]["values"]), (0, 4, [7]))
        self.assertEqual((of["view"]["stride"], of["view"]["values"], of["view"]["place"]), ([4, 8], [1, 2, 3, 4], 4))

    def test_every_type_is_told(self):
        told, _ = self.told("./cases")
        types = [(call["type"], call["values"][0]) for call in told if call.get("name") == "type"]
        self.assertEqual(types, [(1, 1.5), (2, 2.5), (10, -3), (11, -4), (3, -5), (4, -6), (4, -7), (5, 1), (8, [1, 2]), (9, [3, 4])])

    def test_nothing_is_called_where_nothing_is_asked_for(self):
        self.assertEqual(self.told("./cases", STUB_OFF="1"), ([], []))

    def test_arguments_that_do_not_fit_are_refused_in_one_line(self):
        for how, words in (("extents", "extents do not fit"), ("strides", "extents do not fit"), ("axes", "extents do not fit"), ("first", "`first` has not"),
                           ("whole", "`whole` has not"), ("numbers", "`numbers` has not"), ("numbered", "`numbered` is no axis")):
            with self.subTest(how):
                told, _ = self.told("./cases", how, errors=[f"ulpine: field 'ice': {words}"])
                self.assertEqual(told, [])

    def test_the_header_is_plain_c(self):
        (self.folder / "plain.c").write_text('#include "ulpine.h"\nint main(void) { ulpine_array x = {0}; ulpine_stage("flow"); return x.rank + ulpine_active; }\n')
        self.assertEqual(self.make(CC, "-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-I", PROBE / "include", "-c", "plain.c"), "")


if __name__ == "__main__":
    unittest.main()
