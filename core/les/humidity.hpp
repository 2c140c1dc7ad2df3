// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/field/table.hpp"
#include "core/field/values.hpp"
#include "core/les/moisture.hpp"
#include "core/les/parameters.hpp"
#include "core/physics/ranges.hpp"
#include "core/stage/runner.hpp"

namespace ulpine::les {

/// Fields and stages of a core whose air has humidity. add_stage(StageDescription) makes a stage known.
template <class T, class Executor>
class Humidity {
  using Values = FieldOf<T, Executor>;

 public:
  template <class AddStage>
  Humidity(Executor executor, FieldTable& fields, Parameters const& p, Field const* air,
           Layout const& with_halo, Layout const& dense, Layout const& flat, AddStage const& add_stage)
      : q{fields.add<T>(executor,
                        {.name = "q",
                         .units = "kg kg-1",
                         .long_name = "specific humidity",
                         .standard_name = "specific_humidity",
                         .role = FieldRole::prognostic,
                         .dimensions = {"z", "y", "x"},
                         .output = true,
                         .domain = air,
                         .range = physics::water_range},
                        with_halo)},
        flux{fields.add<T>(executor,
                           {.name = "moisture_flux",
                            .units = "kg kg-1 m s-1",
                            .long_name = "upward flux of humidity at the ground",
                            .role = FieldRole::diagnostic,
                            .dimensions = {"y", "x"},
                            .output = true},
                           flat)},
        stored{fields.add<T>(executor, {.name = "stored_q", .units = "kg kg-1 s-1"}, dense)},
        theta_v{fields.add<T>(executor, {.name = "theta_v", .units = "K"}, with_halo)},
        buoyancy_flux{fields.add<T>(executor, {.name = "buoyancy_flux", .units = "K m s-1"}, flat)},
        buoyancy{add_stage(
            moving(3, "les.buoyancy", "virtual potential temperature, which buoyancy depends on", p))},
        tendency{add_stage(moving(7, "les.tendency_q", "advection and diffusion of humidity", p))},
        carry{add_stage(moving(3, "les.q", "Runge-Kutta stage of the humidity", p))} {
    for_each(executor, flat.allocated(), Fill<T>{static_cast<T>(p.moisture_flux), flux.view().data()});
  }

  Values &q, &flux;  ///< flux: upward, at the lowest face of each column
  Values &stored, &theta_v, &buoyancy_flux;
  Stage buoyancy, tendency, carry;

 private:
  /// A stage that moves so many values a cell.
  static StageDescription moving(double values, char const* name, char const* doc, Parameters const& p) {
    return {name, doc, values * sizeof(T) * p.cells(), Guarantee::bitwise};
  }
};

}  // namespace ulpine::les
