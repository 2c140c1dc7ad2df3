// SPDX-License-Identifier: Apache-2.0
// Rows of libmvec: glibc's functions of vectors, which compilers call from loops under -ffast-math, against
// its functions of one number. x86-64 alone has them by these names.
#include <dlfcn.h>
#include <gnu/libc-version.h>

#include <cmath>

#include "host.hpp"

namespace ulpine::atlas {
namespace {

constexpr std::size_t count = 1 << 16;

#ifdef __x86_64__
using Two = double __attribute__((vector_size(16)));
using Four = double __attribute__((vector_size(32)));
using Eight = double __attribute__((vector_size(64)));

void by_two(void* function, double const* x, double* y) {
  for (std::size_t i = 0; i < count; i += 2) {
    Two in;
    std::memcpy(&in, x + i, sizeof in);
    auto const out = reinterpret_cast<Two (*)(Two)>(function)(in);
    std::memcpy(y + i, &out, sizeof out);
  }
}
__attribute__((target("avx2"))) void by_four(void* function, double const* x, double* y) {
  for (std::size_t i = 0; i < count; i += 4) {
    Four in;
    std::memcpy(&in, x + i, sizeof in);
    auto const out = reinterpret_cast<Four (*)(Four)>(function)(in);
    std::memcpy(y + i, &out, sizeof out);
  }
}
__attribute__((target("avx512f"))) void by_eight(void* function, double const* x, double* y) {
  for (std::size_t i = 0; i < count; i += 8) {
    Eight in;
    std::memcpy(&in, x + i, sizeof in);
    auto const out = reinterpret_cast<Eight (*)(Eight)>(function)(in);
    std::memcpy(y + i, &out, sizeof out);
  }
}

struct Function {
  char const* name;
  double (*scalar)(double);
  double from, to;
};
constexpr Function scalars[] = {
    {"sin", std::sin, -10, 10},     {"cos", std::cos, -10, 10},   {"tan", std::tan, -10, 10},
    {"exp", std::exp, -20, 20},     {"log", std::log, 0, 100},    {"atan", std::atan, -10, 10},
    {"cbrt", std::cbrt, -100, 100}, {"tanh", std::tanh, -3, 3},   {"erf", std::erf, -3, 3},
    {"log10", std::log10, 0, 100},  {"exp2", std::exp2, -20, 20}, {"sinh", std::sinh, -5, 5}};

void rows_of(Rows& rows, void* library, Function const& function) {
  Generator generator(95);
  std::vector<double> x, alone;
  for (std::size_t i = 0; i < count; ++i)
    x.push_back(function.from + (function.to - function.from) * generator.positive<double>());
  for (auto const value : x) alone.push_back(function.scalar(value));
  auto const find = [&](std::string const& prefix) {
    auto* const found = dlsym(library, (prefix + function.name).c_str());
    if (found == nullptr) throw std::runtime_error("libmvec has no " + prefix + function.name);
    return found;
  };
  std::vector<double> two(count), four(count), eight(count);
  std::string const block = std::string(function.name) + " double";
  by_two(find("_ZGVbN2v_"), x.data(), two.data());
  rows.add({"libmvec", block, "vector", "vectors of two against glibc's function of one number"},
           compare(alone, two));
  if (!__builtin_cpu_supports("avx2"))
    return rows.not_measured("libmvec " + block + " in vectors of four", "no AVX2 here");
  by_four(find("_ZGVdN4v_"), x.data(), four.data());
  rows.add({"libmvec", block, "vector", "vectors of four against vectors of two"}, compare(two, four));
  if (!__builtin_cpu_supports("avx512f"))
    return rows.not_measured("libmvec " + block + " in vectors of eight", "no AVX-512 here");
  by_eight(find("_ZGVeN8v_"), x.data(), eight.data());
  rows.add({"libmvec", block, "vector", "vectors of eight against vectors of four"}, compare(four, eight));
}
#endif

}  // namespace

void libmvec_rows(Rows& rows) {
#ifdef __x86_64__
  auto* const library = dlopen("libmvec.so.1", RTLD_NOW);
  if (library == nullptr) throw std::runtime_error("no libmvec.so.1 found");
  rows.version("libmvec", gnu_get_libc_version());
  for (auto const& function : scalars)
    rows.measure(std::string("libmvec ") + function.name, [&] { rows_of(rows, library, function); });
#else
  rows.not_measured("libmvec", "its names on this processor are not known here");
#endif
}

}  // namespace ulpine::atlas
