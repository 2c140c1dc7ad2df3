// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "core/exec/extent.hpp"
#include "core/exec/memory.hpp"
#include "core/ranks/link.hpp"
#include "precision/host_device.hpp"

/// Arrays of three dimensions that ranks share in one way, and then in another. The launches need the
/// executor's for_each before this is included.
namespace ulpine {

/// Indices from `begin` to before `end`.
struct IndexRange {
  std::int32_t begin = 0, end = 0;
  constexpr std::int32_t size() const { return end > begin ? end - begin : 0; }
};
/// A box of indices of a three-dimensional array, the slowest axis first.
struct IndexBox {
  IndexRange z, y, x;
  constexpr std::int64_t count() const { return std::int64_t{z.size()} * y.size() * x.size(); }
};
constexpr IndexRange overlap(IndexRange a, IndexRange b) {
  return {std::max(a.begin, b.begin), std::min(a.end, b.end)};
}
constexpr IndexBox overlap(IndexBox const& a, IndexBox const& b) {
  return {overlap(a.z, b.z), overlap(a.y, b.y), overlap(a.x, b.x)};
}

/// Which box of an array each rank has (boxes that do not overlap; some may be empty), and how this one's
/// lies in memory: values from one plane and from one row to the next.
struct Distribution {
  std::vector<IndexBox> boxes;
  std::int64_t plane = 0, row = 0;
};

/// Messages of redistributions that are never under way at once.
template <class Executor>
struct MessageBuffers {
  Array<std::byte, Executor> sent, received;

  void reserve(Executor executor, std::int64_t bytes_sent, std::int64_t bytes_received) {
    if (sent.size() < bytes_sent) sent = Array<std::byte, Executor>(executor, bytes_sent);
    if (received.size() < bytes_received) received = Array<std::byte, Executor>(executor, bytes_received);
  }
};

namespace detail {

/// A box in an array, `first` values from this rank's first, and in a buffer, behind `before` values.
struct PackedBox {
  std::int64_t first = 0, before = 0;
  std::int32_t nz = 0, ny = 0, nx = 0;
};

/// Value i of row n of box b from an array to a buffer, where boxes are dense, or back.
template <class T>
struct BoxCopy {
  PackedBox const* boxes;
  T* array;
  std::int64_t plane, row;
  T* buffer;
  bool packs;

  ULPINE_HD void operator()(std::int32_t i, std::int32_t n, std::int32_t b) const {
    auto const& box = boxes[b];
    if (i < box.nx && n < box.ny * box.nz) copy(box, n, i);
  }
  ULPINE_HD void copy(PackedBox const& box, std::int32_t n, std::int32_t i) const {
    auto const k = n / box.ny, j = n - k * box.ny;
    auto& value = array[box.first + k * plane + j * row + i];
    auto& packed = buffer[box.before + std::int64_t{n} * box.nx + i];
    packs ? void(packed = value) : void(value = packed);
  }
};
/// All values of a row, one after the other.
template <class T>
struct BoxRowCopy {
  static constexpr bool scatters = true;  ///< nothing to vectorise from row to row
  BoxCopy<T> copy;
  void operator()(std::int32_t n, std::int32_t b) const {
    auto const& box = copy.boxes[b];
    if (n >= box.ny * box.nz) return;
    for (std::int32_t i = 0; i < box.nx; ++i) copy.copy(box, n, i);
  }
};

/// Value i of row n of a box from one array to another.
template <class T>
struct BoxMove {
  T const* from;
  std::int64_t from_plane, from_row;
  T* to;
  std::int64_t to_plane, to_row;
  std::int32_t ny, nx;

