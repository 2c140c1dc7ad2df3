// SPDX-License-Identifier: Apache-2.0
#include "ensembles/programs/program_run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fnmatch.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <fstream>
#include <memory>
#include <utility>

#include "core/exec/random.hpp"
#include "ensembles/programs/gathered_output.hpp"
#include "ensembles/programs/program_case.hpp"
#include "ensembles/programs/program_keys.hpp"
#include "ensembles/runs/files.hpp"
#include "ensembles/runs/interrupt.hpp"
#include "ensembles/runs/process.hpp"
#include "ensembles/runs/run_folder.hpp"
#include "io/case_entries.hpp"
#include "io/error.hpp"
#include "io/netcdf.hpp"
#include "io/netcdf_change.hpp"
#include "io/seal.hpp"
#include "io/temporary.hpp"

namespace ulpine::ensembles {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr char const* never_called_the_probe =
    "the program never called the probe (it is not linked to it, or told of no step)";
constexpr char const* trace_name = "trace.bin";
constexpr char const* probe_seconds = "ulpine-seconds.csv";

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// What a program says, as part of a message: without what JSON, XML or a terminal could not take.
std::string as_message(std::string text) {
  std::ranges::replace_if(
      text, [](unsigned char c) { return c < ' ' || c > '~'; }, '?');
  return text;
}

bool matches_any(std::vector<std::string> const& patterns, std::string const& name) {
  return std::ranges::any_of(patterns, [&](std::string const& pattern) {
    return ::fnmatch(pattern.c_str(), name.c_str(), FNM_PERIOD | FNM_PATHNAME) == 0;
  });
}

void write_text(fs::path const& path, std::string const& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file)
    throw EnvironmentError(path.string() + ": cannot be written (is the disk full?) make room there");
}

void remove_folder(fs::path const& folder) {
  std::error_code failed;
  fs::remove_all(folder, failed);
  if (failed) {
    throw EnvironmentError(folder.string() + ": cannot be removed (" + failed.message() +
                           ") check permissions");
  }
}

/// Whether all `texts` are in one of the files, looked for in pieces; those that are not are left in `texts`.
void strike_out_found(std::vector<std::string>& texts, std::vector<fs::path> const& files) {
  for (auto const& path : files) {
    if (texts.empty()) return;
    std::size_t longest = 0;
    for (auto const& text : texts) longest = std::max(longest, text.size());
    std::ifstream file(path, std::ios::binary);
    std::string window;
    // Not filled beforehand, as that takes longer than to read what most models say.
    constexpr std::size_t bytes = std::size_t{1} << 20;
    auto const piece = std::make_unique_for_overwrite<char[]>(bytes);
    while (file && !texts.empty()) {
      file.read(piece.get(), bytes);
      window.append(piece.get(), static_cast<std::size_t>(file.gcount()));
      std::erase_if(texts, [&](std::string const& text) { return window.find(text) != std::string::npos; });
      if (window.size() > longest) window.erase(0, window.size() - longest);
    }
  }
}

/// Waits for a turn, and gives it back at its end.
class Turn {
 public:
  explicit Turn(std::counting_semaphore<>* turns) : turns_{turns} {
    if (turns_ != nullptr) turns_->acquire();
  }
  Turn(Turn const&) = delete;
  Turn& operator=(Turn const&) = delete;
  ~Turn() {
    if (turns_ != nullptr) turns_->release();
  }

 private:
  std::counting_semaphore<>* turns_;
};

class ProgramRun {
 public:
  ProgramRun(RunRequest const& request, io::CaseFile const& case_file)
      : request_{request},
        case_file_{case_file},
        program_{read_program(case_file)},
        variant_{program_.variant(request.variant)},
        work_{request.folder / program_folder} {
    require_own_folder(request, case_file);
    require_end(case_file, program_, request.until);
    if (request.variant_ranks > 0) variant_.ranks = request.variant_ranks;
    begin_record();
  }

  RunRecord run() {
    prepare_folder();
    auto const outcome = call_in_turn();
    record_.peak_rss_bytes = record_.memory_bytes = outcome.peak_bytes;
    if (is_cancelled()) {
      record_.interrupted = true;
      return record_;
    }
    if (outcome.status == -1) {
      throw EnvironmentError(fmt::format("{}: cannot be started ({}) see whether it can be from {}",
                                         words_.front(), outcome.errors, work_.string()));
    }
    judge(outcome);
    if (!record_.failed) gather();
    return finish();
  }

