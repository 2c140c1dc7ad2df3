// SPDX-License-Identifier: Apache-2.0
// What a table makes of the declarations of fields.
#include "core/field/table.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "core/exec/random.hpp"
#include "field/layouts.hpp"
#include "io/error.hpp"
#include "precision/double_float.hpp"
#include "precision/quad.hpp"
#include "support/temporary_folder.hpp"

namespace {

using namespace ulpine;
using namespace ulpine::test;

/// 3 x 4 points in a halo of one, rows padded to 8 values.
Layout with_halo() { return {{{3, 8, 3}, {4, 1, 4}}, 9, 40}; }

FieldDescription described(std::string name, FieldRole role = FieldRole::prognostic) {
  return {.name = std::move(name), .role = role, .dimensions = {"y", "x"}};
}

/// 0, 1, 2 ... row-major, times `scale`.
template <class T>
void count_up(FieldOf<T, Host>& field, T scale = T(1)) {
  for (std::int64_t n = 0; n < field.layout().count(); ++n) {
    field.view()[field.layout().memory_index(n)] = static_cast<T>(static_cast<double>(n)) * scale;
  }
}

TEST(FieldTable, KnowsEachFieldByItsNameAndTheNearestToAWrongOne) {
  FieldTable table;
  auto& u = table.add<double>(Host{}, described("siu"), with_halo());
  table.add<float>(Host{}, described("shear", FieldRole::diagnostic), Layout::dense(3, 4));
  EXPECT_EQ(table.find("siu"), &u);
  EXPECT_EQ(table.find("siv"), nullptr);
  EXPECT_EQ(&table.at("siu"), &u);
  auto const message = message_of<InputError>([&] { table.at("shaer"); });
  EXPECT_NE(message.find("no field 'shaer'"), std::string::npos) << message;
  EXPECT_NE(message.find("did you mean 'shear'"), std::string::npos) << message;
  EXPECT_THROW(table.add<double>(Host{}, described("siu"), with_halo()), std::logic_error);
  EXPECT_EQ(table.all().size(), 2u) << "the second one of a name is not there";
}

TEST(FieldTable, CountsMemoryWithHaloAndPadding) {
  FieldTable table;
  table.add<double>(Host{}, described("a"), with_halo());
  table.add<float>(Host{}, described("b"), with_halo());
  table.add<std::uint8_t>(Host{}, described("c"), with_halo());
  table.add<float128>(Host{}, described("d"), Layout::dense(3, 4));
  EXPECT_EQ(table.memory_bytes(), 40 * (8 + 4 + 1) + 12 * 16);
}

TEST(FieldTable, FieldsStartAsZeroInAllTheirMemory) {
  FieldTable table;
  auto& field = table.add<double>(Host{2}, described("a"), with_halo());
  std::vector<double> memory(40, 1);
  field.to_host(memory.data());
  EXPECT_EQ(memory, std::vector<double>(40, 0));
}

TEST(FieldTable, OutputsAreTheFieldsThatSaySoAsTheyAreDescribed) {
  FieldTable table;
  auto const add = [&](char const* name, FieldRole role, bool output) {
    table.add<double>(Host{},
                      {.name = name,
                       .units = "m",
                       .long_name = std::string("a long ") + name,
                       .standard_name = "altitude",
                       .role = role,
                       .dimensions = {"y", "x"},
                       .output = output,
                       .coordinates = "lon lat",
                       .cell_methods = "area: mean"},
                      with_halo());
  };
  add("state", FieldRole::prognostic, true);
  add("hidden", FieldRole::prognostic, false);
  add("shear", FieldRole::diagnostic, true);
  add("area", FieldRole::constant, true);
  add("helper", FieldRole::constant, false);
  add("scratch", FieldRole::work, false);
  auto const names = [](std::vector<io::FieldInfo> const& infos) {
    std::vector<std::string> result;
    for (auto const& info : infos) result.push_back(info.name);
    return result;
  };
  EXPECT_EQ(names(table.outputs()), (std::vector<std::string>{"state", "shear"}));
  EXPECT_EQ(names(table.static_outputs()), (std::vector<std::string>{"area"}));
  auto const info = table.outputs()[1];
  EXPECT_EQ(info.units, "m");
  EXPECT_EQ(info.long_name, "a long shear");
  EXPECT_EQ(info.standard_name, "altitude");
  EXPECT_EQ(info.dimensions, (std::vector<std::string>{"y", "x"}));
  EXPECT_EQ(info.shape, (std::vector<std::int64_t>{3, 4})) << "without halo";
  EXPECT_EQ(info.coordinates, "lon lat");
  EXPECT_EQ(info.cell_methods, "area: mean");

  table.add_coordinate({"x", "projection_x_coordinate", "", "m", "X", {1, 2, 3, 4}});
  ASSERT_EQ(table.coordinates().size(), 1u);
  EXPECT_EQ(table.coordinates()[0].name, "x");
}

TEST(FieldTable, ShapesAreThoseOfTheWholeDomain) {
  FieldTable table;
  auto& part = table.add<double>(Host{}, described("a"), Layout({{2, 4, 30, 5}, {4, 1, 40, 8}}, 0, 8));
  EXPECT_EQ(part.shape(), (std::vector<std::int64_t>{30, 40}));
}

TEST(FieldTable, ReadsBringDiagnosticsUpToDateOnceAndMarkWhatIsMissing) {
  FieldTable table;
  auto& mask = table.add<std::uint8_t>(Host{}, described("mask", FieldRole::constant), with_halo());
  auto description = described("shear", FieldRole::diagnostic);
  description.domain = &mask;
  auto& shear = table.add<float>(Host{}, description, Layout::dense(3, 4));
  for (std::int64_t n = 0; n < 12; ++n) mask.view()[with_halo().memory_index(n)] = n % 5 == 0 ? 0 : 1;
  int updates = 0;
  shear.on_demand([&] {
    ++updates;
    count_up(shear, 2.0f);
  });
  std::vector<double> got(12);
  table.read("shear", 0, 7, ValueType::float64, got.data());
  table.read("shear", 7, 5, ValueType::float64, got.data() + 7);
  EXPECT_EQ(updates, 1) << "in two pieces";
  for (std::size_t n = 0; n < 12; ++n) {
    EXPECT_EQ(got[n], n % 5 == 0 ? missing_value : 2 * static_cast<double>(n)) << n;
  }
  table.read("shear", 0, 12, ValueType::float64, got.data());
  EXPECT_EQ(updates, 2) << "the state may have changed";
  EXPECT_THROW(table.read("sheer", 0, 12, ValueType::float64, got.data()), InputError);
}

/// A state of two fields of T of 3 x 4 points and others that are no state.
template <class T>
struct State {
  FieldTable table;
  FieldOf<T, Host>&first, &second;
  FieldOf<double, Host>&diagnostic, &work;

