// SPDX-License-Identifier: Apache-2.0
#include "ensembles/study/configuration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

#include "core/exec/device.hpp"
#include "io/error.hpp"
#include "io/provenance.hpp"
#include "io/seal.hpp"
#include "precision/format_name.hpp"

namespace ulpine::ensembles {
namespace {

/// A number after `cuda:` that is smaller names a GPU, all others a size of blocks, which are whole warps.
constexpr int least_block = 32;
constexpr int most_block = 256;
constexpr int most_ranks = 1 << 20;

std::vector<std::string> policies() {
  std::vector<std::string> names;
  for (auto const* name = policy_names(); *name != nullptr; ++name) names.emplace_back(*name);
  return names;
}

std::vector<std::string> split(std::string const& text, char separator) {
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin <= text.size();) {
    auto const end = std::min(text.find(separator, begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

std::optional<int> whole_number(std::string const& text) {
  auto number = -1;
  auto const* const end = text.data() + text.size();
  auto const [rest, error] = std::from_chars(text.data(), end, number);
  return error == std::errc{} && rest == end && number >= 0 ? std::optional(number) : std::nullopt;
}

void take_device(std::string const& text, Configuration& configuration) {
  auto const refuse = [&](std::string const& why) {
    throw InputError(fmt::format(
        "'{}' is no device ({}) write cpu, cpu:THREADS, mpi:RANKS, mpi:RANKS:THREADS, cuda, cuda:ORDINAL, "
        "cuda:BLOCK, cuda:ORDINAL:BLOCK, cuda:1xRANKS or cuda:1xRANKS+mpi:RANKS",
        text, why));
  };
  auto const plus = std::min(text.find('+'), text.size());
  auto words = split(text.substr(0, plus), ':');
  configuration.ranks = configuration.host_ranks = 0;
  auto const take_ranks = [&](std::string const& word) {
    auto const ranks = whole_number(word);
    if (!ranks || *ranks < 1 || *ranks > most_ranks)
      refuse(fmt::format("1 to {} ranks are possible", most_ranks));
    configuration.ranks = *ranks;
    words.erase(words.begin() + 1);
  };
  if (words.front() == "mpi") {
    if (words.size() == 1) refuse("mpi needs the number of ranks");
    take_ranks(words[1]);
    words.front() = "cpu";
  } else if (words.front() == "cuda" && words.size() > 1 && words[1].starts_with("1x")) {
    take_ranks(words[1].substr(2));
  }
  if (plus < text.size()) {
    Configuration others;
    auto const rest = text.substr(plus + 1);
    if (!rest.starts_with("mpi:") || words.front() != "cuda" || words.size() > 1 || configuration.ranks == 0)
      refuse("GPUs' ranks and the host's are cuda:1xRANKS+mpi:RANKS, without other numbers");
    take_device(rest, others);
    if (others.size > 0) refuse("the host's ranks beside GPUs take --threads");
    configuration.host_ranks = others.ranks;
    configuration.ranks += others.ranks;
  }
  std::vector<int> numbers;
  for (auto word = words.begin() + 1; word != words.end(); ++word) {
    auto const number = whole_number(*word);
    if (!number) {
      refuse(fmt::format("'{}' is no whole number", *word));
    }
    numbers.push_back(*number);
  }
  configuration.size = 0;
  configuration.device = words.front();
  if (words.front() == "cpu") {
    if (numbers.size() > 1) {
      refuse("the host has one number, of threads");
    }
    if (!numbers.empty() && (numbers[0] < 1 || numbers[0] > most_threads)) {
      refuse(fmt::format("1 to {} threads are possible", most_threads));
    }
    configuration.size = numbers.empty() ? 0 : numbers[0];
    return;
  }
  if (!numbers.empty() && numbers.front() < least_block) {
    configuration.device += numbers.front() == 0 ? "" : fmt::format(":{}", numbers.front());
    numbers.erase(numbers.begin());
  }
  if (numbers.size() > 1) {
    refuse("a GPU has two numbers, its ordinal below 32 and the threads a block");
  }
  if (!numbers.empty()) {
    configuration.size = numbers[0];
    if (configuration.size < least_block || configuration.size > most_block ||
        configuration.size % least_block != 0) {
      refuse("threads a block are a multiple of 32 up to 256");
    }
  }
}

bool is_device(std::string const& word) {
  auto const head = word.substr(0, word.find(':'));
  return head == "cpu" || head == "mpi" || head == "cuda";
}

enum class Part { device, policy, assembly, stage };

/// The part of a configuration that a word between slashes names; InputError where it names none.
Part part_of(std::string const& word, std::string const& text) {
  if (word.find('=') != std::string::npos) {
    return Part::stage;
  }
  if (is_device(word)) {
    return Part::device;
  }
  auto known = policies();
  if (std::find(known.begin(), known.end(), word) != known.end() || parse_format(word)) {
    return Part::policy;
  }
  for (auto const assembly : {Assembly::deterministic, Assembly::atomic}) {
    if (word == name_of(assembly)) {
      return Part::assembly;
    }
    known.emplace_back(name_of(assembly));
  }
  known.insert(known.begin(), {"cpu", "mpi", "cuda"});
  throw InputError(
      fmt::format("configuration '{}': unknown part '{}'{}", text, word, choices_hint(word, known)));
}

StageOverride parse_stage(std::string const& text) {
  auto const equals = text.find('=');
  auto const stage = text.substr(0, equals);
  constexpr auto plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.";
  if (equals == std::string::npos || stage.empty() || stage.find_first_not_of(plain) != std::string::npos) {
    throw InputError("'" + text +
                     "' gives no stage a policy (NAME=POLICY is needed) write e.g. seaice.stress=fp32");
  }
  auto const policy = text.substr(equals + 1);
  require_policy(policy);
  return {stage, policy};
}

std::string variant_text(Configuration const& configuration) {
  auto text = configuration.variant;
  if (configuration.variant_threads > 0) text += fmt::format("/cpu:{}", configuration.variant_threads);
  if (configuration.variant_ranks > 0) text += fmt::format("/mpi:{}", configuration.variant_ranks);
  for (auto const& [fields, format] : configuration.stages) text += fmt::format("/{}={}", fields, format);
  return text;
}

}  // namespace

Configuration parse_variant(std::string const& text, Configuration const& base) {
  auto configuration = base;
  auto const refuse = [&](std::string const& word, std::string const& why) {
    throw InputError(fmt::format(
        "variant '{}': '{}' {} write VARIANT[/cpu:THREADS][/mpi:RANKS]{{/FIELDS=FORMAT}}", text, word, why));
  };
  auto const number = [&](std::string const& word, int most) {
    auto const value = whole_number(word.substr(4));
    if (!value || *value < 1 || *value > most) refuse(word, fmt::format("has no number from 1 to {}", most));
    return *value;
  };
  auto const words = split(text, '/');
  for (auto word = words.begin() + 1; word != words.end(); ++word) {
    auto const equals = word->rfind('=');
    if (word->starts_with("cpu:")) {
      configuration.variant_threads = number(*word, most_threads);
    } else if (word->starts_with("mpi:")) {
      configuration.variant_ranks = number(*word, most_ranks);
    } else if (equals == std::string::npos || equals == 0 || !parse_format(word->substr(equals + 1))) {
      refuse(*word, "is neither a place nor fields with a format (as u=e8m23)");
    } else {
      configuration.stages.push_back({word->substr(0, equals), word->substr(equals + 1)});
    }
  }
  return configuration;
}

Configuration parse_configuration(std::string const& text, Configuration const& base) {
  auto configuration = base;
  std::optional<Part> last;
  std::vector<std::string> stages;
  for (auto const& word : split(text, '/')) {
    auto const part = part_of(word, text);
    if (last && (part < *last || (part == *last && part != Part::stage))) {
      throw InputError(
          fmt::format("configuration '{}': '{}' stands in the wrong place or is one too many "
                      "(DEVICE/POLICY/ASSEMBLY/STAGE=POLICY is the order) write e.g. "
                      "cuda:1/fp32/atomic",
                      text, word));
    }
    last = part;
    switch (part) {
      case Part::device:
        take_device(word, configuration);
        break;
      case Part::policy:
        configuration.policy = word;
        configuration.stages.clear();
        break;
      case Part::assembly:
        configuration.assembly = parse_assembly(word);
        break;
      case Part::stage:
        stages.push_back(word);
    }
  }
  if (!stages.empty()) {
    configuration.stages = parse_stages(stages);
  }
  return configuration;
}

Configuration parse_device(std::string const& text, Configuration const& base) {
  if (!is_device(text)) {
    throw InputError("unknown device '" + text +
                     "' (known are cpu, mpi:N, cuda and cuda:N) see `ulpine info` for the devices");
  }
  auto configuration = base;
  take_device(text, configuration);
  return configuration;
}

std::string device_text(Configuration const& configuration) {
  if (!configuration.variant.empty()) return "cpu";
  auto device = configuration.device;
  if (configuration.ranks > 0) {
    auto const first = configuration.ranks - configuration.host_ranks;
    device = (on_gpu(configuration) ? "cuda:1x" : "mpi:") + std::to_string(first);
    if (configuration.host_ranks > 0) device += "+mpi:" + std::to_string(configuration.host_ranks);
  }
  return configuration.size == 0 ? device : fmt::format("{}:{}", device, configuration.size);
}

std::string policy_text(Configuration const& configuration) {
  if (!configuration.variant.empty()) return variant_text(configuration);
  auto text = fmt::format("{}/{}", configuration.policy, name_of(configuration.assembly));
  for (auto const& [stage, policy] : configuration.stages) {
    text += fmt::format("/{}={}", stage, policy);
  }
  return text;
}

std::string assembly_text(Configuration const& configuration) {
  return configuration.variant.empty() ? name_of(configuration.assembly) : "";
}

std::string to_text(Configuration const& configuration) {
  if (!configuration.variant.empty()) return variant_text(configuration);
  return device_text(configuration) + "/" + policy_text(configuration);
}

std::string path_text(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char letter) { return letter == '/' || letter == ':' || letter == '='; },
      '-');
  std::replace_if(
      text.begin(), text.end(), [](char letter) { return letter == '*' || letter == '?'; }, '+');
  constexpr std::size_t longest = 150;  // file systems take 255 bytes, of which a shell's user sees some 100
  if (text.size() > longest) {
    io::StreamHash hash;
    hash.add(text);
    text = text.substr(0, longest - 17) + "-" + io::hex(hash.value());
  }
  return text;
}

bool on_gpu(Configuration const& configuration) { return device_ordinal(configuration.device) >= 0; }

Configuration configuration_of(ModelOptions const& options) {
  auto const size = device_ordinal(options.device) >= 0 ? options.block : options.threads;
  return {options.device,    options.policy,
          options.assembly,  options.host_ranks > 0 ? 0 : size,
          options.stages,    options.ranks > 1 ? options.ranks : 0,
          options.host_ranks};
}

ModelOptions model_options(Configuration const& configuration, int threads, int block) {
  ModelOptions options{configuration.policy, configuration.assembly, configuration.device, threads, block,
                       configuration.stages};
  options.ranks = std::max(1, configuration.ranks);
  options.host_ranks = configuration.host_ranks;
  if (configuration.size > 0) {
    (on_gpu(configuration) ? options.block : options.threads) = configuration.size;
  }
  return options;
}

Assembly parse_assembly(std::string const& name) {
  for (auto const assembly : {Assembly::atomic, Assembly::deterministic}) {
    if (name == name_of(assembly)) {
      return assembly;
    }
  }
  throw InputError("unknown assembly '" + name + "'" + choices_hint(name, {"deterministic", "atomic"}));
}

bool of_host_alone(std::string const& policy) {
  auto const* const row = find_policy(policy);
  return (row != nullptr && row->runs == Runs::on_host) || parse_format(policy);
}

void require_policy(std::string const& name) {
  if (parse_format(name)) return;
  auto const known = policies();
  if (std::find(known.begin(), known.end(), name) == known.end()) {
    throw InputError("unknown policy '" + name + "'" + choices_hint(name, known));
  }
}

std::vector<StageOverride> parse_stages(std::vector<std::string> const& texts) {
  std::vector<StageOverride> stages;
  std::transform(texts.begin(), texts.end(), std::back_inserter(stages), parse_stage);
  std::sort(stages.begin(), stages.end(),
            [](StageOverride const& a, StageOverride const& b) { return a.stage < b.stage; });
  auto const twice =
      std::adjacent_find(stages.begin(), stages.end(),
                         [](StageOverride const& a, StageOverride const& b) { return a.stage == b.stage; });
  if (twice != stages.end()) {
    throw InputError("stage " + twice->stage +
                     " is given two policies (one of them would be lost) name it once");
  }
  return stages;
}

}  // namespace ulpine::ensembles
