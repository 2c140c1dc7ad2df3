// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

#include "core/seaice/register.hpp"
#include "seaice/plain_support.hpp"

/// The sea-ice core on a small distorted mesh, and the arrays of its state.
namespace ulpine::test::distorted {

inline constexpr int nx = 7, ny = 5;
inline constexpr double length_x = 70e3, length_y = 40e3, distortion = 0.07;
inline constexpr char const* all_policies[] = {"fp64", "fp32", "mixed", "tf32", "bf16", "fp16", "quad"};

inline std::unique_ptr<Model> make_distorted(std::string const& policy = "fp64", int dg = 3,
                                             std::string const& extra = "",
                                             Assembly assembly = Assembly::deterministic, int cg = 1) {
  seaice::register_core();
  auto const text =
      "core = 'seaice'\n[grid]\nnx = 7\nny = 5\nlength = 70e3\nlength_y = 40e3\ndistortion = 0.07\n"
      "[discretisation]\ndg = " +
      std::to_string(dg) + "\ncg = " + std::to_string(cg) +
      "\n[time]\nsubsteps = 3\n[output]\ncoefficients = true\n" + extra;
  return make_model(io::CaseFile::parse(text, "distorted.toml"), {.policy = policy, .assembly = assembly});
}

/// The benchmark's distorted rectangle by its formula, all sea.
inline PlainCase distorted_case(int dg, int cg = 1) {
  PlainCase c;
  c.nx = nx;
  c.ny = ny;
  c.cg = cg;
  c.dg = dg;
  auto const pi = std::numbers::pi_v<long double>;
  for (int j = 0; j <= ny; ++j) {
    for (int i = 0; i <= nx; ++i) {
      long double const s = i / static_cast<long double>(nx), t = j / static_cast<long double>(ny);
      c.x.push_back(
          static_cast<double>(length_x * (s + distortion * std::sin(3 * pi * s) * std::sin(pi * t))));
      c.y.push_back(
          static_cast<double>(length_y * (t + distortion * std::sin(2 * pi * t) * std::sin(2 * pi * s))));
    }
  }
  c.sea.assign(c.cells(), 1);
  return c;
}

/// An array of a state with its values.
struct StoredArray {
  io::StateArray const& info;
  std::span<std::byte> data;
  std::size_t width() const { return static_cast<std::size_t>(bytes_of(info.type)); }
};

inline std::vector<StoredArray> arrays_of(io::StoredState& state) {
  std::vector<StoredArray> arrays;
  for (auto const& info : std::as_const(state).header().arrays) {
    arrays.push_back({info, state.bytes(arrays.size())});
  }
  return arrays;
}

inline StoredArray array_of(io::StoredState& state, std::string const& name) {
  auto const arrays = arrays_of(state);
  auto const found = std::find_if(arrays.begin(), arrays.end(),
                                  [&](StoredArray const& array) { return array.info.name == name; });
  EXPECT_NE(found, arrays.end()) << name;
  return *found;
}

/// Mode by mode.
inline std::vector<double> doubles_of(StoredArray const& array) {
  EXPECT_EQ(array.info.type, ValueType::float64) << array.info.name;
  std::vector<double> values(array.data.size() / sizeof(double));
  std::memcpy(values.data(), array.data.data(), array.data.size());
  return transposed(values, array.info.shape.size() < 3 ? 1 : static_cast<std::size_t>(array.info.shape[2]));
}

inline void put(StoredArray const& array, std::size_t element, double value) {
  auto* const at = array.data.data() + element * array.width();
  if (array.width() == 4) {
    auto const narrow = static_cast<float>(value);
    std::memcpy(at, &narrow, sizeof narrow);
  } else if (array.width() == 8) {
    std::memcpy(at, &value, sizeof value);
  } else {
    auto const wide = static_cast<__float128>(value);
    std::memcpy(at, &wide, sizeof wide);
  }
}

/// A model of random fields; `state` is what it holds.
struct Random {
  std::unique_ptr<Model> model;
  io::StoredState state;
  explicit Random(std::string const& policy = "fp64", int dg = 3)
      : model{make_distorted(policy, dg)}, state{*model->state()} {
    RandomValues random(9);
    for (auto const& array : arrays_of(state)) {
      for (std::size_t k = 0; k < array.data.size() / array.width(); ++k) {
        put(array, k, random.between(0.25, 0.75));
      }
    }
    model->restore(state);
  }
};

}  // namespace ulpine::test::distorted
