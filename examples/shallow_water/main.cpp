// SPDX-License-Identifier: Apache-2.0
#include "cli/command.hpp"
#include "core/model/core.hpp"
#include "make.hpp"

using namespace ulpine;

namespace {

std::unique_ptr<Model> make_shallow_water(io::CaseFile const& case_file, ModelOptions const& options) {
  shallow_water::Parameters const parameters(case_file);
  return model_on(options, case_file,
                  [&](auto executor) { return shallow_water::make(parameters, options.policy, executor); });
}

}  // namespace

int main(int argc, char** argv) {
  return command_main(argc, argv, [] {
    register_model("shallow_water", "layers of shallow water on a rotating plane", make_shallow_water);
  });
}
