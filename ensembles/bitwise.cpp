// SPDX-License-Identifier: Apache-2.0
#include "ensembles/bitwise.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <map>

#include "core/exec/trace.hpp"
#include "io/error.hpp"
#include "io/provenance.hpp"

namespace ulpine::ensembles {
namespace {

/// What a stage left in a field, without the block hashes, which would fill memory in long runs.
struct Output {
  StagePosition position;
  std::uint32_t stage = 0, field = 0;  ///< in Names
  std::int64_t count = 0;
  std::uint64_t hash = 0;
  friend bool operator==(Output const&, Output const&) = default;
};

/// Numbers of names, shared by all runs of a comparison.
class Names {
 public:
  std::uint32_t number(std::string const& name) {
    auto const [entry, added] = numbers_.try_emplace(name, static_cast<std::uint32_t>(names_.size()));
    if (added) {
      names_.push_back(name);
    }
    return entry->second;
  }
  std::string const& name(std::uint32_t number) const { return names_[number]; }

 private:
  std::map<std::string, std::uint32_t> numbers_;
  std::vector<std::string> names_;
};

/// Copies the field of report number `wanted`, counted from 0.
class ReportCapture : public StageObserver {
 public:
  explicit ReportCapture(std::int64_t wanted) : wanted_{wanted} {}

  void stage_done(StagePosition position, char const* stage, char const* field,
                  RawField const& values) override {
    if (reports_++ == wanted_) {
      FieldCapture capture(position, stage, field);
      capture.stage_done(position, stage, field, values);
      bytes_ = capture.bytes();
      bytes_per_value_ = capture.bytes_per_value();
    }
  }
  std::vector<std::byte> const& bytes() const { return bytes_; }
  std::int32_t bytes_per_value() const { return bytes_per_value_; }

 private:
  std::int64_t wanted_, reports_ = 0;
  std::vector<std::byte> bytes_;
  std::int32_t bytes_per_value_ = 0;
};

class Comparison {
 public:
  explicit Comparison(BitwiseRequest const& request) : request_{request} {}

  BitwiseResult run() {
    BitwiseResult result;
    result.policy = request_.policy;
    result.steps = request_.steps;
    std::vector<Output> reference;
    result.identical = true;
    for (std::size_t i = 0; i < request_.configurations.size(); ++i) {
      BitwiseOutcome outcome{request_.configurations[i]};
      auto outputs = traced(i, outcome);
      if (i == 0) {
        reference = std::move(outputs);
        result.core = core_;
      } else if (!interrupted_ && outputs != reference) {
        outcome.divergence = locate(i, reference, outputs);
      }
      if (!interrupted_) {
        untraced(i, outcome);
      }
      if (interrupted_) {
        result.interrupted = true;
        result.identical = false;
        return result;
      }
      auto const& hash = i == 0 ? outcome.traced_hash : result.outcomes.front().traced_hash;
      outcome.equal = !outcome.divergence && outcome.traced_hash == hash && outcome.untraced_hash == hash;
      result.identical = result.identical && outcome.equal;
      result.outcomes.push_back(std::move(outcome));
    }
    return result;
  }

 private:
  std::unique_ptr<Model> model(std::size_t index) {
    auto const& configuration = request_.configurations[index];
    auto const case_file = request_.source.load();
    auto made = make_model(case_file, {request_.policy, request_.assembly, configuration.device,
                                       configuration.threads, configuration.block});
    core_ = made->core();
    if (request_.fault && request_.fault->configuration == static_cast<int>(index)) {
      auto const& fault = *request_.fault;
      made->plant({fault.stage.c_str(), fault.field.c_str(), fault.position, fault.element});
    }
    return made;
  }

  /// Takes `steps` steps, calling `after_step` after each; false where cancelled.
  template <class AfterStep>
  bool advance(Model& model, std::int64_t steps, std::string const& what, AfterStep const& after_step) {
    for (std::int64_t step = 0; step < steps; ++step) {
      if (request_.cancel != nullptr && request_.cancel->load()) {
        interrupted_ = true;
        return false;
      }
      model.advance(1);
      after_step();
      if (request_.progress) {
        request_.progress(what, static_cast<double>(step + 1) / static_cast<double>(steps));
      }
    }
    return true;
  }

  std::vector<Output> traced(std::size_t index, BitwiseOutcome& outcome) {
    auto const& configuration = request_.configurations[index];
    std::vector<StageRecord> records;
    std::vector<Output> outputs;
    auto const watched = model(index);
    auto const recorder = make_trace_recorder(records, configuration.threads);
    watched->observe(recorder.get());
    advance(*watched, request_.steps, configuration.text + " watched", [&] {
      recorder->flush();
      for (auto const& [stage, field, record] : records) {
        outputs.push_back({position_of(record),
                           names_.number(stage),
                           names_.number(field),
                           record.count,
                           record.hash});
      }
      records.clear();
    });
    watched->observe(nullptr);
    outcome.records = static_cast<std::int64_t>(outputs.size());
    outcome.traced_hash = io::hex(watched->state_hash());
    return outputs;
  }

  void untraced(std::size_t index, BitwiseOutcome& outcome) {
    auto const free = model(index);
    advance(*free, request_.steps, request_.configurations[index].text + " unwatched", [] {});
    outcome.untraced_hash = io::hex(free->state_hash());
  }

  /// The values of report `number`, from a second run up to its step.
  ReportCapture repeat(std::size_t index, std::int64_t number, std::int64_t steps) {
    ReportCapture capture(number);
    auto const watched = model(index);
    watched->observe(&capture);
    advance(*watched, steps, request_.configurations[index].text + " repeated", [] {});
    watched->observe(nullptr);
    return capture;
  }

