// SPDX-License-Identifier: Apache-2.0
// Rows of glibc's mathematical functions: the same arguments under other features of the processor, which
// GLIBC_TUNABLES hides from a child process.
#include <gnu/libc-version.h>

#include <fstream>
#include <utility>

#include "functions.hpp"
#include "host.hpp"

namespace ulpine::atlas {
namespace {

constexpr std::size_t count = 1 << 17;

template <class T>
std::vector<Arguments<T>> arguments(int function) {
  auto const& range = functions[function];
  std::vector<Arguments<T>> all(count);
  Generator generator(91);
  for (auto& one : all) {
    one.a = static_cast<T>(range.a_from + (range.a_to - range.a_from) * generator.positive<double>());
    one.b = static_cast<T>(range.b_from + (range.b_to - range.b_from) * generator.positive<double>());
    one.c = generator.uniform<T>();
    one.i = static_cast<int>(generator.next() % 23);
  }
  return all;
}

template <class T, int... F>
void write_values(std::ofstream& output, int function, std::integer_sequence<int, F...>) {
  auto const x = arguments<T>(function);
  std::vector<T> values(count);
  auto const fill = [&]<int G>(std::integral_constant<int, G>) {
    for (std::size_t i = 0; i < count; ++i) values[i] = value_of<G>(x[i]);
  };
  ((function == F ? fill(std::integral_constant<int, F>()) : void()), ...);
  output.write(reinterpret_cast<char const*>(values.data()), static_cast<std::streamsize>(count * sizeof(T)));
}

}  // namespace

int glibc_child(char const* path) {
  std::ofstream output(path, std::ios::binary);
  for (auto function = 0; function < function_count; ++function) {
    write_values<double>(output, function, std::make_integer_sequence<int, function_count>());
    write_values<float>(output, function, std::make_integer_sequence<int, function_count>());
  }
  return output ? 0 : 1;
}

void glibc_rows(Rows& rows) {
  rows.version("glibc", gnu_get_libc_version());
  auto const first = child("env -u GLIBC_TUNABLES", "--glibc");
  for (auto const& [hidden, words] : {std::pair{"-FMA,-AVX2_Usable,-AVX2,-FMA4", "FMA and AVX2"},
                                      std::pair{"-AVX512F,-AVX512VL,-AVX512DQ", "AVX-512"}}) {
    auto const other = child(std::string("GLIBC_TUNABLES=glibc.cpu.hwcaps=") + hidden, "--glibc");
    std::size_t at = 0;
    for (auto const& function : functions) {
      auto const change = std::string("a processor without ") + words + " against this one (GLIBC_TUNABLES)";
      rows.add({"glibc", std::string(function.name) + " double", "processor", change},
               compare(numbers<double>(first, at, count), numbers<double>(other, at, count)));
      at += count * sizeof(double);
      rows.add({"glibc", std::string(function.name) + " float", "processor", change},
               compare(numbers<float>(first, at, count), numbers<float>(other, at, count)));
      at += count * sizeof(float);
    }
  }
}

}  // namespace ulpine::atlas
