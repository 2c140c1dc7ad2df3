// SPDX-License-Identifier: Apache-2.0
#include "ensembles/reproducibility/checkpoints.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

#include "ensembles/runs/files.hpp"
#include "io/error.hpp"
#include "io/restart.hpp"
#include "io/temporary.hpp"

namespace ulpine::ensembles {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view prefix = "step-", ending = ".nc";
constexpr char const* log_name = "hashes.bin";

/// N of "step-N.nc"; nothing for another name.
std::optional<std::int64_t> step_of(std::string const& name) {
  if (!name.starts_with(prefix) || !name.ends_with(ending)) return {};
  std::int64_t step = 0;
  auto const* const end = name.data() + name.size() - ending.size();
  auto const [rest, failed] = std::from_chars(name.data() + prefix.size(), end, step);
  if (failed != std::errc{} || rest != end || step < 0) return {};
  return step;
}

fs::path file_of(fs::path const& folder, std::int64_t step) {
  return folder / fmt::format("{}{}{}", prefix, step, ending);
}

/// Steps of the restart files in a folder, ascending.
std::vector<std::int64_t> steps_in(fs::path const& folder) {
  std::vector<std::int64_t> steps;
  std::error_code failed;
  for (auto const& entry : fs::directory_iterator(folder, failed)) {
    if (auto const step = step_of(entry.path().filename().string())) steps.push_back(*step);
  }
  std::ranges::sort(steps);
  return steps;
}

/// Whether the log is one of the run that is going on: of the same build, case and way of running.
bool is_of(io::HashLog const& log, io::HashLogAttributes const& attributes) {
  constexpr std::array same = {"commit",    "compiler",   "flags",  "configuration",
                               "case_hash", "interval_s", "until_s"};
  return std::ranges::all_of(attributes, [&](auto const& attribute) {
    return std::ranges::find(same, attribute.first) == same.end() ||
           log.attribute(attribute.first) == attribute.second;
  });
}

/// The log of an earlier part of the run that is kept, up to the model's step; nothing where it is no log
/// of this run.
std::optional<io::HashLog> earlier_part(fs::path const& path, Model const& model,
                                        io::HashLogAttributes const& attributes) {
  if (!fs::exists(path)) return {};
  try {
    auto log = io::read_hash_log(path);
    if (!is_of(log, attributes) || model.step() <= log.first || !log.has(model.step()) ||
        log.at(model.step()) != model.state_hash()) {
      return {};
    }
    log.hashes.resize(static_cast<std::size_t>(model.step() - log.first + 1));
    return log;
  } catch (InputError const&) {
    return {};  // whatever it is, it is no log to go on with
  }
}

}  // namespace

fs::path checkpoint_folder(fs::path const& run) { return run / "checkpoints"; }

fs::path checkpoint_log(fs::path const& run) { return checkpoint_folder(run) / log_name; }

fs::path checkpoint_file(fs::path const& run, std::int64_t step) {
  return file_of(checkpoint_folder(run), step);
}

std::vector<std::int64_t> checkpoint_steps(fs::path const& run) { return steps_in(checkpoint_folder(run)); }

std::int64_t checkpoint_spacing(std::int64_t steps, int most) {
  std::int64_t spacing = 1;
  while (steps / spacing + 1 > most) spacing *= 2;
  return spacing;
}

Checkpoints::Checkpoints(fs::path run, int most, Model const& model, io::HashLogAttributes attributes,
                         io::Provenance provenance, std::string const& case_text)
    : run_{std::move(run)}, most_{most}, provenance_{std::move(provenance)} {
  auto const place = checkpoint_folder(run_);
  auto start = earlier_part(place / log_name, model, attributes);
  goes_on_ = start.has_value();
  if (!start) start = io::HashLog{std::move(attributes), model.step(), {model.state_hash()}};
  first_ = start->first;
  begin_ = model.step();
  folder_ = place;
  if (!goes_on_) folder_ = begun_.emplace_back(place).begun();
  auto const& log = begun_.emplace_back(folder_ / log_name).begun();
  if (!goes_on_) fs::remove_all(folder_);
  make_folder(folder_);
  io::remove_temporaries(folder_);
  write_atomically(folder_ / "case.toml", case_text);
  log_ = std::make_unique<io::HashLogWriter>(log, *start);
  keep(model);
}

void Checkpoints::place() {
  if (goes_on_) {
    for (auto const step : steps_in(folder_)) {
      if (step < first_ || step > begin_) fs::remove(file_of(folder_, step));
    }
  }
  for (; !begun_.empty(); begun_.pop_back()) begun_.back().place();
  folder_ = checkpoint_folder(run_);
}

void Checkpoints::after_step(Model const& model) {
  log_->append(model.state_hash());
  keep(model);
}

void Checkpoints::keep(Model const& model) {
  auto const done = model.step() - first_;
  auto const spacing = checkpoint_spacing(done, most_);
  if (done % spacing != 0) return;
  // The hashes first: a checkpoint is of use only with its log.
  log_->flush();
  io::write_restart(file_of(folder_, model.step()), *model.state(), provenance_);
  if (!begun_.empty()) return;  // not placed yet: what is there is to stay
  for (auto const step : steps_in(folder_)) {
    if ((step - first_) % spacing != 0) fs::remove(file_of(folder_, step));
  }
}

void Checkpoints::close() { log_->close(); }

}  // namespace ulpine::ensembles
