// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/model/model.hpp"

namespace ulpine::ensembles {

/// How a run is made. Wherever configurations are named, in options, ids and tables, their text is
///
///     CONFIGURATION = [DEVICE] [/POLICY] [/ASSEMBLY] {/STAGE=POLICY}       at least one of these
///     DEVICE        = cpu[:THREADS] | mpi:RANKS[:THREADS] | cuda[:ORDINAL][:BLOCK] | cuda:1xRANKS[:BLOCK]
///                   | cuda:1xRANKS+mpi:RANKS
///     POLICY        = fp64 | fp32 | ... | quad | FORMAT, which the host emulates (parse_format): e11m52-sr1
///
/// RANKS processes compute `mpi` together on the host, and `cuda:1x2` on a GPU each; of `cuda:1x2+mpi:3` the
/// first two do so and three more on the host,
/// for instance `cpu/fp64/deterministic`, `cuda:1/fp32/atomic`, `fp32/atomic`, `cpu:2`, `cuda:128` or
/// `fp64/deterministic/seaice.stress=fp32`. A part that is left out is as the command's options say; a POLICY
/// holds for all stages but those named with it. THREADS of the host are 1 to 4096. Of a GPU a number below
/// 32 is its ORDINAL (0 where none is given), one from 32 on the threads of a BLOCK (a multiple of 32, at
/// most 256).
struct Configuration {
  std::string device = "cpu";  ///< "cpu", "cuda" or "cuda:N"
  std::string policy = "fp64";
  Assembly assembly = Assembly::deterministic;
  int size = 0;  ///< threads on the host, threads a block on a GPU; 0: as the command says
  std::vector<StageOverride> stages = {};  ///< in the order of the stages' names
  int ranks = 0;       ///< that compute it together; 0: as the command says, one where it says nothing
  int host_ranks = 0;  ///< the last of them, which do so on the host though `device` is a GPU
  /// Variant of a program, in place of device, policy and assembly. Its text is
  ///
  ///     VARIANT [/cpu:THREADS] [/mpi:RANKS] {/FIELDS=FORMAT}
  ///
  /// where the probe rounds the fields that match STAGE.FIELD (in `stages`, with * and ?) to the format.
  /// `policy` says how the variant's own numbers are rounded, `size` how many cores a run takes.
  std::string variant = {};
  int variant_threads = 0, variant_ranks = 0;  ///< 0: as the command and the case say
  friend bool operator==(Configuration const&, Configuration const&) = default;
};

/// The configuration of that text, the parts that it leaves out taken from `base`; InputError otherwise.
Configuration parse_configuration(std::string const& text, Configuration const& base = {});
/// `base` on the device of that text, a DEVICE as above; InputError otherwise.
Configuration parse_device(std::string const& text, Configuration const& base = {});
/// "cuda:1/fp32/atomic": what parse_configuration() makes the same configuration of, whatever its base.
std::string to_text(Configuration const& configuration);
/// The configuration of that text, of a variant, what it leaves out taken from `base`, which has the variant
/// that the text names; InputError otherwise.
Configuration parse_variant(std::string const& text, Configuration const& base);
/// The device and its size of to_text(): "cpu:2".
std::string device_text(Configuration const& configuration);
/// Name of its assembly; empty for a variant of a program, which has none.
std::string assembly_text(Configuration const& configuration);
/// The rest of to_text(): "fp32/atomic".
std::string policy_text(Configuration const& configuration);
/// `text` of a configuration as part of the name of a folder: "cuda-1-fp32-atomic". Different configurations
/// have different ones.
std::string path_text(std::string text);

/// Whether the configuration's device is a GPU.
bool on_gpu(Configuration const& configuration);
/// The configuration of which model_options() makes these.
Configuration configuration_of(ModelOptions const& options);
/// Options for make_model(); `threads` and `block` apply where the configuration has no size.
ModelOptions model_options(Configuration const& configuration, int threads = 1, int block = 256);

/// The assembly of that name; InputError with the nearest otherwise.
Assembly parse_assembly(std::string const& name);
/// Whether no GPU has the policy of that name: quad and formats.
bool of_host_alone(std::string const& policy);
/// Throws InputError with the nearest name unless `name` is a policy or a format.
void require_policy(std::string const& name);
/// Each "NAME=POLICY", in the order of the names; InputError where one is no such text or a stage is there
/// twice. Whether there are such stages is the core's to say.
std::vector<StageOverride> parse_stages(std::vector<std::string> const& texts);

}  // namespace ulpine::ensembles
