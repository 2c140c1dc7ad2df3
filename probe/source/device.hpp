// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "probe/source/part.hpp"

/// Fields in the memory of an NVIDIA GPU, by the driver that the process has loaded or can load: nothing of
/// CUDA is linked. All functions may be called from several threads at once.
namespace ulpine::probe {

/// Where an address lies.
enum class Memory { host, managed, device };

/// As the CUDA driver knows it; host where it does not, or where the process has not loaded the driver: then
/// it has no other memory.
Memory memory_of(void const* address);

/// Block hashes of a device part on their way: the kernel is in the caller's stream, and the model goes on.
class DeviceHash {
 public:
  DeviceHash(DeviceHash&&) noexcept;
  DeviceHash& operator=(DeviceHash&&) noexcept;
  ~DeviceHash();
  /// Whether wait() would return at once.
  bool ready() const;
  /// Adds the hashes to `blocks` when they are there. EnvironmentError where the device failed.
  void wait(std::span<std::uint64_t> blocks);

 private:
  friend DeviceHash hash_on_device(Part const&, int, int, bool);
  struct State;
  explicit DeviceHash(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// Launches the hash of a part in device or managed memory in part.stream, in the context that the address
/// belongs to: `blocks` sums, each of 2^shift dense indices. `zeros_equal`: -0 counts as 0. EnvironmentError
/// where this build has no GPU code, or the driver refuses. A stream that is being captured into a graph is
/// refused with UseError, as its launch would come later.
DeviceHash hash_on_device(Part const& part, int shift, int blocks, bool zeros_equal = false);

/// Copies the elements of a device part, row-major and without gaps, to `values` of part.count() elements,
/// when all earlier work of part.stream is done; and back. EnvironmentError as above.
void read_from_device(Part const& part, std::byte* values);
void write_to_device(Part const& part, std::byte const* values);

/// Whether the part is in a GPU's memory: the caller says so, or the driver.
bool on_device(Part const& part);

/// A copy of a device part in the host's memory, without gaps between its elements.
class HostCopy {
 public:
  /// EnvironmentError as above.
  explicit HostCopy(Part const& part);
  Part const& part() const { return copy_; }
  /// Copies the values to the device's part.
  void write_back() const { write_to_device(original_, values_.data()); }

 private:
  Part original_, copy_;
  std::vector<std::byte> values_;
};

}  // namespace ulpine::probe
