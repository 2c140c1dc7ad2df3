// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <sstream>

#include "les/eddies_support.hpp"
#include "les/plain_eddies.hpp"

namespace {

using namespace ulpine;
using test::Eddies;
using test::PlainClosure;
using test::PlainEddiesCase;
using test::PlainSide;
using Exact = test::PlainEddies<long double>;

/// Straight profiles, as numbers and as a case says them.
struct Slope {
  double at_ground = 0, per_metre = 0;
  double operator()(double z) const { return at_ground + per_metre * z; }
};
struct Named {
  std::string name;
  PlainEddiesCase c;
  Slope theta{299, 0}, u{}, v{};
  double stretch = 1, stretch_from = 0;
};
void PrintTo(Named const& named, std::ostream* out) { *out << named.name; }

std::string profile(char const* table, char const* values, Slope const& slope) {
  std::ostringstream text;
  text.precision(17);
  text << '[' << table << "]\nheights = [0.0, 1000.0]\n"
       << values << " = [" << slope(0) << ", " << slope(1000) << "]\n";
  return text.str();
}
std::string text_of(Named const& n) {
  auto const& c = n.c;
  std::ostringstream text;
  text.precision(17);
  text << "core = 'les'\n[grid]\nnx = " << c.nx << "\nny = " << c.ny << "\nnz = " << c.nz << "\ndx = " << c.dx
       << "\ndy = " << c.dy << "\ndz = " << c.dz[0] << "\nstretch_factor = " << n.stretch
       << "\nstretch_from = " << n.stretch_from << "\n[time]\nstep = '" << c.step
       << " s'\n[advection]\nscheme = '" << (c.centred ? "piacsek_williams" : "wicker_skamarock") << "'\n";
  char const* const closures[] = {"none", "constant", "smagorinsky", "deardorff"};
  text << "[closure]\nkind = '" << closures[static_cast<int>(c.closure)] << "'\nviscosity = " << c.viscosity
       << "\nprandtl = " << c.prandtl << "\nsmagorinsky = " << c.smagorinsky
       << "\n[air]\ngravity = " << c.gravity << "\ncoriolis = " << c.f
       << "\ncoriolis_horizontal = " << c.f_star << "\nreference_theta = " << c.reference
       << "\n[force]\nacceleration_x = " << c.push_x << "\nacceleration_y = " << c.push_y << "\n";
  if (c.hold_flow) text << "mean_u = " << c.mean_u << '\n';
  char const* const sides[] = {"free_slip", "no_slip", "geostrophic"};
  text << "[ground]\nwind = '" << (c.flux_layer ? "flux_layer" : sides[static_cast<int>(c.ground)])
       << "'\nroughness = " << c.roughness << "\nheat_roughness = " << c.heat_roughness << "\nstability = '"
       << (c.linear ? "linear" : "beljaars_holtslag") << "'\nbeta_m = " << c.beta_m
       << "\nbeta_h = " << c.beta_h << '\n';
  if (c.surface_theta > 0) {
    text << "theta = " << c.surface_theta << '\n';
  } else {
    text << "heat_flux = " << c.heat_flux << '\n';
  }
  text << "[lid]\nwind = '" << sides[static_cast<int>(c.lid)] << "'\n[sponge]\nfrom = " << c.sponge_from
       << "\nrate = " << c.sponge_rate << '\n';
  auto slope = n.u;
  auto wind = profile("profile.wind", "u", slope);
  std::ostringstream v;
  v.precision(17);
  v << "v = [" << n.v(0) << ", " << n.v(1000) << "]\n";
  return text.str() + profile("profile.theta", "kelvin", n.theta) + wind + v.str();
}

/// 7 x 6 x 8 cells of 30, 20 and about 15 m, with everything that has no switch turned on.
Named rough(std::string name) {
  Named n{std::move(name), {}};
  auto& c = n.c;
  c.nx = 7, c.ny = 6, c.nz = 8, c.dx = 30, c.dy = 20, c.step = 0.7;
  n.stretch = 1.09;
  auto thickness = 14.0;
  for (int k = 0; k < c.nz; ++k, thickness *= n.stretch) c.dz.push_back(thickness);
  c.f = 1.1e-2, c.f_star = 0.7e-2, c.push_x = 0.03, c.push_y = -0.02;
  c.sponge_from = 60, c.sponge_rate = 0.05;
  c.roughness = 0.3, c.heat_roughness = 0.02, c.prandtl = 0.6;
  n.theta = {299, 0.004};
  n.u = {4, 0.01};
  n.v = {-1, 0.02};
  return n;
}
void finish(Named& n) {
  n.c.theta = n.theta, n.c.geostrophic_u = n.u, n.c.geostrophic_v = n.v;
  n.c.lapse_at_lid = n.theta.per_metre;
}

std::vector<Named> cases() {
  std::vector<Named> all;
  auto const add = [&](char const* name, auto const& change) {
    auto n = rough(name);
    change(n);
    finish(n);
    all.push_back(n);
  };
  add("bare", [](Named& n) {
    n.c.f = n.c.f_star = n.c.push_x = n.c.push_y = n.c.sponge_rate = 0;
    n.c.gravity = 0;
  });
  add("forced", [](Named&) {});
  add("centred", [](Named& n) { n.c.centred = true; });
  add("viscous", [](Named& n) {
    n.c.closure = PlainClosure::constant, n.c.viscosity = 9;
    n.c.ground = PlainSide::no_slip, n.c.lid = PlainSide::moving;
  });
  add("smagorinsky", [](Named& n) {
    n.c.closure = PlainClosure::smagorinsky;
    n.c.lid = PlainSide::no_slip;
  });
  add("deardorff",
      [](Named& n) { n.c.closure = PlainClosure::deardorff, n.c.reference = 301, n.c.heat_flux = 0.3; });
  add("deardorff over warm ground",
      [](Named& n) { n.c.closure = PlainClosure::deardorff, n.c.flux_layer = true, n.c.heat_flux = 0.2; });
  add("deardorff over cold ground", [](Named& n) {
    n.c.closure = PlainClosure::deardorff, n.c.flux_layer = true, n.c.surface_theta = 298.2,
    n.c.linear = true;
  });
  add("smagorinsky over cold ground", [](Named& n) {
    n.c.closure = PlainClosure::smagorinsky, n.c.flux_layer = true, n.c.surface_theta = 298.2;
  });
  auto const build = [](Named& n) {
    auto& c = n.c;
    c.top.assign(static_cast<std::size_t>(c.nx * c.ny), 0);
    // A block, an L, a tower across the periodic edge, a court and a street of one cell.
    for (auto const& [j, i, top] : {std::array{1, 1, 3},
                                    {1, 2, 3},
                                    {2, 1, 2},
                                    {2, 2, 3},
                                    {3, 2, 1},
                                    {5, 6, 4},
                                    {0, 6, 4},
                                    {5, 0, 2},
                                    {4, 4, 2},
                                    {4, 2, 2},
                                    {0, 4, 1}}) {
      c.top[static_cast<std::size_t>(j * c.nx + i)] = top;
    }
    n.stretch_from = 70, c.dz.clear();
    auto thickness = 14.0, bottom = 0.0;
    for (int k = 0; k < c.nz; ++k) {
      if (bottom >= n.stretch_from) thickness *= n.stretch;
      c.dz.push_back(thickness), bottom += thickness;
    }
  };
  add("bare with buildings", build);
  add("centred with buildings and a held flow", [&](Named& n) {
    build(n);
    n.c.centred = true, n.c.hold_flow = true, n.c.mean_u = 1.3, n.stretch = 1;
    std::fill(n.c.dz.begin(), n.c.dz.end(), 14.0);
  });
  add("centred deardorff in a town", [&](Named& n) {
    build(n);
    n.c.centred = true, n.c.closure = PlainClosure::deardorff, n.c.flux_layer = true, n.c.heat_flux = 0.1;
  });
  // Levels grow from the ground on, roofs at levels of different heights.
  auto const growing = [&](Named& n) {
    auto const dz = n.c.dz;
    build(n);
    n.stretch_from = 0, n.c.dz = dz;
  };
  add("viscous in a town without slip", [&](Named& n) {
    growing(n);
    n.c.closure = PlainClosure::constant, n.c.viscosity = 9, n.c.ground = PlainSide::no_slip;
  });
  add("deardorff in a town without slip", [&](Named& n) {
    growing(n);
    n.c.closure = PlainClosure::deardorff, n.c.ground = PlainSide::no_slip, n.c.heat_flux = 0.2;
  });
  add("smagorinsky in a town that slips", [&](Named& n) {
    growing(n);
    n.c.closure = PlainClosure::smagorinsky;
  });
  add("deardorff in a warm town", [&](Named& n) {
    build(n);
    n.c.closure = PlainClosure::deardorff, n.c.flux_layer = true, n.c.heat_flux = 0.1;
  });
  add("smagorinsky in a cold town", [&](Named& n) {
    build(n);
    n.c.closure = PlainClosure::smagorinsky, n.c.flux_layer = true, n.c.surface_theta = 298.2;
  });
  return all;
}

char const* const prognostic[] = {"u", "v", "w", "theta", "e"};

constexpr double nudge = 0x1p-40;

/// The plain model's state, random float values, each moved by up to `shift` of itself.
Exact random_state(PlainEddiesCase const& c, double shift) {
  Exact plain(c);
  test::RandomValues random(11), shifts(12);
  auto const set = [&](Exact::Values& values, Exact::Kind kind, double low, double high) {
    for (int k = 0; k < c.nz; ++k) {
      for (int j = 0; j < c.ny; ++j) {
        for (int i = 0; i < c.nx; ++i) {
          auto const value = static_cast<float>(random.between(low, high));
          auto const moved = value * (1 + static_cast<long double>(shift * shifts.between(-1, 1)));
          if (plain.air(kind, k, j, i)) values(k, j, i) = moved;
        }
      }
    }
  };
  set(plain.u, Exact::along_u, -3, 3);
  set(plain.v, Exact::along_v, -3, 3);
  set(plain.w, Exact::along_w, -3, 3);
  set(plain.theta, Exact::scalar, 298.7, 300.1);
  set(plain.e, Exact::scalar, 0.05, 0.6);
  plain.settle();
  return plain;
}

/// The core and the plain model at the same state, and the latter near by: how far their results are apart
/// tells what roundings of the state do to them.
struct Pair {
  Eddies core;
  Exact plain, near_by;
  Pair(Named const& n, std::string const& policy)
      : core(text_of(n), policy, Host{}, Assembly::deterministic, n.c.top),
        plain(random_state(n.c, 0)),
        near_by(random_state(n.c, nudge)) {
    Exact::Values* const state[] = {&plain.u, &plain.v, &plain.w, &plain.theta, &plain.e};
    for (int f = 0; f < 5; ++f) {
      if (core.has(prognostic[f])) core.write(prognostic[f], state[f]->owned());
    }
    core.settled();
  }
  /// What `roundings` of each value of the state do to a result.
  static double spread(Exact::Values const& a, Exact::Values const& b, double roundings) {
    return test::distance(a.owned(), b.owned()) * roundings / nudge;
  }
};

class AgainstThePlainModel : public testing::TestWithParam<Named> {};
INSTANTIATE_TEST_SUITE_P(Cases, AgainstThePlainModel, testing::ValuesIn(cases()), [](auto const& info) {
  auto name = info.param.name;
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
});

TEST_P(AgainstThePlainModel, TendenciesAndViscositiesDifferByRounding) {
  auto const& n = GetParam();
  for (auto const* policy : {"fp64", "fp32", "mixed"}) {
    Pair pair(n, policy);
    test::Written written;
    pair.core.core().stages().observe(&written);

    pair.core.step();
    pair.plain.evaluate();
    pair.near_by.evaluate();

    // A tendency is a sum of some 40 terms, each of fewer than ten roundings, whose signs vary. Beyond the
    // lid theta has up to 50: its lapse there is the difference of two temperatures a metre apart.
    auto const eps = test::roundoff_of(policy).state;
    auto const &plain = pair.plain, &near_by = pair.near_by;
    auto const expect = [&](std::string const& name, std::int64_t stage, Exact::Values const& exact,
                            Exact::Values const& moved, long double size) {
      auto const found = written.of(name.c_str(), stage);
      EXPECT_LE(test::distance(found, exact.owned()),
                64 * eps * static_cast<double>(size) + Pair::spread(exact, moved, 64 * eps))
          << name << ' ' << policy;
      EXPECT_GT(test::largest(found), 0) << name;
    };
    expect("stored_u", 1, plain.tu, near_by.tu, plain.terms[0]);
    expect("stored_v", 1, plain.tv, near_by.tv, plain.terms[1]);
    expect("stored_w", 1, plain.tw, near_by.tw, plain.terms[2]);
    expect("stored_theta", 1, plain.ttheta, near_by.ttheta, plain.terms[3]);
    if (pair.core.has("e")) expect("stored_e", 1, plain.te, near_by.te, plain.terms[4]);
    auto const alone = [&](std::string const& name, Exact::Values const& exact, Exact::Values const& moved) {
      expect(name, 0, exact, moved, test::largest(exact.owned()));
    };
    if (n.c.closure == PlainClosure::deardorff || n.c.closure == PlainClosure::smagorinsky) {
      alone("viscosity", plain.km, near_by.km);
      alone("diffusivity", plain.kh, near_by.kh);
    }
    if (n.c.flux_layer) {
      alone("drag", plain.drag, near_by.drag);
      alone("shear", plain.shear, near_by.shear);
      alone("ustar", plain.ustar, near_by.ustar);
      alone("heat_flux", plain.heat, near_by.heat);
      alone("inverse_obukhov_length", plain.inverse_length, near_by.inverse_length);
    }
  }
}

TEST_P(AgainstThePlainModel, AStepDiffersByRounding) {
  auto const& n = GetParam();
  for (auto const* policy : {"fp64", "fp32", "mixed"}) {
    Pair pair(n, policy);

    pair.core.step();
    pair.plain.advance();
    pair.near_by.advance();

    // Three stages, each with the tendencies' error over its part of the step, at most 15/16, and the
    // pressure's: the gradient that it takes off is at most 3 m/s a stage, solved with some hundred
    // roundings.
    auto const eps = test::roundoff_of(policy);
    auto const expect = [&](char const* name, Exact::Values const& exact, Exact::Values const& moved,
                            long double term) {
      auto const size = test::largest(exact.owned()), change = n.c.step * static_cast<double>(term);
      auto const bound = 3 * 64 * (eps.state * (size + change) + eps.solved * 3) +
                         Pair::spread(exact, moved, 64 * std::max(eps.state, eps.solved));
      EXPECT_LE(test::distance(pair.core.values(name), exact.owned()), bound) << name << ' ' << policy;
    };
    expect("u", pair.plain.u, pair.near_by.u, pair.plain.terms[0]);
    expect("v", pair.plain.v, pair.near_by.v, pair.plain.terms[1]);
    expect("w", pair.plain.w, pair.near_by.w, pair.plain.terms[2]);
    expect("theta", pair.plain.theta, pair.near_by.theta, pair.plain.terms[3]);
    if (pair.core.has("e")) expect("e", pair.plain.e, pair.near_by.e, pair.plain.terms[4]);
  }
}

TEST_P(AgainstThePlainModel, HeatFluxAndDivergenceDifferByRounding) {
  auto const& n = GetParam();
  for (auto const* policy : {"fp64", "fp32"}) {
    Pair pair(n, policy);
    auto const eps = test::roundoff_of(policy).state;

    auto const flux = pair.core.values("wtheta");
    auto const divergence = pair.core.values("divergence");
    pair.plain.evaluate();

    for (int k = 0; k < n.c.nz; ++k) {
      for (int j = 0; j < n.c.ny; ++j) {
        for (int i = 0; i < n.c.nx; ++i) {
          auto const at = pair.core.index(k, j, i);
          EXPECT_NEAR(flux[at], static_cast<double>(pair.plain.heat_flux(k, j, i)), 16 * eps * 3 * 300)
              << policy;
          EXPECT_NEAR(divergence[at], static_cast<double>(std::abs(pair.plain.divergence(k, j, i))),
                      16 * eps * 3 / 14)
              << policy;
        }
      }
    }
  }
}

}  // namespace