  ULPINE_HD void operator()(std::int32_t i, std::int32_t n) const {
    auto const k = n / ny, j = n - k * ny;
    to[k * to_plane + j * to_row + i] = from[k * from_plane + j * from_row + i];
  }
};
/// All values of a row, one after the other.
template <class T>
struct BoxRowMove {
  static constexpr bool scatters = true;  ///< as above
  BoxMove<T> move;
  void operator()(std::int64_t n) const {
    for (std::int32_t i = 0; i < move.nx; ++i) move(i, static_cast<std::int32_t>(n));
  }
};

/// Copies boxes to a buffer or back: as many as `most` has planes, each of at most its rows and values.
template <class T>
void copy_boxes(Host host, Extent3 most, BoxCopy<T> const& copy) {
  for_each(host, Extent2{most.ny, most.nz}, BoxRowCopy<T>{copy});
}
template <class T>
void move_box(Host host, std::int32_t rows, BoxMove<T> const& move) {
  for_each(host, std::int64_t{rows}, BoxRowMove<T>{move});
}
/// Instantiated for float and double.
template <class T>
void copy_boxes(Cuda cuda, Extent3 most, BoxCopy<T> const& copy);
template <class T>
void move_box(Cuda cuda, std::int32_t rows, BoxMove<T> const& move);

}  // namespace detail

/// Who packs what goes from the one distribution, and unpacks what comes back to it: the redistribution, or
/// its caller in the places that it is told of, with what stays on the rank.
enum class Packing { own, by_caller };

/// Moves an array between two distributions. Collective; all memory is there before.
template <class T, class Executor>
class Redistribution {
 public:
  Redistribution(Executor executor, std::shared_ptr<Link<Executor>> link, Distribution const& one,
                 Distribution const& other, std::shared_ptr<MessageBuffers<Executor>> buffers)
      : link_{std::move(link)},
        buffers_{std::move(buffers)},
        one_(executor, own_rank(), one, other),
        other_(executor, own_rank(), other, one),
        messages_{any_messages(one, other)} {
    auto const most = std::max(one_.packed, other_.packed) * std::int64_t{sizeof(T)};
    buffers_->reserve(executor, most, most);
    messages_out_.reserve(std::max(one_.parts.size(), other_.parts.size()));
    messages_in_.reserve(messages_out_.capacity());
  }

  /// Moves the one array to the other. Target values that no rank has in the source stay as they are.
  void there(Executor executor, T* one, T* other, Packing packing = Packing::own) {
    move(executor, one_, one, other_, other, packing);
  }
  void back(Executor executor, T* other, T* one, Packing packing = Packing::own) {
    move(executor, other_, other, one_, one, packing);
  }
  /// there() in two parts, in the order of the link's side: what is done between them neither writes the
  /// source nor touches the target.
  void begin_there(T* one, T* other, Packing packing = Packing::own) {
    begin(one_, one, other_, other, packing);
  }
  void end_there(T* other) { end(other_, other, Packing::own); }
  void begin_back(T* other, T* one, Packing packing = Packing::own) {
    begin(other_, other, one_, one, packing);
  }
  void end_back(T* one, Packing packing = Packing::own) { end(one_, one, packing); }

  /// Whether callers can pack: no message lies in the one's array as it is.
  bool can_be_packed() const {
    return std::ranges::none_of(one_.parts, [](Part const& part) { return part.dense; });
  }
  /// visit(rank, place) for each rank with which this one shares a box of the one: where a caller puts it,
  /// dense, before there(), and finds it after back(). What stays on the rank lies in `other`.
  template <class Visit>
  void places_there(T* other, Visit const& visit) const {
    places(sent(), other, visit);
  }
  template <class Visit>
  void places_back(T* other, Visit const& visit) const {
    places(received(), other, visit);
  }

  /// Values that leave this rank there, and those that come in; what it keeps is counted as neither.
  std::int64_t leaving() const { return one_.elsewhere; }
  std::int64_t coming() const { return other_.elsewhere; }

 private:
  /// A box that this rank has and another wants: where it lies dense in memory the message is there. What
  /// this rank wants itself goes there at once.
  struct Part {
    int rank;
    bool dense;
    std::int64_t place, count;  ///< in the array where dense, else in the buffer
  };
  struct Side {
    Side(Executor executor, int rank, Distribution const& mine, Distribution const& others)
        : plane{mine.plane}, row{mine.row} {
      auto const& own = mine.boxes[static_cast<std::size_t>(rank)];
      std::vector<detail::PackedBox> boxes_here;
      for (std::size_t r = 0; r < others.boxes.size(); ++r) {
        auto const box = overlap(own, others.boxes[r]);
        auto const count = box.count();
        if (count == 0) continue;
        auto const nz = box.z.size(), ny = box.y.size(), nx = box.x.size();
        auto const first = (box.z.begin - own.z.begin) * plane + (box.y.begin - own.y.begin) * row +
                           (box.x.begin - own.x.begin);
        if (static_cast<int>(r) == rank) {
          kept = {first, 0, nz, ny, nx};
          continue;
        }
        elsewhere += count;
        bool const dense_rows = ny == 1 || row == nx;
        bool const dense = dense_rows && (nz == 1 || plane == std::int64_t{ny} * nx);
        parts.push_back({static_cast<int>(r), dense, dense ? first : packed, count});
        if (dense) continue;
        boxes_here.push_back({first, packed, nz, ny, nx});
        packed += count;
        most = {std::max(most.nx, nx), std::max(most.ny, ny * nz), most.nz + 1};
      }
      boxes = Array<detail::PackedBox, Executor>(executor, static_cast<std::int64_t>(boxes_here.size()));
      if (!boxes_here.empty()) boxes.from_host(boxes_here.data());
    }

