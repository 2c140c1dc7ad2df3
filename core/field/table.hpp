// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/field/field.hpp"
#include "core/field/operations.hpp"
#include "core/ranks/ranks.hpp"
#include "io/netcdf.hpp"

namespace ulpine {

/// The fields of a core, each declared once; everything that knows no physics follows from it. Where several
/// ranks each own a part, all make the calls that concern values, in the same order.
class FieldTable {
 public:
  /// The table of one of `ranks`; null: of a program on one rank.
  explicit FieldTable(std::shared_ptr<Ranks> ranks = nullptr) : ranks_{std::move(ranks)} {}
  FieldTable(FieldTable const&) = delete;
  FieldTable& operator=(FieldTable const&) = delete;

  /// Declares a field and allocates it in the executor's memory. std::logic_error for a name given twice.
  template <class T, class Executor>
  FieldOf<T, Executor>& add(Executor executor, FieldDescription description, Layout layout) {
    auto field = std::make_unique<FieldOf<T, Executor>>(executor, std::move(description), layout);
    auto& added = *field;
    take(std::move(field));
    return added;
  }
  /// A coordinate variable of the outputs; dimensions without one are plain.
  void add_coordinate(io::Coordinate coordinate) { coordinates_.push_back(std::move(coordinate)); }

  /// A mesh of the outputs, which fields name.
  void add_mesh(io::UnstructuredMesh mesh) { meshes_.push_back(std::move(mesh)); }

  /// Null where there is none of that name.
  Field const* find(std::string const& name) const;
  /// InputError with the nearest name where there is none.
  Field const& at(std::string const& name) const;
  std::vector<std::unique_ptr<Field>> const& all() const { return fields_; }
  Ranks* ranks() const { return ranks_.get(); }
  std::int64_t memory_bytes() const;  ///< of this rank

  std::vector<io::Coordinate> const& coordinates() const { return coordinates_; }
  std::vector<io::UnstructuredMesh> const& meshes() const { return meshes_; }
  /// Fields that a run writes at every output time, and those that it writes once.
  std::vector<io::FieldInfo> outputs() const;
  std::vector<io::FieldInfo> static_outputs() const;

  /// Values [first, first + count) of a field, row-major over its shape, as `type`; diagnostics are brought
  /// up to date where first is 0. Points outside the domain get missing_value. Only rank 0 gets values.
  void read(std::string const& field, std::int64_t first, std::int64_t count, ValueType type,
            void* values) const;

  /// The prognostic fields, in the order of declaration.
  std::vector<Field const*> state() const;
  /// Order-free hash of the state: of every prognostic field's name, type and values.
  std::uint64_t state_hash() const;
  /// "H (3, 4) is NaN", "u (3, 4) = 4.5e+10 m s-1 is outside -500 to 500": the first value of the state that
  /// is NaN, infinite or outside its field's range; empty where there is none. Of constants, if `of` says so.
  std::string invalid_value(FieldRole of = FieldRole::prognostic) const;

  /// The fields that noise may be added to, as users call them.
  std::vector<std::string> perturbable() const;
  /// InputError where `name` is not among them. `noise.key`, `least` and `most` come from the field.
  void perturb(std::string const& name, Noise noise);

 private:
  void take(std::unique_ptr<Field> field);
  std::shared_ptr<Ranks> ranks_;
  std::vector<std::unique_ptr<Field>> fields_;
  std::vector<io::Coordinate> coordinates_;
  std::vector<io::UnstructuredMesh> meshes_;
};

}  // namespace ulpine
