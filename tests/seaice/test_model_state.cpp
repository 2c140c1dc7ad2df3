// SPDX-License-Identifier: Apache-2.0
// The state of the sea-ice core through the Model interface, on a distorted mesh: arrays, bits, hashes,
// refusals.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "seaice/distorted_model.hpp"
#include "support/temporary_folder.hpp"

namespace {

using namespace ulpine;
using namespace ulpine::test;
using namespace ulpine::test::distorted;

/// First, last and two elements between.
std::vector<std::size_t> places_in(StoredArray const& array) {
  auto const n = array.data.size() / array.width();
  return {0, n / 3, n / 2, n - 1};
}

/// A copy without the array of that number.
io::StoredState without(io::StoredState& state, std::size_t number) {
  auto header = state.header();
  header.arrays.erase(header.arrays.begin() + static_cast<std::ptrdiff_t>(number));
  io::StoredState copy{header};
  for (std::size_t k = 0; k < header.arrays.size(); ++k) {
    auto const source = state.bytes(k < number ? k : k + 1);
    std::copy(source.begin(), source.end(), copy.bytes(k).begin());
  }
  return copy;
}

TEST(SeaIceState, HasTheArraysAndShapesOfItsSpaces) {
  for (int const dg : {1, 3}) {
    auto const header = make_distorted("fp64", dg)->state()->header();
    std::vector<std::string> names;
    for (auto const& array : header.arrays) {
      names.push_back(array.name);
      bool const nodal = array.name == "siu" || array.name == "siv";
      bool const tracer = array.name == "sivol_dg" || array.name == "siconc_dg";
      EXPECT_EQ(array.shape, (nodal ? std::vector<std::int64_t>{ny + 1, nx + 1}
                                    : std::vector<std::int64_t>{ny, nx, tracer ? dg : 3}));
    }
    EXPECT_EQ(names,
              (std::vector<std::string>{"siu", "siv", "sivol_dg", "siconc_dg", "stress_xx", "stress_yy",
                                        "stress_xy", "strain_xx", "strain_yy", "strain_xy"}));
  }
}

TEST(SeaIceState, ComesBackBitForBitFromAState) {
  for (char const* const policy : all_policies) {
    Random const source(policy);
    auto const other = make_distorted(policy);
    auto state = source.state;
    state.header().step = 5;

    other->restore(state);
    io::StoredState again{*other->state()};

    EXPECT_EQ(other->step(), 5);
    EXPECT_EQ(other->time(), 5 * 120.0);
    EXPECT_EQ(again.header().time, 5 * 120.0);
    EXPECT_EQ(other->state_hash(), source.model->state_hash()) << policy;
    ASSERT_EQ(again.header().arrays, state.header().arrays);
    for (auto const& array : arrays_of(again)) {
      EXPECT_TRUE(std::ranges::equal(array.data, array_of(state, array.info.name).data))
          << policy << " " << array.info.name;
    }
  }
}

TEST(SeaIceState, OneBitOfAnyValueOfAnyFieldChangesTheHash) {
  for (char const* const policy : {"fp64", "fp32", "tf32", "quad"}) {
    Random random(policy);
    std::set<std::uint64_t> hashes = {random.model->state_hash()};
    std::size_t tried = 1;
    for (auto const& array : arrays_of(random.state)) {
      for (auto const element : places_in(array)) {
        auto& low = array.data[element * array.width()];
        low ^= std::byte{1};
        random.model->restore(random.state);
        EXPECT_TRUE(hashes.insert(random.model->state_hash()).second)
            << policy << " " << array.info.name << " " << element;
        low ^= std::byte{1};
        ++tried;
      }
    }
    random.model->restore(random.state);
    EXPECT_FALSE(hashes.insert(random.model->state_hash()).second);
    EXPECT_EQ(hashes.size(), tried);
  }
}

TEST(SeaIceState, TheHashTellsFieldsAndPlacesApartAndKnowsNothingElse) {
  Random random;
  auto const before = random.model->state_hash();
  for (auto const& [first, second] : {std::pair{"siu", "siv"},
                                      {"sivol_dg", "siconc_dg"},
                                      {"stress_xx", "stress_yy"},
                                      {"strain_yy", "strain_xy"}}) {
    auto exchanged = random.state;
    std::ranges::swap_ranges(array_of(exchanged, first).data, array_of(exchanged, second).data);
    random.model->restore(exchanged);
    EXPECT_NE(random.model->state_hash(), before) << first;
  }
  auto turned = random.state;
  auto const data = array_of(turned, "stress_xy").data;
  std::swap_ranges(data.begin(), data.begin() + 8, data.end() - 8);
  random.model->restore(turned);
  EXPECT_NE(random.model->state_hash(), before);

  auto later = random.state;
  later.header().step = 17;
  random.model->restore(later);
  static_cast<void>(values_of(*random.model, "shear"));
  EXPECT_EQ(random.model->state_hash(), before);
}

/// "(3, 1)": where an element of an array of `shape` lies.
std::string place_of(std::size_t element, std::vector<std::int64_t> const& shape) {
  std::string text = ")";
  for (auto extent = shape.rbegin(); extent != shape.rend(); ++extent) {
    text = (std::next(extent) == shape.rend() ? "(" : ", ") +
           std::to_string(element % static_cast<std::size_t>(*extent)) + text;
    element /= static_cast<std::size_t>(*extent);
  }
  return text;
}

TEST(SeaIceState, IsFiniteUntilOneValueOfOneFieldIsNot) {
  for (char const* const policy : all_policies) {
    Random random(policy);
    EXPECT_EQ(random.model->invalid_value(), "") << policy;
    for (auto const& original : arrays_of(random.state)) {
      for (auto const element : places_in(original)) {
        for (double const bad :
             {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
              -std::numeric_limits<double>::infinity()}) {
          auto broken = random.state;
          put(array_of(broken, original.info.name), element, bad);
          random.model->restore(broken);
          EXPECT_EQ(random.model->invalid_value(), original.info.name + " " +
                                                       place_of(element, original.info.shape) +
                                                       (std::isnan(bad) ? " is NaN" : " is infinite"))
              << policy << " " << bad;
        }
      }
    }
  }
}

TEST(SeaIceState, OfAnotherRunIsRefusedWholly) {
  Random random;
  auto const before = random.model->state_hash();
  auto const expect_refused = [&](io::StoredState changed, std::string const& word) {
    for (auto const& array : arrays_of(changed)) {
      array.data[0] ^= std::byte{1};
    }
    auto const message = message_of<InputError>([&] { random.model->restore(changed); });
    EXPECT_NE(message.find(word), std::string::npos) << message;
    EXPECT_EQ(random.model->state_hash(), before) << "a refused restart has changed the state: " << word;
  };
  auto changed = random.state;
  changed.header().core = "ocean";
  expect_refused(changed, "ocean");
  changed = random.state;
  changed.header().policy = "mixed";
  expect_refused(changed, "mixed");
  changed = random.state;
  ++changed.header().case_hash;
  expect_refused(changed, "case");
  for (std::size_t k = 0; k < random.state.header().arrays.size(); ++k) {
    auto const name = random.state.header().arrays[k].name;
    expect_refused(without(random.state, k), "array " + name);
    changed = random.state;
    auto& shape = changed.header().arrays[k].shape;
    std::swap(shape.front(), shape.back());
    expect_refused(changed, "array " + name);
    changed = random.state;
    changed.header().arrays[k].type = ValueType::float32;
    expect_refused(changed, "array " + name);
  }
}

}  // namespace
