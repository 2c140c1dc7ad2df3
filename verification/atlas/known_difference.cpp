// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "verification/atlas/atlas.hpp"

namespace ulpine::verification {
namespace {

/// A building block that a stage calls: rows of the library whose block begins with these words, all where
/// there are none.
struct Block {
  std::string library, words;
};

/// What stages of Ulpine's cores call where contributions are not assembled in a fixed order: on the host and
/// on a GPU.
struct StageCalls {
  std::string_view stage, on_host, on_gpu;
};
constexpr std::string_view host_atomics = "libgomp atomic additions", card_atomics = "CUDA atomicAdd double";
constexpr std::array stage_calls = {
    StageCalls{"les.pressure.forward_fft", "FFTW", "cuFFT"},
    StageCalls{"les.pressure.inverse_fft", "FFTW", "cuFFT"},
    StageCalls{"fem.scalar.matrix", host_atomics, card_atomics},
    StageCalls{"fem.momentum.matrix", host_atomics, card_atomics},
    StageCalls{"fem.divergence", host_atomics, card_atomics},
    StageCalls{"fem.projection", host_atomics, card_atomics},
    StageCalls{"seaice.advect.edges", host_atomics, card_atomics},
    StageCalls{"seaice.nodal", host_atomics, card_atomics},
    StageCalls{"seaice.divergence", host_atomics, card_atomics},
};

/// What keeps the bits where a library does not, by the words that its name begins with.
struct Cure {
  std::string_view library, varied, words;
};
constexpr std::array cures = {
    Cure{"cuFFT", "",
         "Ulpine's own transform keeps them (assembly deterministic, or make_portable_transform)"},
    Cure{"FFTW", "",
         "Ulpine's own transform keeps them (assembly deterministic, or make_portable_transform)"},
    Cure{"CUDA", "arrival", "assembly deterministic keeps them, or sums by Reducer"},
    Cure{"CUDA", "device", "Ulpine's elementary functions keep them (precision/elementary.hpp)"},
    Cure{"CUDA", "flags", "-fmad=false and Ulpine's elementary functions keep them"},
    Cure{"libgomp", "", "assembly deterministic keeps them, or sums by Reducer"},
    Cure{"cuBLAS", "workspace", "one workspace for all runs keeps them (cublasSetWorkspace)"},
    Cure{"cuBLAS", "math_mode", "one math mode for all runs keeps them (cublasSetMathMode)"},
    Cure{"cuBLAS", "stream", "a handle and a workspace for each stream keep them"},
    Cure{"cuBLAS", "atomics", "CUBLAS_ATOMICS_NOT_ALLOWED keeps them"},
    Cure{"cuBLAS", "arrival", "CUBLAS_ATOMICS_NOT_ALLOWED keeps them"},
    Cure{"cuSPARSE", "arrival", "CUSPARSE_SPMV_CSR_ALG2 without a transpose keeps them"},
    Cure{"CUB", "alignment", "arrays of one alignment keep them, or sums by Reducer"},
    Cure{"CUB", "", "sums by Reducer keep them"},
    Cure{"Thrust", "", "sums by Reducer keep them"},
    Cure{"glibc", "", "Ulpine's elementary functions keep them (precision/elementary.hpp)"},
    Cure{"libmvec", "", "Ulpine's elementary functions keep them (precision/elementary.hpp)"},
    Cure{"NCCL", "", "sums by Reducer keep them for any number of ranks"},
    Cure{"Open MPI", "", "sums by Reducer keep them for any number of ranks"},
    Cure{"PETSc", "", "Ulpine's own solver keeps them (assembly deterministic)"},
};

std::string value_of(Facts const& facts, std::string_view name) {
  auto const found =
      std::ranges::find(facts, name, [](auto const& fact) { return std::string_view(fact.first); });
  return found == facts.end() ? std::string() : found->second;
}

bool on_gpu(Facts const& run) {
  auto const device = value_of(run, "device");
  return !device.empty() && device != "cpu";
}

/// "cuFFT Z2Z 997" by the libraries that the atlas knows, of which a name may have several words.
Block block_of(Atlas const& atlas, std::string_view text) {
  Block block;
  for (auto const& row : atlas) {
    auto const whole = text.starts_with(row.library) &&
                       (text.size() == row.library.size() || text[row.library.size()] == ' ');
    if (whole && row.library.size() > block.library.size()) block.library = row.library;
  }
  if (!block.library.empty() && text.size() > block.library.size())
    block.words = text.substr(block.library.size() + 1);
  return block;
}

/// What the stage calls, in the words of its attribute `blocks`, or of the table above; of one thread nothing
/// arrives in another order.
std::string called_by(std::string const& stage, Facts const& run, Facts const& attributes, bool threads) {
  if (auto const named = value_of(attributes, "blocks"); !named.empty()) return named;
  auto const found = std::ranges::find(stage_calls, stage, &StageCalls::stage);
  if (found == stage_calls.end() || value_of(run, "assembly") != "atomic") return {};
  auto const called = on_gpu(run) ? found->on_gpu : found->on_host;
  return called == host_atomics && !threads ? std::string() : std::string(called);
}

std::vector<Block> blocks_of(Atlas const& atlas, std::string_view text) {
  std::vector<Block> blocks;
  while (!text.empty()) {
    auto const end = std::min(text.find(','), text.size());
    auto one = text.substr(0, end);
    one.remove_prefix(std::min(one.find_first_not_of(' '), one.size()));
    if (auto block = block_of(atlas, one); !block.library.empty()) blocks.push_back(std::move(block));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return blocks;
}

/// A recorded change: the words of rows that are about it, and how a line tells of it.
struct Change {
  std::vector<std::string> varied;
  std::string words;
  std::string first, second;  ///< both values
};

std::string from_to(std::string_view what, std::string const& a, std::string const& b) {
  return fmt::format("{} went from {} to {}", what, a.empty() ? "none" : a, b.empty() ? "none" : b);
}

/// Changes of what a run is made with, the one that explains most first.
std::vector<Change> changes_between(Facts const& a, Facts const& b, Facts const& stage_a,
                                    Facts const& stage_b) {
  std::vector<Change> changes;
  auto const add = [&](Facts const& x, Facts const& y, std::string const& name,
                       std::vector<std::string> varied, std::string_view what) {
    auto const first = value_of(x, name), second = value_of(y, name);
    if (first != second) changes.push_back({std::move(varied), from_to(what, first, second), first, second});
  };
  for (auto const& [name, value] : stage_a) {
    if (name != "blocks") add(stage_a, stage_b, name, {name}, name);
  }
  for (auto const& [name, value] : stage_b) {
    if (name != "blocks" && value_of(stage_a, name).empty()) add(stage_a, stage_b, name, {name}, name);
  }
  add(a, b, "device", {"device"}, "the device");
  // Of several ranks each has other lines in a call, and planes are transformed by lines, then by columns.
  add(a, b, "ranks", {"ranks", "batch", "part", "dimensions"}, "ranks");
  add(a, b, "threads", {"threads"}, "threads");
  add(a, b, "libraries", {"version"}, "libraries");
  add(a, b, "driver", {"compilation"}, "the driver");
  add(a, b, "host_cpu", {"processor"}, "the processor");
  return changes;
}

/// Whether something of the program or the case has changed, which no library explains.
bool program_changed(Facts const& a, Facts const& b) {
  return std::ranges::any_of(
      std::array{"case_hash", "policy", "assembly", "version", "commit", "compiler", "flags", "seed"},
      [&](char const* name) { return value_of(a, name) != value_of(b, name); });
}

/// The answer of the machine of that name; of processors the atlas has family and model behind it.
AtlasAnswer const* answer_on(AtlasRow const& row, std::string const& machine) {
  auto const found = std::ranges::find_if(row.answers, [&](AtlasAnswer const& answer) {
    return answer.machine == machine || (!answer.card && answer.machine.starts_with(machine + ", family "));
  });
  return found == row.answers.end() ? nullptr : &*found;
}

/// Where the row says that the change gives other bits: on the machine at hand where it was measured there,
/// else on any.
AtlasAnswer const* other_bits(AtlasRow const& row, std::string const& machine) {
  if (auto const* const here = answer_on(row, machine)) return here->same ? nullptr : here;
  auto const found = std::ranges::find(row.answers, false, &AtlasAnswer::same);
  return found == row.answers.end() ? nullptr : &*found;
}

bool is_about(AtlasRow const& row, Block const& block) {
  if (row.library != block.library) return false;
  return block.words.empty() || row.block == block.words || row.block.starts_with(block.words + " ") ||
         row.block.starts_with(block.words + ",");
}

/// "; Ulpine's own transform keeps them", or nothing where no cure is known.
std::string cure_of(Block const& block, std::string const& varied) {
  auto const found = std::ranges::find_if(cures, [&](Cure const& cure) {
    return cure.library == block.library && (cure.varied.empty() || cure.varied == varied);
  });
  return found == cures.end() ? std::string() : "; " + std::string(found->words);
}

/// Of one block and two cards: whether results have other bits on one than on the other.
std::string known_of_cards(Atlas const& atlas, Block const& block, Change const& change) {
  auto both = 0, unlike = 0;
  AtlasRow const* example = nullptr;
  for (auto const& row : atlas) {
    if (!is_about(row, block)) continue;
    auto const *const one = answer_on(row, change.first), *const other = answer_on(row, change.second);
    if (one == nullptr || other == nullptr || one->hash.empty() || other->hash.empty()) continue;
    ++both;
    if (one->hash == other->hash) continue;
    ++unlike;
    if (example == nullptr) example = &row;
  }
  if (example == nullptr) return {};
  return fmt::format(
      "known of {} {}: {} has other bits on one of these cards than on the other ({} of {} results); here "
      "{}{}",
      block.library, example->version, example->block, unlike, both, change.words, cure_of(block, "device"));
}

/// Of one block and a change: the first row that says other bits, and how many of how many do.
std::string known_of_change(Atlas const& atlas, Block const& block, Change const& change,
                            std::string const& machine) {
  for (auto const& varied : change.varied) {
    auto asked = 0, unlike = 0;
    AtlasRow const* example = nullptr;
    AtlasAnswer const* answer = nullptr;
    for (auto const& row : atlas) {
      if (row.varied != varied || !is_about(row, block)) continue;
      ++asked;
      auto const* const found = other_bits(row, machine);
      if (found == nullptr) continue;
      ++unlike;
      if (example == nullptr) example = &row, answer = found;
    }
    if (example == nullptr) continue;
    return fmt::format("known of {} {}: {} has other bits by {} ({}, {} of {} such questions); here {}{}",
                       block.library, example->version, example->block, example->change, answer->machine,
                       unlike, asked, change.words, cure_of(block, varied));
  }
  return {};
}

/// "3.3.10" of "netCDF 4.9.0, FFTW 3.3.10, glibc 2.36".
std::string version_in(std::string_view libraries, std::string const& library) {
  auto const at = libraries.find(library + " ");
  if (at == std::string_view::npos || (at != 0 && libraries[at - 1] != ' ')) return {};
  auto const begin = at + library.size() + 1;
  return std::string(libraries.substr(begin, libraries.find(',', begin) - begin));
}

/// Of one block in two versions: whether results that were measured of both have other bits.
std::string known_of_versions(Atlas const& atlas, Block const& block, Change const& change) {
  auto const first = version_in(change.first, block.library),
             second = version_in(change.second, block.library);
  if (first.empty() || second.empty()) return {};
  for (auto const& row : atlas) {
    if (row.version != first || !is_about(row, block)) continue;
    for (auto const& other : atlas) {
      if (other.version != second || other.library != row.library || other.block != row.block ||
          other.varied != row.varied || other.change != row.change) {
        continue;
      }
      for (auto const& answer : row.answers) {
        auto const* const there = answer_on(other, answer.machine);
        if (there == nullptr || answer.hash.empty() || there->hash.empty() || answer.hash == there->hash)
          continue;
        return fmt::format("known of {}: {} has other bits in {} than in {} ({}); here {}{}", block.library,
                           row.block, second, first, answer.machine, from_to("its version", first, second),
                           cure_of(block, "version"));
      }
    }
  }
  return {};
}

/// What the trace tells of a stage besides its name.
Facts stage_facts(io::Trace const& trace, std::string const& stage) {
  auto const found = std::ranges::find(trace.header.stages, stage, &io::TraceEntry::name);
  return found == trace.header.stages.end() ? Facts{} : found->attributes;
}

}  // namespace

std::string known_of(Atlas const& atlas, Divergence const& divergence, MergedTrace const& first,
                     MergedTrace const& second) {
  if (divergence.kind != Divergence::Kind::values) return {};
  return known_of_difference(
      atlas, divergence.stage, first.trace.header.provenance.items(), second.trace.header.provenance.items(),
      stage_facts(first.trace, divergence.stage), stage_facts(second.trace, divergence.stage));
}

std::string known_of_difference(Atlas const& atlas, std::string const& stage, Facts const& first_run,
                                Facts const& second_run, Facts const& first_stage,
                                Facts const& second_stage) {
  if (program_changed(first_run, second_run)) return {};
  auto const threads = value_of(first_run, "threads") != "1" || value_of(second_run, "threads") != "1";
  auto const called = called_by(stage, first_run, first_stage, threads);
  // Where the runs call different libraries, no change of one of them explains the difference.
  if (called.empty() || called != called_by(stage, second_run, second_stage, threads)) return {};
  auto const blocks = blocks_of(atlas, called);
  auto const changes = changes_between(first_run, second_run, first_stage, second_stage);
  auto const gpu = on_gpu(first_run);
  auto const machine = value_of(first_run, gpu ? "device" : "host_cpu");
  for (auto const& block : blocks) {
    for (auto const& change : changes) {
      auto const two_cards = change.varied.front() == "device" && on_gpu(first_run) && on_gpu(second_run);
      auto line = two_cards                            ? known_of_cards(atlas, block, change)
                  : change.varied.front() == "version" ? known_of_versions(atlas, block, change)
                                                       : known_of_change(atlas, block, change, machine);
      if (!line.empty()) return line;
    }
    auto const words = changes.empty() ? "nothing is recorded as changed" : "nothing else need have changed";
    if (auto line = known_of_change(atlas, block, {{"arrival"}, words, {}, {}}, machine); !line.empty()) {
      return line;
    }
  }
  return {};
}

}  // namespace ulpine::verification