 private:
  void begin_record() {
    record_.id = request_.id;
    record_.core = program_core;
    record_.case_name = case_file_.name();
    record_.case_hash = io::hex(case_file_.hash());
    record_.policy = variant_.precision;
    record_.device = variant_.device;
    record_.stage_policies = request_.options.stages;
    record_.epsilon = request_.epsilon;
    record_.member = request_.member;
    values_.folder = program_.folder;
    values_.threads = request_.options.threads;
    values_.end_s = request_.until               ? request_.until
                    : case_file_.has("time.end") ? std::optional(end_time(case_file_))
                                                 : std::nullopt;
    values_.member = request_.member;
    for (auto const& [field, noise] : request_.perturbations) {
      record_.perturbed.push_back(field);
      record_.seed = values_.seed = noise.seed;
      amplitude_ = noise.amplitude;
      if (program_.noise == ProgramNoise::fill) values_.amplitude = noise.amplitude;
      values_.member = static_cast<int>(noise.member);
    }
    record_.end_s = values_.end_s.value_or(0);
    if (!request_.restart.empty()) {
      record_.start_s = values_.begin_s = request_.restart_time;
      for (auto const& [name, value] : program_.restart_values) variant_.values[name] = value;
    }
  }

  /// All that can be wrong with the files of a run shows in a folder beside, before an earlier run goes:
  /// run.json first, since without it the others are those of a run that has not come to its end.
  void prepare_folder() {
    make_folder(request_.folder);
    auto const beside = io::temporary_name(work_);
    remove_folder(beside);
    try {
      fill_folder(beside);
    } catch (...) {
      remove_folder(beside);
      throw;
    }
    for (auto const* const name : {"run.json", "output.nc"}) fs::remove(request_.folder / name);
    if (fs::exists(fs::symlink_status(work_))) remove_work();
    fs::rename(beside, work_);
  }

  /// Under another name first: what is left of it where this is killed would be nobody's folder.
  void remove_work() const {
    auto earlier = io::temporary_name(work_);
    earlier.replace_filename("earlier-" + earlier.filename().string());
    fs::rename(work_, earlier);
    remove_folder(earlier);
  }

  void fill_folder(fs::path const& folder) {
    make_folder(folder);
    write_text(folder / program_mark, "a run's program works here\n");
    for (auto const& pattern : program_.output) {
      auto const below = fs::path(pattern).parent_path();
      if (below.string().find_first_of("*?[") == std::string::npos) make_folder(folder / below);
    }
    for (auto const& file : program_.place) {
      fs::create_symlink(file, folder / file.filename());
      placed_.push_back(file.filename().string());
      shared_.emplace_back(file, state_of(file));
    }
    auto const place_own = [&](fs::path const& file) {
      fs::permissions(folder / file.filename(), fs::perms::owner_write, fs::perm_options::add);
      placed_.push_back(file.filename().string());
    };
    for (auto const& file : program_.copy) {
      fs::copy_file(file, folder / file.filename());
      place_own(file);
    }
    if (!request_.restart.empty()) place_restart_files(folder);
    auto const values = values_of(variant_, values_);
    for (auto const& file : program_.fill) {
      write_text(folder / file.filename(), filled_where_known(read_text(file), values));
      fs::permissions(folder / file.filename(), fs::status(file).permissions());
      place_own(file);
    }
    if (program_.noise == ProgramNoise::files && !record_.perturbed.empty()) add_noise_to_file(folder);
    if (probes()) write_probe_settings(folder);
  }

  /// By which a change of a file shows.
  static std::pair<fs::file_time_type, std::uintmax_t> state_of(fs::path const& file) {
    std::error_code failed;
    return {fs::last_write_time(file, failed), fs::file_size(file, failed)};
  }

  void place_restart_files(fs::path const& folder) {
    for (auto const& entry : fs::directory_iterator(request_.restart)) {
      auto const name = entry.path().filename().string();
      if (!entry.is_regular_file() || !matches_any(program_.restart_files, name)) continue;
      fs::remove(folder / name);  // a link leads to a file that all runs share
      std::erase_if(shared_, [&](auto const& shared) { return shared.first.filename() == name; });
      fs::copy_file(entry.path(), folder / name);
      if (std::ranges::count(placed_, name) == 0) placed_.push_back(name);
      restarted_ = true;
    }
    if (restarted_) return;
    throw InputError(
        fmt::format("{}: no file is called {} (program.restart.files; there is nothing to restart from) "
                    "mend the patterns",
                    request_.restart.string(), fmt::join(program_.restart_files, ", ")));
  }

