// SPDX-License-Identifier: Apache-2.0
#include "core/les/make.hpp"
#include "core/les/register.hpp"

namespace ulpine::les {
namespace {

std::unique_ptr<Model> make_model_of_eddies(io::CaseFile const& case_file, ModelOptions const& options) {
  auto const setup = read_case(case_file);
  return model_on(options, case_file,
                  [&](auto executor) { return make(executor, options.policy, options.assembly, setup); });
}

}  // namespace

void register_core() {
  register_model("les", "Boussinesq large eddies over ground and buildings, FFT pressure solver",
                 make_model_of_eddies, false, R"toml(
[evaluate.w_max]
kind = "extremum"
long_name = "largest |w|"
field = "w"
which = "magnitude"
[figure.w]
kind = "section"
field = "w"
axis = "y"
index = 0
)toml");
}

}  // namespace ulpine::les
