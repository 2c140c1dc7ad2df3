// SPDX-License-Identifier: Apache-2.0
#include "core/field/table.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "core/exec/random.hpp"
#include "core/field/gather.hpp"
#include "core/field/hash.hpp"
#include "io/case_file.hpp"
#include "io/error.hpp"

namespace ulpine {
namespace {

std::string const& name_of(Perturbable const& perturbable, Field const& field) {
  return perturbable.name.empty() ? field.name() : perturbable.name;
}

io::FieldInfo info_of(Field const& field) {
  auto const& d = field.description();
  io::FieldInfo info{d.name,       d.standard_name, d.long_name,   d.units,
                     d.dimensions, field.shape(),   d.coordinates, d.cell_methods};
  info.type = field.type();
  info.mesh = d.mesh;
  info.location = d.location;
  info.flag_meanings = d.flag_meanings;
  info.bounds = d.bounds;
  return info;
}

/// "u (3, 4) = 612.5 m s-1 is outside -500 to 500".
std::string told(Field const& field, std::int64_t place, double value) {
  auto const& units = field.description().units;
  auto const where = field.name() + " " + field.place(place);
  if (std::isnan(value)) return where + " is NaN";
  if (std::isinf(value)) return where + " is infinite";
  auto const [least, most] = field.description().range;
  auto const text =
      where + " = " + io::number_text(value) + (units == "1" || units.empty() ? "" : " " + units);
  if (std::isinf(least)) return text + " is above " + io::number_text(most);
  if (std::isinf(most)) return text + " is below " + io::number_text(least);
  return text + " is outside " + io::number_text(least) + " to " + io::number_text(most);
}

}  // namespace

void FieldTable::take(std::unique_ptr<Field> field) {
  if (find(field->name()) != nullptr) {
    throw std::logic_error("field " + field->name() + " is declared twice");
  }
  fields_.push_back(std::move(field));
}

Field const* FieldTable::find(std::string const& name) const {
  auto const found = std::ranges::find(fields_, name, [](auto const& field) { return field->name(); });
  return found == fields_.end() ? nullptr : found->get();
}

Field const& FieldTable::at(std::string const& name) const {
  if (auto const* found = find(name)) return *found;
  std::vector<std::string> names;
  for (auto const& field : fields_) names.push_back(field->name());
  throw InputError("no field '" + name + "'" + choices_hint(name, names));
}

std::int64_t FieldTable::memory_bytes() const {
  std::int64_t bytes = 0;
  for (auto const& field : fields_) bytes += field->bytes();
  return bytes;
}

std::vector<io::FieldInfo> FieldTable::outputs() const {
  std::vector<io::FieldInfo> infos;
  for (auto const& field : fields_) {
    auto const& d = field->description();
    if (d.output && d.role != FieldRole::constant) infos.push_back(info_of(*field));
  }
  return infos;
}

std::vector<io::FieldInfo> FieldTable::static_outputs() const {
  std::vector<io::FieldInfo> infos;
  for (auto const& field : fields_) {
    auto const& d = field->description();
    if (d.output && d.role == FieldRole::constant) infos.push_back(info_of(*field));
  }
  return infos;
}

void FieldTable::read(std::string const& field, std::int64_t first, std::int64_t count, ValueType type,
                      void* values) const {
  auto const& found = at(field);
  if (first == 0) found.update();
  auto const& domain = found.domain();
  gather_values(ranks_.get(), found.raw(), first, count, type, values, domain ? &*domain : nullptr);
}

std::vector<Field const*> FieldTable::state() const {
  std::vector<Field const*> state;
  for (auto const& field : fields_) {
    if (field->description().role == FieldRole::prognostic) state.push_back(field.get());
  }
  return state;
}

std::uint64_t FieldTable::state_hash() const {
  auto const fields = state();
  std::vector<std::uint64_t> hashes;
  for (auto const* field : fields) {
    hashes.push_back(counts(ranks_.get(), field->layout()) ? field_hash(field->raw()) : 0);
  }
  if (several(ranks_)) ranks_->add(hashes);
  std::uint64_t hash = 0;
  for (std::size_t n = 0; n < fields.size(); ++n) {
    // Names and types keep exchanged fields and policies of other types apart.
    auto const type = fields[n]->type();
    auto const pair = type == ValueType::float32_pair ? 1 : 0;  // as long as a double
    auto const kind =
        std::uint64_t{name_key(fields[n]->name())} << 8 | static_cast<std::uint64_t>(bytes_of(type) + pair);
    hash += detail::mix(hashes[n] ^ detail::mix(kind));
  }
  return hash;
}

std::string FieldTable::invalid_value(FieldRole of) const {
  constexpr auto none = std::numeric_limits<std::int64_t>::lowest();
  std::vector<Field const*> fields;
  std::vector<std::int64_t> places;  // dense indices, negative, so that the first is the largest
  std::vector<std::int64_t> values;  // their bits
  for (auto const& field : fields_) {
    if (field->description().role != of) continue;
    auto const& domain = field->domain();
    auto const found = first_invalid(field->raw(), field->description().range, domain ? &*domain : nullptr);
    fields.push_back(field.get());
    places.push_back(found ? -found->dense_index : none);
    values.push_back(found ? std::bit_cast<std::int64_t>(found->value) : none);
  }
  if (several(ranks_)) {
    auto const own = places;
    ranks_->largest(places);
    for (std::size_t n = 0; n < own.size(); ++n) {
      if (own[n] != places[n]) values[n] = none;
    }
    ranks_->largest(values);
  }
  for (std::size_t n = 0; n < fields.size(); ++n) {
    if (places[n] != none) return told(*fields[n], -places[n], std::bit_cast<double>(values[n]));
  }
  return {};
}

std::vector<std::string> FieldTable::perturbable() const {
  std::vector<std::string> names;
  for (auto const& field : fields_) {
    if (auto const& noise = field->description().perturbable) names.push_back(name_of(*noise, *field));
  }
  return names;
}

void FieldTable::perturb(std::string const& name, Noise noise) {
  for (auto const& field : fields_) {
    auto const& perturbable = field->description().perturbable;
    if (!perturbable || name_of(*perturbable, *field) != name) continue;
    noise.key = name_key(name);
    noise.least = perturbable->least;
    noise.most = perturbable->most;
    auto points = field->raw();
    if (!perturbable->points) {
      auto const& domain = field->domain();
      add_noise(points, noise, domain ? &*domain : nullptr);
      return;
    }
    points.layout = *perturbable->points;
    auto const* const mask = field->description().domain;
    add_noise(points, noise, mask == nullptr ? nullptr : &mask->raw());
    return;
  }
  throw InputError("field '" + name + "' cannot be perturbed" + choices_hint(name, perturbable()));
}

}  // namespace ulpine
