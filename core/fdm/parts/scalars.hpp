// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <string>

#include "core/fdm/domain.hpp"
#include "core/fdm/leap.hpp"
#include "core/fdm/part.hpp"
#include "core/lattice/points.hpp"
#include "core/physics/ranges.hpp"

namespace ulpine::fdm {

/// A filtered leapfrog step of a carried scalar, which stays at or above `least`.
template <class T>
struct LeapScalar {
  T filter, length, least;
  Rows<T const> rate;
  Rows<T> phi, start;
  ULPINE_HD void operator()(std::int32_t i, std::int32_t j, std::int32_t k) const {
    auto const after = math::fma(length, rate(k, j, i), start(k, j, i));
    leap(filter, after < least ? least : after, phi(k, j, i), start(k, j, i));
    // The filter may undershoot.
    if (start(k, j, i) < least) start(k, j, i) = least;
  }
};

/// A filtered leapfrog step of theta' where it is stepped with the sound.
template <class T, class S>
struct LeapTheta {
  T filter;
  Rows<S const> change;
  Rows<T> theta, start;
  ULPINE_HD void operator()(std::int32_t i, std::int32_t j, std::int32_t k) const {
    auto const after = theta(k, j, i) + static_cast<T>(change(k, j, i));
    leap(filter, after, theta(k, j, i), start(k, j, i));
  }
};

/// What the wind carries: theta', in humid air vapour, cloud and rain, and the energy of eddies.
template <class D>
class Scalars final : public Part {
  using T = typename D::T;
  using S = typename D::S;

 public:
  explicit Scalars(D& d) : d_{d} {
    T const none = static_cast<T>(std::numeric_limits<float>::lowest());
    auto const& p = d.p;
    auto theta = d.prognostic("theta", "K", "potential temperature less the base state's", {"z", "y", "x"},
                              physics::theta_departure_range);
    theta.perturbable = Perturbable{};
    carry(std::move(theta), none, p.small_theta);
    auto const water = [&](char const* name, char const* long_name, char const* standard_name) {
      carry(d.prognostic(name, "kg kg-1", long_name, {"z", "y", "x"}, physics::water_range, standard_name),
            none);
    };
    if (p.humid) {
      water("qv", "specific humidity", "specific_humidity");
      water("qc", "cloud water in air", "mass_fraction_of_cloud_liquid_water_in_air");
      water("qr", "rain water in air", "mass_fraction_of_rain_in_air");
    }
    // Eddies keep some energy: they grow in proportion to what there is, so that of none, as it underflows to
    // in stable air (in float within minutes), none would ever come.
    if (p.closure == Closure::energy) {
      carry(d.prognostic("e", "m2 s-2", "energy of sub-grid eddies", {"z", "y", "x"},
                         physics::eddy_energy_range),
            static_cast<T>(p.least_energy));
    }
  }

  void declare_stages() override {
    auto const& p = d_.p;
    for (auto& one : d_.scalars) {
      one.advect = d_.stage("rate_" + one.name, "advection of " + one.long_name, 6);
      if (p.mixes()) one.mix = d_.stage("mixing_" + one.name, "diffusion and filter of " + one.long_name, 2);
      if (p.closure != Closure::none) {
        one.mix_by_eddies =
            d_.stage("eddies_" + one.name, "mixing of " + one.long_name + " by sub-grid eddies", 4);
      }
      one.end = d_.stage(one.name, one.long_name + " after each part of the step, from its rates", 3);
    }
  }

  void start() override {
    auto const& p = d_.p;
    auto const height = [&](auto k, auto j, auto i) { return d_.heights.centre(k, j, i); };
    write_points(*d_.theta, [&](auto k, auto j, auto i) {
      return p.start_theta(d_.base, (p.first_x + i + 0.5) * p.dx, (p.first_y + j + 0.5) * p.dy,
                           height(k, j, i));
    });
    if (p.humid) {
      auto humidity = by_height([&](double z) { return d_.base.humidity(z); });
      write_points(*d_.vapour, [&](auto k, auto j, auto i) { return humidity(height(k, j, i)); });
    }
    if (p.closure == Closure::energy) {
      write_points(d_.scalars.back().now, [&](auto, auto, auto) { return p.start_energy; });
    }
  }

  int last_change(Interval const&) const override { return 1; }
  void end_scalars(Interval const& interval) override {
    for (auto& one : d_.scalars) {
      bool const last = &one == &d_.scalars.back();
      interval.leaps ? leap_one(one, interval, last) : advance(one, interval, last);
    }
  }

 private:
  using Carried = Scalar<T, typename D::Executor>;

  void carry(FieldDescription description, T least, bool steps_with_sound = false) {
    auto const name = description.name, units = description.units, long_name = description.long_name;
    auto const range = description.range;
    auto& now = d_.template add<T>(std::move(description), d_.centre);
    auto& start = d_.add_start_of(name, units.c_str(), d_.centre, range);
    auto& rate = d_.template work<T>("rate_" + name, units + " s-1", d_.centre);
    auto* const mixing =
        d_.p.mixes() ? &d_.template work<T>("mixing_" + name, units + " s-1", d_.centre) : nullptr;
    d_.scalars.push_back({now, start, rate, mixing, name, long_name, least, steps_with_sound});
  }
  static Rows<T const> in(FieldOf<T, typename D::Executor> const& field) { return field.grid(); }

  void advance(Carried& one, Interval const& interval, bool last) {
    if (one.steps_with_sound) {
      run(last, one.end, AddTheta<T, S>{d_.change_theta.in(), one.now.grid()}, {&one.now});
    } else {
      run(last, one.end,
          ScalarAdvance<T>{static_cast<T>(interval.length), one.least, in(one.start), in(one.rate),
                           one.now.grid()},
          {&one.now});
    }
  }
  void leap_one(Carried& one, Interval const& interval, bool last) {
    auto const filter = static_cast<T>(d_.p.asselin);
    if (one.steps_with_sound) {
      run(last, one.end, LeapTheta<T, S>{filter, d_.change_theta.in(), one.now.grid(), one.start.grid()},
          {&one.now, &one.start});
    } else {
      run(last, one.end,
          LeapScalar<T>{filter, static_cast<T>(interval.length), one.least, in(one.rate), one.now.grid(),
                        one.start.grid()},
          {&one.now, &one.start});
    }
  }

  /// Runs a stage that ends the state of one of them, of the last perhaps beside the exchange of halos.
  template <class Kernel>
  void run(bool last, Stage stage, Kernel const& kernel, std::initializer_list<Field const*> writes) {
    last ? d_.run_last(*this, stage, kernel, writes) : d_.run(stage, d_.extent(), kernel, writes);
  }

  D& d_;
};

}  // namespace ulpine::fdm
