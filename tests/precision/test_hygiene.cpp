// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "support/strict.hpp"

namespace {

using namespace ulpine;

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Functions of the C library's <math.h>, without the suffix of a type, and those that CUDA adds.
constexpr std::string_view library_names[] = {
    "abs",       "acos",      "acosh",      "asin",    "asinh",     "atan",    "atan2",     "atanh",
    "cbrt",      "ceil",      "copysign",   "cos",     "cosh",      "erf",     "erfc",      "exp",
    "exp2",      "expm1",     "fabs",       "fdim",    "floor",     "fma",     "fmax",      "fmin",
    "fmod",      "frexp",     "hypot",      "ilogb",   "ldexp",     "lgamma",  "llrint",    "llround",
    "log",       "log10",     "log1p",      "log2",    "logb",      "lrint",   "lround",    "modf",
    "nearbyint", "nextafter", "nexttoward", "pow",     "remainder", "remquo",  "rint",      "round",
    "scalbln",   "scalbn",    "sin",        "sinh",    "sqrt",      "tan",     "tanh",      "tgamma",
    "trunc",     "cospi",     "exp10",      "fdivide", "normcdf",   "rcbrt",   "rhypot",    "rsqrt",
    "sincos",    "sincospi",  "sinpi",      "__cos",   "__exp",     "__exp10", "__fdivide", "__log",
    "__log10",   "__log2",    "__pow",      "__sin",   "__sincos",  "__tan"};

/// The name without the suffix of float or long double, where what is left is a name of the library.
bool is_library_name(std::string_view word) {
  auto const known = [](std::string_view name) {
    return std::find(std::begin(library_names), std::end(library_names), name) != std::end(library_names);
  };
  bool const suffixed = word.ends_with('f') || word.ends_with('l');
  return known(word) || (suffixed && known(word.substr(0, word.size() - 1)));
}

/// The first function call in `line` that is the C library's and not ulpine::math's: a name of the C library
/// behind `std::` or the global `::`, or one without a qualifier; or a `using` that brings one in. Empty
/// where there is none.
std::string library_call(std::string_view line) {
  line = line.substr(0, line.find("//"));
  for (std::size_t at = 0; at < line.size();) {
    auto end = at;
    while (end < line.size() && is_word(line[end])) {
      ++end;
    }
    if (end == at) {
      ++at;
      continue;
    }
    auto const word = line.substr(at, end - at);
    auto const after = line.find_first_not_of(' ', end);
    auto before = line.substr(0, at);
    while (before.ends_with(' ')) {
      before.remove_suffix(1);
    }
    bool const called = after != line.npos && line[after] == '(',
               brought_in = line.find("using std::") != line.npos || line.find("using ::") != line.npos;
    if ((called || brought_in) && is_library_name(word)) {
      bool const of_std = before.ends_with("std::"), qualified = before.ends_with("::");
      bool const of_global_scope = qualified && (before.size() == 2 || !is_word(before[before.size() - 3]));
      bool const member = before.ends_with(".") || before.ends_with("->");
      if (of_std || of_global_scope || (!qualified && !member)) {
        return std::string(line.substr(at, 40));
      }
    }
    at = end;
  }
  return line.find("using namespace std") == line.npos ? std::string() : "using namespace std";
}

TEST(LibraryCalls, AreFoundInEveryFormAndOnlyThere) {
  EXPECT_FALSE(library_call("  x = fabs(y);").empty());
  EXPECT_FALSE(library_call("x = std::exp(y);").empty());
  EXPECT_FALSE(library_call("x = 2*::sqrt(y);").empty());
  EXPECT_FALSE(library_call("return expf(y);").empty());
  EXPECT_FALSE(library_call("return 1 + ::fabs(y);").empty());
  EXPECT_FALSE(library_call("x = std::floor (y);").empty());
  EXPECT_FALSE(library_call("using std::max, std::round;").empty());
  EXPECT_FALSE(library_call("using namespace std;").empty());
  EXPECT_FALSE(library_call("x = __expf(y);").empty());
  EXPECT_TRUE(library_call("x = math::fabs(y) + math::exp(ulpine::math::sqrt(z));").empty());
  EXPECT_TRUE(library_call("x = explicit_step(y) + cosine(3); // std::exp(x)").empty());
  EXPECT_TRUE(library_call("x = Format::round(y) + P::Multiplicand::round(y);").empty());
  EXPECT_TRUE(library_call("state.max(3); state.round(3)").empty());
  EXPECT_TRUE(library_call("Real const floor = 1, round = floor;").empty());
}

TEST(LibraryCalls, AreKnownByName) {
  for (char const* const name :
       {"floor",     "ceil",   "round",     "fmod",     "log1p",    "expm1", "trunc", "rint",
        "nearbyint", "lround", "remainder", "asinh",    "acosh",    "atanh", "erf",   "tgamma",
        "ldexp",     "cbrt",   "hypot",     "exp2",     "pow",      "atan2", "fma",   "fmin",
        "fmax",      "rsqrt",  "sincos",    "copysign", "nextafter"}) {
    for (char const* const suffix : {"", "f", "l"}) {
      auto const call = std::string(name) + suffix + "(x)";
      for (char const* const qualifier : {"", "std::", "::"}) {
        EXPECT_FALSE(library_call("y = " + (qualifier + call)).empty()) << qualifier << call;
      }
      EXPECT_TRUE(library_call("y = math::" + call).empty()) << call;
    }
  }
}

/// Headers in which kernels live: written for both compilers, which they show by ULPINE_HD.
std::vector<std::filesystem::path> kernel_sources() {
  std::filesystem::path const root =
      std::getenv("ULPINE_SOURCE_DIR") != nullptr ? std::getenv("ULPINE_SOURCE_DIR") : ".";
  std::vector<std::filesystem::path> found;
  for (auto const& entry : std::filesystem::recursive_directory_iterator(root / "core")) {
    auto const extension = entry.path().extension();
    if (extension != ".hpp" && extension != ".cu" && extension != ".cuh") {
      continue;
    }
    std::ifstream file(entry.path());
    std::string const text(std::istreambuf_iterator<char>(file), {});
    if (extension != ".hpp" || text.find("ULPINE_HD") != text.npos) {
      found.push_back(entry.path());
    }
  }
  return found;
}

TEST(Kernels, CallOnlyOurOwnMathematics) {
  auto const sources = kernel_sources();
  ASSERT_FALSE(sources.empty()) << "no kernel header found; is ULPINE_SOURCE_DIR the source folder?";
  for (auto const& path : sources) {
    std::ifstream file(path);
    std::string line;
    for (int number = 1; std::getline(file, line); ++number) {
      if (line.find("#include") != line.npos) {
        continue;
      }
      EXPECT_TRUE(library_call(line).empty())
          << path << ":" << number << " calls " << library_call(line)
          << " (its bits differ between host and device): use ulpine::math";
    }
  }
}

// StrictFloat: what must not compile for it, and what must.
template <class Real>
concept HasDoubleLiteral = requires(Real x) {
  0.5 * x;
};
template <class Real>
concept AddsDouble = requires(Real x, double y) {
  x + y;
};
template <class Real>
concept ComparesWithDouble = requires(Real x) {
  x < 0.5;
};
template <class Real>
concept CallsFabs = requires(Real x) {
  ::fabs(x);
};
template <class Real>
concept CallsExp = requires(Real x) {
  ::exp(x);
};
template <class Real>
concept BecomesDouble = std::convertible_to<Real, double>;

static_assert(HasDoubleLiteral<float> && AddsDouble<float> && ComparesWithDouble<float> && CallsFabs<float> &&
              CallsExp<float> && BecomesDouble<float>);
static_assert(!HasDoubleLiteral<StrictFloat> && !AddsDouble<StrictFloat> &&
              !ComparesWithDouble<StrictFloat> && !CallsFabs<StrictFloat> && !CallsExp<StrictFloat> &&
              !BecomesDouble<StrictFloat>);
static_assert(PrecisionPolicy<StrictFp32> && std::is_trivially_copyable_v<StrictFloat> &&
              sizeof(StrictFloat) == sizeof(float));

/// A kernel body in the house's style, with typed literals and explicit casts between roles.
template <class Real>
Real typed_kernel(Real x, double state) {
  Real const third = Real(1) / 3, half = Real(0.5);
  Real sum = third * x + half * static_cast<Real>(state) - 2 * math::abs(-x);
  sum += math::max(math::exp(x), math::pow(x, half)) / math::sqrt(x);
  return sum > 0 ? sum : math::fma(sum, sum, -math::tanh(sum));
}

TEST(StrictFloat, ComputesWhatFloatComputes) {
  for (float const x : {0.1f, 0.75f, 3.0f, 1e-30f, 1e30f}) {
    EXPECT_EQ(to_bits(static_cast<float>(typed_kernel(StrictFloat(x), 0.3))), to_bits(typed_kernel(x, 0.3)));
  }
}

}  // namespace
