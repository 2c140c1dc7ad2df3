// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/netcdf.hpp"
#include "verification/metrics/level_thickness.hpp"

namespace ulpine::verification {

/// What weights a field: the product of measures of its cells, edges or vertices and the thickness of its
/// levels. At least one of them is there.
struct FieldMeasure {
  std::vector<io::CellMeasure> factors = {};  ///< areas or volumes; of edges lengths whose product is an area
  std::optional<LevelThickness> thickness = {};

  /// "areaCell", "dvEdge*dcEdge", "areacella*thickness(lev_bnds)".
  std::string name() const;
  /// Known by a model's usual name for it, which no attribute confirms.
  bool customary() const;
};

/// Where the weights of fields come from: the cell measures of a field's own file, or what a user names.
class Weighting {
 public:
  /// Cell measures of the field's own file (InputFile::cell_measure; the two lengths that models give of
  /// edges), and the thickness of its levels, where the file says it (level_thickness()).
  Weighting();
  /// "none"; "VARIABLE", of the field's own file, alone; "FILE", the cell measures that a file of the grid
  /// has, with the thickness of levels; "FILE:VARIABLE", alone. InputError where the file cannot be read or
  /// has nothing of the kind.
  explicit Weighting(std::string const& text);

  /// What weights a variable, if anything does: of cells, edges and vertices the measure that has their
  /// dimension. Dimensions of a named one are those of the variable by name and length or, in a file of its
  /// own, by length where only one has it (`cell` of ICON's grids, `ncells` of its outputs). InputError where
  /// `file` does not have the variable that was named, or is of another grid by ICON's `uuidOfHGrid`.
  std::optional<FieldMeasure> measure(io::InputFile const& file, std::string const& variable) const;
  /// Reads the weights of a box of the variable, from what measure() returned for it.
  void read(io::InputFile const& file, FieldMeasure const& measure, io::Box const& box,
            std::span<double> weights) const;
  /// The measure's name as the user gave it, for people: "grid.nc:cell_area".
  std::string name(FieldMeasure const& measure) const;
  /// InputError where weights were named, of which no variable of `file` has the dimensions.
  void refuse_misfit(io::InputFile const& file) const;
  /// A hint for people where no weights were found though the file says that areas are elsewhere; else empty.
  std::string hint(io::InputFile const& file) const;

 private:
  enum class Kind { found, none, of_field, of_grid };
  struct Known;
  std::optional<FieldMeasure> find(io::InputFile const& file, std::string const& variable) const;
  std::vector<io::CellMeasure> factors_of(io::InputFile const& file, std::string const& variable) const;

  Kind kind_ = Kind::found;
  std::string variable_;  ///< the one that was named
  std::shared_ptr<io::InputFile const> grid_;
  std::shared_ptr<Known> known_;  ///< what was found in files, which are asked for it at each time
};

}  // namespace ulpine::verification
