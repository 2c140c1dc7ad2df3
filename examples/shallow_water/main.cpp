// SPDX-License-Identifier: Apache-2.0
#include <ulpine/cli/command.hpp>
#include <ulpine/core/model/core.hpp>
#include "make.hpp"

using namespace ulpine;

namespace {

std::unique_ptr<Model> make_shallow_water(io::CaseFile const& case_file, ModelOptions const& options) {
  shallow_water::Parameters const parameters(case_file);
  return model_on(options, case_file,
                  [&](auto executor) { return shallow_water::make(parameters, options.policy, executor); });
}

/// What of the output is worth judging and drawing; a case may say otherwise.
constexpr char const* judging = R"(
[evaluate.fastest]
kind = "extremum"
long_name = "largest |u|"
field = "u"
which = "magnitude"
[evaluate.enstrophy]
kind = "power"
long_name = "enstrophy"
field = "vorticity"
factor = 0.5
[evaluate.surface_variance]
kind = "power"
long_name = "variance of the surface's height"
field = "surface"
about = "mean"
[evaluate.surface_spectrum]
kind = "spectrum"
long_name = "power spectral density of the surface's height"
field = "surface"
[evaluate.mean_flow]
kind = "profile"
long_name = "mean flow along x"
field = "u"
axis = "y"

[figure.surface]
kind = "map"
field = "surface"
scale = "diverging"
[figure.section]
kind = "section"
field = "u"
axis = "x_u"
index = 0
[figure.enstrophy]
kind = "series"
statistic = "enstrophy"
)";

}  // namespace

int main(int argc, char** argv) {
  return command_main(argc, argv, [] {
    register_model("shallow_water", "layers of shallow water on a rotating plane", make_shallow_water, false,
                   judging);
  });
}
