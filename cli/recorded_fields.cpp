// SPDX-License-Identifier: Apache-2.0
#include "cli/recorded_fields.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <set>
#include <span>
#include <system_error>
#include <vector>

#include "cli/text_table.hpp"
#include "io/error.hpp"
#include "io/netcdf.hpp"
#include "io/own_files.hpp"
#include "io/rank_files.hpp"
#include "probe/source/rank_name.hpp"
#include "probe/source/whole_fields.hpp"

namespace ulpine::cli {
namespace {

namespace fs = std::filesystem;
using probe::RecordedPart;

constexpr io::FileSignature fields_signature{io::FileSignature::Place::start, "ULPFIELD", "recorded fields"};

bool is_complex(RecordedPart const& part) { return part.type.starts_with("complex"); }

std::int64_t step_of(RecordedPart const& part) { return part.position.front().index; }

/// Extents of the domain, slowest axis first, without the axis of a complex number's parts.
std::vector<std::int64_t> shape_of(RecordedPart const& part) {
  std::vector<std::int64_t> shape;
  for (auto const& axis : part.axes) shape.push_back(axis.whole);
  if (is_complex(part) && !shape.empty()) shape.pop_back();
  return shape;
}

/// What a variable of a NetCDF file may be called: letters, digits and underscores.
std::string variable_name(std::string const& text) {
  std::string name;
  for (char const c : text) {
    auto const fits = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    name += fits ? c : '_';
  }
  return name.empty() || (name[0] >= '0' && name[0] <= '9') ? "_" + name : name;
}

/// Names of a variable's dimensions, by their extents: "n30", and "n30_b" for another of that extent.
std::vector<std::string> dimensions_of(std::vector<std::int64_t> const& shape) {
  std::vector<std::string> names;
  for (auto const extent : shape) {
    auto const name = "n" + std::to_string(extent);
    auto again = name;
    for (char letter = 'b'; std::ranges::find(names, again) != names.end(); ++letter) {
      again = name + "_" + letter;
    }
    names.push_back(again);
  }
  return names;
}

ValueType stored_type(RecordedPart const& part) {
  if (part.type == "logical") return ValueType::uint8;
  return part.type == "float32" || part.type == "complex32" ? ValueType::float32 : ValueType::float64;
}

template <class Stored>
Stored number_at(probe::WholeField const& field, std::int64_t index) {
  auto const* const bytes = field.at(index);
  auto const read = [bytes]<class T>(T value) {
    std::memcpy(&value, bytes, sizeof value);
    return value;
  };
  if (field.type == "logical") {
    return std::any_of(bytes, bytes + field.element_size, [](std::byte b) { return b != std::byte{0}; })
               ? Stored(1)
               : Stored(0);
  }
  if (field.type.starts_with("int")) {
    switch (field.element_size) {
      case 1:
        return static_cast<Stored>(read(std::int8_t{}));
      case 2:
        return static_cast<Stored>(read(std::int16_t{}));
      case 4:
        return static_cast<Stored>(read(std::int32_t{}));
      default:
        return static_cast<Stored>(read(std::int64_t{}));
    }
  }
  return field.element_size == 4 ? static_cast<Stored>(read(float{})) : static_cast<Stored>(read(double{}));
}

/// Every `stride`-th element from `offset` on; missing where it was not recorded.
template <class Stored>
io::SlabSource source_of(probe::WholeField const& field, std::int64_t offset, std::int64_t stride) {
  return [&field, offset, stride](std::int64_t first, std::int64_t count, void* values) {
    auto* const out = static_cast<Stored*>(values);
    for (std::int64_t k = 0; k < count; ++k) {
      auto const index = (first + k) * stride + offset;
      out[k] = field.there[static_cast<std::size_t>(index)] ? number_at<Stored>(field, index)
                                                            : io::fill_value<Stored>();
    }
  };
}

io::SlabSource source_of(probe::WholeField const& field, ValueType type, std::int64_t offset,
                         std::int64_t stride) {
  switch (type) {
    case ValueType::uint8:
      return source_of<std::uint8_t>(field, offset, stride);
    case ValueType::float32:
      return source_of<float>(field, offset, stride);
    default:
      return source_of<double>(field, offset, stride);
  }
}

/// A field of a stage at one place of the loops within a step, which is a variable; two of a complex one.
struct Variable {
  std::vector<io::FieldInfo> infos;
  std::map<std::int64_t, RecordedPart const*> steps;  ///< of each step its first part
};

/// The place in the loops within a step: "_sub_2_call_3".
std::string loops_of(RecordedPart const& part) {
  std::string text;
  for (std::size_t level = 1; level < part.position.size(); ++level) {
    text += "_" + part.position[level].loop + "_" + std::to_string(part.position[level].index);
  }
  return text;
}

std::vector<io::FieldInfo> infos_of(RecordedPart const& part, std::string const& name) {
  io::FieldInfo info;
  info.name = name;
  auto const inner = std::vector(part.position.begin() + 1, part.position.end());
  info.long_name =
      one_line(part.field + " after stage " + part.stage + (inner.empty() ? "" : ", " + io::text_of(inner)));
  info.units = part.unit.empty() ? "1" : part.unit;
  info.shape = shape_of(part);
  info.dimensions = dimensions_of(info.shape);
  info.type = stored_type(part);
  if (part.type == "logical") info.flag_meanings = "false true";
  if (!is_complex(part)) return {info};
  auto imaginary = info;
  info.name += "_re";
  info.long_name += ", real part";
  imaginary.name += "_im";
  imaginary.long_name += ", imaginary part";
  return {info, imaginary};
}

/// The variables in the order in which they were recorded. InputError for a field that changes its form.
std::vector<Variable> variables_of(probe::FieldsFile const& file) {
  std::vector<Variable> variables;
  std::map<std::string, std::size_t> numbers;
  std::set<std::string> names = {"time", "step"};
  for (auto const& part : file.parts()) {
    auto const key = part.stage + '\0' + part.field + '\0' + loops_of(part);
    auto const [found, is_new] = numbers.try_emplace(key, variables.size());
    if (is_new) {
      auto const plain = variable_name(part.stage + "_" + part.field + loops_of(part));
      auto name = plain;
      for (int again = 2; !names.insert(name).second; ++again) name = plain + "_" + std::to_string(again);
      variables.push_back({infos_of(part, name), {}});
    }
    auto& variable = variables[found->second];
    auto const& first = *variable.steps.try_emplace(step_of(part), &part).first->second;
    auto const& earliest = *variable.steps.begin()->second;
    if (shape_of(part) != shape_of(earliest) || part.type != earliest.type) {
      throw InputError(
          fmt::format("{}: field {} of stage {} changes its type or shape at step {} (a variable has "
                      "one) record these steps apart",
                      file.name(), part.field, part.stage, step_of(first)));
    }
  }
  return variables;
}

/// The time of each step in seconds: the model's, or the step's number where that does not grow with the
/// steps or was not told.
std::map<std::int64_t, double> times_of(probe::FieldsFile const& file, bool& of_model) {
  std::map<std::int64_t, double> times;
  for (auto const& part : file.parts()) times.try_emplace(step_of(part), part.seconds);
  auto last = -std::numeric_limits<double>::infinity();
  of_model = std::ranges::all_of(times, [&](auto const& time) {
    auto const grows = std::isfinite(time.second) && time.second > last;
    last = time.second;
    return grows;
  });
  if (!of_model) {
    for (auto& [step, time] : times) time = static_cast<double>(step);
  }
  return times;
}

void require_whole(probe::FieldsFile const& file, bool partial) {
  if (file.parts().empty()) {
    throw InputError(file.name() +
                     ": no field is recorded there (its run was stopped before, or chose none) see "
                     "[[record]] of the run's settings");
  }
  if (!file.whole() && !partial) {
    throw InputError(file.name() +
                     ": is not whole (its run was stopped, or is at work) give --partial for what is "
                     "there");
  }
}

}  // namespace

bool holds_fields(fs::path const& name) {
  std::error_code failed;
  auto const file = fs::canonical(io::rank_files(name).files.begin()->second, failed);
  return !failed && io::has_signature(file, fields_signature);
}

std::string list_fields(fs::path const& name, bool partial) {
  probe::FieldsFile const file(probe::without_rank(name.string()));
  require_whole(file, partial);
  auto const variables = variables_of(file);
  std::vector<std::array<std::string, 6>> rows = {{"stage", "field", "type", "shape", "unit", "steps"}};
  for (auto const& variable : variables) {
    auto const& [step, part] = *variable.steps.begin();
    auto shape = shape_of(*part);
    if (part->fastest_first) std::ranges::reverse(shape);
    auto const steps = variable.steps.size() == 1 ? std::to_string(step)
                                                  : fmt::format("{} from {} to {}", variable.steps.size(),
                                                                step, variable.steps.rbegin()->first);
    rows.push_back({one_line(part->stage), one_line(part->field + loops_of(*part)), part->type,
                    fmt::format("{}", fmt::join(shape, " x ")), one_line(part->unit), steps});
  }
  return table_of(rows);
}

void export_fields(fs::path const& name, fs::path const& output, bool overwrite, bool partial) {
  std::vector<fs::path> inputs;
  for (auto const& [rank, path] : io::rank_files(name).files) inputs.push_back(path);
  io::require_no_input(output, inputs);
  io::require_replaceable(output, io::signatures::output, io::overwrite_if(overwrite));
  probe::WholeFields fields(probe::without_rank(name.string()));
  require_whole(fields.file(), partial);
  auto const variables = variables_of(fields.file());
  auto of_model = false;
  auto const times = times_of(fields.file(), of_model);
  io::FieldInfo step_info;
  step_info.name = "step";
  step_info.long_name = "number of the step";
  step_info.units = "1";
  std::vector<io::FieldInfo> infos = {step_info};
  for (auto const& variable : variables)
    infos.insert(infos.end(), variable.infos.begin(), variable.infos.end());
  io::BegunFile begun(output);
  io::OutputFile file(begun.begun(), "Recorded fields of a run", {}, infos, {}, io::build_provenance(), "",
                      {{"time_is", of_model ? "time of the model" : "number of the step"}});
  for (auto const& [step, seconds] : times) {
    file.begin_time(seconds);
    auto const number = static_cast<double>(step);
    file.write("step", io::slabs_of(std::span{&number, 1}));
    for (auto const& variable : variables) {
      auto const found = variable.steps.find(step);
      if (found == variable.steps.end()) continue;
      auto const& part = *found->second;
      auto const whole = fields.find({part.position, part.stage, part.field});
      auto const parts = static_cast<std::int64_t>(variable.infos.size());
      for (std::int64_t k = 0; k < parts; ++k) {
        auto const& info = variable.infos[static_cast<std::size_t>(k)];
        file.write(info.name, source_of(*whole, info.type, k, parts));
      }
    }
    file.finish_time();
  }
  file.close();
  begun.place();
}

}  // namespace ulpine::cli
