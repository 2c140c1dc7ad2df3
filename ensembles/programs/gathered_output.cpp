// SPDX-License-Identifier: Apache-2.0
#include "ensembles/programs/gathered_output.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <optional>
#include <set>

#include "io/absence.hpp"
#include "io/case_file.hpp"
#include "io/error.hpp"
#include "io/instants.hpp"
#include "io/netcdf.hpp"
#include "io/seal.hpp"
#include "verification/consistency/run_times.hpp"

namespace ulpine::ensembles {
namespace {

namespace fs = std::filesystem;

/// A record of a variable.
struct Record {
  std::size_t file = 0;
  std::int64_t time = 0;
};

/// A variable that changes in time, as its files have it.
struct Source {
  std::string name;
  io::FieldInfo info;
  std::map<double, Record> records;  ///< by instant, s
};

/// Names of variables in groups as names of a file without groups.
std::string flat(std::string name) {
  std::ranges::replace(name, '/', '_');
  return name;
}

class Gathering {
 public:
  Gathering(GatherRequest const& request, fs::path const& output) : request_{request}, output_{output} {
    for (auto const& path : request.files) files_.push_back(std::make_unique<io::InputFile>(path));
    require_variables();
    find_sources();
    choose_times();
    describe_grid();
  }

  GatheredOutput write() {
    std::vector<io::FieldInfo> fields, statics;
    for (auto const& source : sources_) fields.push_back(source.info);
    for (auto const& [name, info] : statics_) statics.push_back(info);
    io::OutputFile file(
        output_, request_.title, coordinates_, fields, statics, request_.provenance, request_.case_text,
        {{"gathered_from", names_of_files()}, {origin_attribute, io::number_text(time_origin())}});
    for (auto const& [name, info] : statics_) {
      put(file, info, files_.front()->read(name).values, false);
    }
    io::StreamHash hash;
    auto const origin = time_origin();
    for (auto const instant : times_) {
      auto const seconds = instant - origin;
      file.begin_time(seconds);
      for (auto const& source : sources_) {
        auto const& record = source.records.at(instant);
        auto const values = files_[record.file]->read(source.name, record.time).values;
        if (std::ssize(values) != source.info.size()) {
          throw InputError(
              fmt::format("{}: {} has {} values at a time, {} in an earlier file (fields of one name "
                          "are one field) keep them apart by program.output",
                          files_[record.file]->path(), source.name, values.size(), source.info.size()));
        }
        look_at(source, values, seconds);
        hash.add(fmt::format("{} {}\n", source.name, seconds));
        hash.add({reinterpret_cast<char const*>(values.data()), values.size() * sizeof(double)});
        put(file, source.info, values, true);
      }
      file.finish_time();
    }
    file.close();
    result_.hash = hash.value();
    result_.length_s = times_.back() - times_.front();
    result_.begins = times_.front();
    result_.times = times_.size();
    return std::move(result_);
  }

 private:
  double time_origin() const {
    if (!request_.origin) return times_.front();
    auto const counts_anew = times_.front() - *request_.origin < request_.begin_s * (1 - 1e-9);
    return counts_anew ? times_.front() - request_.begin_s : *request_.origin;
  }

  bool is_wanted(std::string const& name) const {
    return request_.variables.empty() || std::ranges::count(request_.variables, name) > 0;
  }

  std::string names_of_files() const {
    std::vector<std::string> names;
    for (auto const& file : request_.files) names.push_back(file.filename().string());
    return fmt::format("{}", fmt::join(names, " "));
  }

  void require_variables() const {
    std::vector<std::string> known;
    for (auto const& file : files_) {
      for (auto& name : file->variables()) known.push_back(std::move(name));
    }
    auto const require = [&](std::string const& key, std::string const& name) {
      if (std::ranges::count(known, name) > 0) return;
      throw InputError(key + ": no output has a variable '" + name + "'" + choices_hint(name, known));
    };
    for (auto const& name : request_.variables) require("program.variables", name);
    for (auto const& [name, both] : request_.limits) require("program.limits", name);
  }

  /// Instants of a variable's records. Files without any time are in the order of their names.
  std::vector<double> instants(std::size_t file, std::string const& name) const {
    auto const axis = files_[file]->time_axis(name);
    if (!axis.exists) return {static_cast<double>(file)};
    auto const stored = io::instants_of(axis);
    for (auto const instant : stored) {
      if (std::isfinite(instant)) continue;
      throw InputError(
          fmt::format("{}: {}: a time cannot be read (units '{}') mend them, or leave the variable "
                      "out by program.variables",
                      files_[file]->path(), name, axis.units));
    }
    return stored;
  }

