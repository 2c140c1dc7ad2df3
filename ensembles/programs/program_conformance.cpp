// SPDX-License-Identifier: Apache-2.0
#include "ensembles/programs/program_conformance.hpp"

#include <fmt/format.h>

#include <array>

#include "ensembles/programs/program_case.hpp"
#include "ensembles/programs/program_run.hpp"
#include "ensembles/programs/program_study.hpp"
#include "ensembles/runs/interrupt.hpp"
#include "ensembles/runs/noise.hpp"
#include "ensembles/runs/parallel.hpp"
#include "ensembles/study/plan.hpp"
#include "ensembles/study/planned_request.hpp"
#include "io/error.hpp"
#include "verification/comparison/trace_merge.hpp"
#include "verification/comparison/trace_report.hpp"

namespace ulpine::ensembles {
namespace {

namespace fs = std::filesystem;

class Checking {
 public:
  explicit Checking(VariantsRequest const& request)
      : request_{request}, program_{read_program(request.source.load())} {
    StudyOptions study;
    study.configurations = request.variants;
    if (study.configurations.empty()) study.configurations = {program_.variants.front().name};
    study.members = 0;
    plan_ = make_plan(with_variants(request.source, study));
  }

  std::vector<ConformanceCheck> check() {
    first_ = run(plan_.runs.front(), "first").hash;
    repetition();
    side_by_side();
    if (plan_.runs.size() > 1) configurations();
    if (calls_the_probe()) {
      unwatched();
      if (!program_.noise_fields.empty() && program_.noise == ProgramNoise::probe) planted();
    }
    if (program_.noise != ProgramNoise::none) noise();
    return std::move(checks_);
  }

 private:
  RunRequest request_of(PlannedRun const& planned, std::string const& name) const {
    RunRequest request;
    request.source = request_.source;
    take_variant(planned.configuration, 1, request);
    request.folder = request_.scratch / name;
    request.until = request_.until;
    request.cancel = request_.cancel;
    return request;
  }
  RunRecord run(RunRequest const& request) const {
    stop_where(request_.cancel);
    auto record = ensembles::run(request);
    if (record.interrupted) throw Interrupted();
    return record;
  }
  RunRecord run(PlannedRun const& planned, std::string const& name) const {
    return run(request_of(planned, name));
  }

  void conclude(std::string name, std::string broken) {
    if (request_.progress) request_.progress(name, static_cast<double>(checks_.size() + 1) / 6);
    checks_.push_back({std::move(name), std::move(broken)});
  }

  std::string difference(std::string const& name) const {
    return first_difference_of_outputs(request_.scratch / "first" / "output.nc",
                                       request_.scratch / name / "output.nc");
  }

  void repetition() {
    std::string broken;
    for (auto const* const name : {"second", "third"}) {
      if (run(plan_.runs.front(), name).hash != first_ && broken.empty()) {
        broken = fmt::format("the {} run differs from the first: {}", name, difference(name));
      }
    }
    conclude("repetition", broken);
  }

  void side_by_side() {
    std::array<std::string, 2> hashes;
    parallel_for(hashes.size(), 2, [&](std::size_t i) {
      hashes[i] = run(plan_.runs.front(), fmt::format("beside-{}", i)).hash;
    });
    std::string broken;
    for (std::size_t i = 0; i < hashes.size(); ++i) {
      if (hashes[i] != first_) {
        broken = fmt::format("a run beside another differs from one alone (do they write to one file?): {}",
                             difference(fmt::format("beside-{}", i)));
      }
    }
    conclude("side by side", broken);
  }

  void configurations() {
    std::string broken;
    for (std::size_t i = 1; i < plan_.runs.size(); ++i) {
      auto const name = fmt::format("configuration-{}", i);
      if (run(plan_.runs[i], name).hash == first_ || !broken.empty()) continue;
      broken =
          fmt::format("{} differs from {}: {}", plan_.runs[i].id, plan_.runs.front().id, difference(name));
    }
    conclude("configurations", broken);
  }

  bool calls_the_probe() {
    auto request = request_of(plan_.runs.front(), "watched");
    request.trace = true;
    try {
      watched_ = run(request).hash;
    } catch (RunFailed const&) {
      if (!called_no_probe(read_run(request.folder / "run.json"))) throw;
      return false;
    }
    return true;
  }

  void unwatched() {
    conclude("unwatched", watched_ == first_ ? ""
                                             : "the program's output is another when the probe watches: " +
                                                   difference("watched"));
  }

  verification::MergedTrace trace_of(std::string const& name) const {
    return verification::read_merged_trace(request_.scratch / name / program_folder / "trace.bin");
  }

  void planted() {
    auto request = request_of(plan_.runs.front(), "planted");
    request.trace = true;
    auto const& field = program_.noise_fields.front();
    auto const dot = field.rfind('.');
    request.fault = PlantedFault{dot == std::string::npos ? "*" : field.substr(0, dot),
                                 field.substr(dot == std::string::npos ? 0 : dot + 1),
                                 {},
                                 0};
    run(request);
    auto const found = verification::first_divergence(trace_of("watched"), trace_of("planted"));
    std::string broken;
    if (!found) broken = fmt::format("one unit in the last place of {} leaves no trace", field);
    if (found && found->field != request.fault->field) {
      broken = fmt::format("planted in {}, it is found first at {}", field, verification::describe(*found));
    }
    conclude("planted ulp", broken);
  }

  void noise() {
    constexpr double amplitude = 0x1p-23;
    auto const fields = perturbed_fields(program_, {}, true);
    auto const member = [&](std::uint32_t number, std::string const& name) {
      auto request = request_of(plan_.runs.front(), name);
      request.member = static_cast<int>(number);
      request.epsilon = amplitude;
      for (auto const& field : fields) {
        request.perturbations.push_back({field, {seed_of_noise(1, amplitude), number, amplitude}});
      }
      return run(request).hash;
    };
    auto const zero = member(0, "member-0"), one = member(1, "member-1"), again = member(0, "member-0-again");
    std::string broken;
    if (zero == first_) {
      broken =
          "a member has the output of the run without noise: its noise of 2^-23 does not arrive, or is lost "
          "in "
          "the output's type";
    } else if (zero == one) {
      broken = "two members have the same output: they have the same noise";
    } else if (zero != again) {
      broken = "a member that is run again has another output: " +
               first_difference_of_outputs(request_.scratch / "member-0" / "output.nc",
                                           request_.scratch / "member-0-again" / "output.nc");
    }
    conclude("noise", broken);
  }

  VariantsRequest const& request_;
  ProgramCase const program_;
  StudyPlan plan_;
  std::string first_, watched_;
  std::vector<ConformanceCheck> checks_;
};

}  // namespace

std::vector<ConformanceCheck> check_program(VariantsRequest const& request) {
  return Checking(request).check();
}

}  // namespace ulpine::ensembles
