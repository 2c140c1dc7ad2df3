// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "io/netcdf.hpp"

namespace ulpine::verification {

/// Where the weights of fields come from: the cell measures of a field's own file, or what a user names.
class Weighting {
 public:
  /// Cell measures of the field's own file (InputFile::cell_measure).
  Weighting() = default;
  /// "none"; "VARIABLE", of the field's own file; "FILE", the cell measure that a file of the grid has;
  /// "FILE:VARIABLE". InputError where the file cannot be read or has nothing of the kind.
  explicit Weighting(std::string const& text);

  /// The cell measure of a variable, if there is one. Dimensions of a named one are those of the variable by
  /// name and length or, in a file of its own, by length where only one has it (`cell` of ICON's grids,
  /// `ncells` of its outputs). InputError where `file` does not have the variable that was named, or is of
  /// another grid by ICON's `uuidOfHGrid`.
  std::optional<io::CellMeasure> measure(io::InputFile const& file, std::string const& variable) const;
  /// Reads the weights of a box of the variable, from what measure() returned for it.
  void read(io::InputFile const& file, io::CellMeasure const& measure, io::Box const& box,
            std::span<double> weights) const;
  /// The measure's name as the user gave it, for people: "grid.nc:cell_area".
  std::string name(io::CellMeasure const& measure) const;
  /// InputError where weights were named, of which no variable of `file` has the dimensions.
  void refuse_misfit(io::InputFile const& file) const;
  /// A hint for people where no weights were found though the file says that areas are elsewhere; else empty.
  std::string hint(io::InputFile const& file) const;

 private:
  enum class Kind { found, none, of_field, of_grid };
  Kind kind_ = Kind::found;
  std::string variable_;
  std::shared_ptr<io::InputFile const> grid_;
};

}  // namespace ulpine::verification