  /// Whether the probe has something to do in this run.
  bool probes() const {
    auto const noise = program_.noise == ProgramNoise::probe && !record_.perturbed.empty();
    return noise || request_.trace || request_.fault || !request_.options.stages.empty();
  }

  void write_probe_settings(fs::path const& folder) const {
    auto text = fmt::format("times = true\nseconds = \"{}\"\n", probe_seconds);
    if (request_.trace) text += fmt::format("trace = \"{}\"\n", trace_name);
    if (program_.noise == ProgramNoise::probe && !record_.perturbed.empty()) {
      std::vector<std::string> fields;
      for (auto const& field : record_.perturbed) fields.push_back(io::toml_text(field));
      text += fmt::format("[perturb]\nwhat = [{}]\namplitude = {}\nseed = {}\nmember = {}\n",
                          fmt::join(fields, ", "), io::toml_number(amplitude_),
                          values_.seed & 0x7fffffffffffffff, values_.member.value_or(0));
    }
    for (auto const& [fields, format] : request_.options.stages) {
      text += fmt::format("[[round]]\nwhat = {}\nto = \"{}\"\n", io::toml_text(fields), format);
    }
    if (request_.fault) {
      auto const stage = request_.fault->stage.empty() ? "*" : request_.fault->stage;
      text += fmt::format("[[plant]]\nwhat = {}\nelement = {}\n",
                          io::toml_text(stage + "." + request_.fault->field), request_.fault->element);
    }
    write_text(folder / probe_settings, text);
  }

  void add_noise_to_file(fs::path const& folder) {
    auto const path = folder / program_.noise_file;
    if (fs::is_symlink(path)) {
      auto const original = fs::read_symlink(path);
      fs::remove(path);
      fs::copy_file(original, path);
      fs::permissions(path, fs::perms::owner_write, fs::perm_options::add);
      std::erase_if(shared_, [&](auto const& shared) { return shared.first == original; });
    }
    for (auto const& [field, noise] : request_.perturbations) {
      auto const change = [&, key = name_key(field), relative = program_.relative_noise](
                              std::int64_t first, std::span<double> values) {
        for (std::size_t i = 0; i < values.size(); ++i) {
          auto const part = noise.amplitude * uniform_symmetric(noise.seed, noise.member, key,
                                                                first + static_cast<std::int64_t>(i));
          values[i] = relative ? values[i] * (1 + part) : values[i] + part;
        }
      };
      if (program_.raw_noise) {
        io::change_raw(path, *program_.raw_noise, change);
      } else {
        io::change_variable(path, field, change);
      }
    }
  }

  bool is_cancelled() const { return request_.cancel != nullptr && request_.cancel->load(); }

  ProcessOutcome call_in_turn() {
    auto const asked = Clock::now();
    Turn const turn(request_.turn);
    auto const started = Clock::now();
    waited_s_ = std::chrono::duration<double>(started - asked).count();
    if (is_cancelled()) return {};
    auto outcome = call();
    record_.model_wall_s = seconds_since(started);
    return outcome;
  }

  ProcessOutcome call() {
    auto const values = values_of(variant_, values_);
    auto const of = "program.run of variant " + variant_.name;
    if (variant_.ranks > 1) {
      for (auto const& word : program_.launcher)
        words_.push_back(filled_in(word, values, "program.launcher"));
    }
    auto first = words_.size();
    for (auto const& word : variant_.run) words_.push_back(filled_in(word, values, of));
    for (auto const at : {std::size_t{0}, first}) {
      if (words_[at].find('/') == std::string::npos) continue;
      words_[at] = (program_.folder / words_[at]).lexically_normal().string();
    }
    ProcessPlace place;
    place.folder = work_;
    place.output = work_ / output_log;
    place.messages = work_ / message_log;
    place.whole_stack = program_.whole_stack;
    place.environment = {"OMP_NUM_THREADS=" + std::to_string(values_.threads)};
    // The probe's own variables would make an unwatched run a watched one.
    for (auto const* const name :
         {"ULPINE_TRACE", "ULPINE_COMPARE", "ULPINE_EVERY", "ULPINE_STEPS", "ULPINE_ONLY", "ULPINE_RECORD"}) {
      place.environment.push_back(std::string(name) + "=");
    }
    place.environment.push_back("ULPINE=" + std::string(probes() ? probe_settings : ""));
    for (auto const& entry : variant_.environment) {
      auto const filled = filled_in(entry, values, "program.environment of variant " + variant_.name);
      std::erase_if(place.environment, [&](std::string const& other) {
        return other.substr(0, other.find('=')) == filled.substr(0, filled.find('='));
      });
      place.environment.push_back(filled);
    }
    return run_process(words_, {.seconds = program_.timeout_s}, request_.cancel, place);
  }

