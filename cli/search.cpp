// SPDX-License-Identifier: Apache-2.0
#include "ensembles/search/search.hpp"

#include <algorithm>
#include <limits>

#include "cli/console.hpp"
#include "cli/html_report.hpp"
#include "cli/output_folder.hpp"
#include "core/exec/threads.hpp"
#include "ensembles/runs/interrupt.hpp"
#include "ensembles/study/lock.hpp"
#include "ensembles/study/progress.hpp"
#include "io/error.hpp"
#include "io/own_files.hpp"
#include "io/temporary.hpp"

namespace ulpine::cli {
namespace {

/// "fp32=out/run/run.json".
std::pair<std::string, std::filesystem::path> parse_costs(std::string const& text) {
  auto const equals = text.find('=');
  if (equals == 0 || equals == std::string::npos || equals + 1 == text.size()) {
    throw InputError("--costs '" + text +
                     "' names no run of a precision (PRECISION=run.json is needed) write e.g. "
                     "fp64=out/run/run.json");
  }
  return {text.substr(0, equals), text.substr(equals + 1)};
}

ensembles::search::Options options_of(SearchOptions const& options) {
  ensembles::search::Options search;
  search.variant = options.variant;
  search.precisions = options.precisions;
  search.policies = options.policies;
  search.stages = options.stages;
  search.within = options.within;
  search.members = options.members;
  search.confirmations = options.confirmations;
  search.seed = options.seed;
  if (!options.until.empty()) search.until = duration_option("--until", options.until);
  for (auto const& text : options.costs) search.costs.push_back(parse_costs(text));
  search.on = options.on;
  search.runs = options.runs;
  if (!options.time.empty()) search.time_s = duration_option("--time", options.time);
  search.threads = options.threads;
  search.jobs = options.jobs > 0 ? options.jobs : std::max(1, threads_or_all(0) / options.threads);
  search.resume = options.resume;
  return search;
}

}  // namespace

int search(SearchOptions const& options) {
  require_case_file(options.case_file);
  auto const wanted = options_of(options);
  require_threads(wanted.threads * wanted.jobs);
  OutputFolder const folder(options.output);
  ensembles::FolderLock const lock(options.output, ensembles::Use::alone);
  io::require_replaceable(options.output / "report.html", io::signatures::page);
  io::remove_temporaries(options.output);
  io::remove_temporaries(options.output / "tried");
  ensembles::ProgressReporter progress(stderr, options.common.quiet);
  ensembles::search::Callbacks callbacks;
  callbacks.cancel = &cancelled();
  callbacks.progress = [&](ensembles::search::Progress const& now) {
    if (!now.event.empty()) progress.note(now.event);
    progress.update(now.fraction, std::numeric_limits<double>::infinity(), now.what);
  };
  try {
    auto const result =
        ensembles::search::search({options.case_file, options.set}, wanted, options.output, callbacks);
    progress.finish();
    auto const problem = write_html_report(options.output);
    ensembles::stop_where(&cancelled());
    print(options.common, ensembles::search::words_of(result));
    print(options.common,
          (options.output / (problem.empty() ? "report.html" : "search.txt")).string() + "\n");
    if (!problem.empty()) complain(problem);
    return result.chosen ? exit_code::done : exit_code::undecided;
  } catch (ensembles::Interrupted const&) {
    progress.finish();
    return interrupted("Go on with the same command and --resume");
  }
}

}  // namespace ulpine::cli
