// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>

#include "core/exec/emulating_host.hpp"
#include "core/model/core.hpp"

/// Runs of a core in emulated formats: all of it, or single stages (docs/explanation/stochastic-rounding.md).
namespace ulpine {

/// Whether the policy of `options`, or that of one of its stages, is a format.
bool names_format(ModelOptions const& options);

/// The formats that `options` name. InputError where they cannot be emulated: on a device, with atomic
/// assembly, and where the run's own policy is neither a format nor fp64.
std::unique_ptr<EmulatedRun> emulated_run(ModelOptions const& options);

/// `core`, which computes in the formats of `run`, as callers on any thread may have it. InputError where
/// there is none, or no stage of a name that `options` give a format.
std::unique_ptr<Core> emulated_core(std::unique_ptr<EmulatedRun> run, std::unique_ptr<Core> core,
                                    ModelOptions const& options);

/// The model of the core that emulate(EmulatingHost) gives, in the formats of `options`.
template <class Emulate>
std::unique_ptr<Model> emulated_model_on(ModelOptions const& options, io::CaseFile const& case_file,
                                         Emulate const& emulate) {
  auto run = emulated_run(options);
  EmulatingHost host{{options.threads}, run.get()};
  run->enter();
  std::unique_ptr<Core> core = emulate(host);
  return model_of(emulated_core(std::move(run), std::move(core), options), case_file, options.policy);
}

/// As model_on(), but what `options` give a format, and single stages whatever they are given, is by
/// emulate(EmulatingHost).
template <class Make, class Emulate>
std::unique_ptr<Model> model_in_formats(ModelOptions const& options, io::CaseFile const& case_file,
                                        Make const& make, Emulate const& emulate) {
  if (names_format(options) || !options.stages.empty()) {
    return emulated_model_on(options, case_file, emulate);
  }
  return model_on(options, case_file, make);
}

}  // namespace ulpine
