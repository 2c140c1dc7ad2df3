#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""probe/fortran/ulpine.f90: what the library is given for arrays and slices of every type and rank, by every Fortran compiler that is installed."""
import itertools
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

from languages import BuiltTest, FORTRANS, NO_FORTRAN, PROBE

# Fortran type, type of ulpine.h, bytes, the expression of an element whose place is n, and the value that is told of it.
KINDS = {
    "real(real32)": (1, 4, "real(n, real32)", float),
    "real(real64)": (2, 8, "real(n, real64)", float),
    "integer(int32)": (3, 4, "n", int),
    "integer(int64)": (4, 8, "int(n, int64)", int),
    "logical(c_bool)": (5, 1, "logical(mod(n, 3) == 0, c_bool)", lambda n: int(n % 3 == 0)),
    "logical": (6, 4, "mod(n, 3) == 0", lambda n: int(n % 3 == 0)),
    "complex(real32)": (8, 8, "cmplx(n, -n, real32)", lambda n: [float(n), float(-n)]),
    "complex(real64)": (9, 16, "cmplx(n, -n, real64)", lambda n: [float(n), float(-n)]),
}
LOWER = (-2, 0, 1, 5, -7, 3, 2)  # bounds of the arrays' axes: what is told does not depend on them
EXTENT = (5, 4, 3, 3, 2, 2, 2)
CALLS = ("field", "state", "unset", "watch")
HEAD = """program cases
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env
  use ulpine
  implicit none
  interface
    subroutine origin(address) bind(C, name='stub_origin')
      import :: c_ptr
      type(c_ptr), value :: address
    end subroutine origin
  end interface
"""


def slice_of(chance, rank):
    """Of each axis a first index, an extent (of 0 at times) and a step, as places from 0."""
    axes = []
    for extent in EXTENT[:rank]:
        step = chance.choice((1, 1, 2, -1, -2))
        first = chance.randrange(extent)
        most = (extent - 1 - first) // step + 1 if step > 0 else first // -step + 1
        axes.append((first, chance.randint(0 if chance.random() < 0.06 else 1, most), step))
    return axes


def written(axes):
    """The slice as Fortran has it, by the bounds LOWER."""
    parts = []
    for lower, (first, extent, step) in zip(LOWER, axes):
        begin = lower + first
        last = begin + (extent - 1) * step if extent else begin - step
        parts.append(f"{begin}:{last}:{step}")
    return f"({', '.join(parts)})" if parts else ""


