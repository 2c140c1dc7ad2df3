// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/exec/memory.hpp"
#include "core/fem/setup.hpp"
#include "core/field/operations.hpp"
#include "core/field/table.hpp"

namespace ulpine::fem {

/// The table of a model's fields on the nodes of its mesh, and the mesh in it: base of FiniteElements.
template <class T, class Executor>
class ElementFields {
 protected:
  ElementFields(Executor executor, Setup const& setup)
      : executor_{executor},
        place_on_host_{setup.place},
        place_(executor, nodes()),
        at_nodes_{Layout::entities(nodes()).with_positions(place_.view().data())} {
    place_.from_host(place_on_host_.data());
    table_.add_mesh(output_mesh(setup));
  }
  ~ElementFields() = default;

  FieldTable& table() { return table_; }

  /// A field of the output.
  FieldOf<T, Executor>& node(char const* name, char const* units, char const* long_name, FieldRole role,
                             char const* standard_name = "", bool perturbable = false) {
    FieldDescription description{.name = name,
                                 .units = units,
                                 .long_name = long_name,
                                 .standard_name = standard_name,
                                 .role = role,
                                 .dimensions = {mesh_dimension},
                                 .output = true,
                                 .mesh = "mesh",
                                 .location = "node"};
    if (perturbable) description.perturbable = Perturbable{};
    return table_.add<T>(executor_, std::move(description), at_nodes_);
  }
  /// Of no interest outside but to traces.
  FieldOf<T, Executor>& work(char const* name, char const* units, std::int64_t count) {
    return table_.add<T>(executor_, {.name = name, .units = units}, Layout::entities(count));
  }
  FieldOf<T, Executor>& at_node(char const* name, char const* units, FieldRole role = FieldRole::work) {
    return table_.add<T>(
        executor_, {.name = name, .units = units, .role = role, .dimensions = {mesh_dimension}}, at_nodes_);
  }

  /// Values in the mesh's order, which the field counts as outside.
  void write(Field& field, std::vector<double> const& by_place) {
    std::vector<double> outside(by_place.size());
    for (std::size_t n = 0; n < outside.size(); ++n) {
      outside[n] = by_place[static_cast<std::size_t>(place_on_host_[n])];
    }
    write_values(field.raw(), 0, nodes(), ValueType::float64, outside.data());
  }

 private:
  static constexpr char const* mesh_dimension = "nmesh_node";

  std::int64_t nodes() const { return static_cast<std::int64_t>(place_on_host_.size()); }

  Executor executor_;
  std::vector<std::int64_t> place_on_host_;
  Array<std::int64_t, Executor> place_;
  FieldTable table_;
  Layout at_nodes_;
};

}  // namespace ulpine::fem
