// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "core/ranks/ranks.hpp"

namespace ulpine {

/// Version of the MPI library, "Open MPI v4.1.4"; empty in a build without MPI.
std::string mpi_version();

/// Whether mpirun (or srun) started this process, as one of how many it may be.
bool started_by_mpi();

/// The communicator of ranks that are processes of MPI, for libraries that make calls of their own: its
/// number in Fortran, as MPI_Comm_f2c() takes it. It lasts as long as the ranks. Empty for other ranks.
std::optional<int> mpi_communicator(Ranks const& ranks);

/// Has MpiSession call `end` before it ends MPI: of a library that was started after it and uses MPI.
void before_mpi_ends(void (*end)());

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
