// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/exec/memory.hpp"
#include "core/field/field.hpp"
#include "core/ranks/link.hpp"
#include "core/seaice/block.hpp"
#include "core/stage/halo_copy.hpp"
#include "core/stage/runner.hpp"

namespace ulpine::seaice {

/// Fields of one type and layout, on cells or on nodes, whose halos are filled at once.
struct HaloGroup {
  std::vector<Field const*> fields;
  int order = 0;            ///< of nodes; 0: on cells
  std::int32_t spared = 0;  ///< cells beside the block whose values are right as they are
};

/// Fills the halos of a block's fields, of whatever types, with what the neighbours own: one message for each
/// group to each of up to eight neighbours, all of them at once. A node between two blocks is the eastern and
/// northern one's. Collective; compiled in halos.cpp and halos.cu.
template <class Executor>
class HaloRound {
 public:
  HaloRound(Executor executor, Link<Executor>& link, Block const& block,
            std::vector<HaloGroup> const& groups);

  /// Bytes that leave this rank's memory and come into it, in the neighbours' memory and in the buffers
  /// between.
  double bytes() const { return 2.0 * static_cast<double>(memory()); }
  std::int64_t memory() const { return sent_.size() + received_.size(); }
  void exchange();
  /// Exchanges the halos as a stage.
  void operator()(StageRunner& stages, Stage stage);

 private:
  struct Box {
    detail::HaloBox box;
    int rank;
  };
  struct Copy {
    std::vector<std::byte*> fields;  ///< their first owned values
    std::int64_t width = 0;          ///< bytes of a value
    std::int64_t plane = 0, row = 0;
    std::int32_t levels = 1;
    std::vector<Box> out, in;
    std::int64_t sent = 0, received = 0;  ///< where in the buffers, bytes

    /// Bytes of boxes of so many columns.
    std::int64_t bytes(std::int64_t columns) const {
      return columns * levels * width * static_cast<std::int64_t>(fields.size());
    }
    static std::int64_t columns(std::vector<Box> const& boxes) {
      return boxes.empty() ? 0 : boxes.back().box.before + boxes.back().box.columns();
    }
  };

  static std::vector<Box> boxes(Block const& block, HaloGroup const& group, bool own);
  void run(Copy const& copy, bool packs);
  /// On the host: row after row, whatever the type.
  void run_rows(Copy const& copy, bool packs);
  /// On a device: value by value.
  template <class T>
  void run_as(Copy const& copy, bool packs);

  Executor executor_;
  Link<Executor>* link_;
  std::vector<Copy> copies_;
  Array<std::byte, Executor> sent_, received_;
  std::vector<Outgoing> out_;
  std::vector<Incoming> in_;
};

}  // namespace ulpine::seaice
