// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "core/fem/domain.hpp"

/// Sides that air leaves through. Wind is free there; what enters has the reference's potential temperature
/// and no water; and instead of the equation of continuity their nodes have
///   p - p_ref = rho c (u - u_ref).n,
/// which is what a wave has that leaves along the outward normal n at the speed c. A wave of speed s is
/// reflected with (s - c) / (s + c) of its amplitude; c = 0 keeps the pressure at the reference's.
namespace ulpine::fem {

/// The pressure at open nodes, of the wind as it is now.
template <class T>
struct OpenPressure {
  std::uint8_t const* open;
  T const* normal;  ///< 3 a node, of length 1 at open nodes
  T speed;          ///< c, m s-1
  T const *density, *velocity, *reference;
  T* departure;

  ULPINE_HD void operator()(std::int64_t n) const {
    if (open[n] == 0) return;
    T along = T(0);
    for (int d = 0; d < 3; ++d) {
      auto const i = 3 * n + d;
      along = math::fma(velocity[i] - reference[i], normal[i], along);
    }
    departure[n] = density[n] * speed * along;
  }
};

/// Where a scalar is given: at fixed nodes and where air enters through open ones.
template <class T>
struct Entering {
  std::uint8_t const *open, *fixed;
  T const *normal, *velocity;
  std::uint8_t* given;

  ULPINE_HD void operator()(std::int64_t n) const {
    T along = T(0);
    for (int d = 0; d < 3; ++d) along = math::fma(velocity[3 * n + d], normal[3 * n + d], along);
    given[n] = fixed[n] != 0 || (open[n] != 0 && along < T(0)) ? 1 : 0;
  }
};

/// Mass that leaves through the open sides, a volume of the node's, kg m-3 s-1.
template <class T>
struct OutflowOfMass {
  T const* area;  ///< m2, 3 a node
  T const *density, *u, *v, *w, *volume;
  T* outflow;

  ULPINE_HD void operator()(std::int64_t n) const {
    auto const* const a = area + 3 * n;
    auto const through = math::fma(u[n], a[0], math::fma(v[n], a[1], w[n] * a[2]));
    outflow[n] = density[n] * through / volume[n];
  }
};

/// Open sides: what is given there in each pass, and the mass that leaves.
template <class D>
class OpenSides final : public Part {
  using T = typename D::T;
  template <class V>
  using OfNodes = Array<V, typename D::Executor>;

 public:
  static std::vector<io::CaseKey> keys() {
    return {io::texts_key("boundary.open", "[]", 0, std::numeric_limits<std::size_t>::max(),
                          "sides through which air and gravity waves leave; all sides that are neither fixed "
                          "nor open are walls on which air slips; names of groups of the mesh's boundary; a "
                          "box has inflow (x = 0), outflow, south (y = 0), north, ground and lid"),
            io::quantity_key("boundary.phase_speed", "m s-1", 30, 0, 1000,
                             "speed of the waves that leave through open sides; too slow or too fast, more "
                             "of a wave is reflected")
                .needing("boundary.open")
                .renamed_from("boundary.open_speed")};
  }
  static bool needed(Parameters const& p) { return !p.open_sides.empty(); }

  explicit OpenSides(D& d) : d_{d} {
    outflow_.on_demand([this] {
      d_.for_nodes(OutflowOfMass<T>{values(area_), in(d_.rho), in(d_.u), in(d_.v), in(d_.w), in(d_.volume),
                                    out(outflow_)});
    });
  }

  void declare_stages() override { stage_ = d_.stage("open", "what is given at open sides", 17); }

  void start() override {
    std::vector<std::uint8_t> open, given;
    std::vector<T> normal, area;
    for (std::size_t n = 0; n < d_.setup->fixed.size(); ++n) {
      auto const* const a = &d_.setup->open_area[3 * n];
      auto const size = math::sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
      auto const leaves = size > 0 && d_.setup->fixed[n] == 0;
      open.push_back(leaves);
      given.push_back(leaves || d_.setup->fixed[n] != 0);
      for (std::size_t d = 0; d < 3; ++d) {
        normal.push_back(static_cast<T>(leaves ? a[d] / size : 0));
        area.push_back(static_cast<T>(a[d]));
      }
    }
    open_.from_host(open.data());
    pressure_given_.from_host(given.data());
    scalar_given_.from_host(given.data());
    normal_.from_host(normal.data());
    area_.from_host(area.data());
  }

  void begin_pass() override {
    d_.call(stage_,
            [&] {
              d_.for_nodes(Entering<T>{values(open_), in(d_.fixed), values(normal_), in(d_.advecting),
                                       out(scalar_given_)});
              d_.for_nodes(OpenPressure<T>{values(open_), values(normal_), T(d_.p.open_speed), in(d_.rho),
                                           in(d_.velocity), in(d_.wind_reference), out(d_.departure)});
            },
            {d_.departure});
  }

  std::vector<IntegralDescription> integrals() const override {
    return {{"outflow", "kg s-1", "outflow", "cell_volume"}};
  }

 private:
  template <class V>
  static V const* values(OfNodes<V> const& of) {
    return of.view().data();
  }

  D& d_;
  typename D::Values& outflow_ = d_.at_node("outflow", "kg m-3 s-1");
  FieldOf<std::uint8_t, typename D::Executor>&scalar_given_ =
                                     d_.template values<std::uint8_t>("scalar_given", ""),
                                 &pressure_given_ = d_.template values<std::uint8_t>("pressure_given", "");
  OfNodes<std::uint8_t> open_{d_.executor, d_.nodes};
  OfNodes<T> normal_{d_.executor, 3 * std::int64_t{d_.nodes}}, area_{d_.executor, 3 * std::int64_t{d_.nodes}};
  Stage stage_{};
};

}  // namespace ulpine::fem