  void find_sources() {
    auto const in_time = [&](std::string const& name) {
      return std::ranges::any_of(
          files_, [&](auto const& file) { return file->has(name) && file->time_axis(name).exists; });
    };
    // Without a time axis in any file each file is a time of its own.
    auto any_time = false;
    for (auto const& file : files_) {
      for (auto const& name : file->variables()) any_time = any_time || in_time(name);
    }
    for (std::size_t f = 0; f < files_.size(); ++f) {
      for (auto const& name : files_[f]->variables()) {
        if (!is_wanted(name) || (any_time && !in_time(name))) continue;
        auto found = std::ranges::find(sources_, name, &Source::name);
        if (found == sources_.end()) found = sources_.insert(found, Source{name, files_[f]->info(name), {}});
        auto const times = instants(f, name);
        for (std::size_t t = 0; t < times.size(); ++t) {
          found->records[times[t]] = {f, static_cast<std::int64_t>(t)};
        }
      }
    }
    std::erase_if(sources_, [](Source const& source) { return source.records.empty(); });
    if (sources_.empty()) {
      throw InputError(files_.front()->path() +
                       ": has no field of numbers (nothing can be judged) mend program.output");
    }
  }

  /// The times that most fields have, of sets as frequent the larger.
  void choose_times() {
    std::map<std::vector<double>, std::size_t> sets;
    auto const times_of = [](Source const& source) {
      std::vector<double> times;
      for (auto const& [instant, record] : source.records) times.push_back(instant);
      return times;
    };
    for (auto const& source : sources_) ++sets[times_of(source)];
    auto const chosen = std::ranges::max_element(sets, [](auto const& a, auto const& b) {
      return std::pair(a.second, a.first.size()) < std::pair(b.second, b.first.size());
    });
    times_ = chosen->first;
    std::vector<std::string> without;
    std::size_t more = 0;
    std::erase_if(sources_, [&](Source const& source) {
      auto const has_all =
          std::ranges::all_of(times_, [&](double time) { return source.records.contains(time); });
      if (!has_all) without.push_back(source.name);
      if (has_all && source.records.size() > times_.size()) ++more;
      return !has_all;
    });
    if (!without.empty()) {
      result_.notes.push_back(
          fmt::format("left out, since they lack times that most fields have: {}", fmt::join(without, ", ")));
    }
    if (more > 0) {
      result_.notes.push_back(
          fmt::format("{} fields have further times, which most fields lack: left out", more));
    }
    for (auto& source : sources_) {
      result_.cells = std::max(result_.cells, source.info.size());
    }
  }

  /// Coordinates and constant fields that describe where the values are.
  void describe_grid() {
    auto const& first = *files_.front();
    std::set<std::string> known;
    for (auto& source : sources_) {
      auto const& file = *files_[source.records.begin()->second.file];
      auto const dimensions = source.info.dimensions;
      name_dimensions(source.info);
      auto const places = file.coordinates(source.name);
      std::vector<std::string> auxiliary;
      for (auto const& place : file.auxiliary_coordinates(source.name)) {
        if (!place.in_time && !place.labels && first.has_values(place.name) &&
            add_static(first, place.name)) {
          auxiliary.push_back(flat(place.name));
        }
      }
      for (std::size_t d = 0; d < dimensions.size(); ++d) {
        auto const& name = source.info.dimensions[d];
        if (!places[d] || known.contains(name)) continue;
        auto const& place = *places[d];
        if (place.labels || place.rank != 1 || place.in_time || flat(place.name) != flat(dimensions[d]))
          continue;
        known.insert(name);
        auto const described = file.info(place.name);
        coordinates_.push_back({name, described.standard_name, described.long_name, place.units,
                                place.axis == "z" ? "Z" : "", file.read_all(place.name)});
      }
      if (auto const measure = file.cell_measure(source.name); measure && first.has(measure->name)) {
        add_static(first, measure->name);
      }
      auto& info = source.info;
      info.coordinates = fmt::format("{}", fmt::join(auxiliary, " "));
      tidy(info, file.stored_type(source.name));
    }
  }

