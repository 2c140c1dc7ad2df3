#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the polynomial coefficients and split constants of precision/elementary.hpp and of
precision/double_float_functions.hpp as hexadecimal literals.

Every polynomial interpolates its function at the Chebyshev nodes of the reduced interval, in exact rational arithmetic on
power series; beside it stands the largest error of the polynomial with rounded coefficients (sampled, rational arithmetic).
Run without arguments; only the standard library is used.
"""
import math
from fractions import Fraction as F


def rounded(value, bits):
    """`value` rounded to `bits` significant bits, ties to even."""
    if value == 0:
        return F(0)
    exponent = 0
    magnitude = abs(value)
    while magnitude >= 2**bits:
        magnitude /= 2
        exponent += 1
    while magnitude < 2 ** (bits - 1):
        magnitude *= 2
        exponent -= 1
    return F(round(magnitude)) * F(2) ** exponent * (1 if value > 0 else -1)


def literal(value, bits):
    if bits > 24:
        return float(value).hex()
    digits, power = float(value).hex().split("p")
    return f"{digits.rstrip('0')}p{power}f"


def interpolate(function, low, high, degree):
    """Monomial coefficients of the polynomial through the Chebyshev nodes (Newton's divided differences)."""
    middle, half = (low + high) / 2, (high - low) / 2
    nodes = [middle + half * F(math.cos(math.pi * (2 * i + 1) / (2 * degree + 2))) for i in range(degree + 1)]
    newton = [function(x) for x in nodes]
    for order in range(1, degree + 1):
        for i in range(degree, order - 1, -1):
            newton[i] = (newton[i] - newton[i - 1]) / (nodes[i] - nodes[i - order])
    coefficients = [F(0)]
    for i in range(degree, -1, -1):
        shifted = [F(0)] + coefficients
        for j, c in enumerate(coefficients):
            shifted[j] -= nodes[i] * c
        shifted[0] += newton[i]
        coefficients = shifted[: degree + 1]
    return coefficients


def show(name, function, low, high, degree, bits=53, weight=lambda x: 1):
    coefficients = [rounded(c, bits) for c in interpolate(function, low, high, degree)]
    error = F(0)
    for i in range(201):
        x = low + (high - low) * i / 200
        error = max(error, abs(weight(x) * (sum(c * x**j for j, c in enumerate(coefficients)) - function(x))))
    print(f"{name}: weighted error {float(error):.2e} = 2^{math.log2(error):.1f}")
    print("   " + ", ".join(literal(c, bits) for c in coefficients))


def series(term, start, terms=40):
    """x -> sum of term(n) x^(n - start), n from `start`."""
    table = [term(n) for n in range(start, start + terms)]

    def evaluate(x):
        total = F(0)
        for c in reversed(table):
            total = total * x + c
        return rounded(total, 160)

    return evaluate


def arctan(x):
    """Halves the angle until the series converges fast; square roots to 400 bits."""
    halvings = 0
    x = F(x)
    while x > F(1, 16):
        root = F(math.isqrt(int((1 + x * x) * 2**800)), 2**400)
        x = rounded(x / (1 + root), 400)
        halvings += 1
    return rounded(sum(F((-1) ** n, 2 * n + 1) * x ** (2 * n + 1) for n in range(50)), 400) * 2**halvings


def pi():
    return 16 * arctan(F(1, 5)) - 4 * arctan(F(1, 239))  # Machin


def ln2():
    return 2 * sum(F(1, (2 * n + 1) * 3 ** (2 * n + 1)) for n in range(130))


def cube_root(x):
    return F(integer_cube_root(int(F(x) * 2**180)), 2**60)


def integer_cube_root(n):
    low, high = 0, 1 << (n.bit_length() // 3 + 1)
    while low < high:
        middle = (low + high + 1) // 2
        if middle**3 <= n:
            low = middle
        else:
            high = middle - 1
    return low


def split(name, value, parts, bits=53):
    rest, text = value, []
    for _ in range(parts):
        part = rounded(rest, bits)
        text.append(literal(part, bits))
        rest -= part
    print(f"{name} = " + " + ".join(text))


def float_pairs(name, values):
    """Each value as the sum of two floats."""
    print(f"{name}, two floats:")
    for value in values:
        hi = rounded(F(value), 24)
        print(f"   {{{literal(hi, 24)}, {literal(rounded(F(value) - hi, 24), 24)}}}")


def for_double_float():
    """The constants of double_float_functions.hpp: what is large in pairs of floats, tails in floats."""
    fact = math.factorial
    r = rounded(ln2() / 2, 53) * (1 + F(1, 2**20))
    float_pairs("1/n!, n = 2..7", [F(1, fact(n)) for n in range(2, 8)])
    show("tail of exp(r) from r^8, float", series(lambda n: F(1, fact(n)), 8), -r, r, 4, 24, lambda x: x**8)
    first = rounded(ln2(), 16)
    print(f"ln 2 = {literal(first, 24)} and")
    float_pairs("the rest", [ln2() - first])
    float_pairs("ln 2, 1 / ln 2, pi / 2", [ln2(), 1 / ln2(), pi() / 2])
    float_pairs("2/n, n = 3, 5, 7", [F(2, n) for n in (3, 5, 7)])
    s2 = F(3432, 10000) ** 2 / 4
    show("tail of 2 atanh(s) from s^9 in s^2, float", series(lambda n: F(2, 2 * n + 1), 4), F(0), s2, 5, 24,
         lambda x: x**4)
    z = F(617, 1000)
    float_pairs("(-1)^n / (2n + 1)!, n = 1..4", [F((-1) ** n, fact(2 * n + 1)) for n in range(1, 5)])
    show("tail of sin(r) / r from r^10 in r^2, float", series(lambda n: F((-1) ** n, fact(2 * n + 1)), 5), F(0), z, 3, 24,
         lambda x: x**5)
    float_pairs("(-1)^n / (2n)!, n = 1..4", [F((-1) ** n, fact(2 * n)) for n in range(1, 5)])
    show("tail of cos(r) from r^10 in r^2, float", series(lambda n: F((-1) ** n, fact(2 * n)), 5), F(0), z, 3, 24,
         lambda x: x**5)
    float_pairs("1 / (2n + 1)!, n = 1..3", [F(1, fact(2 * n + 1)) for n in range(1, 4)])
    show("tail of sinh(x) / x from x^8 in x^2, float", series(lambda n: F(1, fact(2 * n + 1)), 4), F(0), F(91, 1000), 2, 24,
         lambda x: x**4)
    float_pairs("-1/3, 1/5", [F(-1, 3), F(1, 5)])
    show("tail of arctan(u) / u from u^6 in u^2, float", series(lambda n: F((-1) ** n, 2 * n + 1), 3), F(0), F(1, 200), 3,
         24, lambda x: x**3)
    float_pairs("arctan(j/8), j = 1..8", [arctan(F(j, 8)) for j in range(1, 9)])
    show("cube root on [1, 8], float", cube_root, F(1), F(8), 4, 24)
    two_over_pi(4)


def two_over_pi(words):
    """2 / pi as 64-bit words, the first bit after the binary point first (Machin's formula in integers)."""
    scale = 2 ** (64 * words + 192)

    def arctan_inverse(n):
        total, power, k = 0, scale // n, 0
        while power:
            total += (-1) ** k * (power // (2 * k + 1))
            power //= n * n
            k += 1
        return total

    pi_scaled = 16 * arctan_inverse(5) - 4 * arctan_inverse(239)
    value = 2 * scale * 2 ** (64 * words) // pi_scaled
    print("2 / pi:")
    for i in reversed(range(words)):
        print(f"   0x{(value >> (64 * i)) & (2**64 - 1):016x}u,")


def main():
    fact = math.factorial
    r = rounded(ln2() / 2, 53) * (1 + F(1, 2**20))
    exp_tail = series(lambda n: F(1, fact(n)), 2)
    show("(exp(r) - 1 - r) / r^2, double", exp_tail, -r, r, 10, 53, lambda x: x * x)
    show("(exp(r) - 1 - r) / r^2, float", exp_tail, -r, r, 5, 24, lambda x: x * x)
    s2 = F(3432, 10000) ** 2 / 4  # (sqrt(2) - 1)^2 / (sqrt(2) + 1)^2 = 0.029437
    show("(2 atanh(s) - 2 s) / s^3 in s^2", series(lambda n: F(2, 2 * n + 1), 1), F(0), s2, 7, 53,
         lambda x: x * F(math.sqrt(x)))
    show("tail of 2 atanh(s) from s^9, in s^2", series(lambda n: F(2, 2 * n + 1), 4), F(0), s2, 6, 53,
         lambda x: x**4 * F(math.sqrt(x)))
    z = F(617, 1000)
    show("(sin(r) - r) / r^3 in r^2", series(lambda n: F((-1) ** n, fact(2 * n + 1)), 1), F(0), z, 6, 53,
         lambda x: x * F(math.sqrt(x)))
    show("(cos(r) - 1 + r^2/2) / r^4 in r^2", series(lambda n: F((-1) ** n, fact(2 * n)), 2), F(0), z, 5, 53,
         lambda x: x * x)
    show("cube root on [1, 8]", cube_root, F(1), F(8), 4)
    split("ln 2", ln2(), 3)
    split("ln 2, float", ln2(), 2, 24)
    split("1 / ln 2", 1 / ln2(), 2)
    split("pi / 2", pi() / 2, 4)
    split("pi", pi(), 2)
    for j in range(1, 9):
        split(f"arctan({j}/8)", arctan(F(j, 8)), 2)
    for n in (3, 5, 7):
        split(f"2/{n}", F(2, n), 2)
    two_over_pi(19)
    for_double_float()


if __name__ == "__main__":
    main()
