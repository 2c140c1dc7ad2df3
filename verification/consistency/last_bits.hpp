// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "verification/consistency/consistency.hpp"

namespace ulpine::verification::consistency {

/// Variables in which members agree but for the last bits of the type that their files store: within a few
/// units of its relative rounding, of the largest size that the variable has, or a step of packed values.
/// Their spread comes from the storage type, so that statistics of it tell nothing about the model.
struct LastBits {
  std::vector<bool> at_end;  ///< for each variable: at the last time, which most methods look at
  std::vector<bool> always;  ///< at all times
  /// New runs that differ by more from all members: those are differences without any statistics.
  std::vector<Finding> findings;
  std::vector<std::string> notes;  ///< variables that are left out, and of which methods
  std::string reason;              ///< all notes in one, for methods with no variable left

  bool any() const { return !notes.empty(); }
};

/// Reads points of variables whose summaries agree so. None of fewer than three members, or of variables
/// whose stored type is not known, or that are the same in all runs. InputError.
LastBits last_bits_of(Request const& request);

/// Whether minimum, mean and maximum of all levels of members differ at a time by no more than the last bits
/// of the type, or not at all.
bool differ_by_last_bits(EnsembleSummary const& ensemble, std::size_t variable, std::size_t time);

/// A view of the runs of a request without some of their variables.
class SelectedRuns {
 public:
  /// `runs` has to last.
  SelectedRuns(Runs const& runs, std::vector<bool> const& left_out);
  Runs runs() const { return {given_.summary == nullptr ? nullptr : &summary_, fields()}; }

 private:
  class Fields final : public FieldSource {
   public:
    FieldSource const* given = nullptr;
    std::vector<std::size_t> kept;  ///< numbers of variables
    void read(std::size_t run, std::size_t variable, std::size_t time, std::int64_t first,
              std::span<double> values) const override {
      given->read(run, kept.at(variable), time, first, values);
    }
    void read_unperturbed(std::size_t variable, std::size_t time, std::int64_t first,
                          std::span<double> values) const override {
      given->read_unperturbed(kept.at(variable), time, first, values);
    }
    void read_weights(std::size_t variable, std::int64_t first, std::span<double> weights) const override {
      given->read_weights(kept.at(variable), first, weights);
    }
  };
  FieldSource const* fields() const { return given_.fields == nullptr ? nullptr : &fields_; }

  Runs given_;
  EnsembleSummary summary_;
  Fields fields_;
};

}  // namespace ulpine::verification::consistency