  /// Names for the dimensions in a file without groups; those of one name and other lengths, as different
  /// files may have them, are told apart by a number.
  void name_dimensions(io::FieldInfo& info) {
    for (std::size_t d = 0; d < info.dimensions.size(); ++d) {
      auto const name = flat(info.dimensions[d]);
      auto unique = name;
      for (int number = 2; lengths_.try_emplace(unique, info.shape[d]).first->second != info.shape[d];
           ++number) {
        unique = fmt::format("{}_{}", name, number);
      }
      info.dimensions[d] = unique;
    }
  }

  /// As an output can have it.
  static void tidy(io::FieldInfo& info, io::StoredType const& type) {
    info.name = flat(info.name);
    info.type = type.name == "float" ? ValueType::float32 : ValueType::float64;
    info.cell_methods = info.mesh = info.location = info.flag_meanings = info.ancillary_variables =
        info.bounds = "";
    if (info.units.empty()) info.units = "1";
  }

  bool add_static(io::InputFile const& file, std::string const& name) {
    if (statics_.contains(name)) return true;
    if (!file.times(name).empty()) return false;
    auto info = file.info(name);
    if (info.dimensions.empty()) return false;
    name_dimensions(info);
    info.coordinates.clear();
    tidy(info, file.stored_type(name));
    statics_.emplace(name, info);
    return true;
  }

  /// Remembers the first value that is no result.
  void look_at(Source const& source, std::vector<double> const& values, double seconds) {
    if (!result_.invalid.empty()) return;
    auto const limits = request_.limits.find(source.name);
    for (std::size_t i = 0; i < values.size(); ++i) {
      auto const value = values[i];
      auto const absence = io::absence_of(value);
      if (absence == io::Absence::fill || (absence == io::Absence::nan && request_.nan_is_missing)) continue;
      std::string what;
      if (absence == io::Absence::nan) what = "is NaN";
      if (absence == io::Absence::out_of_range) what = "is outside its valid range";
      if (std::isinf(value)) what = "is infinite";
      if (what.empty() && limits != request_.limits.end() &&
          (value < limits->second[0] || value > limits->second[1])) {
        what = fmt::format("= {:.6g} {} is outside {:g} to {:g}", value, source.info.units, limits->second[0],
                           limits->second[1]);
      }
      if (what.empty()) continue;
      result_.invalid =
          fmt::format("{} ({}) {} at {:g} s", source.name, place_text(source.info.shape, i), what, seconds);
      return;
    }
  }

  /// Missing values become those of outputs.
  static void put(io::OutputFile& file, io::FieldInfo const& info, std::vector<double> values, bool at_time) {
    for (auto& value : values) {
      auto const absence = io::absence_of(value);
      if (absence != io::Absence::none && absence != io::Absence::nan) value = io::missing_value(info.type);
    }
    io::SlabSource const source = [&](std::int64_t first, std::int64_t count, void* slab) {
      if (info.type == ValueType::float32) {
        std::transform(values.begin() + first, values.begin() + first + count, static_cast<float*>(slab),
                       [](double value) { return static_cast<float>(value); });
      } else {
        std::memcpy(slab, values.data() + first, static_cast<std::size_t>(count) * sizeof(double));
      }
    };
    if (at_time) {
      file.write(info.name, source);
    } else {
      file.write_static(info.name, source);
    }
  }

  GatherRequest const& request_;
  fs::path const& output_;
  std::vector<std::unique_ptr<io::InputFile>> files_;
  std::vector<Source> sources_;
  std::vector<double> times_;
  std::map<std::string, std::int64_t> lengths_;  ///< of dimensions by their names in the output
  std::vector<io::Coordinate> coordinates_;
  std::map<std::string, io::FieldInfo> statics_;
  GatheredOutput result_;
};

}  // namespace

std::string place_text(std::vector<std::int64_t> const& shape, std::size_t index) {
  std::vector<std::size_t> places(shape.size());
  for (auto d = shape.size(); d-- > 0;) {
    places[d] = index % static_cast<std::size_t>(shape[d]);
    index /= static_cast<std::size_t>(shape[d]);
  }
  return fmt::format("{}", fmt::join(places, ", "));
}

GatheredOutput gather_output(GatherRequest const& request, fs::path const& output) {
  return Gathering(request, output).write();
}

}  // namespace ulpine::ensembles