  explicit State(Layout const& layout, char const* one = "u", char const* two = "v")
      : first{table.add<T>(Host{}, described(one), layout)},
        second{table.add<T>(Host{3}, described(two), layout)},
        diagnostic{table.add<double>(Host{}, described("d", FieldRole::diagnostic), layout)},
        work{table.add<double>(Host{}, described("w", FieldRole::work), layout)} {
    count_up(first, T(0.5));
    count_up(second, T(-3));
  }
};

TEST(StateHash, IsOfNamesTypesAndValuesOfTheStateAndOfNothingElse) {
  State<double> const state(Layout::dense(3, 4));
  auto const hash = state.table.state_hash();
  EXPECT_EQ(State<double>(with_halo()).table.state_hash(), hash) << "halo and padding do not show";
  EXPECT_NE(State<double>(with_halo(), "u", "b").table.state_hash(), hash);
  EXPECT_NE(State<double>(with_halo(), "a", "v").table.state_hash(), hash);
  EXPECT_NE(State<double>(with_halo(), "v", "u").table.state_hash(), hash) << "exchanged values";
  EXPECT_NE(State<float>(with_halo()).table.state_hash(), hash) << "the same values in another type";
  EXPECT_NE(State<float128>(with_halo()).table.state_hash(), hash);
  EXPECT_NE(State<DoubleFloat>(with_halo()).table.state_hash(), hash);
  FieldTable zeros, zero_pairs;
  zeros.add<double>(Host{}, described("a"), with_halo());
  zero_pairs.add<DoubleFloat>(Host{}, described("a"), with_halo());
  EXPECT_NE(zeros.state_hash(), zero_pairs.state_hash()) << "of as many zero bytes";

  State<double> changed(with_halo());
  count_up(changed.diagnostic);
  count_up(changed.work);
  changed.first.view()[0] = 5;  // of the halo
  EXPECT_EQ(changed.table.state_hash(), hash);
  for (auto* const field : {&changed.first, &changed.second}) {
    for (std::int64_t n = 0; n < 12; ++n) {
      auto& value = field->view()[with_halo().memory_index(n)];
      auto const before = value;
      value = std::nextafter(value, 100.0);
      EXPECT_NE(changed.table.state_hash(), hash) << field->name() << " " << n;
      value = before;
    }
  }
  EXPECT_EQ(changed.table.state_hash(), hash);
}

TEST(StateHash, OfZerosTellsTypesApart) {
  auto const hash = [&]<class T>(T) {
    FieldTable table;
    table.add<T>(Host{}, described("u"), with_halo());
    return table.state_hash();
  };
  EXPECT_NE(hash(float{}), hash(double{}));
  EXPECT_NE(hash(double{}), hash(float128{}));
}

TEST(StateHash, DoesNotDependOnTheOrderOfDeclaration) {
  FieldTable one, other;
  for (auto const* name : {"a", "b", "c"}) count_up(one.add<double>(Host{}, described(name), with_halo()));
  for (auto const* name : {"c", "a", "b"}) count_up(other.add<double>(Host{}, described(name), with_halo()));
  EXPECT_EQ(one.state_hash(), other.state_hash());
}

TEST(FieldTable, StateIsThePrognosticFieldsInTheOrderOfDeclaration) {
  State<float> const state(with_halo());
  EXPECT_EQ(state.table.state(), (std::vector<Field const*>{&state.first, &state.second}));
}

TEST(FieldTable, NamesTheFirstValueThatIsNotFinite) {
  State<double> state(with_halo());
  state.work.view()[with_halo().memory_index(0)] = NAN;
  state.second.view()[0] = NAN;  // of the halo
  EXPECT_EQ(state.table.invalid_value(), "");
  state.second.view()[with_halo().memory_index(7)] = -INFINITY;
  EXPECT_EQ(state.table.invalid_value(), "v (1, 3) is infinite");
  state.first.view()[with_halo().memory_index(8)] = NAN;
  EXPECT_EQ(state.table.invalid_value(), "u (2, 0) is NaN");
}

TEST(FieldTable, TellsTheValueThatItsRangeDoesNotHoldInItsUnit) {
  FieldTable table;
  auto const add = [&](std::string const& name, std::string const& units, ValueRange range,
                       FieldRole role = FieldRole::prognostic) -> FieldOf<double, Host>& {
    auto description = described(name, role);
    description.units = units;
    description.range = range;
    return table.add<double>(Host{}, description, with_halo());
  };
  constexpr auto infinity = std::numeric_limits<double>::infinity();
  auto& u = add("u", "m s-1", at_most(500));
  auto& h = add("h", "m", {0, infinity});
  auto& a = add("a", "1", {-infinity, 1.5});
  auto& area = add("area", "m2", {0, 10}, FieldRole::constant);
  auto& rate = add("rate", "K s-1", {0, 10}, FieldRole::work);
  auto const at = [](auto& field, std::int64_t n) -> double& {
    return field.view()[with_halo().memory_index(n)];
  };
  at(rate, 3) = -1;
  EXPECT_EQ(table.invalid_value(), "");
  at(area, 2) = 10.5;
  EXPECT_EQ(table.invalid_value(), "") << "a constant";
  EXPECT_EQ(table.invalid_value(FieldRole::constant), "area (0, 2) = 10.5 m2 is outside 0 to 10");
  at(a, 11) = 1.75;
  EXPECT_EQ(table.invalid_value(), "a (2, 3) = 1.75 is above 1.5");
  at(h, 4) = -0.125;
  EXPECT_EQ(table.invalid_value(), "h (1, 0) = -0.125 m is below 0");
  at(u, 1) = -500;
  EXPECT_EQ(table.invalid_value(), "h (1, 0) = -0.125 m is below 0");
  at(u, 1) = -500.5;
  EXPECT_EQ(table.invalid_value(), "u (0, 1) = -500.5 m s-1 is outside -500 to 500");
}

TEST(FieldTable, PointsOutsideTheDomainNeedNotBeInTheRange) {
  FieldTable table;
  auto& mask = table.add<std::uint8_t>(Host{}, described("mask", FieldRole::constant), Layout::dense(2, 2));
  mask.view()[3] = 1;
  auto description = described("theta");
  description.domain = &mask;
  description.range = {100, 2000};
  auto& theta = table.add<float>(Host{}, description, Layout::dense(2, 2));
  EXPECT_EQ(table.invalid_value(), "theta (1, 1) = 0 is outside 100 to 2000");
  theta.view()[3] = 300;
  EXPECT_EQ(table.invalid_value(), "");
}

TEST(Field, PlacesAreIndicesAlongTheAxes) {
  FieldTable table;
  auto const place = [&](Layout const& layout, std::int64_t index) {
    return table.add<float>(Host{}, {.name = std::to_string(table.all().size())}, layout).place(index);
  };
  EXPECT_EQ(place(Layout::entities(20), 17), "(17)");
  EXPECT_EQ(place(Layout::dense(3, 4), 11), "(2, 3)");
  EXPECT_EQ(place(Layout::dense(2, 3, 4), 12 + 4 + 2), "(1, 1, 2)");
  EXPECT_EQ(place(Layout({{2, 60, 2}, {3, 20, 3}, {4, 5, 4}, {5, 1, 5}}, 0, 120), 60 + 40 + 15 + 4),
            "(1, 2, 3, 4)");
  EXPECT_EQ(place(Layout({{2, 4, 30, 5}, {4, 1, 40, 8}}, 0, 8), 6 * 40 + 11), "(6, 11)")
      << "of the whole domain";
}

TEST(Perturb, DrawsByTheFieldsOwnNameOnItsOwnPointsWithinItsBounds) {
  // Three modes of 2 x 2 cells, mode by mode in memory; the first one of each cell gets the noise.
  Layout const cells({{2, 2, 2}, {2, 1, 2}}, 0, 12), modes({{2, 2, 2}, {2, 1, 2}, {3, 4, 3}}, 0, 12);
  FieldTable table;
  auto& mask = table.add<std::uint8_t>(Host{}, described("mask", FieldRole::constant), Layout::dense(2, 2));
  for (int n : {0, 1, 3}) mask.view()[n] = 1;
  auto& field = table.add<double>(Host{},
                                  {.name = "h_dg",
                                   .role = FieldRole::prognostic,
                                   .dimensions = {"y", "x", "mode"},
                                   .domain = &mask,
                                   .perturbable = Perturbable{"h", 0, 1, cells}},
                                  modes);
  auto& plain = table.add<double>(Host{},
                                  {.name = "t",
                                   .role = FieldRole::prognostic,
                                   .dimensions = {"y", "x"},
                                   .domain = &mask,
                                   .perturbable = Perturbable{}},
                                  Layout::dense(2, 2));
  table.add<double>(Host{}, described("v"), Layout::dense(2, 2));
  EXPECT_EQ(table.perturbable(), (std::vector<std::string>{"h", "t"}));

  for (std::int64_t n = 0; n < 12; ++n) field.view()[n] = n == 1 ? 0.9 : n < 4 ? 0.1 : 7;
  Noise const noise{.seed = 4, .member = 2, .key = 99, .amplitude = 0.5, .least = -9, .most = 9};
  table.perturb("h", noise);
  table.perturb("t", noise);
  for (std::int64_t n = 0; n < 4; ++n) {
    auto const start = n == 1 ? 0.9 : 0.1;
    auto const drawn = start + 0.5 * uniform_symmetric(4, 2, name_key("h"), n);
    EXPECT_EQ(field.view()[n], n == 2 ? start : std::min(std::max(drawn, 0.0), 1.0)) << n;
    EXPECT_EQ(plain.view()[n], n == 2 ? 0 : 0.5 * uniform_symmetric(4, 2, name_key("t"), n)) << n;
  }
  for (std::int64_t n = 4; n < 12; ++n) EXPECT_EQ(field.view()[n], 7) << n;
  for (auto const* wrong : {"v", "h_dg", "hh", ""}) {
    EXPECT_THROW(table.perturb(wrong, noise), InputError) << wrong;
  }
}

TEST(Domain, IsSeenAlongTheAxesThatItHasByName) {
  FieldTable table;
  auto& mask =
      table.add<std::uint8_t>(Host{}, {.name = "mask", .role = FieldRole::constant, .dimensions = {"z", "x"}},
                              Layout({{2, 9, 2}, {3, 1, 3}}, 4, 20));
  for (std::int64_t n = 0; n < 6; ++n) mask.view()[mask.layout().memory_index(n)] = n == 1 || n == 5 ? 0 : 1;
  // z, y, x in memory as x, z, y.
  auto& field = table.add<double>(Host{}, {.name = "t", .dimensions = {"z", "y", "x"}, .domain = &mask},
                                  Layout({{2, 4, 2}, {4, 1, 4}, {3, 8, 3}}, 0, 24));
  count_up(field);
  std::vector<double> got(24);
  table.read("t", 0, 24, ValueType::float64, got.data());
  for (std::size_t k = 0; k < 2; ++k) {
    for (std::size_t j = 0; j < 4; ++j) {
      for (std::size_t i = 0; i < 3; ++i) {
        auto const n = (k * 4 + j) * 3 + i;
        auto const missing = (k == 0 && i == 1) || (k == 1 && i == 2);
        EXPECT_EQ(got[n], missing ? missing_value : static_cast<double>(n)) << k << j << i;
      }
    }
  }
}

TEST(Domain, OfEntitiesInAnotherOrderIsFoundByTheirNumbers) {
  std::vector<std::int64_t> const positions = {3, 0, 2, 1};
  FieldTable table;
  auto const own = Layout::entities(4).with_positions(positions.data());
  auto& mask = table.add<std::uint8_t>(
      Host{}, {.name = "mask", .role = FieldRole::constant, .dimensions = {"cell"}}, own);
  for (std::int64_t n = 0; n < 4; ++n) mask.view()[own.memory_index(n)] = n == 1 ? 0 : 1;
  for (auto const& [name, layout] : {std::pair{"numbered", Layout::entities(4)}, {"placed", own}}) {
    auto& field = table.add<double>(Host{}, {.name = name, .dimensions = {"cell"}, .domain = &mask}, layout);
    count_up(field);
    std::vector<double> got(4);
    table.read(name, 0, 4, ValueType::float64, got.data());
    EXPECT_EQ(got, (std::vector<double>{0, missing_value, 2, 3})) << name;
  }
  EXPECT_THROW(table.add<double>(Host{}, {.name = "modes", .dimensions = {"cell", "mode"}, .domain = &mask},
                                 Layout::dense(4, 2)),
               std::logic_error)
      << "entities in another order are a field's last axis only";
}

TEST(Domain, OfAnotherShapeOrAxisIsAFaultOfTheCore) {
  FieldTable table;
  auto& mask = table.add<std::uint8_t>(Host{}, described("mask", FieldRole::constant), Layout::dense(3, 4));
  auto const add = [&](std::vector<std::string> dimensions, Layout const& layout) {
    table.add<double>(Host{}, {.name = "f", .dimensions = std::move(dimensions), .domain = &mask}, layout);
  };
  EXPECT_THROW(add({"y", "x"}, Layout::dense(3, 5)), std::logic_error);
  EXPECT_THROW(add({"y", "x"}, Layout::dense(4, 3)), std::logic_error);
  EXPECT_THROW(add({"y", "z"}, Layout::dense(3, 4)), std::logic_error);
  EXPECT_THROW(add({"y"}, Layout::dense(3, 4)), std::logic_error) << "a name is missing";
  EXPECT_THROW(add({"y", "x", "mode"}, Layout::dense(3, 4)), std::logic_error);
  EXPECT_EQ(table.find("f"), nullptr);
  add({"x", "y"}, Layout::dense(4, 3));
  EXPECT_NE(table.find("f"), nullptr);
}

TEST(Broadcast, WeighsEveryLayerAlikeWhereWeightsHaveNoneAndRefusesOthers) {
  FieldTable table;
  auto describe = [](std::string name, std::vector<std::string> dimensions) {
    return FieldDescription{.name = std::move(name), .dimensions = std::move(dimensions)};
  };
  auto& h = table.add<double>(Host{}, describe("h", {"layer", "y", "x"}), Layout::with_halo(2, 3, 4, 1, 8));
  auto& area = table.add<double>(Host{}, describe("area", {"y", "x"}), with_halo());
  count_up(h);
  count_up(area, 0.5);
  double expected = 0;  // exact: small halves
  for (int n = 0; n < 24; ++n) expected += n * (0.5 * (n % 12));
  EXPECT_EQ(weighted_sum(h.raw(), h.broadcast(area)).to_double(), expected);
  EXPECT_THROW(area.broadcast(h), std::logic_error);
  auto& other = table.add<double>(Host{}, describe("other", {"y", "x"}), Layout::dense(4, 3));
  EXPECT_THROW(h.broadcast(other), std::logic_error);
}

TEST(Broadcast, GivesABlockItsOwnPartOfWeightsThatAreWhole) {
  FieldTable table;
  auto const describe = [](std::string name) {
    return FieldDescription{.name = std::move(name), .dimensions = {"y", "x"}};
  };
  // Rows 1 and 2 of 4, of weights that have all rows.
  auto& block = table.add<double>(Host{}, describe("block"), Layout{{{2, 3, 4, 1}, {3, 1, 3}}, 0, 6});
  auto& area = table.add<double>(Host{}, describe("area"), Layout::dense(4, 3));
  std::vector<double> values(6);
  std::iota(values.begin(), values.end(), 1.0);
  block.from_host(values.data());
  count_up(area);
  double expected = 0;
  for (int n = 0; n < 6; ++n) expected += (n + 1) * (n + 3);
  EXPECT_EQ(weighted_sum(block.raw(), block.broadcast(area)).to_double(), expected);
}

TEST(FieldOf, CopiesAndClearsAllItsMemory) {
  FieldTable table;
  auto& a = table.add<float>(Host{}, described("a"), with_halo());
  auto& b = table.add<float>(Host{}, described("b"), with_halo());
  std::vector<float> memory(40), got(40);
  for (std::size_t n = 0; n < 40; ++n) memory[n] = static_cast<float>(n);
  a.from_host(memory.data());
  b.copy_from(a);
  b.to_host(got.data());
  EXPECT_EQ(got, memory);
  a.fill_zero();
  a.to_host(got.data());
  EXPECT_EQ(got, std::vector<float>(40, 0));
}

}  // namespace
