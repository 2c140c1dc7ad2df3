// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "io/joined_plan.hpp"
#include "io/netcdf_foreign.hpp"

namespace ulpine::io {

class NetcdfSource;

/// A set of files that reads as one. Few of them are open at once, over all sets of the process; memory is
/// that of one answer. Safe on several threads.
class JoinedSource {
 public:
  /// As join().
  explicit JoinedSource(std::filesystem::path const& name);
  ~JoinedSource();

  NetcdfCatalogue const& catalogue() const { return plan_->catalogue; }
  std::uint64_t bytes() const { return plan_->bytes; }
  /// A hyperslab of variable number `variable` as it is stored, row-major, of eight bytes a value.
  /// UnreadableVariable where two parts have other values for one place. InputError.
  void read(std::size_t variable, std::vector<std::size_t> const& start,
            std::vector<std::size_t> const& count, ForeignNetcdf::Sink const& sink) const;

 private:
  struct Request;
  void read_block(Request& request, JoinedBlock const& block) const;
  void read_part(Request& request, JoinedBlock const& block, Record const& record,
                 std::vector<std::size_t> const& from, std::vector<std::size_t> const& extent) const;

  std::string const name_;
  std::shared_ptr<JoinedPlan const> plan_;  ///< shared by all who have the set open
};

/// What people should know of the set of files that `path` names, or of a file that is a part of a set; often
/// empty. While the set is open this reads nothing. InputError.
std::vector<std::string> notes_of_parts(std::filesystem::path const& path);

}  // namespace ulpine::io