def expected(axes, rank, size, value):
    """Place, extents, strides and values (the first axis fastest) of a slice of an array whose elements are their places in memory."""
    steps = [size]
    for extent in EXTENT[:rank]:
        steps.append(steps[-1] * extent)
    extents = [extent for _, extent, _ in axes]
    place = sum(first * step for (first, _, _), step in zip(axes, steps))
    strides = [stride * step if extent > 1 else size for (_, extent, stride), step in zip(axes, steps)]
    if 0 in extents:
        return None, extents, [size] * rank, []
    values = []
    for index in itertools.product(*(range(extent) for extent in reversed(extents))):
        offset = sum(i * stride * step for i, (_, _, stride), step in zip(reversed(index), axes, steps))
        values.append(value((place + offset) // size))
    return place, extents, strides, values


class Fortran:
    compiler = ""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.warnings = cls.make(cls.compiler, *cls.options, "-O2", "-c", PROBE / "fortran/ulpine.f90")

    def program(self, text, *options, name="cases"):
        (self.folder / f"{name}.f90").write_text(text)
        self.make(self.compiler, *(options or ("-O1",)), f"{name}.f90", "ulpine.o", "-L.", "-lulpine_probe", "-o", name)
        return self.folder / name

    def test_it_compiles_without_warnings(self):
        self.assertEqual(self.warnings, "")

    def test_every_type_rank_and_slice_is_told_without_a_copy(self):
        chance = random.Random(43)
        declared, done, wanted = [], [], []
        for number, (kind, (code, size, element, value)) in enumerate(KINDS.items()):
            for rank in range(8):
                name = f"x{number}_{rank}"
                bounds = ", ".join(f"{lower}:{lower + extent - 1}" for lower, extent in zip(LOWER, EXTENT[:rank]))
                declared.append(f"  {kind}, target :: {name}{f'({bounds})' if rank else ''}")
                count = 1
                for extent in EXTENT[:rank]:
                    count *= extent
                made = f"reshape([({element}, n=0, {count - 1})], shape({name}))" if rank else element.replace("n,", "0,").replace("-n", "-0") if "n" in element else element
                done.append(f"  n = 0\n  {name} = {made if rank else element}")
                first = f"({', '.join(map(str, LOWER[:rank]))})" if rank else ""
                done.append(f"  call origin(c_loc({name}{first}))" if kind != "logical" else f"  call origin(transfer(loc_of_logical({name}{first}), c_null_ptr))")
                for call in CALLS if rank in (0, 2, 7) else (chance.choice(CALLS),):
                    axes = slice_of(chance, rank)
                    done.append(f"  call ulpine_{call}('{name} ', {name}{written(axes)})")
                    wanted.append((call, name, code, rank, expected(axes, rank, size, value)))
        text = HEAD + "  integer :: n\n" + "\n".join(declared) + "\n" + "\n".join(done) + """
contains
  integer(c_intptr_t) function loc_of_logical(x)
    logical, target, intent(in) :: x
    loc_of_logical = transfer(c_loc(x), 0_c_intptr_t)
  end function loc_of_logical
end program cases
"""
        told, _ = self.told(self.program(text))
        self.assertEqual(len(told), len(wanted))
        slices = 0
        for call, (entry, name, code, rank, (place, extents, strides, values)) in zip(told, wanted):
            with self.subTest(f"{entry} {name}"):
                self.assertEqual((call["call"], call["name"], call["type"], call["rank"], call["flags"]), (entry, name, code, rank, 1))
                self.assertEqual((call.get("place"), call["extent"], call["stride"], call["values"]), (place, extents, strides, values))
                self.assertEqual((call["first"], call["whole"]), ([0] * rank, [0] * rank))
                slices += any(stride < 0 for stride in strides)
        self.assertGreater(slices, 30)

    def test_places_numbers_and_flags_are_told(self):
        told, _ = self.told(self.program(HEAD + """
  real(real64), target :: x(6, 4, 2) = 0
  integer :: cells(3) = [9, 1, 4]
  call origin(c_loc(x))
  call ulpine_rank(2, 5)
  call ulpine_step(7)
  call ulpine_step(3000000000_int64)
  call ulpine_time(1.5_real32)
  call ulpine_time(2.5_real64)
  call ulpine_enter('sub', 2)
  call ulpine_enter('inner  ', 3000000000_int64)
  call ulpine_leave()
  call ulpine_stage('flow')
  call ulpine_unit('x', 'm s-1')
  call ulpine_field('x', x(:, 2:3, :), at=[1, 6, 1], of=[6, 8, 2])
  call ulpine_field('x', x(2:4, :, 1), numbers=cells, of=[20, 4], at=[1, 1])
  call ulpine_state('x', x(1, 2:4, :), numbers=cells, axis=1, of=[20, 2])
  call ulpine_watch('x', x(:, 2, 1:1), numbers=cells(2:2), axis=2, of=[6, 9], replicated=.false., device=.false.)
  call ulpine_field('s', x(1, 1, 1), replicated=.true.)
  call ulpine_field('d', x(:, :, 1), device=.true., queue=77_c_intptr_t)
  call ulpine_unset('d', x, replicated=.true., device=.true.)
  call ulpine_field('at', x(:, :, 1), at=[0, 1], of=[20, 4])
  call ulpine_unwatch('x')
  call ulpine_close()
end program cases
"""))
        calls = [(call["call"], call.get("name"), call.get("number", call.get("seconds", call.get("rank")))) for call in told]
        self.assertEqual(calls[:9], [("rank", None, 2), ("step", None, 7), ("step", None, 3000000000), ("time", None, 1.5), ("time", None, 2.5), ("enter", "sub", 2),
                                     ("enter", "inner", 3000000000), ("leave", None, None), ("stage", "flow", None)])
        self.assertEqual(told[0]["ranks"], 5)
        self.assertEqual(told[9]["unit"], "m s-1")
        part, first, second, last, scalar, device, unset, at = told[10:18]
        self.assertEqual((part["first"], part["whole"], part["place"], part["stride"]), ([0, 5, 0], [6, 8, 2], 48, [8, 48, 192]))
        self.assertEqual((first["axis"], first["numbers"], first["whole"]), (0, [8, 0, 3], [20, 4]))
        self.assertEqual((second["axis"], second["numbers"], second["extent"]), (0, [8, 0, 3], [3, 2]))
        self.assertEqual((last["axis"], last["numbers"], last["extent"], last["flags"]), (1, [0], [6, 1], 1))
        self.assertEqual((scalar["flags"], scalar["rank"]), (5, 0))
        self.assertEqual((device["flags"], device["stream"], device["place"], device["stride"]), (3, 77, 0, [8, 48]))
        self.assertEqual(unset["flags"], 7)
        self.assertEqual(at["first"], [-1, 0])
        self.assertEqual([(call["call"], call.get("name")) for call in told[18:]], [("unwatch", "x"), ("close", None)])

    def test_numbers_that_do_not_fit_are_refused_in_one_line(self):
        program = self.program(HEAD + """
  real(real64) :: x(6, 4) = 0
  character(8) :: how
  call get_command_argument(1, how)
  call ulpine_step(1)
  if (how == 'few') call ulpine_field('ice ', x, numbers=[9, 1, 4], of=[20, 4])
  if (how == 'many') call ulpine_field('ice ', x(:2, :), numbers=[9, 1, 4], of=[20, 4])
  if (how == 'axis') call ulpine_field('ice ', x, numbers=[9, 1, 4], axis=3, of=[20, 4])
  if (how == 'none') call ulpine_field('ice ', x(:0, :), numbers=[9], of=[20, 4])
  call ulpine_step(2)
end program cases
""", name="refused")
        for how, words in (("few", "3 numbers for the 6 elements along axis 1"), ("many", "3 numbers for the 2 elements along axis 1"), ("axis", "axis = 3 (the array has 2)"),
                           ("none", "1 numbers for the 0 elements along axis 1")):
            with self.subTest(how):
                told, _ = self.told(program, how, errors=[f"ulpine: field 'ice': {words}"])
                self.assertEqual([call["call"] for call in told], ["step"])

    def test_state_may_be_changed_and_the_model_sees_it(self):
        program = self.program(HEAD + """
  real(real64) :: x(4, 3)
  integer :: n
  x = 1
  do n = 1, 2
    x = x + 1
    call ulpine_state('x', x(3:1:-2, 2))
    print '(2f5.1)', x(3, 2), sum(x)
  end do
end program cases
""", "-O3", name="changed")
        # 2 at every point, then -7 at one: 22 - 7; then 3 at every other point, and -7 again.
        self.assertEqual(self.told(program, STUB_CHANGES="1")[1], [" -7.0 15.0", " -7.0 26.0"])
        self.assertEqual(self.told(program)[1], ["  2.0 24.0", "  3.0 36.0"])

    def test_nothing_is_called_where_nothing_is_asked_for(self):
        program = self.program(HEAD + """
  real(real64), target :: x(4, 3) = 0
  print '(l1)', ulpine_on()
  call ulpine_rank(0, 1)
  call ulpine_step(1)
  call ulpine_time(1.0)
  call ulpine_enter('sub', 1)
  call ulpine_stage('flow')
  call ulpine_unit('x', 'm')
  call ulpine_field('x', x)
  call ulpine_state('x', x)
  call ulpine_unset('x', x)
  call ulpine_watch('x', x)
  call ulpine_unwatch('x')
  call ulpine_leave()
  call ulpine_close()
end program cases
""", name="off")
        self.assertEqual(self.told(program, STUB_OFF="1"), ([], ["F"]))
        told, lines = self.told(program)
        self.assertEqual((len(told), lines), (13, ["T"]))

    def test_places_that_are_too_few_for_the_axes_do_not_compile(self):
        with self.assertRaises(AssertionError):
            self.program(HEAD + "  real(real64) :: x(4, 3) = 0\n  call ulpine_field('x', x, at=[1], of=[4])\nend program cases\n", name="few")

    def test_looking_takes_what_may_not_be_changed_and_the_state_does_not(self):
        text = HEAD + "contains\n  subroutine look(x)\n    real(real64), intent(in) :: x(:)\n    call ulpine_{}('x', x)\n  end subroutine look\nend program cases\n"
        for call in CALLS:
            with self.subTest(call):
                if call in ("field", "watch"):
                    self.program(text.format(call), name=call)
                else:
                    with self.assertRaises(AssertionError):
                        self.program(text.format(call), name=call)


class Generated(unittest.TestCase):
    def test_the_file_is_what_the_script_makes(self):
        maker = PROBE / "fortran/make_ulpine_f90.py"
        self.assertEqual(subprocess.run([sys.executable, maker, "--check"], check=False).returncode, 0)
        with tempfile.TemporaryDirectory() as folder:
            copy = pathlib.Path(folder) / maker.name
            copy.write_text(maker.read_text(encoding="utf-8"), encoding="utf-8")
            check = [sys.executable, copy, "--check"]
            self.assertEqual(subprocess.run(check, capture_output=True, check=False).returncode, 1)
            subprocess.run([sys.executable, copy], check=True)
            self.assertEqual(subprocess.run(check, capture_output=True, check=False).returncode, 0)
            made = copy.with_name("ulpine.f90")
            self.assertEqual(made.read_bytes(), (PROBE / "fortran/ulpine.f90").read_bytes())
            made.write_text(made.read_text(encoding="utf-8").replace("2_c_int", "3_c_int", 1), encoding="utf-8")
            self.assertEqual(subprocess.run(check, capture_output=True, check=False).returncode, 1)


@unittest.skipIf(not any("gfortran" in path for path in FORTRANS), NO_FORTRAN)
class Gfortran(Fortran, BuiltTest):
    compiler = next((path for path in FORTRANS if "gfortran" in path), "")
    options = ("-std=f2018", "-Wall", "-Wextra")


@unittest.skipIf(not any("flang" in path for path in FORTRANS), "no flang (Debian: apt-get install flang-19)")
class Flang(Fortran, BuiltTest):
    compiler = next((path for path in FORTRANS if "flang" in path), "")
    options = ()

    def test_it_compiles_without_warnings(self):
        """But for those about the default logical, which C does not have."""
        warned = [line for line in self.warnings.splitlines() if "warning:" in line]
        self.assertEqual([line for line in warned if "C_LOC() argument has non-interoperable" not in line], [])


if __name__ == "__main__":
    unittest.main()
