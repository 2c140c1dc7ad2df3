// SPDX-License-Identifier: Apache-2.0
// A policy is what its name says: the stages that round operands give, to the bit, what loops written here
// give with operands rounded by other means; all other stages have the precision of the type that holds the
// state.
#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "precision/elementary.hpp"
#include "seaice/plain_support.hpp"
#include "support/reference_data.hpp"

namespace {

using namespace ulpine;
using namespace ulpine::seaice;
using namespace ulpine::test;

/// A policy in the words of docs/explanation/cores/seaice.md.
struct Policy {
  char const* name;
  int precision, emin, emax;  ///< of the operands' format; precision 24: no rounding beyond float
  bool ties_away;
  bool float_state, float_sums;
  bool variations;  ///< operands are what varies within a cell
};

constexpr Policy policies[] = {{"fp32", 24, -126, 127, false, true, true, false},
                               {"mixed", 24, -126, 127, false, false, false, false},
                               {"tf32", 11, -126, 127, true, false, true, true},
                               {"bf16", 8, -126, 127, false, false, true, false},
                               {"fp16", 11, -14, 15, false, false, true, false}};

/// x rounded to the format of the policy's operands, by scaling to integers in double.
float rounded(Policy const& policy, float x) {
  if (x == 0 || !std::isfinite(x)) {
    return x;
  }
  int exponent = 0;
  std::frexp(static_cast<double>(x), &exponent);
  int const unit = std::max(exponent - 1, policy.emin) - (policy.precision - 1);
  double const scaled = std::ldexp(static_cast<double>(x), -unit);
  double const whole = policy.ties_away ? std::round(scaled) : std::nearbyint(scaled);
  double const value = std::ldexp(whole, unit);
  bool const overflows = std::abs(value) >= std::ldexp(1.0, policy.emax + 1);
  return overflows ? std::copysign(std::numeric_limits<float>::infinity(), x) : static_cast<float>(value);
}

TEST(OperandRounding, OfThisTestKnowsTiesSubnormalsAndOverflow) {
  Policy const &tf32 = policies[2], &bf16 = policies[3], &fp16 = policies[4];
  EXPECT_EQ(rounded(tf32, 1 + 0x1p-11f), 1 + 0x1p-10f);  // a tie, away
  EXPECT_EQ(rounded(fp16, 1 + 0x1p-11f), 1.0f);          // a tie, to even
  EXPECT_EQ(rounded(fp16, 1 + 3 * 0x1p-11f), 1 + 0x1p-9f);
  EXPECT_EQ(rounded(bf16, 1 + 0x1p-8f), 1.0f);
  EXPECT_EQ(rounded(bf16, -(1 + 0x1.8p-8f)), -(1 + 0x1p-7f));
  EXPECT_EQ(rounded(fp16, 0x1.8p-24f), 0x1p-23f);  // subnormal
  EXPECT_EQ(rounded(fp16, 65519.0f), 65504.0f);
  EXPECT_EQ(rounded(fp16, -65520.0f), -std::numeric_limits<float>::infinity());
}

/// A cell's matrices in float, from geometry in long double.
struct FloatCell {
  float grad_x[3][4], grad_y[3][4], project[3][4];  ///< rounded to the format
  float div_x[4][3], div_y[4][3];
};

FloatCell matrices_of(ExactIce const& ice, Policy const& policy, int i, int j) {
  FloatCell cell{};
  for (int c = 0; c < 4; ++c) {
    ExactIce::Modes x{}, y{}, point{};
    int q = 0;
    ExactIce::for_each_point(2, [&](long double s, long double t, long double weight) {
      auto const p = ice.at(i, j, s, t);
      auto const g = p.gradient(ice.shape_s(c, s, t), ice.shape_t(c, s, t));
      for (int k = 0; k < 3; ++k) {
        auto const share = weight * p.determinant * ExactIce::psi(k, s, t);
        x[static_cast<std::size_t>(k)] += share * g[0];
        y[static_cast<std::size_t>(k)] += share * g[1];
        if (q == c) {
          point[static_cast<std::size_t>(k)] = share;
        }
      }
      ++q;
    });
    for (int k = 0; k < 3; ++k) {
      cell.div_x[c][k] = static_cast<float>(x[static_cast<std::size_t>(k)]);
      cell.div_y[c][k] = static_cast<float>(y[static_cast<std::size_t>(k)]);
    }
    auto const by_mass = [&](ExactIce::Modes const& moments) {
      return ice.divide_by_mass(i, j, 3, 2, moments);
    };
    auto const gx = by_mass(x), gy = by_mass(y), projection = by_mass(point);
    for (int k = 0; k < 3; ++k) {
      cell.grad_x[k][c] = static_cast<float>(gx[static_cast<std::size_t>(k)]);
      cell.grad_y[k][c] = static_cast<float>(gy[static_cast<std::size_t>(k)]);
      cell.project[k][c] = rounded(policy, static_cast<float>(projection[static_cast<std::size_t>(k)]));
    }
  }
  for (auto* gradient : {&cell.grad_x, &cell.grad_y}) {
    for (auto& row : *gradient) {
      // tf32 leaves a row's largest entry out of its operands.
      float const scale =
          policy.variations
              ? std::max({std::abs(row[0]), std::abs(row[1]), std::abs(row[2]), std::abs(row[3])})
              : 1;
      for (float& entry : row) entry = scale * rounded(policy, entry / scale);
    }
  }
  return cell;
}

/// Basis values at the four points, rounded to the format.
std::vector<std::vector<float>> basis_table(Policy const& policy, int modes) {
  std::vector<std::vector<float>> table(static_cast<std::size_t>(modes));
  for (int k = 0; k < modes; ++k) {
    ExactIce::for_each_point(2, [&](long double s, long double t, long double) {
      table[static_cast<std::size_t>(k)].push_back(
          rounded(policy, static_cast<float>(ExactIce::psi(k, s, t))));
    });
  }
  return table;
}

template <class T>
std::vector<T> raw(IceSolver const& solver, FieldId field) {
  EXPECT_EQ(solver.field(field).type(), value_type_of<T>) << name_of(field);
  return solver.values<T>(field);
}

template <class T>
void expect_same_bits(std::vector<T> const& got, std::vector<T> const& wanted, char const* name) {
  ASSERT_EQ(got.size(), wanted.size()) << name;
  for (std::size_t k = 0; k < got.size(); ++k) {
    ASSERT_EQ(std::memcmp(&got[k], &wanted[k], sizeof(T)), 0)
        << name << ", element " << k << ": " << got[k] << " for " << wanted[k];
  }
}

class RoundedKernels : public ::testing::TestWithParam<std::tuple<Policy, int>> {
 protected:
  RoundedKernels()
      : policy_{std::get<0>(GetParam())},
        setup_{small_case(std::get<1>(GetParam()), true)},
        solver_{make(policy_.name, Assembly::deterministic, setup_of(setup_))} {
    give_random_fields(*solver_, setup_, 41);
    // Thin ice: a stress of more than 65504 N/m has no fp16.
    auto h = read(*solver_, FieldId::h);
    for (auto& value : h) {
      value /= 4;
    }
    solver_->write(FieldId::h, h.data());
  }

