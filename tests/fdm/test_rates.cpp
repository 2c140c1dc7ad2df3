// SPDX-License-Identifier: Apache-2.0
// What the kernels of a step make of smooth fields over hills, against the equations in x, y and z: their
// errors fall with the square of the spacing.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "core/fdm/rates.hpp"
#include "fdm/smooth_air.hpp"
#include "precision/formats.hpp"

namespace {

using namespace ulpine;
using namespace ulpine::fdm;
using test::derivative;
using test::Function;
using test::wave;
using Hills = test::SmoothAir<Terrain>;

using Plain = Products<double, Exact>;
constexpr double gravity = 9.8, per_gamma = 717.0 / 1004;
/// The order is 2; on so coarse grids some of it may be hidden.
constexpr double least = 1.8;

double order_of(std::function<double(Hills&)> const& error) { return test::order_of<Terrain>(error); }

/// All fields that kernels read.
struct Fields {
  Function u = wave(10, 6, 0.3), v = wave(-7, 5, 1.1), w = wave(1, 3, 2.0), p = wave(-60, 400, 0.7),
           theta = wave(1, 4, 2.6), vapour = wave(0.008, 0.003, 1.7), cloud = wave(0.001, 0.002, 0.2),
           rain = wave(0.002, 0.001, 2.9), divergence = wave(0.01, 0.02, 0.9), light = wave(0.98, 0.06, 1.3);
  Function carried(Function const& phi) const {
    return [*this, x = derivative(phi, 0), y = derivative(phi, 1), z = derivative(phi, 2)](double a, double b,
                                                                                           double c) {
      return u(a, b, c) * x(a, b, c) + v(a, b, c) * y(a, b, c) + w(a, b, c) * z(a, b, c);
    };
  }
};
struct Placed {
  Placed(Hills& air, Fields const& f)
      : u{air.field(Place::u, f.u)},
        v{air.field(Place::v, f.v)},
        w{air.field(Place::w, f.w)},
        p{air.field(Place::centre, f.p)},
        theta{air.field(Place::centre, f.theta)},
        vapour{air.field(Place::centre, f.vapour)},
        cloud{air.field(Place::centre, f.cloud)},
        rain{air.field(Place::centre, f.rain)},
        divergence{air.field(Place::centre, f.divergence)},
        light{air.field(Place::centre, f.light)},
        mass_flux{air.field(Place::w, [&](double x, double y, double z) {
          return air.density(z) * (f.w(x, y, z) - f.u(x, y, z) * Hills::slope(0, x, y, z) -
                                   f.v(x, y, z) * Hills::slope(1, x, y, z));
        })} {}
  Wind<double> wind() const { return {u, v, w, mass_flux}; }
  Air<double> dry() const { return {u, v, w, p, theta, {}, {}, {}}; }
  Air<double> moist() const { return {u, v, w, p, theta, vapour, cloud, rain}; }
  Rows<double> u, v, w, p, theta, vapour, cloud, rain, divergence, light, mass_flux;
};
Physics<double> numbers(std::int32_t order) {
  return {gravity, gravity * per_gamma / 2, per_gamma, 1e-3, 3e4, 2e4, order, order};
}

TEST(Rates, MassFluxIsAcrossTheLevels) {
  EXPECT_GT(order_of([](Hills& air) {
              Fields const f;
              Placed const at(air, f);
              auto const flux = air.empty();
              for_each(Host{}, Extent3{air.p.nx, air.p.ny, air.p.nz + 1},
                       VerticalMassFlux<double, Terrain<double>>{air.space.grid, air.space.ground(), at.u,
                                                                 at.v, at.w, flux});
              return air.error(Place::w, flux, [&](double x, double y, double z) {
                return air.density(z) * (f.w(x, y, z) - f.u(x, y, z) * Hills::slope(0, x, y, z) -
                                         f.v(x, y, z) * Hills::slope(1, x, y, z));
              });
            }),
            least);
}

TEST(Rates, OfThetaAreAdvectionAndLift) {
  for (int const order : {2, 4, 5}) {
    EXPECT_GT(order_of([&](Hills& air) {
                Fields const f;
                Placed const at(air, f);
                auto const rate = air.empty(), mixing = air.field(Place::centre, wave(2e-3, 1e-3, 0.4));
                for_each(Host{}, air.extent(),
                         ScalarRate<double, Terrain<double>, Plain>{air.space.grid, air.space.ground(),
                                                                    numbers(order), Plain{}, at.wind(),
                                                                    at.theta, at.w, mixing, rate});
                auto const base = [&](double, double, double z) { return air.base.theta(z); };
                return air.error(Place::centre, rate, [=](double x, double y, double z) {
                  return wave(2e-3, 1e-3, 0.4)(x, y, z) - f.carried(f.theta)(x, y, z) -
                         f.w(x, y, z) * derivative(base, 2)(x, y, z);
                });
              }),
              least)
        << order;
  }
}

/// Both components, of every order.
template <bool of_u>
double order_of_wind(int order, bool still) {
  return order_of([&](Hills& air) {
    Fields f;
    if (still) f.u = f.v = f.w = wave(0, 0, 0);
    Placed const at(air, f);
    auto const rate = air.empty();
    constexpr auto place = of_u ? Place::u : Place::v;
    for_each(Host{}, air.extent(),
             WindRate<double, double, Terrain<double>, Plain, of_u>{air.space.grid,
                                                                    air.space.ground(),
                                                                    numbers(order),
                                                                    Plain{},
                                                                    Rim{true, true},
                                                                    at.wind(),
                                                                    at.dry(),
                                                                    at.divergence,
                                                                    at.light,
                                                                    {},
                                                                    rate});
    auto const pressure = [f](double x, double y, double z) {
      return f.p(x, y, z) - 3e4 * f.divergence(x, y, z);
    };
    return air.error(place, rate, [&, pressure](double x, double y, double z) {
      auto const turned =
          of_u ? 1e-3 * (f.v(x, y, z) - air.base.v(z)) : -1e-3 * (f.u(x, y, z) - air.base.u(z));
      return turned - f.carried(of_u ? f.u : f.v)(x, y, z) -
             f.light(x, y, z) / air.density(z) * derivative(pressure, of_u ? 0 : 1)(x, y, z);
    });
  });
}
TEST(Rates, OfTheWindAreAdvectionPressureAndCoriolis) {
  for (int const order : {2, 4, 5}) {
    EXPECT_GT(order_of_wind<true>(order, false), least) << order;
    EXPECT_GT(order_of_wind<false>(order, false), least) << order;
  }
  EXPECT_GT(order_of_wind<true>(2, true), least);
  EXPECT_GT(order_of_wind<false>(2, true), least);
}

/// Buoyancy (rho_0 - rho) / rho_0 but for the pressure's first order.
double buoyancy(Hills const& air, Fields const& f, double x, double y, double z) {
  auto const warm = f.theta(x, y, z) / air.base.theta(z), pressed = f.p(x, y, z) / air.pressure(z);
  auto const first = warm - per_gamma * pressed;
  // Of (1 + pressed)^(1/gamma) / (1 + warm), by Taylor's series.
  auto const second =
      per_gamma * warm * pressed - warm * warm - per_gamma * (per_gamma - 1) / 2 * pressed * pressed;
  // ARPS: q_v' / (R_d / R_v + q_v) - (q_v' + q_c + q_r) / (1 + q_v).
  auto const humid = air.humidity(z), more = f.vapour(x, y, z) - humid;
  auto const water = more + f.cloud(x, y, z) + f.rain(x, y, z);
  return first + per_gamma * pressed + second + more / (287.0 / 461 + humid) - water / (1 + humid);
}

TEST(Rates, OfWAreAdvectionPressureAndBuoyancy) {
  for (int const order : {2, 4, 5, 0}) {
    EXPECT_GT(order_of([&](Hills& air) {
                Fields f;
                if (order == 0) f.u = f.v = f.w = wave(0, 0, 0);
                Placed const at(air, f);
                auto const rate = air.empty();
                for_each(Host{}, Extent3{air.p.nx, air.p.ny, air.p.nz - 1},
                         VerticalRate<double, double, Terrain<double>, Plain>{air.space.grid,
                                                                              air.space.ground(),
                                                                              numbers(order == 0 ? 2 : order),
                                                                              Plain{},
                                                                              at.wind(),
                                                                              at.moist(),
                                                                              at.dry(),
                                                                              at.divergence,
                                                                              at.light,
                                                                              {},
                                                                              rate});
                auto const damped = [f](double x, double y, double z) {
                  return f.p(x, y, z) - 2e4 * f.divergence(x, y, z);
                };
                return air.error(Place::w, rate, [&, damped](double x, double y, double z) {
                  auto const light = f.light(x, y, z);
                  return -f.carried(f.w)(x, y, z) + light * gravity * buoyancy(air, f, x, y, z) -
                         light / air.density(z) * derivative(damped, 2)(x, y, z) -
                         light * gravity * per_gamma * f.p(x, y, z) / air.pressure(z);
                });
              }),
              least)
        << order;
  }
}

TEST(Rates, OfPressureAreAdvectionAndCompression) {
  // Also in a wind along one axis alone, of p' so large that its advection counts.
  for (int const axis : {-1, 0, 1, 2}) {
    EXPECT_GT(order_of([&](Hills& air) {
                Fields f;
                auto const still = wave(0, 0, 0);
                if (axis >= 0) f.p = wave(-60, 30000, 0.7);
                if (axis == 0) f.v = f.w = still;
                if (axis == 1) f.u = f.w = still;
                if (axis == 2) f.u = f.v = still;
                Placed const at(air, f);
                auto const rate = air.empty();
                for_each(Host{}, air.extent(),
                         PressureRate<double, double, Terrain<double>, Plain>{
                             air.space.grid, air.space.ground(), numbers(4), Plain{}, at.wind(), at.p,
                             at.dry(), rate});
                return air.error(Place::centre, rate, [&](double x, double y, double z) {
                  auto const spreading =
                      derivative(f.u, 0)(x, y, z) + derivative(f.v, 1)(x, y, z) + derivative(f.w, 2)(x, y, z);
                  return -f.carried(f.p)(x, y, z) - air.pressure(z) / per_gamma * spreading +
                         air.density(z) * gravity * f.w(x, y, z);
                });
              }),
              least)
        << axis;
  }
}

TEST(Rates, DivergenceIsThatOfTheMassFlux) {
  EXPECT_GT(order_of([](Hills& air) {
              Fields const f;
              Placed const at(air, f);
              auto const found = air.empty();
              for_each(Host{}, air.extent(),
                       StateDivergence<double, Terrain<double>>{air.space.grid, air.space.ground(), at.dry(),
                                                                found});
              auto const of = [&](Function const& wind) {
                return [&, wind](double x, double y, double z) { return air.density(z) * wind(x, y, z); };
              };
              return air.error(Place::centre, found, [&](double x, double y, double z) {
                return derivative(of(f.u), 0)(x, y, z) + derivative(of(f.v), 1)(x, y, z) +
                       derivative(of(f.w), 2)(x, y, z);
              });
            }),
            least);
}

/// A small step so short that it is explicit: what it changes over its length are the linear equations.
constexpr double moment = 1e-6;

TEST(SmallSteps, ChangeWindByThePressureGradient) {
  EXPECT_GT(order_of([](Hills& air) {
              Fields const f;
              Placed const at(air, f);
              SmallStep<double> const step{1, 0.6, 3e4, 2e4, gravity, gravity * per_gamma / 2};
              auto const u = air.empty(), v = air.empty();
              Deviations<double> const now{u, v, at.w, at.p, {}, at.divergence};
              auto const none = air.empty();
              Rates<double> const rates{none, none, none, none, at.light};
              for_each(Host{}, air.extent(),
                       SoundWind<double, Terrain<double>, true>{
                           air.space.grid, air.space.ground(), step, {true, true}, now, rates});
              for_each(Host{}, air.extent(),
                       SoundWind<double, Terrain<double>, false>{
                           air.space.grid, air.space.ground(), step, {true, true}, now, rates});
              auto const pressure = [f](double x, double y, double z) {
                return f.p(x, y, z) - 3e4 * f.divergence(x, y, z);
              };
              auto const wanted = [&](int axis) {
                return [&, axis](double x, double y, double z) {
                  return -f.light(x, y, z) / air.density(z) * derivative(pressure, axis)(x, y, z);
                };
              };
              for (std::int32_t k = 0; k < air.p.nz; ++k) {
                for (std::int32_t n = 0; n < air.p.ny; ++n) EXPECT_EQ(u(k, n, air.p.nx), u(k, n, 0));
                for (std::int32_t n = 0; n < air.p.nx; ++n) EXPECT_EQ(v(k, air.p.ny, n), v(k, 0, n));
              }
              return air.error(Place::u, u, wanted(0)) + air.error(Place::v, v, wanted(1));
            }),
            least);
}

TEST(SmallSteps, ChangePressureAndWByTheirEquations) {
  for (bool const windy : {false, true}) {
    double orders[2];
    for (int const which : {0, 1}) {
      orders[which] = order_of([&](Hills& air) {
        Fields f;
        if (!windy) f.u = f.v = wave(0, 0, 0);
        // Of p' that w makes, 1e-3 of sound would be more than the wind makes.
        Placed const at(air, f);
        SmallStep<double> const step{moment, 0.5, 0, 2e4, gravity, gravity * per_gamma / 2};
        auto const none = air.empty(), slope = air.empty(), a = air.empty(), b = air.empty(), c = air.empty();
        Deviations<double> const now{at.u, at.v, at.w, at.p, slope, at.divergence};
        Rates<double> const rates{none, none, none, none, at.light};
        for_each(Host{}, Extent3{air.p.nx, air.p.ny, air.p.nz + 1},
                 SoundSlope<double, Terrain<double>>{air.space.grid, air.space.ground(), now});
        ImplicitCoefficients<double, Terrain<double>> const equation{air.space.grid, air.space.ground(), step,
                                                                     at.light};
        for_each(Host{}, Extent2{air.p.nx, air.p.ny},
                 SoundSolve<double, Terrain<double>, FactorSource::fused>{equation, {a, b, c}, now, rates});
        for (std::int32_t n = 0; n < air.p.nx; ++n) EXPECT_EQ(at.w(0, 2, n), -slope(0, 2, n));
        auto const changed = [&](Place place, Rows<double> const& rows, Function const& before) {
          auto const change = air.empty();
          for (std::int32_t k = 0; k < air.p.nz; ++k) {
            for (std::int32_t j = 0; j < air.p.ny; ++j) {
              for (std::int32_t i = 0; i < air.p.nx; ++i) {
                change(k, j, i) = (rows(k, j, i) - air.at(place, k, j, i, before)) / moment;
              }
            }
          }
          return change;
        };
        auto const damped = [f](double x, double y, double z) {
          return f.p(x, y, z) - 2e4 * f.divergence(x, y, z);
        };
        if (which == 0) {
          return air.error(Place::w, changed(Place::w, at.w, f.w), [&](double x, double y, double z) {
            return -f.light(x, y, z) * (derivative(damped, 2)(x, y, z) / air.density(z) +
                                        gravity * per_gamma * f.p(x, y, z) / air.pressure(z));
          });
        }
        return air.error(Place::centre, changed(Place::centre, at.p, f.p), [&](double x, double y, double z) {
          auto const spreading =
              derivative(f.u, 0)(x, y, z) + derivative(f.v, 1)(x, y, z) + derivative(f.w, 2)(x, y, z);
          return air.density(z) * gravity * f.w(x, y, z) - air.pressure(z) / per_gamma * spreading;
        });
      });
    }
    EXPECT_GT(orders[0], least) << "w " << windy;
    EXPECT_GT(orders[1], least) << "p " << windy;
  }
}

TEST(SmallSteps, AreLiftedByTheMeanOfBothCellsAtAFace) {
  // g theta' / theta_0 of theta' that differs from cell to cell, and what the slow rates have.
  Hills air(1);
  auto const warmth = wave(1, 4, 2.6), slow = wave(0.02, 0.01, 0.9);
  auto const theta = air.field(Place::centre, warmth), rate = air.field(Place::w, slow), forced = air.empty();
  for_each(Host{}, Extent3{air.p.nx, air.p.ny, air.p.nz - 1},
           SoundBuoyancy<double, Terrain<double>>{air.space.ground(), gravity, {}, theta, rate, forced});
  for (std::int32_t k = 1; k < air.p.nz; ++k) {
    for (std::int32_t j = 0; j < air.p.ny; ++j) {
      for (std::int32_t i = 0; i < air.p.nx; ++i) {
        auto const lift = [&](std::int32_t cell) {
          return gravity * theta(cell, j, i) / air.base.theta(air.heights.centre(cell, j, i));
        };
        EXPECT_NEAR(forced(k, j, i), rate(k, j, i) + (lift(k - 1) + lift(k)) / 2, 1e-14);
      }
    }
  }
}

TEST(SmallSteps, HaveNoForceAtTheGround) {
  // p' below the ground leaves d p'/dz + rho g p' / (gamma p_0) at face 0 none.
  Hills air(1);
  auto const ground = air.space.ground();
  auto const q = below_ground(air.space.grid, ground, gravity * per_gamma / 2, 100.0, 2, 3);
  auto const weight =
      gravity * per_gamma / 2 * ground.at(Metric::mass, 0, 2, 3) * ground.at(Metric::per_pressure, 0, 2, 3);
  EXPECT_NEAR((100 - q) * air.space.grid.per_dzeta + weight * (100 + q), 0, 1e-15);
  EXPECT_GT(q, 100);
}

TEST(Rates, FollowTheGroundInAnEvenWind) {
  // w(0) is the wind times the mean slope of both sides, to the last bits.
  Hills air(1);
  auto const u = air.field(Place::u, wave(10, 0, 0)), v = air.field(Place::v, wave(-6, 0, 0)),
             w = air.empty();
  for_each(Host{}, Extent2{air.p.nx, air.p.ny},
           GroundWind<double, Terrain<double>>{air.space.grid, air.space.ground(), u, v, w});
  for (std::int32_t j = 1; j < air.p.ny; ++j) {
    for (std::int32_t i = 1; i < air.p.nx; ++i) {
      auto const h = [&](int dj, int di) {
        return Hills::ground_height((i + di + 0.5) * air.p.dx, (j + dj + 0.5) * air.p.dy);
      };
      auto const wanted =
          10 * (h(0, 1) - h(0, -1)) / (2 * air.p.dx) - 6 * (h(1, 0) - h(-1, 0)) / (2 * air.p.dy);
      EXPECT_NEAR(w(0, j, i), wanted, 1e-12);
    }
  }
}

TEST(Rates, ReadNothingBeyondGroundAndLid) {
  EXPECT_EQ(order_across(numbers(5), 0), 2);
  EXPECT_EQ(order_across(numbers(5), 1), 2);
  EXPECT_EQ(order_across(numbers(5), 2), 4);
  EXPECT_EQ(order_across(numbers(5), 3), 5);
  EXPECT_EQ(order_across(numbers(2), 3), 2);
  // Cells have one level of neighbours beyond, w none.
  for (int const order : {4, 5}) {
    Hills air(1);
    Fields const f;
    Placed const at(air, f);
    auto const nan = std::numeric_limits<double>::quiet_NaN();
    for (std::int32_t j = 0; j < air.p.ny; ++j) {
      for (std::int32_t i = 0; i < air.p.nx; ++i) {
        for (std::int32_t n = 1; n <= halo; ++n) {
          at.w(-n, j, i) = at.w(air.p.nz + n, j, i) = nan;
          if (n > 1) at.theta(-n, j, i) = at.theta(air.p.nz + n - 1, j, i) = nan;
        }
      }
    }
    auto const rate = air.empty(), rate_w = air.empty();
    for_each(
        Host{}, air.extent(),
        ScalarRate<double, Terrain<double>, Plain>{
            air.space.grid, air.space.ground(), numbers(order), Plain{}, at.wind(), at.theta, {}, {}, rate});
    for_each(Host{}, Extent3{air.p.nx, air.p.ny, air.p.nz - 1},
             VerticalRate<double, double, Terrain<double>, Plain>{air.space.grid,
                                                                  air.space.ground(),
                                                                  numbers(order),
                                                                  Plain{},
                                                                  at.wind(),
                                                                  at.dry(),
                                                                  at.dry(),
                                                                  at.divergence,
                                                                  {},
                                                                  {},
                                                                  rate_w});
    for (std::int32_t k = 0; k < air.p.nz; ++k) {
      EXPECT_TRUE(std::isfinite(rate(k, 4, 5))) << k;
      EXPECT_TRUE(k == 0 || std::isfinite(rate_w(k, 4, 5))) << k;
    }
  }
}

TEST(Advection, RoundsBothFactorsToTheFormat) {
  // 1 + 2^-12 is 1 in TF32.
  Products<float, Tf32> const products;
  EXPECT_EQ(products(1 + 0x1p-12f, 3.0f), 3.0f);
  EXPECT_EQ(products(3.0f, 1 + 0x1p-12f), 3.0f);
}

}  // namespace
