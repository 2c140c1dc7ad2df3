// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "io/error.hpp"
#include "verification/evaluators/evaluation.hpp"
#include "verification/evaluators/kinds.hpp"

/// Fields in memory for evaluations, and what those refuse.
namespace ulpine::verification::evaluated_fields {

/// One field on a grid, and what evaluations make of it.
struct Study {
  FrameLayout layout;
  Frame frame;

  FieldGrid& add(std::string const& name, std::string const& units, std::vector<std::int64_t> shape,
                 std::vector<double> values) {
    auto& grid = layout.grids[name];
    std::vector<std::string> const dimensions = {"z", "y", "x"};
    grid.name = name, grid.long_name = name, grid.units = units, grid.shape = std::move(shape);
    grid.dimensions.assign(dimensions.end() - static_cast<std::ptrdiff_t>(grid.shape.size()),
                           dimensions.end());
    grid.spacing.assign(grid.shape.size(), 0);
    grid.coordinates.resize(grid.shape.size());
    grid.axis_units.assign(grid.shape.size(), "1");
    frame[name] = std::move(values);
    return grid;
  }

  FittedEvaluation evaluation(std::string const& keys) const {
    auto const file = io::CaseFile::parse("core = \"toy\"\n[evaluate.e]\n" + keys, "case.toml");
    std::vector<std::string> notes;
    auto fitted = fit(read_evaluations(file, ""), layout, notes);
    EXPECT_TRUE(notes.empty());
    return fitted.at(0);
  }
  double scalar(std::string const& keys) const {
    auto const found = evaluation(keys);
    EXPECT_EQ(found.statistics.at(0).name, "e");
    return found.evaluation.evaluator->statistics(frame, layout).at(0);
  }
  Curve curve(std::string const& keys) const {
    auto const found = evaluation(keys);
    return found.evaluation.evaluator->curves(frame, layout).at(0);
  }
  std::string units(std::string const& keys) const { return evaluation(keys).statistics.at(0).units; }
};

inline std::string refusal(std::string const& text, std::string const& declared = "") {
  try {
    read_evaluations(io::CaseFile::parse("core = \"toy\"\n" + text, "case.toml"), declared);
    return "";
  } catch (InputError const& error) {
    std::string const message = error.what();
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    return message;
  }
}

/// Six cells with areas; one missing, one outside.
inline Study six_cells() {
  Study study;
  auto& grid = study.add("h", "m", {2, 3}, {1, -4, std::numeric_limits<double>::quiet_NaN(), 2, 3, 100});
  grid.weights = {1, 2, 50, 3, 4, 1000};
  grid.weight_units = "m2";
  grid.outside = {false, false, false, false, false, true};
  return study;
}

}  // namespace ulpine::verification::evaluated_fields