  /// The exit code of a model tells little: what it says and leaves must be right too.
  void judge(ProcessOutcome const& outcome) {
    if (!outcome.beyond.empty()) {
      record_.failed = fmt::format("the program {} and was ended{}", outcome.beyond,
                                   outcome.late ? " (program.timeout)" : "");
      return;
    }
    if (outcome.status != 0) {
      record_.failed = "the program " + how_it_ended(outcome.status, program_.whole_stack);
      if (!outcome.errors.empty()) *record_.failed += ": " + as_message(last_line(outcome.errors));
      return;
    }
    if (probes() && !probe_obeyed()) return;
    for (auto const& [file, state] : shared_) {
      if (state_of(file) == state) continue;
      record_.failed =
          fmt::format("the program wrote to {}, which all runs share (program.place)", file.string());
      return;
    }
    auto missing = program_.success, bad = program_.failure;
    std::vector<fs::path> const logs = {work_ / output_log, work_ / message_log};
    strike_out_found(missing, logs);
    if (!missing.empty()) {
      record_.failed = fmt::format("the program never said '{}' (program.success), though its exit code is 0",
                                   missing.front());
      return;
    }
    strike_out_found(bad, logs);
    for (auto const& text : program_.failure) {
      if (std::ranges::count(bad, text) > 0) continue;
      record_.failed =
          fmt::format("the program said '{}' (program.failure), though its exit code is 0", text);
      return;
    }
    for (auto const& name : program_.success_files) {
      if (fs::exists(work_ / name)) continue;
      record_.failed =
          fmt::format("the program left no file {} (program.success_files), though its exit code is 0", name);
      return;
    }
  }

  /// Whether the program called the probe, and the probe did all that it was asked for.
  bool probe_obeyed() {
    // Of several ranks each file's name has the rank in it: seconds.0-of-2.csv.
    auto const left = [&](char const* name) {
      auto const stem = fs::path(name).stem().string() + ".";
      return std::ranges::any_of(fs::directory_iterator(work_), [&](fs::directory_entry const& entry) {
        return entry.path().filename().string().starts_with(stem);
      });
    };
    auto const called = left(probe_seconds) && (!request_.trace || left(trace_name));
    if (!called) {
      record_.failed = never_called_the_probe;
      return false;
    }
    // In the words of the probe (probe/source/changes.cpp).
    for (auto const* const words : {"chose no field that was told by ulpine_", "is left as it is ("}) {
      std::ifstream messages(work_ / message_log);
      for (std::string line; std::getline(messages, line);) {
        if (!line.starts_with("ulpine: ") || line.find(words) == std::string::npos) continue;
        record_.failed = "the probe could not do what was asked: " + line.substr(line.find(' ') + 1);
        return false;
      }
    }
    return true;
  }

  std::vector<fs::path> output_files() const {
    std::vector<fs::path> files;
    for (auto const& entry : fs::recursive_directory_iterator(work_)) {
      auto const name = entry.path().lexically_relative(work_).string();
      if (!entry.is_regular_file() || std::ranges::count(placed_, name) > 0) continue;
      if (matches_any(program_.output, name)) files.push_back(entry.path());
    }
    std::ranges::sort(files);
    return files;
  }

