// SPDX-License-Identifier: Apache-2.0
#include "cli/command.hpp"
#include "core/exec/device.hpp"
#include "core/model/core.hpp"
#include "make.hpp"

using namespace ulpine;

namespace {

std::unique_ptr<Model> make_model_of(io::CaseFile const& case_file, ModelOptions const& options) {
  shallow_water::Parameters const parameters(case_file);
  auto core = on_executor(options, [&](auto executor) { return shallow_water::make(parameters, options.policy, executor); });
  return model_of(std::move(core), case_file, options.policy);
}

}  // namespace

int main(int argc, char** argv) {
  return command_main(argc, argv, [] {
    register_model("shallow_water", "layers of shallow water on a rotating plane", make_model_of);
  });
}
