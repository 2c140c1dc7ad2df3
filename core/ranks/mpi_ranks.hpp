// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "core/ranks/ranks.hpp"

namespace ulpine {

/// Version of the MPI library, "Open MPI v4.1.4"; empty in a build without MPI.
std::string mpi_version();

/// Whether mpirun (or srun) started this process, as one of how many it may be.
bool started_by_mpi();

/// MPI from here to the end of the object: at most one in a process. Does nothing where started_by_mpi() is
/// false.
class MpiSession {
 public:
  /// EnvironmentError where mpirun started a build without MPI.
  MpiSession();
  MpiSession(MpiSession const&) = delete;
  MpiSession& operator=(MpiSession const&) = delete;
  ~MpiSession();

  /// All processes of the program; null outside of MPI.
  std::shared_ptr<Ranks> const& world() const { return world_; }
  /// The group of this process, where all are parted into groups of `size` neighbours, which divides their
  /// number; called by all of them.
  std::shared_ptr<Ranks> group(int size) const;

 private:
  std::shared_ptr<Ranks> world_;
};

}  // namespace ulpine