  void gather() {
    auto const files = output_files();
    if (files.empty()) {
      record_.failed = fmt::format("the program wrote no file {} (program.output), though its exit code is 0",
                                   fmt::join(program_.output, ", "));
      return;
    }
    GatherRequest gathering;
    gathering.files = files;
    gathering.variables = program_.variables;
    gathering.limits = program_.limits;
    gathering.nan_is_missing = program_.nan_is_missing;
    gathering.origin = request_.time_origin;
    gathering.begin_s = request_.restart_time;
    gathering.title = fmt::format("{} ({})", record_.case_name, variant_.name);
    gathering.provenance = provenance();
    gathering.case_text = case_file_.resolved();
    BegunFiles begun(request_.folder);
    try {
      auto const output = gather_output(gathering, begun.add("output.nc"));
      begun.place("output.nc");
      if (!output.invalid.empty()) record_.failed = "the output is invalid: " + output.invalid;
      record_.hash = io::hex(output.hash);
      record_.cells = output.cells;
      begins_ = output.begins;
      record_.steps = static_cast<std::int64_t>(output.times);
      if (!values_.end_s) record_.end_s = output.length_s;
      notes_ = output.notes;
    } catch (InputError const& problem) {
      record_.failed = fmt::format("its output cannot be used: {}", problem.what());
    }
  }

  io::Provenance provenance() const {
    auto provenance = io::build_provenance();
    provenance.device = variant_.device;
    provenance.policy = variant_.precision;
    provenance.threads = values_.threads;
    provenance.ranks = variant_.ranks;
    provenance.case_hash = record_.case_hash;
    provenance.seed = record_.seed;
    return provenance;
  }

  RunRecord finish() {
    auto items = provenance().items();
    items.emplace_back("program", fmt::format("{}", fmt::join(words_, " ")));
    if (!variant_.program.empty()) {
      items.emplace_back("program_xxh64", io::hex(io::content_of(variant_.program).hash));
    }
    if (begins_) items.emplace_back(output_begins, io::number_text(*begins_));
    if (!notes_.empty()) items.emplace_back(output_notes, fmt::format("{}", fmt::join(notes_, "; ")));
    record_.provenance = std::move(items);
    if (fs::exists(request_.folder / "output.nc")) {
      record_.files.push_back({"output.nc", io::content_of(request_.folder / "output.nc")});
    }
    if (!record_.failed && record_.member && !program_.keep) remove_work();
    record_.wall_s = seconds_since(begin_) - waited_s_;
    write_run(request_.folder / "run.json", record_);
    if (record_.failed) {
      throw RunFailed(*record_.failed + ", see " + (work_ / output_log).string() + " and " + message_log);
    }
    return record_;
  }

  RunRequest const& request_;
  io::CaseFile const& case_file_;
  ProgramCase const program_;
  ProgramVariant variant_;
  fs::path const work_;
  Clock::time_point const begin_ = Clock::now();
  ProgramRunValues values_;
  bool restarted_ = false;
  std::optional<double> begins_ = {};  ///< GatheredOutput::begins
  double waited_s_ = 0;                ///< for its turn
  double amplitude_ = 0;               ///< of the noise
  std::vector<std::string> words_, placed_, notes_;
  std::vector<std::pair<fs::path, std::pair<fs::file_time_type, std::uintmax_t>>> shared_;
  RunRecord record_;
};

}  // namespace

RunRecord run_program(RunRequest const& request, io::CaseFile const& case_file) {
  return ProgramRun(request, case_file).run();
}

double program_time_origin(fs::path const& output) {
  auto const text = io::InputFile(output).attribute(origin_attribute);
  double origin = 0;
  auto const [end, failed] = std::from_chars(text.data(), text.data() + text.size(), origin);
  if (failed != std::errc{} || end != text.data() + text.size()) {
    throw InputError(output.string() +
                     ": does not say from when its times count (it is no output of a program) "
                     "repeat the run");
  }
  return origin;
}

bool called_no_probe(RunRecord const& record) { return record.failed == never_called_the_probe; }

bool is_own_program_folder(fs::path const& work) {
  return fs::is_directory(fs::symlink_status(work)) &&
         fs::is_regular_file(fs::symlink_status(work / program_mark));
}

void require_own_program_folder(fs::path const& folder) {
  auto const work = folder / program_folder;
  if (!fs::exists(fs::symlink_status(work)) || is_own_program_folder(work)) return;
  throw InputError(
      work.string() +
      ": is no folder that a run made, and the new run would replace it (its content would be lost) "
      "move it, or name another folder");
}

}  // namespace ulpine::ensembles
