// SPDX-License-Identifier: Apache-2.0
// Rows of glibc's mathematical functions: the same arguments under other features of the processor, which
// GLIBC_TUNABLES hides from a child process.
#include <gnu/libc-version.h>

#include <fstream>
#include <string>
#include <utility>

#include "functions.hpp"
#include "host.hpp"

namespace ulpine::atlas {
namespace {

constexpr std::size_t count = 1 << 22;

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

int glibc_child(char const* number, char const* path) {
  std::ofstream output(path, std::ios::binary);
  auto const function = std::stoi(number);
  write_values<double>(output, function, std::make_integer_sequence<int, function_count>());
  write_values<float>(output, function, std::make_integer_sequence<int, function_count>());
  return output ? 0 : 1;
}

void glibc_rows(Rows& rows) {
  rows.version("glibc", gnu_get_libc_version());
  for (auto function = 0; function < function_count; ++function) {
    auto const call = "--glibc " + std::to_string(function);
    auto const first = child("env -u GLIBC_TUNABLES", call);
    for (auto const& [hidden, words] : {std::pair{"-FMA,-AVX2_Usable,-AVX2,-FMA4", "FMA and AVX2"},
                                        std::pair{"-AVX512F,-AVX512VL,-AVX512DQ", "AVX-512"}}) {
      auto const other = child(std::string("GLIBC_TUNABLES=glibc.cpu.hwcaps=") + hidden, call);
      auto const change = std::string("a processor without ") + words + " against this one (GLIBC_TUNABLES)";
      auto const* const name = functions[function].name;
      rows.add({"glibc", std::string(name) + " double", "processor", change},
               compare(numbers<double>(first, 0, count), numbers<double>(other, 0, count)));
      auto const floats = count * sizeof(double);
      rows.add({"glibc", std::string(name) + " float", "processor", change},
               compare(numbers<float>(first, floats, count), numbers<float>(other, floats, count)));
    }
  }
}

}  // namespace ulpine::atlas
