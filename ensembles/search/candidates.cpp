// SPDX-License-Identifier: Apache-2.0
#include "ensembles/search/candidates.hpp"

#include <chrono>
#include <exception>
#include <new>
#include <utility>

#include "core/model/not_solved.hpp"
#include "ensembles/runs/interrupt.hpp"
#include "ensembles/runs/parallel.hpp"
#include "ensembles/study/planned_request.hpp"
#include "io/error.hpp"
#include "io/seal.hpp"
#include "io/state.hpp"
#include "io/temporary.hpp"

namespace ulpine::ensembles::search {
namespace {

namespace fs = std::filesystem;

/// A folder's name for a text of any length.
std::string name_of_text(std::string const& text) {
  io::StreamHash hash;
  hash.add(text);
  return io::hex(hash.value());
}

/// Removed at the end in whatever way.
struct TemporaryFolder {
  fs::path path;
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
};

}  // namespace

Candidates::Candidates(Settings settings, ErrorJudge const& judge, Log& log)
    : settings_{std::move(settings)}, judge_{judge}, log_{log} {}

Outcome Candidates::judge_one(Configuration const& configuration) {
  auto const id = policy_text(configuration);
  auto const below = io::temporary_name(fs::path("tried") / name_of_text(id));
  TemporaryFolder const folder{settings_.folder / below};
  RunRequest request;
  request.source = {settings_.folder / settings_.study / "case.toml"};
  request.options = model_options(configuration, settings_.threads);
  if (!configuration.variant.empty()) take_variant(configuration, settings_.threads, request);
  request.folder = folder.path;
  request.id = id;
  request.until = settings_.until;
  request.cancel = settings_.cancel;
  auto const begin = std::chrono::steady_clock::now();
  std::string problem;
  try {
    if (run(request).interrupted) throw Interrupted();
  } catch (Interrupted const&) {
    throw;
  } catch (NotSolved const& failure) {
    problem = failure.what();
  } catch (EnvironmentError const&) {
    throw;
  } catch (std::bad_alloc const&) {
    throw;
  } catch (std::exception const& failure) {
    problem = failure.what();
  }
  auto const wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  auto outcome = judge_.judge({id, fs::path("..") / below, configuration}, problem);
  outcome.problem = problem;
  outcome.wall_s = wall_s;
  return outcome;
}

std::vector<Outcome> Candidates::judge(std::span<Configuration const> configurations) {
  std::vector<Outcome> outcomes(configurations.size());
  parallel_for(configurations.size(), settings_.jobs, [&](std::size_t i) {
    stop_where(settings_.cancel);
    auto const id = policy_text(configurations[i]);
    {
      std::lock_guard const lock(mutex_);
      if (auto const* known = log_.find(id)) {
        outcomes[i] = *known;
        return;
      }
    }
    outcomes[i] = judge_one(configurations[i]);
    std::lock_guard const lock(mutex_);
    log_.add(id, outcomes[i]);
  });
  return outcomes;
}

}  // namespace ulpine::ensembles::search