    void copy(Executor executor, T* array, T* buffer, bool packs) const {
      if (most.nz == 0) return;
      detail::copy_boxes(executor, most,
                         detail::BoxCopy<T>{boxes.view().data(), array, plane, row, buffer, packs});
    }

    std::int64_t plane, row;
    std::vector<Part> parts;
    detail::PackedBox kept;
    Array<detail::PackedBox, Executor> boxes;
    Extent3 most{0, 0, 0};
    std::int64_t packed = 0, elsewhere = 0;  ///< values
  };

  int own_rank() const { return link_->ranks()->rank(); }
  /// Whether any rank has what another wants: all know, as messages are collective.
  static bool any_messages(Distribution const& one, Distribution const& other) {
    for (std::size_t here = 0; here < one.boxes.size(); ++here) {
      for (std::size_t there = 0; there < other.boxes.size(); ++there) {
        if (here != there && overlap(one.boxes[here], other.boxes[there]).count() > 0) return true;
      }
    }
    return false;
  }

  T* sent() const { return reinterpret_cast<T*>(buffers_->sent.view().data()); }
  T* received() const { return reinterpret_cast<T*>(buffers_->received.view().data()); }
  template <class Visit>
  void places(T* buffer, T* other, Visit const& visit) const {
    for (auto const& part : one_.parts) visit(part.rank, buffer + part.place);
    if (one_.kept.nx > 0) visit(own_rank(), other + other_.kept.first);
  }
  bool packs(Side const& side, Packing packing) const { return packing == Packing::own || &side == &other_; }
  /// Packs the values that go to others, and makes their messages.
  void pack(Executor executor, Side const& from, T* source, Side const& to, T* target, Packing packing) {
    auto const bytes = [](Part const& part) { return part.count * std::int64_t{sizeof(T)}; };
    if (packs(from, packing)) from.copy(executor, source, sent(), true);
    messages_out_.clear();
    messages_in_.clear();
    for (auto const& part : from.parts) {
      messages_out_.push_back({part.rank, (part.dense ? source : sent()) + part.place, bytes(part)});
    }
    for (auto const& part : to.parts) {
      messages_in_.push_back({part.rank, (part.dense ? target : received()) + part.place, bytes(part)});
    }
  }
  /// Moves the values that stay with this rank.
  static void keep(Executor executor, Side const& from, T* source, Side const& to, T* target,
                   Packing packing) {
    auto const& [first, before, nz, ny, nx] = from.kept;
    if (nx == 0 || packing == Packing::by_caller) return;
    detail::move_box(executor, nz * ny,
                     detail::BoxMove<T>{source + first, from.plane, from.row, target + to.kept.first,
                                        to.plane, to.row, ny, nx});
  }
  void unpack(Executor executor, Side const& to, T* target, Packing packing) {
    if (packs(to, packing)) to.copy(executor, target, received(), false);
  }

  void move(Executor executor, Side const& from, T* source, Side const& to, T* target, Packing packing) {
    pack(executor, from, source, to, target, packing);
    if (messages_) link_->exchange(messages_out_, messages_in_);
    keep(executor, from, source, to, target, packing);
    unpack(executor, to, target, packing);
  }
  void begin(Side const& from, T* source, Side const& to, T* target, Packing packing) {
    auto& side = link_->side();
    side.fork();
    pack(side.executor(), from, source, to, target, packing);
    if (messages_) link_->begin(messages_out_, messages_in_);
    // After the messages on a device, which go the sooner.
    keep(side.executor(), from, source, to, target, packing);
  }
  void end(Side const& to, T* target, Packing packing) {
    auto& side = link_->side();
    if (messages_) link_->end();
    unpack(side.executor(), to, target, packing);
    side.join();
  }

  std::shared_ptr<Link<Executor>> link_;
  std::shared_ptr<MessageBuffers<Executor>> buffers_;
  Side one_, other_;
  bool messages_;
  std::vector<Outgoing> messages_out_;
  std::vector<Incoming> messages_in_;
};

}  // namespace ulpine
