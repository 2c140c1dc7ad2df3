// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "io/error.hpp"
#include "verification/atlas/atlas.hpp"

namespace ulpine::verification {
namespace {

/// A building block that a stage calls, by the words that rows have of it.
struct Block {
  std::string library, words;
};

/// Stages of Ulpine's cores that add in order of arrival where assembly is atomic: on the host and on a GPU.
/// The size of their transforms is not among the facts of a run, so that no row is about those.
struct StageCalls {
  std::string_view stage, on_host, on_gpu;
};
constexpr std::string_view host_atomics = "libgomp atomic additions", card_atomics = "CUDA atomicAdd double";
constexpr std::array stage_calls = {
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

/// What the stage calls, in the words of its attribute `blocks`, or of the table above.
std::string called_by(std::string const& stage, Facts const& run, Facts const& attributes) {
  if (auto const named = value_of(attributes, "blocks"); !named.empty()) return named;
  auto const found = std::ranges::find(stage_calls, stage, &StageCalls::stage);
  if (found == stage_calls.end()) return {};
  return std::string(on_gpu(run) ? found->on_gpu : found->on_host);
}

/// A name of several words may have commas: a block begins where the name of a library does.
std::vector<Block> blocks_of(Atlas const& atlas, std::string_view text) {
  std::vector<Block> blocks;
  while (!text.empty()) {
    auto const end = std::min(text.find(','), text.size());
    auto one = text.substr(0, end);
    one.remove_prefix(std::min(one.find_first_not_of(' '), one.size()));
    if (auto block = block_of(atlas, one); !block.library.empty()) {
      blocks.push_back(std::move(block));
    } else if (!blocks.empty()) {
      blocks.back().words += ", " + std::string(one);
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return blocks;
}

/// A fact that both runs tell otherwise.
struct Change {
  std::string name, first, second;
  bool of_stage = false;
};

std::string words_of(Change const& change) {
  return fmt::format("{} went from {} to {}", change.name, change.first.empty() ? "none" : change.first,
                     change.second.empty() ? "none" : change.second);
}

/// Adds every fact that is told otherwise. The text of a configuration begins with a device, which other
/// facts tell.
void add_changes(std::vector<Change>& changes, Facts const& a, Facts const& b, bool of_stage) {
  auto const told = [](Facts const& facts, std::string const& name) {
    std::string value;  // of a name that is there twice, both
    for (auto const& fact : facts) {
      if (fact.first == name) value += (value.empty() ? "" : " and ") + fact.second;
    }
    if (name == "configuration") value.erase(0, std::min(value.find('/'), value.size()));
    return value;
  };
  auto const add = [&](std::string const& name) {
    if (name == "created") return;
    auto const first = told(a, name), second = told(b, name);
    if (first != second) changes.push_back({name, first, second, of_stage});
  };
  for (auto const& [name, value] : a) add(name);
  for (auto const& [name, value] : b) {
    if (value_of(a, name).empty() && std::ranges::find(changes, name, &Change::name) == changes.end())
      add(name);
  }
}

/// "3.3.10" of "netCDF 4.9.0, FFTW 3.3.10, glibc 2.36".
std::string version_in(std::string_view libraries, std::string const& library) {
  auto const at = libraries.find(library + " ");
  if (at == std::string_view::npos || (at != 0 && libraries[at - 1] != ' ')) return {};
  auto const begin = at + library.size() + 1;
  return std::string(libraries.substr(begin, libraries.find(',', begin) - begin));
}

/// Whether the row is of the version that the runs have, as far as they tell.
bool of_version(AtlasRow const& row, Facts const& run) {
  auto const version = version_in(value_of(run, "libraries"), row.library);
  return version.empty() || version == row.version;
}

bool is_part_of_word(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.';
}

/// Whether the text has the value as whole words; a 1 may be written out.
bool names_value(std::string_view text, std::string_view value) {
  if (value.empty() || value == "default" || value == "none") {
    return text.ends_with("default") || (value == "none" && text == "none");
  }
  for (auto at = text.find(value); at != std::string_view::npos; at = text.find(value, at + 1)) {
    auto const end = at + value.size();
    if ((at == 0 || !is_part_of_word(text[at - 1])) && (end == text.size() || !is_part_of_word(text[end]))) {
      return true;
    }
  }
  return value == "1" && (names_value(text, "one") || names_value(text, "alone"));
}

/// Whether the row's change is the one between both values: one on each side of "against", or both named.
bool is_change_between(AtlasRow const& row, Change const& change) {
  std::string_view const words = row.change;
  constexpr std::string_view divider = " against ";
  auto const at = words.find(divider);
  auto const alike = [&](std::string_view x, std::string_view y) {
    if (at == std::string_view::npos) return names_value(words, x) && names_value(words, y);
    auto const one = words.substr(0, at), other = words.substr(at + divider.size());
    auto const whole = [](std::string_view side, std::string_view value) {
      return side == value || (value.empty() && side.ends_with("default"));
    };
    // Flags have others beside them, which are a change of their own.
    if (row.varied == "flags") return whole(one, x) && whole(other, y);
    return names_value(one, x) && names_value(other, y);
  };
  return alike(change.first, change.second) || alike(change.second, change.first);
}

/// Whether the answer is of the machine of that name; of processors the atlas has family and model behind it.
bool is_of(AtlasAnswer const& answer, std::string const& machine) {
  return answer.machine == machine ||
         (answer.driver.empty() && answer.machine.starts_with(machine + ", family "));
}

/// The answer of a machine, with the driver that is told.
AtlasAnswer const* answer_on(AtlasRow const& row, std::string const& machine, std::string const& driver) {
  auto const found = std::ranges::find_if(row.answers, [&](AtlasAnswer const& answer) {
    return is_of(answer, machine) && (driver.empty() || answer.driver.empty() || answer.driver == driver);
  });
  return found == row.answers.end() ? nullptr : &*found;
}

/// Where the row says that the change gives other numbers: all answers of the machine at hand do where it was
/// measured there, else all that there are.
AtlasAnswer const* other_bits(AtlasRow const& row, std::string const& machine) {
  auto const here =
      std::ranges::any_of(row.answers, [&](auto const& answer) { return is_of(answer, machine); });
  AtlasAnswer const* found = nullptr;
  for (auto const& answer : row.answers) {
    if (here && !is_of(answer, machine)) continue;
    // A distance below 0 stands for NaN.
    if (answer.same || !(answer.ulps >= 0)) return nullptr;
    if (found == nullptr || answer.ulps > found->ulps) found = &answer;
  }
  return found;
}

/// "; Ulpine's own transform keeps them", or nothing where no cure is known.
std::string cure_of(Block const& block, std::string const& varied) {
  auto const found = std::ranges::find_if(cures, [&](Cure const& cure) {
    return cure.library == block.library && (cure.varied.empty() || cure.varied == varied);
  });
  return found == cures.end() ? std::string() : "; " + std::string(found->words);
}

/// What is asked of the atlas.
struct Question {
  Atlas const& atlas;
  Facts const &first, &second;  ///< of both runs
  std::optional<double> ulps;   ///< between both values, where they are at hand
  bool own_stage = false;       ///< known by the table above, not named by the trace
  std::string machine() const { return value_of(first, on_gpu(first) ? "device" : "host_cpu"); }
};

bool is_about(AtlasRow const& row, Block const& block, Question const& asked) {
  return row.library == block.library && row.block == block.words && of_version(row, asked.first) &&
         of_version(row, asked.second);
}

/// The line on a row. Values that are farther apart than the row's are no matter of this change.
std::string line_on(AtlasRow const& row, AtlasAnswer const& answer, Block const& block,
                    std::string const& here, std::string_view check, Question const& asked) {
  if (asked.ulps && !(*asked.ulps <= answer.ulps)) return {};
  auto const near = asked.ulps ? std::string() : ", and whether the values are no farther apart";
  return fmt::format(
      "known of {} {}: {} had other bits, up to {} units in the last place apart ({}; {}); "
      "here {}, which may be why: see whether {}{}{}",
      block.library, row.version, row.block, answer.ulps, row.change, answer.machine, here, check, near,
      cure_of(block, row.varied));
}

/// Of a changed value: the first row on that very change that says other bits.
std::string known_of_value(Block const& block, Change const& change, Question const& asked) {
  for (auto const& row : asked.atlas) {
    if (row.varied != change.name || !is_about(row, block, asked) || !is_change_between(row, change))
      continue;
    auto const* const answer = other_bits(row, asked.machine());
    if (answer == nullptr) continue;
    return line_on(row, *answer, block, words_of(change), "the bits agree without that change", asked);
  }
  return {};
}

bool adds_by_threads(Facts const& run) {
  auto const threads = value_of(run, "threads");
  return on_gpu(run) || (!threads.empty() && threads != "0" && threads != "1");
}

/// The number before " threads" in the name of a block; empty where it names none.
std::string threads_in(std::string_view block) {
  auto const end = block.find(" threads");
  if (end == std::string_view::npos || end == 0) return {};
  auto const before = block.find_last_of(' ', end - 1);
  auto const begin = before == std::string_view::npos ? 0 : before + 1;
  return std::string(block.substr(begin, end - begin));
}

/// Of sums in order of arrival, which may have other bits though nothing has changed but the threads.
std::string known_of_arrival(Block const& block, std::vector<Change> const& changes, Question const& asked) {
  for (auto const* const run : {&asked.first, &asked.second}) {
    if (value_of(*run, "assembly") != "atomic" || !adds_by_threads(*run)) return {};
  }
  for (auto const& row : asked.atlas) {
    if (row.varied != "arrival" || row.library != block.library) continue;
    // Additions of Ulpine's own stages are as many as the mesh says, by as many threads as there are.
    auto const about =
        asked.own_stage ? row.block.starts_with(block.words + ",") : is_about(row, block, asked);
    auto const threads = asked.own_stage || on_gpu(asked.first) ? std::string() : threads_in(row.block);
    if (!about || (!threads.empty() && (value_of(asked.first, "threads") != threads || !changes.empty()))) {
      continue;
    }
    auto const* const answer = other_bits(row, asked.machine());
    if (answer == nullptr) continue;
    auto const here =
        changes.empty() ? std::string("nothing is recorded as changed") : words_of(changes.front());
    return line_on(row, *answer, block, here + ", and it adds in order of arrival",
                   "both runs agree with assembly deterministic", asked);
  }
  return {};
}

/// Rows whose result before the change is made on another machine, or by other means than the block.
bool is_of_another(AtlasRow const& row) { return row.varied == "device" || row.varied == "definition"; }

std::string line_on_results(AtlasRow const& row, Block const& block, Change const& change) {
  return fmt::format(
      "known of {} {}: {} had other bits by that change when it was measured; here {}, which may "
      "be why: see whether the bits agree without that change{}",
      block.library, row.version, row.block, words_of(change), cure_of(block, change.name));
}

/// Of one block and two cards, drivers or processors: whether results of one and the other were measured and
/// have other bits.
std::string known_of_machines(Block const& block, Change const& change, Question const& asked) {
  if (asked.ulps || (change.name != "host_cpu" && (!on_gpu(asked.first) || !on_gpu(asked.second)))) return {};
  auto const machine = [&](Facts const& run) {
    return value_of(run, change.name == "host_cpu" ? "host_cpu" : "device");
  };
  for (auto const& row : asked.atlas) {
    if (is_of_another(row) || !is_about(row, block, asked)) continue;
    auto const* const one = answer_on(row, machine(asked.first), value_of(asked.first, "driver"));
    auto const* const other = answer_on(row, machine(asked.second), value_of(asked.second, "driver"));
    if (one == nullptr || other == nullptr || one->hash.empty() || other->hash.empty()) continue;
    if (one->hash == other->hash) continue;
    return line_on_results(row, block, change);
  }
  return {};
}

/// Whether the texts tell the same but for the version of one library.
bool differ_in_alone(std::string const& first, std::string const& second, std::string const& library) {
  auto const without = [&](std::string text) {
    auto const named = library + " " + version_in(text, library);
    return text.replace(text.find(named), named.size(), library);
  };
  return without(first) == without(second);
}

/// Of one block in two versions: whether results that were measured of both have other bits.
std::string known_of_versions(Block const& block, Change const& change, Question const& asked) {
  auto const first = version_in(change.first, block.library),
             second = version_in(change.second, block.library);
  if (asked.ulps || first.empty() || second.empty()) return {};
  if (!differ_in_alone(change.first, change.second, block.library)) return {};
  auto const is_of_block = [&](AtlasRow const& row) {
    return row.library == block.library && row.block == block.words && !is_of_another(row);
  };
  for (auto const& row : asked.atlas) {
    if (row.version != first || !is_of_block(row)) continue;
    for (auto const& other : asked.atlas) {
      if (other.version != second || !is_of_block(other) || other.varied != row.varied ||
          other.change != row.change) {
        continue;
      }
      for (auto const& answer : row.answers) {
        auto const* const there = answer_on(other, answer.machine, answer.driver);
        if (there == nullptr || answer.hash.empty() || there->hash.empty()) continue;
        if (answer.hash == there->hash) continue;
        return line_on_results(row, block, {block.library, first, second});
      }
    }
  }
  return {};
}

std::string known_of_block(Block const& block, std::vector<Change> const& changes, Question const& asked) {
  if (changes.empty()) return known_of_arrival(block, changes, asked);
  auto const& change = changes.front();
  if (change.of_stage || change.name == "ranks") return known_of_value(block, change, asked);
  if (change.name == "threads") {
    auto line = known_of_value(block, change, asked);
    return line.empty() ? known_of_arrival(block, changes, asked) : line;
  }
  if (change.name == "libraries") return known_of_versions(block, change, asked);
  if (change.name == "device" || change.name == "driver" || change.name == "host_cpu") {
    return known_of_machines(block, change, asked);
  }
  return {};
}

/// What the trace tells of a stage besides its name.
Facts stage_facts(io::Trace const& trace, std::string const& stage) {
  auto const found = std::ranges::find(trace.header.stages, stage, &io::TraceEntry::name);
  return found == trace.header.stages.end() ? Facts{} : found->attributes;
}

}  // namespace

bool adds_in_order_of_arrival(std::string const& core) {
  return std::ranges::any_of(stage_calls,
                             [&](StageCalls const& calls) { return calls.stage.starts_with(core + "."); });
}

std::string known_of(Atlas const& atlas, Divergence const& divergence, MergedTrace const& first,
                     MergedTrace const& second) {
  if (divergence.kind != Divergence::Kind::values) return {};
  return known_of_difference(
      atlas, divergence.stage, first.trace.header.provenance.items(), second.trace.header.provenance.items(),
      stage_facts(first.trace, divergence.stage), stage_facts(second.trace, divergence.stage));
}

std::string known_of_difference(Atlas const& atlas, std::string const& stage, Facts const& first_run,
                                Facts const& second_run, Facts const& first_stage, Facts const& second_stage,
                                std::optional<double> ulps) {
  auto const called = called_by(stage, first_run, first_stage);
  // Where the runs call different libraries, no change of one of them explains the difference.
  if (called.empty() || called != called_by(stage, second_run, second_stage)) return {};
  std::vector<Change> changes;
  add_changes(changes, first_run, second_run, false);
  add_changes(changes, first_stage, second_stage, true);
  // Of two changes none can be told to be the one.
  if (changes.size() > 1) return {};
  auto const own_stage = value_of(first_stage, "blocks").empty();
  Question const asked{atlas, first_run, second_run, ulps, own_stage};
  for (auto const& block : blocks_of(atlas, called)) {
    if (auto const line = known_of_block(block, changes, asked); !line.empty()) return one_line(line);
  }
  return {};
}

}  // namespace ulpine::verification
