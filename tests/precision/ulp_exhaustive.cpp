// SPDX-License-Identifier: Apache-2.0
// ulp_exhaustive FUNCTION [FIRST LAST [THREADS]]: the error of a float function over every argument whose
// bits lie in [FIRST, LAST] (hexadecimal; default all 2^32), against the C library's double function, and
// against 113 bits wherever that one cannot tell on which side of a tie the true value lies. Not part of
// ctest: minutes of processor time a function.

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <thread>
#include <vector>

#include "precision/elementary.hpp"
#include "precision/ulp.hpp"

namespace {

using namespace ulpine;

struct FloatFunction {
  char const* name;
  float (*ours)(float);
  double (*in_double)(double);
  float128 (*reference)(float128 const&);
};

FloatFunction const functions[] = {
    {"exp", math::exp, std::exp, math::exp},     {"exp2", math::exp2, std::exp2, math::exp2},
    {"log", math::log, std::log, math::log},     {"log2", math::log2, std::log2, math::log2},
    {"sin", math::sin, std::sin, math::sin},     {"cos", math::cos, std::cos, math::cos},
    {"tan", math::tan, std::tan, math::tan},     {"sinh", math::sinh, std::sinh, math::sinh},
    {"cosh", math::cosh, std::cosh, math::cosh}, {"tanh", math::tanh, std::tanh, math::tanh},
    {"cbrt", math::cbrt, std::cbrt, math::cbrt},
};

struct Tally {
  std::uint64_t tested = 0, wide = 0, not_nearest = 0;
  double worst = 0;
  std::uint32_t at = 0;
};

/// The error in ulp of `got` by the double reference `value`; the C library's own error of a few double ulps
/// does not show.
double error_by_double(float got, double value) {
  int exponent = 0;
  std::frexp(value, &exponent);
  return std::abs(std::ldexp(static_cast<double>(got) - value, -std::max(exponent - 24, -149)));
}

void scan(FloatFunction const& function, std::uint64_t first, std::uint64_t last, Tally& tally) {
  for (std::uint64_t bits = first; bits <= last; ++bits) {
    float const x = from_bits(static_cast<std::uint32_t>(bits)), got = function.ours(x);
    double const value = function.in_double(x);
    ++tally.tested;
    double error = 0;
    if (std::isnan(x)) {
      error = std::isnan(got) ? 0 : HUGE_VAL;
    } else if (std::isfinite(got) && std::isfinite(value) && value != 0) {
      error = error_by_double(got, value);
    } else if (got == value || (std::isnan(got) && std::isnan(value)) ||
               (std::isinf(got) && got * value > 0 && std::abs(value) > 0x1p128)) {
      error = 0;
    } else {
      error = 0.5;  // to be decided below
    }
    if (std::abs(error - 0.5) < 0x1p-24) {  // a double cannot tell
      ++tally.wide;
      error = error_in_ulp(got, function.reference(float128(x)));
    }
    tally.not_nearest += error > 0.5 ? 1 : 0;
    if (error > tally.worst) {
      tally.worst = error;
      tally.at = static_cast<std::uint32_t>(bits);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  FloatFunction const* chosen = nullptr;
  for (auto const& function : functions) {
    chosen = argc > 1 && std::strcmp(argv[1], function.name) == 0 ? &function : chosen;
  }
  if (chosen == nullptr) {
    std::fputs(
        "usage: ulp_exhaustive exp|exp2|log|log2|sin|cos|tan|sinh|cosh|tanh|cbrt [FIRST LAST [THREADS]]\n",
        stderr);
    return 2;
  }
  std::uint64_t const first = argc > 3 ? std::strtoull(argv[2], nullptr, 16) : 0;
  std::uint64_t const last = argc > 3 ? std::strtoull(argv[3], nullptr, 16) : 0xffffffffu;
  unsigned const threads = argc > 4 ? static_cast<unsigned>(std::atoi(argv[4]))
                                    : std::max(1u, std::thread::hardware_concurrency());
  constexpr std::uint64_t chunk = 1u << 20;
  std::uint64_t next = first;
  std::mutex mutex;
  Tally total;
  std::vector<std::jthread> team;
  for (unsigned t = 0; t < threads; ++t) {
    team.emplace_back([&] {
      Tally mine;
      while (true) {
        std::uint64_t begin = 0;
        {
          std::scoped_lock const lock(mutex);
          begin = next;
          next += chunk;
        }
        if (begin > last) {
          break;
        }
        scan(*chosen, begin, std::min(begin + chunk - 1, last), mine);
      }
      std::scoped_lock const lock(mutex);
      total.tested += mine.tested, total.wide += mine.wide, total.not_nearest += mine.not_nearest;
      if (mine.worst > total.worst) {
        total.worst = mine.worst, total.at = mine.at;
      }
    });
  }
  team.clear();
  std::printf(
      "%s(float): %llu arguments, %llu not rounded to nearest, largest error %.6f ulp at %a; %llu by 113 "
      "bits\n",
      chosen->name, static_cast<unsigned long long>(total.tested),
      static_cast<unsigned long long>(total.not_nearest), total.worst,
      static_cast<double>(from_bits(total.at)), static_cast<unsigned long long>(total.wide));
  return total.worst < 1 ? 0 : 1;
}
