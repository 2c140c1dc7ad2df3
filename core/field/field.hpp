// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "core/exec/memory.hpp"
#include "core/field/grid_view.hpp"
#include "core/field/layout.hpp"
#include "core/field/raw_field.hpp"
#include "core/field/value_range.hpp"

namespace ulpine {

class Field;

/// Role of a field in its core.
enum class FieldRole {
  prognostic,  ///< belongs to the state: restarts and hashes hold it
  diagnostic,  ///< follows from the state
  constant,    ///< set up once: masks, areas, coordinates
  work         ///< of no interest outside but to traces
};

/// How an ensemble may perturb a field.
struct Perturbable {
  std::string name = {};  ///< as a user calls it, e.g. the cell mean for a field of modes; empty: the field's
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
  /// The points that get noise, by default all: e.g. the first mode of each cell. Same memory.
  std::optional<Layout> points = {};
};

/// All that is said about a field, in one place.
struct FieldDescription {
  std::string name;         ///< in traces, restarts, outputs and on the command line
  std::string units = "1";  ///< SI, as CF has them
  std::string long_name = {};
  std::string standard_name = {};  ///< of CF; may be empty
  FieldRole role = FieldRole::work;
  std::vector<std::string> dimensions = {};  ///< names of the layout's axes, slowest first
  bool output = false;                       ///< a run writes it: at every output time, constants once
  std::string coordinates = {};              ///< auxiliary ones, e.g. "lon lat"
  std::string cell_methods = {};             ///< e.g. "area: mean"
  std::string mesh = {}, location = {};      ///< of FieldTable::meshes(): its name, and where on it
  std::string flag_meanings = {};            ///< of uint8: what 0, 1, ... mean, a word each, e.g. "land sea"
  std::string bounds = {};  ///< of a coordinate: the field of the places of its cells' corners
  /// uint8 field that is 0 where a point does not belong to the core's domain (land, buildings): missing in
  /// outputs, left alone by noise and integrals, need not be in `range`. Its dimensions are among this
  /// field's.
  Field const* domain = nullptr;
  std::optional<Perturbable> perturbable = {};
  /// Values, in `units`, that physics or a solver on its way can have here: generous, since a run whose state
  /// leaves this range has failed, as one with NaN has. By default every finite value passes.
  ValueRange range = {};
};

/// A field of any type anywhere.
class Field {
 public:
  virtual ~Field() = default;
  Field(Field const&) = delete;
  Field& operator=(Field const&) = delete;

  FieldDescription const& description() const { return description_; }
  std::string const& name() const { return description_.name; }
  Layout const& layout() const { return raw_.layout; }
  ValueType type() const { return raw_.type; }
  /// The values as they are now; see update().
  RawField const& raw() const { return raw_; }
  std::int64_t bytes() const { return raw_.layout.allocated() * bytes_of(raw_.type); }
  /// The extents of the layout's axes in the whole domain, slowest first.
  std::vector<std::int64_t> shape() const;
  /// How a diagnostic is brought up to date before it is read; without, its stages keep it so.
  void on_demand(std::function<void()> update) { update_ = std::move(update); }
  void update() const {
    if (update_) update_();
  }
  /// The domain's mask along this field's axes; empty where it has none.
  std::optional<RawField> const& domain() const { return domain_; }
  /// `other` (cell areas, say) along this field's axes, the same along those that it lacks. std::logic_error
  /// where it has others or another shape.
  RawField broadcast(Field const& other) const;
  /// "(3, 17, 5)": the indices of a point along the axes.
  std::string place(std::int64_t dense_index) const;

 protected:
  Field(FieldDescription description, RawField raw);
  RawField raw_;

 private:
  FieldDescription description_;
  std::optional<RawField> domain_;
  std::function<void()> update_;
};

/// A field whose type and place kernels know. Its memory is zero at the start.
template <class T, class Executor>
class FieldOf final : public Field {
 public:
  FieldOf(Executor executor, FieldDescription description, Layout layout)
      : Field(std::move(description), place_of(executor, layout)), values_(executor, layout.allocated()) {
    raw_.data = values_.view().data();
  }

  View<T> view() { return values_.view(); }
  View<T const> view() const { return values_.view(); }
  /// The points by their indices; of at most three axes, all of them stored as numbered.
  GridView<T> grid() { return grid_view(values_.view(), layout()); }
  GridView<T const> grid() const { return grid_view(values_.view(), layout()); }
  /// Takes the values of `other`, on a device in stream order.
  void copy_from(FieldOf const& other) { values_.copy_from(other.values_); }
  void fill_zero() { values_.fill_zero(); }
  /// All values in memory, halo and padding included.
  void from_host(T const* values) { values_.from_host(values); }
  void to_host(T* values) const { values_.to_host(values); }

 private:
  static RawField place_of(Host host, Layout const& layout) {
    return {nullptr, layout, value_type_of<T>, false, {}, host.threads};
  }
  static RawField place_of(Cuda cuda, Layout const& layout) {
    return {nullptr, layout, value_type_of<T>, true, cuda, 1};
  }
  Array<T, Executor> values_;
};

}  // namespace ulpine