  /// `visit(cell, its matrices)` for every cell.
  template <class Visit>
  void for_each_cell(Visit const& visit) const {
    ExactIce const ice(setup_);
    for (int j = 0; j < setup_.ny; ++j) {
      for (int i = 0; i < setup_.nx; ++i) {
        visit(i, j, setup_.cell(i, j), matrices_of(ice, policy_, i, j));
      }
    }
  }

  Policy policy_;
  PlainCase setup_;
  std::unique_ptr<IceSolver> solver_;
};

TEST_P(RoundedKernels, StrainIsAFloatSumOfRoundedOperandsInTheOrderOfNodes) {
  auto const u = read(*solver_, FieldId::u), v = read(*solver_, FieldId::v);
  auto const cells = setup_.cells();
  std::vector<float> xx(3 * cells), yy(xx), xy(xx);
  for_each_cell([&](int i, int j, std::size_t cell, FloatCell const& m) {
    for (std::size_t k = 0; k < 3; ++k) {
      float ux = 0, vy = 0, vx = 0, uy = 0;
      for (int c = 0; c < 4; ++c) {
        auto const node = setup_.node(i + c % 2, j + c / 2);
        auto const middle = setup_.node(i, j + 1);
        auto const operand = [&](std::vector<double> const& values) {
          auto const value = static_cast<float>(values[node]);
          return rounded(policy_, policy_.variations ? value - static_cast<float>(values[middle]) : value);
        };
        float const un = operand(u), vn = operand(v);
        ux = std::fma(m.grad_x[k][c], un, ux);
        vy = std::fma(m.grad_y[k][c], vn, vy);
        vx = std::fma(m.grad_x[k][c], vn, vx);
        uy = std::fma(m.grad_y[k][c], un, uy);
      }
      xx[k * cells + cell] = ux;
      yy[k * cells + cell] = vy;
      xy[k * cells + cell] = (vx + uy) / 2;
    }
  });

  ASSERT_TRUE(solver_->run_stage("seaice.strain"));

  expect_same_bits(raw<float>(*solver_, FieldId::strain_xx), xx, "E11");
  expect_same_bits(raw<float>(*solver_, FieldId::strain_yy), yy, "E22");
  expect_same_bits(raw<float>(*solver_, FieldId::strain_xy), xy, "E12");
}

TEST_P(RoundedKernels, StrengthIsThatOfFloatSumsOfRoundedTracers) {
  solver_->advance(1);  // leaves in H and A the tracers of which it took the strength
  auto const h = read(*solver_, FieldId::h), a = read(*solver_, FieldId::a);
  auto const tracer_psi = basis_table(policy_, setup_.dg);
  auto const cells = setup_.cells();
  std::vector<float> wanted(4 * cells);
  for_each_cell([&](int i, int j, std::size_t cell, FloatCell const&) {
    for (std::size_t q = 0; q < 4; ++q) {
      float height = 0, cover = 0;
      for (std::size_t k = 0; k < tracer_psi.size(); ++k) {
        auto const at = k * cells + cell;
        auto const operand = [&](std::vector<double> const& values) {
          auto const value = static_cast<float>(values[at]);
          return policy_.variations && k == 0 ? value : rounded(policy_, value);
        };
        height = std::fma(tracer_psi[k][q], operand(h), height);
        cover = std::fma(tracer_psi[k][q], operand(a), cover);
      }
      height = std::max(height, 0.0f);
      cover = std::clamp(cover, 0.0f, 1.0f);
      wanted[q * cells + cell] =
          setup_.is_sea(i, j) ? 27500.0f * height * math::exp(-20.0f * (1.0f - cover)) : 0.0f;
    }
  });
  expect_same_bits(raw<float>(*solver_, FieldId::strength), wanted, "strength");
}

TEST_P(RoundedKernels, StressRoundsItsOperandsAndSumsInFloat) {
  solver_->advance(1);
  give_random_fields(*solver_, setup_, 42);  // the strength stays that of the step before
  auto const e11 = raw<float>(*solver_, FieldId::strain_xx), e22 = raw<float>(*solver_, FieldId::strain_yy),
             e12 = raw<float>(*solver_, FieldId::strain_xy);
  std::vector<float> stress[3] = {raw<float>(*solver_, FieldId::stress_xx),
                                  raw<float>(*solver_, FieldId::stress_yy),
                                  raw<float>(*solver_, FieldId::stress_xy)};
  auto const strength = raw<float>(*solver_, FieldId::strength);
  auto const psi = basis_table(policy_, 3);
  auto const cells = setup_.cells();
  float const inverse_alpha = 1.0f / static_cast<float>(setup_.alpha), least = 2e-9f;
  for_each_cell([&](int, int, std::size_t cell, FloatCell const& m) {
    float sigma[3][4];
    for (std::size_t q = 0; q < 4; ++q) {
      float const p = strength[q * cells + cell];
      float xx = 0, yy = 0, xy = 0;
      for (std::size_t k = 0; k < 3; ++k) {
        auto const operand = [&](std::vector<float> const& values) {
          auto const value = values[k * cells + cell];
          return policy_.variations && k == 0 ? value : rounded(policy_, value);
        };
        xx = std::fma(psi[k][q], operand(e11), xx);
        yy = std::fma(psi[k][q], operand(e22), yy);
        xy = std::fma(psi[k][q], operand(e12), xy);
      }
      float const squares = std::fma(xx, xx, yy * yy);
      float const delta2 = std::fma(1.25f, squares, std::fma(1.5f, xx * yy, std::fma(xy, xy, least * least)));
      float const viscosity = p / (8 * std::sqrt(delta2));
      sigma[0][q] = std::fma(viscosity, std::fma(5.0f, xx, 3 * yy), -(p / 2));
      sigma[1][q] = std::fma(viscosity, std::fma(5.0f, yy, 3 * xx), -(p / 2));
      sigma[2][q] = 2 * viscosity * xy;
    }
    for (int component = 0; component < 3; ++component) {
      float const constant = policy_.variations ? sigma[component][2] : 0;
      for (std::size_t k = 0; k < 3; ++k) {
        float target = k == 0 ? constant : 0;
        for (int q = 0; q < 4; ++q) {
          target = std::fma(m.project[k][q], rounded(policy_, sigma[component][q] - constant), target);
        }
        float& value = stress[component][k * cells + cell];
        value = std::fma(inverse_alpha, target - value, value);
      }
    }
  });

  ASSERT_TRUE(solver_->run_stage("seaice.stress"));

  expect_same_bits(raw<float>(*solver_, FieldId::stress_xx), stress[0], "S11");
  expect_same_bits(raw<float>(*solver_, FieldId::stress_yy), stress[1], "S22");
  expect_same_bits(raw<float>(*solver_, FieldId::stress_xy), stress[2], "S12");
}

template <class Sum>
void expect_divergence_bits(IceSolver& solver, PlainCase const& setup,
                            std::vector<FloatCell> const& matrices) {
  auto const s11 = raw<float>(solver, FieldId::stress_xx), s22 = raw<float>(solver, FieldId::stress_yy),
             s12 = raw<float>(solver, FieldId::stress_xy);
  auto const cells = setup.cells();
  std::vector<Sum> force_x(setup.nodes(), Sum(0)), force_y(setup.nodes(), Sum(0));
  for (int j = 0; j < setup.ny; ++j) {  // cells in the order of memory, and so at every node
    for (int i = 0; i < setup.nx; ++i) {
      auto const cell = setup.cell(i, j);
      for (int c = 0; c < 4; ++c) {
        float x = 0, y = 0;
        for (std::size_t k = 0; k < 3; ++k) {
          float const dx = matrices[cell].div_x[c][k], dy = matrices[cell].div_y[c][k];
          x = std::fma(dx, s11[k * cells + cell], std::fma(dy, s12[k * cells + cell], x));
          y = std::fma(dx, s12[k * cells + cell], std::fma(dy, s22[k * cells + cell], y));
        }
        force_x[setup.node(i + c % 2, j + c / 2)] -= static_cast<Sum>(x);
        force_y[setup.node(i + c % 2, j + c / 2)] -= static_cast<Sum>(y);
      }
    }
  }

  ASSERT_TRUE(solver.run_stage("seaice.divergence"));

  expect_same_bits(raw<Sum>(solver, FieldId::force_x), force_x, "force_x");
  expect_same_bits(raw<Sum>(solver, FieldId::force_y), force_y, "force_y");
}

TEST_P(RoundedKernels, DivergenceRoundsNoOperandAndSumsInThePolicysType) {
  std::vector<FloatCell> matrices;
  for_each_cell([&](int, int, std::size_t, FloatCell const& m) { matrices.push_back(m); });
  if (policy_.float_sums) {
    expect_divergence_bits<float>(*solver_, setup_, matrices);
  } else {
    expect_divergence_bits<double>(*solver_, setup_, matrices);
  }
}

TEST_P(RoundedKernels, AllElseHasThePrecisionOfTheState) {
  EXPECT_EQ(solver_->field(FieldId::u).type(), policy_.float_state ? ValueType::float32 : ValueType::float64);
  EXPECT_EQ(solver_->field(FieldId::h).type(), policy_.float_state ? ValueType::float32 : ValueType::float64);
  setup_.dt = 900;  // the tracers change by more than their last bits
  solver_ = make(policy_.name, Assembly::deterministic, setup_of(setup_));
  give_random_fields(*solver_, setup_, 43);
  struct Step {
    char const* stage;
    void (*plain)(ExactIce&);
    std::vector<std::pair<FieldId, ExactIce::Field ExactIce::*>> written;
  };
  Step const steps[] = {{"seaice.velocity",
                         [](ExactIce& ice) { ice.velocity(); },
                         {{FieldId::u, &ExactIce::u}, {FieldId::v, &ExactIce::v}}},
                        {"seaice.nodal",
                         [](ExactIce& ice) { ice.average_to_nodes(); },
                         {{FieldId::node_h, &ExactIce::node_h}, {FieldId::node_a, &ExactIce::node_a}}},
                        {"seaice.forcing",
                         [](ExactIce& ice) { ice.force(ice.c.dt); },
                         {{FieldId::wind_x, &ExactIce::wind_x}, {FieldId::wind_y, &ExactIce::wind_y}}},
                        {"seaice.advect.update",
                         [](ExactIce& ice) { ice.advect(); },
                         {{FieldId::h, &ExactIce::h},
                          {FieldId::a, &ExactIce::a},
                          {FieldId::dg_u, &ExactIce::dg_u},
                          {FieldId::dg_v, &ExactIce::dg_v}}}};
  for (auto const& step : steps) {
    auto wanted = taken_from<long double>(*solver_, setup_);
    step.plain(wanted);
    ASSERT_TRUE(solver_->run_stage(step.stage));
    for (auto const& [id, member] : step.written) {
      auto const got = read(*solver_, id);
      auto const& exact = wanted.*member;
      double const distance = relative_difference(got, std::vector<double>(exact.begin(), exact.end()));
      auto const name = std::string(step.stage) + " " + name_of(id);
      // At least the rounding of the result itself, of which 1/sqrt(12) of a unit is the mean; at most 2^10
      // operations, each of half a unit, that all err the same way.
      EXPECT_LT(distance, 0x1p10 * (policy_.float_state ? 0x1p-24 : 0x1p-53)) << name;
      if (policy_.float_state) {
        EXPECT_GT(distance, 0x1p-24 / 8) << name;
      }
    }
  }
}

std::string name_of_policy(std::tuple<Policy, int> const& parameters) {
  return std::string(std::get<0>(parameters).name) + "_dg" + std::to_string(std::get<1>(parameters));
}

INSTANTIATE_TEST_SUITE_P(Host, RoundedKernels,
                         ::testing::Combine(::testing::ValuesIn(policies), ::testing::Values(1, 3)),
                         [](auto const& info) { return name_of_policy(info.param); });

}  // namespace
