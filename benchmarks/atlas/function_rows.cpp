// SPDX-License-Identifier: Apache-2.0
// Rows of mathematical functions, contraction and conversions: the card against the host, and builds with
// other flags.
#include <gnu/libc-version.h>

#include <utility>

#include "card.hpp"
#include "conversions.hpp"
#include "functions.hpp"

namespace ulpine::atlas {
namespace {

constexpr std::int64_t count = 1 << 21;

template <class T>
std::vector<Arguments<T>> arguments(int function) {
  auto const& range = functions[function];
  std::vector<Arguments<T>> all(static_cast<std::size_t>(count));
  Generator generator(91);
  for (auto& one : all) {
    one.a = static_cast<T>(range.a_from + (range.a_to - range.a_from) * generator.positive<double>());
    one.b = static_cast<T>(range.b_from + (range.b_to - range.b_from) * generator.positive<double>());
    one.c = generator.uniform<T>();
    one.i = static_cast<int>(generator.next() % 23);
    if (std::string(range.name) == "a*a - a*a") one.b = one.a;
  }
  return all;
}

template <class T, int... F>
std::vector<T> on_host(int function, std::vector<Arguments<T>> const& x, std::integer_sequence<int, F...>) {
  std::vector<T> values(x.size());
  auto const fill = [&]<int G>(std::integral_constant<int, G>) {
#pragma omp parallel for
    for (std::int64_t i = 0; i < count; ++i)
      values[static_cast<std::size_t>(i)] = value_of<G>(x[static_cast<std::size_t>(i)]);
  };
  ((function == F ? fill(std::integral_constant<int, F>()) : void()), ...);
  return values;
}

template <class T>
std::vector<T> on_card(int function, OnCard<Arguments<T>> const& x, Evaluate<T> evaluate) {
  OnCard<T> values(x.size());
  values.clear();
  evaluate(function, static_cast<std::int64_t>(x.size()), x.data(), values.data());
  check(cudaGetLastError(), "a function");
  return values.get();
}

template <class T>
void rows_of(Rows& rows, int function) {
  auto const block = std::string(functions[function].name) + (sizeof(T) == 8 ? " double" : " float");
  auto const x = arguments<T>(function);
  OnCard<Arguments<T>> const there(x);
  auto const by = [&](Evaluate<T> evaluate) { return on_card<T>(function, there, evaluate); };
  auto const usual = by(by_default::evaluate);
  rows.add({"CUDA", block, "device",
            "the card against glibc " + std::string(gnu_get_libc_version()) + " on the host"},
           compare(on_host<T>(function, x, std::make_integer_sequence<int, function_count>()), usual));
  rows.add({"CUDA", block, "compilation", "PTX of compute_80, compiled by the driver, against nvcc's code"},
           compare(usual, by(by_driver::evaluate)));
  rows.add({"CUDA", block, "flags", "-fmad=false against nvcc's default"},
           compare(usual, by(unfused::evaluate)));
  rows.add({"CUDA", block, "flags", "--use_fast_math against nvcc's default"},
           compare(usual, by(fast::evaluate)));
  rows.add({"CUDA", block, "flags", "-G against nvcc's default"}, compare(usual, by(debugged::evaluate)));
  if (std::string(functions[function].name) == "a*b + c*c") {
    std::vector<T> first_fused, second_fused;
    for (auto const& one : x) {
      first_fused.push_back(std::fma(one.a, one.b, one.c * one.c));
      second_fused.push_back(std::fma(one.c, one.c, one.a * one.b));
    }
    rows.add({"CUDA", block, "definition", "fma(a, b, c*c) against nvcc's default"},
             compare(first_fused, usual));
    rows.add({"CUDA", block, "definition", "fma(c, c, a*b) against nvcc's default"},
             compare(second_fused, usual));
  }
  if (std::string(functions[function].name) == "a*a - a*a") {
    rows.add({"CUDA", block, "definition", "0 against nvcc's default, equal factors read from two places"},
             compare(std::vector<T>(x.size()), usual));
  }
}

void conversion_rows(Rows& rows) {
  Odd volatile hidden{std::nan(""),
                      0,
                      -0.0,
                      3e9,
                      -1.5,
                      bits_of<double>(std::uint64_t{0x7ff8000012345678u}),
                      bits_of<float>(std::uint32_t{0x7fc12345u})};
  Odd const x{hidden.nan,      hidden.zero,    hidden.minus_zero,    hidden.large,
              hidden.negative, hidden.payload, hidden.narrow_payload};
  std::vector<std::int64_t> host(conversion_count);
  convert(x, host.data());
  auto const card = converted_on_card(x);
  for (std::size_t i = 0; i < host.size(); ++i) {
    rows.add({"CUDA", conversion_names[i], "device", "the card against the host (x86-64, g++)"},
             compare(std::vector{host[i]}, {card[i]}));
  }
  auto const values = uniform<double>(std::int64_t{1} << 24, 92);
  for (auto const scale : {1.0, 65000.0}) {
    auto scaled = values;
    for (auto& value : scaled) value *= scale;
    std::vector<std::uint16_t> direct, through;
    halves_on_card(scaled, direct, through);
    auto const block = "__double2half of (-" + std::to_string(static_cast<int>(scale)) + ", " +
                       std::to_string(static_cast<int>(scale)) + ")";
    rows.add({"CUDA", block, "routine", "__float2half of the float against __double2half, on the card"},
             compare(through, direct));
    std::vector<std::uint16_t> host_direct, host_through;
    halves_on_host(scaled, host_direct, host_through);
    rows.add({"CUDA", block, "device", "the card against the host"}, compare(host_direct, direct));
  }
  auto const z = uniform<double>(std::int64_t{1} << 21, 93);
  rows.add({"Thrust", "complex<double> z conj(z), imaginary part", "definition",
            "0, the exact result, against nvcc's default"},
           compare(std::vector<double>(z.size() / 2), imaginary_of_squares(z)));
}

}  // namespace

void function_rows(Rows& rows) {
  for (auto function = 0; function < function_count; ++function) {
    rows.measure(functions[function].name, [&] {
      rows_of<double>(rows, function);
      rows_of<float>(rows, function);
    });
  }
  rows.measure("conversions", [&] { conversion_rows(rows); });
}

}  // namespace ulpine::atlas
