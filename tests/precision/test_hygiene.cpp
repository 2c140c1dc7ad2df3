// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "precision/strict.hpp"

namespace {

using namespace ulpine;

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// The first function call in `line` that is the C library's and not ulpine::math's: a name of the C library
/// behind `std::` or the global `::`, or a name that exists only there and has no qualifier. Empty where
/// there is none.
std::string library_call(std::string_view line) {
  line = line.substr(0, line.find("//"));
  for (std::string_view const name :
       {"exp",  "exp2",  "log",   "log2", "log10", "pow",    "sin",   "cos",   "tan",  "asin",
        "acos", "atan",  "atan2", "sinh", "cosh",  "tanh",   "cbrt",  "hypot", "sqrt", "fabs",
        "abs",  "fma",   "fmin",  "fmax", "expf",  "exp2f",  "logf",  "powf",  "sinf", "cosf",
        "tanf", "sqrtf", "fabsf", "fmaf", "rsqrt", "rsqrtf", "fminf", "fmaxf"}) {
    for (auto at = line.find(name); at != line.npos; at = line.find(name, at + 1)) {
      auto const end = at + name.size();
      if ((at > 0 && is_word(line[at - 1])) || end >= line.size() || line[end] != '(') {
        continue;
      }
      auto const before = line.substr(0, at);
      bool const of_std = before.ends_with("std::"), qualified = before.ends_with("::");
      bool const of_global_scope = qualified && (before.size() == 2 || !is_word(before[before.size() - 3]));
      bool const member = before.ends_with(".") || before.ends_with("->");
      if (of_std || of_global_scope || (!qualified && !member)) {
        return std::string(line.substr(at, 40));
      }
    }
  }
  return {};
}

TEST(LibraryCalls, AreFoundInEveryFormAndOnlyThere) {
  EXPECT_FALSE(library_call("  x = fabs(y);").empty());
  EXPECT_FALSE(library_call("x = std::exp(y);").empty());
  EXPECT_FALSE(library_call("x = 2*::sqrt(y);").empty());
  EXPECT_FALSE(library_call("return expf(y);").empty());
  EXPECT_FALSE(library_call("return 1 + ::fabs(y);").empty());
  EXPECT_TRUE(library_call("x = math::fabs(y) + math::exp(ulpine::math::sqrt(z));").empty());
  EXPECT_TRUE(library_call("x = explicit_step(y) + cosine(3); // std::exp(x)").empty());
  EXPECT_TRUE(library_call("state.max(3)").empty());
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
