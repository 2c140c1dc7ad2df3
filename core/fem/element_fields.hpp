// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/exec/memory.hpp"
#include "core/fem/part.hpp"
#include "core/field/table.hpp"

namespace ulpine::fem {

/// The table of a model's fields on the nodes of its mesh, and the mesh in it: base of FiniteElements. Where
/// ranks share the mesh each has the fields of its part, in the order of the part's nodes.
template <class T, class Executor>
class ElementFields {
 protected:
  ElementFields(Executor executor, PartOfCase const& part, std::shared_ptr<Ranks> const& team)
      : executor_{executor}, nodes_{part.nodes()}, table_{team} {
    // Owned nodes by their numbers in outputs, and their places in memory.
    auto const& place = part.whole().place;
    std::vector<std::int64_t> places;
    number_on_host_.reserve(place.size()), places.reserve(place.size());
    for (std::size_t n = 0; n < place.size(); ++n) {
      if (!nodes_.owns(static_cast<std::int32_t>(place[n]))) continue;
      number_on_host_.push_back(static_cast<std::int64_t>(n));
      places.push_back(nodes_.place(static_cast<std::int32_t>(place[n])));
    }
    auto const owned = static_cast<std::int64_t>(places.size());
    place_ = Array<std::int64_t, Executor>(executor, owned);
    place_.from_host(places.data());
    at_nodes_ = Layout({{owned, 1, nodes_.all()}}, 0, nodes_.held()).with_positions(place_.view().data());
    if (several(team)) {
      number_ = Array<std::int64_t, Executor>(executor, owned);
      number_.from_host(number_on_host_.data());
      at_nodes_ = at_nodes_.with_numbers(number_.view().data(), number_on_host_.data());
    }
    table_.add_mesh(output_mesh(part.whole()));
  }
  ~ElementFields() = default;

  FieldTable& table() { return table_; }

  /// Adds a nodal field of the output.
  FieldOf<T, Executor>& node(char const* name, char const* units, char const* long_name, FieldRole role,
                             ValueRange range = {}, char const* standard_name = "",
                             bool perturbable = false) {
    FieldDescription description{.name = name,
                                 .units = units,
                                 .long_name = long_name,
                                 .standard_name = standard_name,
                                 .role = role,
                                 .dimensions = {mesh_dimension},
                                 .output = true,
                                 .mesh = "mesh",
                                 .location = "node",
                                 .range = range};
    if (perturbable) description.perturbable = Perturbable{};
    return table_.add<T>(executor_, std::move(description), at_nodes_);
  }
  /// Layout of `each` values a node, one node's after another's.
  Layout values_of_nodes(std::int64_t each) const {
    return {{{each * nodes_.owned(), 1, each * nodes_.all(), each * nodes_.begin()}},
            each * nodes_.first(),
            each * nodes_.held()};
  }
  /// Adds a work field, which only traces see outside of the core.
  FieldOf<T, Executor>& work(char const* name, char const* units, Layout const& layout) {
    return table_.add<T>(executor_, {.name = name, .units = units}, layout);
  }
  FieldOf<T, Executor>& work(char const* name, char const* units, std::int64_t each = 1) {
    return work(name, units, values_of_nodes(each));
  }
  FieldOf<T, Executor>& at_node(char const* name, char const* units, FieldRole role = FieldRole::work,
                                ValueRange range = {}) {
    return table_.add<T>(
        executor_,
        {.name = name, .units = units, .role = role, .dimensions = {mesh_dimension}, .range = range},
        at_nodes_);
  }

  /// Values in the part's order, ghosts too.
  void write(FieldOf<T, Executor>& field, std::vector<double> const& by_place) {
    std::vector<T> values;
    values.reserve(by_place.size());
    for (auto const value : by_place) values.push_back(static_cast<T>(value));
    field.from_host(values.data());
  }

 private:
  static constexpr char const* mesh_dimension = "nmesh_node";

  Executor executor_;
  PointsOfRank nodes_;
  std::vector<std::int64_t> number_on_host_;
  Array<std::int64_t, Executor> place_, number_;
  FieldTable table_;
  Layout at_nodes_;
};

}  // namespace ulpine::fem
