// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

/// Graphics cards as data, and what a model step would take on one of them.
namespace ulpine::ensembles::cards {

/// A number of a card.
struct Figure {
  double value = 0;     ///< in the unit of its key
  std::string source;   ///< "title (year) address"
  std::string derived;  ///< how it follows from what the source states; empty where that states it
};

/// A key under which a card's file may have a figure.
struct FigureKey {
  char const* name;     ///< "memory.bandwidth"
  char const* unit;     ///< "B/s"
  char const* meaning;  ///< one line
  bool required;
};
/// All of them, in the order in which they are told.
std::span<FigureKey const> figure_keys();

/// Parts of a processor that instructions wait for. Those of `integer` are also moves and comparisons.
enum class Pipe { fp64, fp32, special, integer };
inline constexpr std::size_t pipes = 4;
/// "FP64", "FP32", "special functions", "integer".
char const* name_of(Pipe pipe);

struct Card {
  std::string id;    ///< by which it is named: the stem of its file
  std::string name;  ///< "NVIDIA H100 SXM"
  /// Ids of the cards whose efficiencies stand in for its own: of the first that has measured ones.
  std::vector<std::string> efficiency_like;
  std::map<std::string, Figure> figures;  ///< by key

  /// B/s.
  double bandwidth() const { return figures.at("memory.bandwidth").value; }
  /// Instructions a second: a fused multiply-add, which vendors count as two operations, is one. Empty where
  /// no source states a rate.
  std::optional<double> instruction_rate(Pipe pipe) const;
  /// Instructions a second that its multiprocessors begin, whatever the pipe: of 4 warps of 32 threads a
  /// clock each. As many as of FP32 where no source states the clock.
  double issue_rate() const;
};

/// Reads a card's file. InputError "<file>:<line>: <key>: <problem> ...": unknown or missing keys, figures
/// without a source or not above 0, sources without title, year or address.
Card read_card(std::filesystem::path const& file);

/// The folder of the cards that come with the program (study/shipped_folder.hpp).
std::filesystem::path cards_folder();
/// The ids of the cards in a folder, sorted.
std::vector<std::string> known_cards(std::filesystem::path const& folder = cards_folder());
/// The card of that id, or in the file of that path. InputError that lists the known ones, or read_card()'s.
Card find_card(std::string const& name, std::filesystem::path const& folder = cards_folder());

}  // namespace ulpine::ensembles::cards
