// SPDX-License-Identifier: Apache-2.0
// tf32 with cG2 on a uniform mesh: strain and stress have the bits of products on tensor cores, written here
// with the model of the hardware and matrices of a rectangle; and they err by no more than such products may.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "precision/formats.hpp"
#include "precision/tf32_mma.hpp"
#include "seaice/solver_support.hpp"

namespace {

using namespace ulpine;
using namespace ulpine::seaice;
using test::FieldId;
using test::IceSolver;

constexpr int modes = 8, nodes = 9, points = 9, centre = 4;
constexpr double width = 3000, height = 5000;  // of a cell, m

/// Values and derivatives of the one-dimensional bases at t in [0, 1].
long double lagrange_at(int i, long double t) {
  return i == 0 ? (1 - t) * (1 - 2 * t) : i == 1 ? 4 * t * (1 - t) : t * (2 * t - 1);
}
long double lagrange_slope(int i, long double t) {
  return i == 0 ? 4 * t - 3 : i == 1 ? 4 - 8 * t : 4 * t - 1;
}
long double mode_at(int k, long double s, long double t) {
  long double const x = s - 0.5L, y = t - 0.5L, xx = x * x - 1 / 12.0L, yy = y * y - 1 / 12.0L;
  long double const values[modes] = {1, x, y, xx, yy, x * y, y * xx, x * yy};
  return values[k];
}

/// Of a rectangle, where the modes are orthogonal.
struct Rectangle {
  long double psi[modes][points], grad_x[modes][nodes] = {}, grad_y[modes][nodes] = {},
                                  project[modes][points];

  Rectangle() {
    long double const offset = std::sqrt(0.15L), place[3] = {0.5L - offset, 0.5L, 0.5L + offset};
    long double const weight[3] = {5 / 18.0L, 4 / 9.0L, 5 / 18.0L};
    long double const inverse_norm[modes] = {1, 12, 12, 180, 180, 144, 2160, 2160};
    for (int q = 0; q < points; ++q) {
      long double const s = place[q % 3], t = place[q / 3], w = weight[q % 3] * weight[q / 3];
      for (int k = 0; k < modes; ++k) {
        psi[k][q] = mode_at(k, s, t);
        project[k][q] = inverse_norm[k] * w * psi[k][q];
        for (int c = 0; c < nodes; ++c) {
          grad_x[k][c] += project[k][q] * lagrange_slope(c % 3, s) * lagrange_at(c / 3, t) / width;
          grad_y[k][c] += project[k][q] * lagrange_at(c % 3, s) * lagrange_slope(c / 3, t) / height;
        }
      }
    }
  }
};

/// Largest entry of what is rounding in the core's matrices where the rectangle's are zero.
constexpr double matrix_noise = 1e-12;
template <std::size_t count>
bool vanishes(long double const (&row)[count]) {
  return std::all_of(std::begin(row), std::end(row),
                     [](long double x) { return std::abs(x) < matrix_noise; });
}

/// An operand in two terms of the format.
struct Split {
  float high, low;
  explicit Split(float x) : high{Tf32::round(x)}, low{Tf32::round(x - high)} {}
};

/// start + the sum of a[i] b[i], all in two terms: one block of a tensor core for each product of terms but
/// that of the low ones.
float product(std::vector<float> const& a, std::vector<float> const& b, float start) {
  float left[2][8], right[2][8];
  for (std::size_t i = 0; i < 8; ++i) {
    Split const one(a[i]), two(b[i]);
    left[0][i] = one.high;
    left[1][i] = one.low;
    right[0][i] = two.high;
    right[1][i] = two.low;
  }
  start = mma_block(hopper_mma, left[0], right[0], 8, start);
  start = mma_block(hopper_mma, left[0], right[1], 8, start);
  return mma_block(hopper_mma, left[1], right[0], 8, start);
}

/// start + the sum over i != centre of a[i] b(i).
template <class B>
float about_centre(std::vector<float> a, B const& b, float start) {
  a.erase(a.begin() + centre);
  std::vector<float> right;
  for (int i = 0; i < 9; ++i) {
    if (i != centre) right.push_back(static_cast<float>(b(i)));
  }
  return product(a, right, start);
}

class OnTensorCores : public ::testing::TestWithParam<int> {
 protected:
  static constexpr int nx = 7, ny = 5;
  static constexpr std::size_t cells = nx * ny;

  OnTensorCores() {
    setup_.mesh = rectangle_mesh(nx, ny, nx * width, ny * height);
    setup_.parameters.cg = 2;
    setup_.parameters.dg = GetParam();
    setup_.height.assign(static_cast<std::size_t>(GetParam()) * cells, 0);
    setup_.concentration = setup_.height;
    for (std::size_t cell = 0; cell < cells; ++cell) {
      setup_.height[cell] = uniform(0.5, 2);
      setup_.concentration[cell] = uniform(0.9, 1);
    }
    solver_ = test::make("tf32", Assembly::deterministic, setup_);
  }

