// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/exec/executor.hpp"
#include "core/poisson/grid.hpp"
#include "core/ranks/blocks.hpp"
#include "core/ranks/link.hpp"
#include "core/stage/stage.hpp"
#include "precision/formats.hpp"

namespace ulpine {

/// The Fourier transforms by which Poisson's equation is solved.
enum class PoissonMethod {
  portable,  ///< our own: the same bits on the host, for any number of threads, and on a device
  vendor     ///< FFTW's on the host, cuFFT's on a device
};
/// All methods.
std::vector<PoissonMethod> poisson_methods();
/// "portable" or "vendor".
char const* name_of(PoissonMethod method);
/// InputError, naming those that there are, where none has the name.
PoissonMethod poisson_method(std::string const& name);

/// The solution of L p = d (grid.hpp) in three phases, in place, which a model runs as stages of its own, in
/// this order. Planes: nz of ny rows of 2 (nx / 2 + 1) values, of which the first nx count; what the others
/// hold is lost. Where L is singular, the mean of d (weighted with dz) is left out and p has none.
///
/// In stream order on a device; nothing allocates or waits after construction, so that a graph may record it.
template <class T>
class PoissonPhases {
 public:
  virtual ~PoissonPhases() = default;
  virtual void forward(T* planes) = 0;
  virtual void tridiagonal(T* planes) = 0;
  virtual void inverse(T* planes) = 0;

  /// forward() and inverse() in two parts, for ranks that share the planes by a link that sends in stream
  /// order: what is between them and touches no planes may go on beside the messages.
  virtual void begin_forward(T* planes) { forward(planes); }
  virtual void end_forward(T* /*planes*/) {}
  virtual void begin_inverse(T* planes) { inverse(planes); }
  virtual void end_inverse(T* /*planes*/) {}

  void solve(T* planes) {
    forward(planes);
    tridiagonal(planes);
    inverse(planes);
  }
  /// Where ranks share the planes, the first two phases leave their results in memory of their own, unless
  /// this is set: for who looks at planes between phases. Ranks agree on it.
  virtual void show(bool /*between_phases*/) {}
  virtual Guarantee guarantee() const = 0;
  /// Bytes that each phase reads and writes at least, in their order.
  virtual std::array<double, 3> minimal_bytes() const = 0;
  /// Size of the memory used besides the planes.
  virtual std::int64_t work_bytes() const = 0;
};

/// Operands of products are rounded to `Format` (float only, but for Exact) in the tridiagonal solves and in
/// portable transforms. T: float, double, DoubleFloat and, on the host alone, float128. InputError as
/// check_poisson_grid.
template <class T, class Format>
std::unique_ptr<PoissonPhases<T>> make_poisson_phases(Host host, PoissonGrid const& grid,
                                                      PoissonMethod method);
template <class T, class Format>
std::unique_ptr<PoissonPhases<T>> make_poisson_phases(Cuda cuda, PoissonGrid const& grid,
                                                      PoissonMethod method);

/// A rank's block of the planes: `plane` values from level to level, `row` from row to row, at least 2 more
/// than a row of the block has, or, of blocks with whole rows, as planes have them: then rows are transformed
/// where they are, those between one level's last and the next one's first, too.
struct PoissonShare {
  Blocks blocks;
  std::int64_t plane = 0, row = 0;
};
/// A solver of planes that several ranks share: phases are collective, in stream order where the link is.
/// Portable ones have the bits of one rank. Each transforms some rows, and then the columns of some
/// wavenumbers along x, which it solves: two redistributions a solution where blocks have whole rows, else
/// four.
template <class T, class Format>
std::unique_ptr<PoissonPhases<T>> make_poisson_phases(Host host, PoissonGrid const& grid,
                                                      PoissonMethod method, PoissonShare const& share,
                                                      std::shared_ptr<Link<Host>> link);
template <class T, class Format>
std::unique_ptr<PoissonPhases<T>> make_poisson_phases(Cuda cuda, PoissonGrid const& grid,
                                                      PoissonMethod method, PoissonShare const& share,
                                                      std::shared_ptr<Link<Cuda>> link);

}  // namespace ulpine
