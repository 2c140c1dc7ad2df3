// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "core/exec/memory.hpp"
#include "core/ranks/link.hpp"
#include "core/ranks/points_of_rank.hpp"
#include "precision/host_device.hpp"

/// Exchanges by lists of places. Where one is called the executor's for_each is needed.
namespace ulpine {

/// Values of points, `components` of each side by side.
template <class T>
struct PointValues {
  T* values = nullptr;
  int components = 1;
};

namespace detail {

/// Entry n of the lists: the values of its point, array after array, to their place in a buffer, or back.
template <class T>
struct ListCopy {
  static constexpr int most = 8;
  std::int32_t const* place;
  PointValues<T> arrays[most];
  int count = 0, width = 0;  ///< arrays, and values of a point in all of them
  T* buffer = nullptr;
  bool packs = false;

  ULPINE_HD void operator()(std::int64_t n) const {
    auto* packed = buffer + n * width;
    for (int a = 0; a < count; ++a) {
      auto const components = arrays[a].components;
      auto* const value = arrays[a].values + std::int64_t{components} * place[n];
      for (int c = 0; c < components; ++c, ++packed) {
        packs ? void(*packed = value[c]) : void(value[c] = *packed);
      }
    }
  }
};

}  // namespace detail

/// Sends values of points to other ranks and puts those that come from them in their places, one message to
/// and from each rank that there are lists of. All memory is there before; the plan stays as it is.
template <class Executor>
class ListExchange {
 public:
  /// Room for `bytes` of a point.
  ListExchange(Executor executor, std::shared_ptr<Link<Executor>> link, ExchangeLists const& lists,
               std::int64_t bytes)
      : executor_{executor},
        link_{std::move(link)},
        room_{bytes},
        sent_(executor, lists.sent, bytes),
        received_(executor, lists.received, bytes) {
    messages_out_.reserve(sent_.parts.size());
    messages_in_.reserve(received_.parts.size());
  }

  Link<Executor> const& link() const { return *link_; }
  std::int64_t sent() const { return sent_.place.size(); }  ///< points
  std::int64_t received() const { return received_.place.size(); }
  std::size_t messages() const { return sent_.parts.size(); }
  /// Bytes that leave this rank's memory and come into it, in the neighbours' memory and in the buffers
  /// between, for `each` bytes a point.
  double bytes(std::int64_t each) const {                            // bare: as those of a stage
    return 2.0 * static_cast<double>((sent() + received()) * each);  // bare: as those of a stage
  }

  /// Collective; arrays are the executor's memory.
  template <class T>
  void operator()(T* values, int components = 1) {
    (*this)({PointValues<T>{values, components}});
  }
  template <class T>
  void operator()(std::initializer_list<PointValues<T>> arrays) {
    (*this)(std::span<PointValues<T> const>(arrays.begin(), arrays.size()));
  }
  template <class T>
  void operator()(std::span<PointValues<T> const> arrays) {
    detail::ListCopy<T> copy{nullptr, {}, static_cast<int>(arrays.size()), 0, nullptr, true};
    if (arrays.size() > detail::ListCopy<T>::most) throw std::logic_error("too many arrays at once");
    std::ranges::copy(arrays, copy.arrays);
    for (auto const& array : arrays) copy.width += array.components;
    auto const each = copy.width * static_cast<std::int64_t>(sizeof(T));
    if (each > room_) throw std::logic_error("no room for so many values of a point");
    run(copy, sent_);
    messages_out_.clear();
    messages_in_.clear();
    for (auto const& part : sent_.parts) {
      messages_out_.push_back(
          {part.rank, sent_.buffer.view().data() + part.before * each, part.count * each});
    }
    for (auto const& part : received_.parts) {
      messages_in_.push_back(
          {part.rank, received_.buffer.view().data() + part.before * each, part.count * each});
    }
    link_->exchange(messages_out_, messages_in_);
    copy.packs = false;
    run(copy, received_);
  }

 private:
  struct Part {
    int rank;
    std::int64_t before, count;  ///< entries
  };
  struct Side {
    Side(Executor executor, std::vector<ListOfRank> const& lists, std::int64_t bytes) {
      std::vector<std::int32_t> places;
      for (auto const& list : lists) {
        parts.push_back({list.rank, static_cast<std::int64_t>(places.size()),
                         static_cast<std::int64_t>(list.places.size())});
        places.insert(places.end(), list.places.begin(), list.places.end());
      }
      place = Array<std::int32_t, Executor>(executor, static_cast<std::int64_t>(places.size()));
      place.from_host(places.data());
      buffer = Array<std::byte, Executor>(executor, place.size() * bytes);
    }
    std::vector<Part> parts;
    Array<std::int32_t, Executor> place;
    Array<std::byte, Executor> buffer;
  };

  template <class T>
  void run(detail::ListCopy<T>& copy, Side& side) {
    copy.place = side.place.view().data();
    copy.buffer = reinterpret_cast<T*>(side.buffer.view().data());
    if (side.place.size() > 0) for_each(executor_, side.place.size(), copy);
  }

  Executor executor_;
  std::shared_ptr<Link<Executor>> link_;
  std::int64_t room_;
  Side sent_, received_;
  std::vector<Outgoing> messages_out_;
  std::vector<Incoming> messages_in_;
};

}  // namespace ulpine
