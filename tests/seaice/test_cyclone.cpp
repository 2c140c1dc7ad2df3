// SPDX-License-Identifier: Apache-2.0
// The cyclone at N = 64 against neXtSIM-DG's public code (branch kokkos, commit 433cf3f1, CPU classes, FP64;
// computed for this project): cG1-dG3, f_c = 1.46e-4 s-1, dt = 120 s, 100 sub-steps, alpha = beta = 1500, its
// limiter.
#include <gtest/gtest.h>

#include "core/seaice/register.hpp"
#include "support/reference_data.hpp"

namespace {

using namespace ulpine;
using test::read_doubles;
using test::relative_difference;

std::vector<double> field(Model const& model, std::string const& name) {
  for (auto const& info : model.fields()) {
    if (info.name == name) {
      std::vector<double> values(static_cast<std::size_t>(info.size()));
      model.read(name, values);
      return values;
    }
  }
  return {};
}

TEST(Cyclone, AgreesWithNextsimAfterOneAndSixHours) {
  if (test::data_folder().empty()) {
    GTEST_SKIP() << "no reference data: set ULPINE_TEST_DATA to the folder that holds seaice/reference";
  }
  auto const folder = test::data_folder() / "seaice/reference";
  auto const case_file = io::CaseFile::parse(
      "core = 'seaice'\n[grid]\nnx = 64\n[seaice]\nlimiter = 'nextsim'\n[output]\ncoefficients = true\n",
      "cyclone64.toml");
  seaice::register_core();
  auto const model = make_model(case_file, {.threads = 2});

  for (auto const& [hours, label] : {std::pair{1, "h001"}, {6, "h006"}}) {
    model->advance(hours * 30 - model->step());

    auto const expect = [&](char const* name, char const* file, double bound) {
      auto const reference = read_doubles(folder / (std::string(file) + "_" + label + ".f64"));
      EXPECT_LT(relative_difference(field(*model, name), reference), bound)
          << name << " after " << hours << " h";
    };
    expect("siu", "u", 1e-10);
    expect("siv", "v", 1e-10);
    expect("sivol_dg", "H", 1e-10);
    expect("siconc_dg", "A", 1e-10);
    expect("shear", "shear", 1e-10);
  }
}

}  // namespace