  double uniform(double from, double to) {
    return std::uniform_real_distribution<double>(from, to)(generator_);
  }
  std::vector<double> noise(FieldId id, double mean, double amplitude) {
    std::vector<double> values(solver_->size(id));
    for (double& value : values) value = mean + uniform(-amplitude, amplitude);
    solver_->write(id, values.data());
    return values;
  }
  template <class Do>
  void for_each_cell(Do const& work) const {
    for (int j = 0; j < ny; ++j) {
      for (int i = 0; i < nx; ++i) work(i, j, static_cast<std::size_t>(j * nx + i));
    }
  }
  static std::size_t node(int i, int j, int c) {
    return static_cast<std::size_t>((2 * j + c / 3) * (2 * nx + 1) + 2 * i + c % 3);
  }
  std::vector<float> floats(FieldId id) const { return solver_->values<float>(id); }

  static void expect_same(std::vector<float> const& got, std::vector<float> const& wanted, char const* what) {
    ASSERT_EQ(got.size(), wanted.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
      ASSERT_EQ(to_bits(got[i]), to_bits(wanted[i])) << what << " " << i;
    }
  }

  std::mt19937 generator_{11};
  seaice::Setup setup_;
  std::unique_ptr<IceSolver> solver_;
  Rectangle const of_;
};

TEST_P(OnTensorCores, StrainHasTheBitsOfBlocksOfTheHardware) {
  auto const u = noise(FieldId::u, 0.1, 0.05), v = noise(FieldId::v, -0.2, 0.05);
  ASSERT_TRUE(solver_->run_stage("seaice.strain"));
  auto const got_xx = floats(FieldId::strain_xx), got_yy = floats(FieldId::strain_yy);
  std::vector<float> xx(modes * cells), yy(xx), xy(xx);
  for_each_cell([&](int i, int j, std::size_t cell) {
    std::vector<float> du, dv;
    for (int c = 0; c < nodes; ++c) {
      du.push_back(static_cast<float>(u[node(i, j, c)] - u[node(i, j, centre)]));
      dv.push_back(static_cast<float>(v[node(i, j, c)] - v[node(i, j, centre)]));
    }
    for (std::size_t k = 0; k < modes; ++k) {
      auto const gx = [&](int c) { return of_.grad_x[k][c]; };
      auto const gy = [&](int c) { return of_.grad_y[k][c]; };
      auto const at = k * cells + cell;
      xx[at] = vanishes(of_.grad_x[k]) ? got_xx[at] : about_centre(du, gx, 0);
      yy[at] = vanishes(of_.grad_y[k]) ? got_yy[at] : about_centre(dv, gy, 0);
      xy[at] = about_centre(du, gy, about_centre(dv, gx, 0)) / 2;
    }
  });

  expect_same(got_xx, xx, "E11");
  expect_same(got_yy, yy, "E22");
  expect_same(floats(FieldId::strain_xy), xy, "E12");
}

TEST_P(OnTensorCores, StressHasTheBitsOfBlocksOfTheHardware) {
  noise(FieldId::strength, 8000, 3000);
  FieldId const strains[] = {FieldId::strain_xx, FieldId::strain_yy, FieldId::strain_xy},
                stresses[] = {FieldId::stress_xx, FieldId::stress_yy, FieldId::stress_xy};
  std::vector<float> strain[3], stress[3];
  for (int component = 0; component < 3; ++component) {
    noise(strains[component], 1e-7, 1e-7);
    noise(stresses[component], -2000, 3000);
    strain[component] = floats(strains[component]);
    stress[component] = floats(stresses[component]);
  }
  auto const strength = floats(FieldId::strength);
  float const least = 2e-9f, rate = 1.0f / 1500.0f;
  for_each_cell([&](int, int, std::size_t cell) {
    std::vector<float> sigma[3];
    for (std::size_t q = 0; q < points; ++q) {
      float e[3];
      for (int component = 0; component < 3; ++component) {
        std::vector<float> modes_of_cell, weights;
        for (std::size_t k = 0; k < modes; ++k) {
          modes_of_cell.push_back(strain[component][k * cells + cell]);
          weights.push_back(k == 0 ? 0 : static_cast<float>(of_.psi[k][q]));
        }
        e[component] = product(modes_of_cell, weights, strain[component][cell]);
      }
      float const p = strength[q * cells + cell];
      float const squares = std::fma(e[0], e[0], e[1] * e[1]);
      float const delta2 =
          std::fma(1.25f, squares, std::fma(1.5f, e[0] * e[1], std::fma(e[2], e[2], least * least)));
      float const viscosity = p / (8 * std::sqrt(delta2));
      sigma[0].push_back(std::fma(viscosity, std::fma(5.0f, e[0], 3 * e[1]), -(p / 2)));
      sigma[1].push_back(std::fma(viscosity, std::fma(5.0f, e[1], 3 * e[0]), -(p / 2)));
      sigma[2].push_back(2 * viscosity * e[2]);
    }
    for (int component = 0; component < 3; ++component) {
      float const middle = sigma[component][centre];
      for (float& value : sigma[component]) value -= middle;
      for (std::size_t k = 0; k < modes; ++k) {
        float const target = about_centre(
            sigma[component], [&](int q) { return of_.project[k][q]; }, k == 0 ? middle : 0);
        float& value = stress[component][k * cells + cell];
        value = std::fma(rate, target - value, value);
      }
    }
  });

  ASSERT_TRUE(solver_->run_stage("seaice.stress"));

  expect_same(floats(FieldId::stress_xx), stress[0], "S11");
  expect_same(floats(FieldId::stress_yy), stress[1], "S22");
  expect_same(floats(FieldId::stress_xy), stress[2], "S12");
}

TEST_P(OnTensorCores, StrengthIsThatOfUnroundedMeans) {
  ASSERT_TRUE(solver_->run_stage("seaice.strength"));
  auto const strength = solver_->values<double>(FieldId::strength);
  for (std::size_t i = 0; i < strength.size(); ++i) {
    double const h = setup_.height[i % cells], a = setup_.concentration[i % cells];
    // A in float is off by half a unit, which the exponential takes 20 times; some more roundings.
    EXPECT_NEAR(strength[i] / (27500 * h * std::exp(-20 * (1 - a))), 1, (20 + 8) * 0x1p-24) << i;
  }
}

TEST_P(OnTensorCores, StrainErrsByTheRoundingOfDifferencesAlone) {
  // A current of 10 m/s, of which the strain must not know.
  auto const u = noise(FieldId::u, 10, 1e-3), v = noise(FieldId::v, -10, 1e-3);
  ASSERT_TRUE(solver_->run_stage("seaice.strain"));
  auto const xx = floats(FieldId::strain_xx), xy = floats(FieldId::strain_xy);
  // Of each operand two terms of 11 bits leave 2^-22 and the product of the low ones is left out; difference
  // and entry are rounded to 24 bits. Three times nine terms truncated to 25 bits below the largest, and the
  // sum.
  long double const product = 3 * 0x1p-22L + 2 * 0x1p-24L, terms = 3 * 10 * 0x1p-23L;
  for_each_cell([&](int i, int j, std::size_t cell) {
    for (std::size_t k = 0; k < modes; ++k) {
      long double exact = 0, twice_xy = 0, size = 0, size_xy = 0, differences = 0;
      for (int c = 0; c < nodes; ++c) {
        long double const du = static_cast<long double>(u[node(i, j, c)]) - u[node(i, j, centre)],
                          dv = static_cast<long double>(v[node(i, j, c)]) - v[node(i, j, centre)];
        exact += of_.grad_x[k][c] * du;
        size += std::abs(of_.grad_x[k][c] * du);
        twice_xy += of_.grad_x[k][c] * dv + of_.grad_y[k][c] * du;
        differences += std::abs(du) + std::abs(dv);
        size_xy += std::abs(of_.grad_x[k][c] * dv) + std::abs(of_.grad_y[k][c] * du);
      }
      auto const noise_of_matrices = matrix_noise * differences;
      EXPECT_LE(std::abs(xx[k * cells + cell] - exact), (product + terms) * size + noise_of_matrices)
          << k << " " << cell;
      EXPECT_LE(std::abs(xy[k * cells + cell] - twice_xy / 2),
                (product + 2 * terms) * size_xy / 2 + noise_of_matrices)
          << k << " " << cell;
    }
  });
}

TEST_P(OnTensorCores, AUniformCurrentHasNoStrainAndAUniformStrainAUniformStress) {
  noise(FieldId::u, 0.123456789, 0);
  noise(FieldId::v, -3.7, 0);
  ASSERT_TRUE(solver_->run_stage("seaice.strain"));
  for (auto const id : {FieldId::strain_xx, FieldId::strain_yy, FieldId::strain_xy}) {
    for (float const value : floats(id)) EXPECT_EQ(value, 0.0f) << name_of(id);
  }

  ASSERT_TRUE(solver_->run_stage("seaice.strength"));
  for (auto const id : {FieldId::strain_xx, FieldId::strain_yy, FieldId::strain_xy}) {
    std::vector<double> values(solver_->size(id), 0);
    std::fill_n(values.begin(), cells, 1.2345e-6);
    solver_->write(id, values.data());
  }
  for (auto const id : {FieldId::stress_xx, FieldId::stress_yy, FieldId::stress_xy}) noise(id, 0, 0);
  std::vector<double> strength(solver_->size(FieldId::strength), 12345.678);
  solver_->write(FieldId::strength, strength.data());
  ASSERT_TRUE(solver_->run_stage("seaice.stress"));
  for (auto const id : {FieldId::stress_xx, FieldId::stress_yy, FieldId::stress_xy}) {
    auto const values = floats(id);
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (i < cells) {
        EXPECT_NE(values[i], 0.0f) << name_of(id);
      } else {
        EXPECT_EQ(values[i], 0.0f) << name_of(id) << " mode " << i / cells;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Unknowns, OnTensorCores, ::testing::Values(1, 3, 6),
                         [](auto const& info) { return "dg" + std::to_string(info.param); });

}  // namespace
