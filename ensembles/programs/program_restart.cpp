// SPDX-License-Identifier: Apache-2.0
#include "ensembles/programs/program_restart.hpp"

#include <algorithm>

#include "ensembles/programs/program_case.hpp"
#include "ensembles/programs/program_run.hpp"
#include "ensembles/runs/interrupt.hpp"
#include "ensembles/study/planned_request.hpp"
#include "io/error.hpp"
#include "io/netcdf.hpp"
#include "verification/results/at_rest.hpp"

namespace ulpine::ensembles {
namespace {

namespace fs = std::filesystem;

class RestartOfProgram {
 public:
  explicit RestartOfProgram(RestartRequest const& request) : request_{request} {}

  RestartResult run() {
    auto const case_file = request_.source.load();
    if (read_program(case_file).restart_files.empty()) {
      throw case_file.error(
          "program.restart.files",
          "is missing (nothing says what the program restarts from) name the files that it leaves "
          "for a restart");
    }
    RestartResult result;
    result.spinup = request_.spinup;
    result.until = request_.until;
    result.reference = to_text(request_.reference);
    run_one("spin-up", request_.reference, request_.spinup, false);
    run_one("without a stop", request_.reference, request_.until, false);
    result.reference_hash = run_one("reference", request_.reference, request_.until, true).hash;
    result.restart_exact = same_bits(compare("without a stop", "reference"));
    result.unchanged = verification::ends_as_it_began(io::InputFile(output_of("reference")));
    for (auto const& test : request_.tests) result.tests.push_back(test_of(test));
    return result;
  }

 private:
  fs::path folder_of(std::string const& name) const { return request_.folder / path_text(name); }
  fs::path output_of(std::string const& name) const { return folder_of(name) / "output.nc"; }

  RunRecord run_one(std::string const& name, Configuration const& variant, double until,
                    bool restarted) const {
    stop_where(request_.cancel);
    if (request_.progress) request_.progress(name, {});
    RunRequest request;
    request.source = request_.source;
    take_variant(variant, request_.threads, request);
    request.folder = folder_of(name);
    request.until = until;
    request.cancel = request_.cancel;
    request.overwrite = request_.overwrite;
    if (restarted) {
      request.restart = folder_of("spin-up") / program_folder;
      request.restart_time = request_.spinup;
      request.time_origin = program_time_origin(output_of("spin-up"));
    }
    auto const record = ensembles::run(request);
    if (record.interrupted) throw Interrupted();
    return record;
  }

  /// At the times that both have: without a stop there are those before the restart, too.
  verification::Comparison compare(std::string const& reference, std::string const& test) const {
    return verification::compare(io::InputFile(output_of(reference)), io::InputFile(output_of(test)),
                                 verification::ComparisonOptions{});
  }

  /// Whether all variables of both are the same at all times that both have.
  static bool same_bits(verification::Comparison const& comparison) {
    return comparison.usable() && comparison.only_in_reference.empty() && comparison.only_in_test.empty() &&
           std::ranges::all_of(comparison.variables, [](verification::VariableComparison const& variable) {
             return variable.differing == 0 && variable.compared_times > 0;
           });
  }

  RestartTestResult test_of(Configuration const& configuration) const {
    RestartTestResult test;
    test.configuration = configuration;
    auto const name = to_text(configuration);
    try {
      test.hash = run_one(name, configuration, request_.until, true).hash;
      test.comparison = compare("reference", name);
      test.same_bits = same_bits(test.comparison);
    } catch (RunFailed const& failure) {
      test.failed = failure.what();
    }
    return test;
  }

  RestartRequest const& request_;
};

}  // namespace

RestartResult compare_program_restarts(RestartRequest const& request) {
  return RestartOfProgram(request).run();
}

}  // namespace ulpine::ensembles
