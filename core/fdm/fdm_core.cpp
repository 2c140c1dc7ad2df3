// SPDX-License-Identifier: Apache-2.0
#include "core/fdm/keys.hpp"
#include "core/fdm/make.hpp"
#include "core/fdm/register.hpp"
#include "core/model/case_keys.hpp"
#include "core/model/emulated.hpp"
#include "core/model/operations.hpp"

namespace ulpine::fdm {
namespace {

std::unique_ptr<Model> make_model_of_air(io::CaseFile const& case_file, ModelOptions const& options) {
  constexpr double a_cell = 5 * 2 * sizeof(float);  // u, v, w, theta and pressure at two times
  require_memory_of_grid(case_file, read_grid_size(case_file), a_cell, options);
  Parameters const parameters(case_file);
  return model_in_formats(
      options, case_file,
      [&](auto executor) {
        return make(executor, options.policy, options.assembly, parameters, options.team);
      },
      [&](EmulatingHost host) { return make(host, parameters, options.team); });
}

}  // namespace

void register_core() {
  register_model("fdm", "compressible air on a staggered grid, split-explicit", make_model_of_air, true,
                 R"toml(
[evaluate.w_max]
kind = "extremum"
long_name = "largest w"
field = "w"
which = "maximum"
[evaluate.theta_min]
kind = "extremum"
long_name = "least theta'"
field = "theta"
which = "minimum"
[evaluate.theta_max]
kind = "extremum"
long_name = "largest theta'"
field = "theta"
which = "maximum"
[evaluate.w_variance]
kind = "power"
long_name = "mean square of w"
field = "w"

[figure.theta]
kind = "section"
field = "theta"
axis = "y"
index = 0
scale = "diverging"
[figure.w]
kind = "section"
field = "w"
axis = "y"
index = 0
scale = "diverging"
[figure.w_max]
kind = "series"
statistic = "w_max"
)toml");
  register_on_ranks("fdm");
  register_counted_core("fdm", [](io::CaseFile const& case_file, CountingHost host) {
    return make(host, Parameters(case_file));
  });
  register_case_keys("fdm", case_keys());
}

}  // namespace ulpine::fdm