  Divergence locate(std::size_t index, std::vector<Output> const& reference,
                    std::vector<Output> const& outputs) {
    auto const [a, b] = std::mismatch(reference.begin(), reference.end(), outputs.begin(), outputs.end());
    auto const& place = b != outputs.end() ? *b : *a;
    Divergence divergence;
    divergence.position = place.position;
    divergence.stage = names_.name(place.stage);
    divergence.field = names_.name(place.field);
    auto const same_place = a != reference.end() && b != outputs.end() && a->position == b->position &&
                            a->stage == b->stage && a->field == b->field && a->count == b->count;
    if (!same_place) {
      return divergence;
    }
    auto const number = a - reference.begin();
    auto const x = repeat(0, number, place.position.step);
    auto const y = repeat(index, number, place.position.step);
    if (x.bytes_per_value() != y.bytes_per_value() || x.bytes().size() != y.bytes().size()) {
      return divergence;
    }
    compare(divergence, x, y);
    return divergence;
  }

  static void compare(Divergence& divergence, ReportCapture const& x, ReportCapture const& y) {
    auto const width = static_cast<std::size_t>(x.bytes_per_value());
    auto const count = width == 0 ? 0 : x.bytes().size() / width;
    for (std::size_t i = 0; i < count; ++i) {
      auto const* const before = x.bytes().data() + i * width;
      auto const* const after = y.bytes().data() + i * width;
      // All NaN count as one value, as they do in the hashes: processors choose payload and sign differently.
      auto const same = std::memcmp(before, after, width) == 0 ||
                        (std::isnan(number(before, width)) && std::isnan(number(after, width)));
      if (!same && divergence.differing++ == 0) {
        divergence.element = static_cast<std::int64_t>(i);
        divergence.reference = number(before, width);
        divergence.value = number(after, width);
        divergence.reference_bits = bits(before, width);
        divergence.value_bits = bits(after, width);
      }
    }
  }

  static double number(std::byte const* data, std::size_t width) {
    if (width == sizeof(float)) {
      float value;
      std::memcpy(&value, data, width);
      return static_cast<double>(value);
    }
    if (width == sizeof(double)) {
      double value;
      std::memcpy(&value, data, width);
      return value;
    }
    __float128 value;
    std::memcpy(&value, data, width);
    return static_cast<double>(value);
  }

  /// Most significant byte first.
  static std::string bits(std::byte const* data, std::size_t width) {
    std::string text;
    for (auto i = width; i-- > 0;) {
      text += fmt::format("{:02x}", std::to_integer<unsigned>(data[i]));
    }
    return text;
  }

  BitwiseRequest const& request_;
  Names names_;
  std::string core_;
  bool interrupted_ = false;
};

}  // namespace

BitwiseConfiguration parse_bitwise_configuration(std::string const& text) {
  auto const colon = text.rfind(':');
  auto number = 0;
  auto const* const end = text.data() + text.size();
  auto const good =
      colon != std::string::npos &&
      std::from_chars(text.data() + colon + 1, end, number) == std::from_chars_result{end, std::errc{}} &&
      number >= 1;
  auto const device = text.substr(0, colon);
  if (good && device == "cpu") {
    return {text, device, number, 256};
  }
  if (good && device.starts_with("cuda")) {
    return {text, device, 1, number};
  }
  throw InputError("configuration '" + text +
                   "' is none (cpu:THREADS or cuda:BLOCK is needed) write e.g. cpu:2,cuda:128");
}

BitwiseResult compare_bitwise(BitwiseRequest const& request) {
  if (request.configurations.size() < 2) {
    throw InputError(
        "one configuration alone cannot be compared (at least two are needed) write e.g. --configs "
        "cpu:1,cpu:2");
  }
  if (request.steps < 1) {
    throw InputError(fmt::format("steps = {} (at least 1 is needed) give a positive number", request.steps));
  }
  return Comparison(request).run();
}

std::string Divergence::what() const {
  auto text = fmt::format("step {}, ", position.step);
  if (position.substep > 0) {
    text += fmt::format("sub-step {}, ", position.substep);
  }
  text += fmt::format("stage {}, field {}", stage, field);
  if (element < 0) {
    return text + (differing == 0
                       ? ": the runs report different stages there, or differ otherwise when repeated"
                       : "");
  }
  return text + fmt::format(", element {}: {} (0x{}) against {} (0x{}); {} {}", element, reference,
                            reference_bits, value, value_bits, differing,
                            differing == 1 ? "element differs" : "elements differ");
}

std::string table(BitwiseResult const& result) {
  std::size_t width = 13;
  for (auto const& outcome : result.outcomes) {
    width = std::max(width, outcome.configuration.text.size());
  }
  auto text =
      fmt::format("{} in {}, {} steps\n{:<{}}  {:>9}  {:<16}  {:<16}  result\n", result.core, result.policy,
                  result.steps, "configuration", width, "outputs", "watched", "unwatched");
  for (auto const& outcome : result.outcomes) {
    auto const* verdict = &outcome == &result.outcomes.front() ? "reference" : "same bits";
    if (!outcome.equal) {
      verdict = outcome.divergence                             ? "DIFFERENT"
                : outcome.traced_hash != outcome.untraced_hash ? "DIFFERENT when not watched"
                                                               : "DIFFERENT final state";
    }
    text += fmt::format("{:<{}}  {:>9}  {:<16}  {:<16}  {}\n", outcome.configuration.text, width,
                        outcome.records, outcome.traced_hash, outcome.untraced_hash, verdict);
  }
  for (auto const& outcome : result.outcomes) {
    if (outcome.divergence) {
      text += fmt::format("{} parts from {} at {}\n", outcome.configuration.text,
                          result.outcomes.front().configuration.text, outcome.divergence->what());
    }
  }
  return text;
}

}  // namespace ulpine::ensembles
