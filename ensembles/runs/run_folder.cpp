// SPDX-License-Identifier: Apache-2.0
#include "ensembles/runs/run_folder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

#include "ensembles/programs/program_case.hpp"
#include "ensembles/programs/program_run.hpp"
#include "ensembles/reproducibility/checkpoints.hpp"
#include "ensembles/runs/files.hpp"
#include "io/error.hpp"
#include "io/own_files.hpp"
#include "io/provenance.hpp"
#include "io/temporary.hpp"

namespace ulpine::ensembles {
namespace {

namespace fs = std::filesystem;
namespace signatures = io::signatures;

constexpr char const* checkpoints_name = "checkpoints";

/// Files that a run writes into its folder, without the files' numbers, which stand before the ending in
/// "output-1.nc".
constexpr std::array<std::pair<char const*, io::FileSignature>, 5> run_files = {
    {{"output.nc", signatures::output},
     {"output.xdmf", signatures::mesh_text},
     {"restart.nc", signatures::restart},
     {"trace.bin", signatures::trace},
     {"run.json", signatures::run}}};

void require_no_parts(fs::path const& folder) {
  auto const refuse_part = [&](fs::path const& file) {
    if (auto const part = numbered(file, 1); fs::exists(fs::symlink_status(folder / part))) {
      throw InputError(fmt::format(
          "{}: holds earlier parts of a run that went on from a restart ({}; beside a new run they could be "
          "taken for its own) move or remove them, or name another folder",
          folder.string(), part.string()));
    }
  };
  for (auto const& [file, signature] : run_files) refuse_part(file);
  refuse_part(checkpoints_name);
}

/// Requires that the folder of checkpoints, which is replaced as a whole, holds nothing else.
void require_replaceable_checkpoints(fs::path const& place) {
  auto const refuse = [&](std::string const& why) {
    throw InputError(fmt::format(
        "{}: is nothing that a run wrote, and the new run would replace it ({}) move it, or name another "
        "folder",
        place.string(), why));
  };
  auto const status = fs::symlink_status(place);
  if (!fs::exists(status)) return;
  if (!fs::is_directory(status)) refuse("it is no folder of its own");
  if (fs::is_empty(place)) return;
  if (!io::has_signature(place / "hashes.bin", signatures::hash_log))
    refuse("there are no hashes of steps in it");
  for (auto const& entry : fs::directory_iterator(place)) {
    auto const name = entry.path().filename().string();
    auto const is_restart = name.starts_with("step-") && name.ends_with(".nc") &&
                            io::has_signature(entry.path(), signatures::restart);
    auto const is_own = name == "hashes.bin" || name == "case.toml" || io::is_temporary(name) || is_restart;
    if (!is_own || !fs::is_regular_file(entry.symlink_status())) refuse(name + " in it is another's");
  }
}

/// The record in the folder, if there is a whole one.
std::optional<RunRecord> record_in(fs::path const& folder) {
  if (!io::has_signature(folder / "run.json", signatures::run)) return {};
  try {
    return read_run(folder / "run.json");
  } catch (InputError const&) {
    return {};
  }
}

/// A file that others have worked on since is theirs, though it has kept the signature: tools for NetCDF hand
/// attributes on.
void require_as_written(fs::path const& folder, RunRecord const& record) {
  for (auto const& [name, content] : record.files) {
    std::error_code failed;
    auto const size = fs::file_size(folder / name, failed);
    if (!failed && size != content.bytes) {
      throw InputError(fmt::format(
          "{}: would be replaced (it was altered since its run wrote it) move it, name another folder, or "
          "give --overwrite",
          (folder / name).string()));
    }
  }
}

void require_same_case(RunRequest const& request, std::optional<RunRecord> const& record,
                       std::string const& case_hash) {
  auto const output = request.folder / "output.nc";
  auto const of_another =
      record
          ? record->case_hash != case_hash
          : io::has_signature(output, signatures::output) &&
                !io::has_signature(output, {io::FileSignature::Place::hdf5, case_hash, "output of the case"});
  if (of_another) {
    throw InputError(request.folder.string() +
                     ": holds a run of another case (what goes on beside it would pass for a part of it) "
                     "name another folder");
  }
}

/// The files that the case names. They are remembered in its text by their hashes.
std::vector<fs::path> inputs_of(io::CaseFile const& case_file) {
  std::vector<fs::path> inputs = {case_file.path()};
  if (is_program(case_file)) {
    for (auto& file : files_of(read_program(case_file))) inputs.push_back(std::move(file));
    return inputs;
  }
  std::istringstream text(case_file.resolved());
  constexpr std::string_view ending = "_xxh64";
  for (std::string line; std::getline(text, line);) {
    auto const key = line.substr(0, line.find(" = "));
    if (key.ends_with(ending)) {
      inputs.push_back(case_file.file(key.substr(0, key.size() - ending.size()), false));
    }
  }
  return inputs;
}

void require_no_inputs(RunRequest const& request, io::CaseFile const& case_file) {
  auto const exists = [&](char const* name) { return fs::exists(request.folder / name); };
  auto const checkpoints = checkpoint_folder(request.folder);
  if (!fs::exists(checkpoints) &&
      std::ranges::none_of(run_files, [&](auto const& file) { return exists(file.first); })) {
    return;
  }
  // The restart is no input here: a run that goes on writes a later one over it.
  auto const inputs = inputs_of(case_file);
  for (auto const& [name, signature] : run_files) io::require_no_input(request.folder / name, inputs);
  for (auto const& input : inputs) {
    if (input.has_parent_path()) io::require_no_input(checkpoints, std::array{input.parent_path()});
  }
}

}  // namespace

fs::path numbered(fs::path const& file, int number) {
  return file.parent_path() / fmt::format("{}-{}{}", file.stem().string(), number, file.extension().string());
}

int free_number(fs::path const& folder) {
  auto const taken = [&](char const* file, int number) {
    return fs::exists(fs::symlink_status(numbered(folder / file, number)));
  };
  auto number = 1;
  while (taken(checkpoints_name, number) ||
         std::ranges::any_of(run_files, [&](auto const& file) { return taken(file.first, number); })) {
    ++number;
  }
  return number;
}

bool is_whole_run(fs::path const& folder, std::string const& id) {
  if (!fs::is_directory(fs::symlink_status(folder))) return false;
  auto const record = record_in(folder);
  if (!record || record->id != id) return false;
  return std::all_of(fs::directory_iterator(folder), fs::directory_iterator{}, [](auto const& entry) {
    auto const name = entry.path().filename();
    return io::is_temporary(name) || (name == program_folder && is_own_program_folder(entry.path())) ||
           std::ranges::any_of(run_files, [&](auto const& file) {
             return name == file.first && io::has_signature(entry.path(), file.second);
           });
  });
}

void require_own_files(RunRequest const& request) {
  auto const& folder = request.folder;
  auto const record = record_in(folder);
  // A run with an id is one of a study or a comparison, which repeats runs whose files were altered.
  auto const has_id = !request.id.empty();
  for (auto const& [name, signature] : run_files) {
    auto const path = folder / name;
    std::error_code failed;
    auto const is_cut = has_id && record && fs::is_regular_file(fs::symlink_status(path, failed)) &&
                        fs::file_size(path, failed) == 0;
    auto const overwrite =
        has_id && !request.overwrite ? io::Overwrite::never : io::overwrite_if(request.overwrite);
    if (!is_cut) io::require_replaceable(path, signature, overwrite);
  }
  require_replaceable_checkpoints(checkpoint_folder(folder));
  require_own_program_folder(folder);
}

void require_own_folder(RunRequest const& request, io::CaseFile const& case_file) {
  auto const& folder = request.folder;
  require_no_results_but(folder, "run.json");
  if (request.restart.empty()) require_no_parts(folder);
  require_own_files(request);
  auto const record = record_in(folder);
  auto const has_id = !request.id.empty();
  if (record && !has_id && !record->id.empty()) {
    throw InputError(folder.string() + ": holds the run " + record->id +
                     " of a study or comparison (which would no longer be whole) name another folder");
  }
  if (!request.restart.empty()) require_same_case(request, record, io::hex(case_file.hash()));
  if (record && !has_id && !request.overwrite) require_as_written(folder, *record);
  require_no_inputs(request, case_file);
}

fs::path BegunFiles::add(std::string const& name) {
  return files_.try_emplace(name, folder_ / name).first->second.begun();
}

void BegunFiles::place(std::string const& name) {
  if (auto const file = files_.find(name); file != files_.end()) {
    file->second.place();
    files_.erase(file);
  }
}

}  // namespace ulpine::ensembles
