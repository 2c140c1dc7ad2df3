// SPDX-License-Identifier: Apache-2.0
#include "core/les/grid_size.hpp"
#include "core/les/keys.hpp"
#include "core/les/make.hpp"
#include "core/les/register.hpp"
#include "core/model/case_keys.hpp"
#include "core/model/emulated.hpp"
#include "core/model/operations.hpp"

namespace ulpine::les {
namespace {

std::unique_ptr<Model> make_model_of_eddies(io::CaseFile const& case_file, ModelOptions const& options) {
  constexpr double a_cell = 4 * 2 * sizeof(float);  // u, v, w and pressure, and as much to step with
  require_memory_of_grid(case_file, read_grid_size(case_file), a_cell, options);
  auto const setup = read_case(case_file, options.threads);
  return model_in_formats(
      options, case_file,
      [&](auto executor) { return make(executor, options.policy, options.assembly, setup, options.team); },
      [&](EmulatingHost host) { return make(host, setup, options.team); });
}

}  // namespace

void register_core() {
  register_model("les", "Boussinesq large eddies over ground and buildings, FFT pressure solver",
                 make_model_of_eddies, true, R"toml(
[evaluate.w_max]
kind = "extremum"
long_name = "largest |w|"
field = "w"
which = "magnitude"
[evaluate.w_variance]
kind = "power"
long_name = "mean square of w"
field = "w"
[evaluate.friction_velocity]
kind = "mean"
long_name = "mean friction velocity"
field = "ustar"
[evaluate.theta_profile]
kind = "profile"
long_name = "mean potential temperature by height"
field = "theta"
axis = "z"
[evaluate.u_profile]
kind = "profile"
long_name = "mean wind along x by height"
field = "u"
axis = "z"
[evaluate.v_profile]
kind = "profile"
long_name = "mean wind along y by height"
field = "v"
axis = "z"
[evaluate.w_variance_profile]
kind = "profile"
long_name = "variance of w by height"
field = "w"
axis = "z_w"
exponent = 2
[evaluate.heat_flux_profile]
kind = "profile"
long_name = "upward heat flux by height"
field = "wtheta"
axis = "z_w"
[evaluate.w_spectrum]
kind = "spectrum"
long_name = "power spectral density of w"
field = "w"

[figure.w]
kind = "section"
field = "w"
axis = "y"
index = 0
scale = "diverging"
[figure.theta]
kind = "section"
field = "theta"
axis = "y"
index = 0
[figure.w_max]
kind = "series"
statistic = "w_max"
[figure.w_variance]
kind = "series"
statistic = "w_variance"
[figure.theta_profile]
kind = "curve"
curve = "theta_profile"
[figure.w_variance_profile]
kind = "curve"
curve = "w_variance_profile"
[figure.heat_flux_profile]
kind = "curve"
curve = "heat_flux_profile"
[figure.w_spectrum]
kind = "curve"
curve = "w_spectrum"
scale = "log"
)toml");
  register_case_keys("les", case_keys());
  register_on_ranks("les");
  register_counted_core("les", [](io::CaseFile const& case_file, CountingHost host) {
    return make(host, read_case(case_file, host.threads));
  });
}

}  // namespace ulpine::les
