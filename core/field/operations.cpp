// SPDX-License-Identifier: Apache-2.0
#include "core/field/operations.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "core/exec/host.hpp"
#include "core/exec/reduce.hpp"
#include "core/field/operations_impl.hpp"
#include "precision/quad.hpp"

namespace ulpine {
namespace {

constexpr std::int64_t piece_bytes = std::int64_t{32} << 20;  ///< of device memory and of the sums' copies

template <class Visit>
void visit(ValueType type, Visit const& visit_one) {
  switch (type) {
    case ValueType::uint8:
      return visit_one(std::uint8_t{});
    case ValueType::float32:
      return visit_one(float{});
    case ValueType::float64:
      return visit_one(double{});
    case ValueType::float32_pair:
      return visit_one(DoubleFloat{});
    default:
      return visit_one(float128{});
  }
}

[[noreturn, maybe_unused]] void no_cuda() {
  throw std::logic_error("a field on a device in a build without CUDA");
}

/// Pieces of [0, count) of at most piece_bytes.
template <class Take>
void in_pieces(std::int64_t count, int bytes_each, Take const& take) {
  auto const most = piece_bytes / bytes_each;
  for (std::int64_t first = 0; first < count; first += most) {
    take(first, std::min(most, count - first));
  }
}

/// Whether both have the same points, each where strides alone say.
bool have_alike_axes(Layout const& a, Layout const& b) {
  if (a.rank() != b.rank() || a.positions() != nullptr || b.positions() != nullptr) return false;
  for (int axis = 0; axis < a.rank(); ++axis) {
    if (a.axis(axis).extent != b.axis(axis).extent) return false;
  }
  return true;
}

/// Copies the points of layouts with alike axes along the source's memory, without finding each anew.
template <class From, class To>
void copy_along_axes(From const* from, Layout const& source, To* to, Layout const& target) {
  std::array<LayoutAxis, Layout::most_axes> out, in;  // the slowest in the source's memory first
  std::vector<int> order(static_cast<std::size_t>(source.rank()));
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, [&](int a, int b) { return source.axis(a).stride > source.axis(b).stride; });
  auto const unused = Layout::most_axes - source.rank();
  for (int axis = 0; axis < source.rank(); ++axis) {
    auto const place = static_cast<std::size_t>(unused + axis);
    in[place] = source.axis(order[static_cast<std::size_t>(axis)]);
    out[place] = target.axis(order[static_cast<std::size_t>(axis)]);
  }
  auto const at = [](auto const& axes, std::int64_t i, std::int64_t j, std::int64_t k) {
    return i * axes[0].stride + j * axes[1].stride + k * axes[2].stride;
  };
  for (std::int64_t i = 0; i < in[0].extent; ++i) {
    for (std::int64_t j = 0; j < in[1].extent; ++j) {
      for (std::int64_t k = 0; k < in[2].extent; ++k) {
        auto const* read = from + source.offset() + at(in, i, j, k);
        auto* write = to + target.offset() + at(out, i, j, k);
        for (std::int64_t l = 0; l < in[3].extent; ++l) {
          write[l * out[3].stride] = converted<To>(read[l * in[3].stride]);
        }
      }
    }
  }
}

}  // namespace

void read_values(RawField const& field, std::int64_t first, std::int64_t count, ValueType type, void* values,
                 RawField const* domain) {
  if (!field.on_device) {
    visit(field.type, [&]<class From>(From) {
      visit(type, [&]<class To>(To) {
        detail::pack<From>(Host{field.threads}, field, first, count, static_cast<To*>(values), domain);
      });
    });
    return;
  }
#if defined(ULPINE_HAS_CUDA)
  auto const width = bytes_of(type);
  Array<std::byte, Cuda> piece(field.cuda, std::min(piece_bytes, count * width));
  in_pieces(count, width, [&](std::int64_t begin, std::int64_t size) {
    detail::pack_on_device(field, first + begin, size, type, piece.view().data(), domain);
    detail::to_host(field.cuda, static_cast<std::byte*>(values) + begin * width, piece.view().data(),
                    size * width);
  });
#else
  no_cuda();
#endif
}

void write_values(RawField const& field, std::int64_t first, std::int64_t count, ValueType type,
                  void const* values) {
  if (!field.on_device) {
    visit(type, [&]<class From>(From) {
      visit(field.type, [&]<class To>(To) {
        detail::unpack<From, To>(Host{field.threads}, field, first, count, static_cast<From const*>(values));
      });
    });
    return;
  }
#if defined(ULPINE_HAS_CUDA)
  auto const width = bytes_of(type);
  Array<std::byte, Cuda> piece(field.cuda, std::min(piece_bytes, count * width));
  in_pieces(count, width, [&](std::int64_t begin, std::int64_t size) {
    detail::to_executor(field.cuda, piece.view().data(),
                        static_cast<std::byte const*>(values) + begin * width, size * width);
    detail::unpack_on_device(field, first + begin, size, type, piece.view().data());
  });
  synchronize(field.cuda);
#else
  no_cuda();
#endif
}

void copy_values(RawField const& source, RawField const& target) {
  auto const width = bytes_of(source.type);
  if (!source.on_device && !target.on_device && have_alike_axes(source.layout, target.layout)) {
    visit(source.type, [&]<class From>(From) {
      visit(target.type, [&]<class To>(To) {
        copy_along_axes(static_cast<From const*>(source.data), source.layout, static_cast<To*>(target.data),
                        target.layout);
      });
    });
    return;
  }
  if (!source.on_device) {
    std::vector<std::byte> piece(static_cast<std::size_t>(std::min(piece_bytes, source.count() * width)));
    in_pieces(source.count(), width, [&](std::int64_t first, std::int64_t count) {
      read_values(source, first, count, source.type, piece.data());
      write_values(target, first, count, source.type, piece.data());
    });
    return;
  }
#if defined(ULPINE_HAS_CUDA)
  Array<std::byte, Cuda> piece(source.cuda, std::min(piece_bytes, source.count() * width));
  in_pieces(source.count(), width, [&](std::int64_t first, std::int64_t count) {
    detail::pack_on_device(source, first, count, source.type, piece.view().data(), nullptr);
    detail::unpack_on_device(target, first, count, source.type, piece.view().data());
  });
  synchronize(source.cuda);
#else
  no_cuda();
#endif
}

std::optional<FoundValue> first_invalid(RawField const& field, ValueRange const& range,
                                        RawField const* domain) {
  if (field.type == ValueType::uint8) return {};
  long long found = 0;
  if (!field.on_device) {
    visit(field.type, [&]<class T>(T) {
      if constexpr (sizeof(T) > 1) detail::find_invalid<T>(Host{field.threads}, field, range, domain, &found);
    });
  } else {
#if defined(ULPINE_HAS_CUDA)
    Array<long long, Cuda> on_device(field.cuda, 1);
    detail::find_invalid_on_device(field, range, domain, on_device.view().data());
    on_device.to_host(&found);
#else
    no_cuda();
#endif
  }
  if (found == 0) return {};
  auto const first = field.count() - found;
  FoundValue invalid{field.layout.dense_index(first), 0};
  read_values(field, first, 1, ValueType::float64, &invalid.value);
  return invalid;
}

void add_noise(RawField const& field, Noise const& noise, RawField const* domain) {
  if (!field.on_device) {
    visit(field.type, [&]<class T>(T) {
      if constexpr (sizeof(T) > 1) {
        constexpr bool own = sizeof(T) > sizeof(double) || std::is_same_v<T, DoubleFloat>;
        using Wide = std::conditional_t<own, T, double>;
        detail::add_noise<T, Wide>(Host{field.threads}, field, noise, domain);
      }
    });
    return;
  }
#if defined(ULPINE_HAS_CUDA)
  detail::add_noise_on_device(field, noise, domain);
  synchronize(field.cuda);
#else
  no_cuda();
#endif
}

ExactSum weighted_sum(RawField const& field, RawField const& weights, RawField const* domain) {
  ExactSum sum;
  std::vector<double> x, w;
  in_pieces(field.count(), sizeof(double), [&](std::int64_t first, std::int64_t count) {
    x.resize(static_cast<std::size_t>(count));
    w.resize(static_cast<std::size_t>(count));
    read_values(field, first, count, ValueType::float64, x.data());
    read_values(weights, first, count, ValueType::float64, w.data());
    if (domain != nullptr) {
      std::vector<std::uint8_t> holds(static_cast<std::size_t>(count));
      read_values(*domain, first, count, ValueType::uint8, holds.data());
      for (std::size_t i = 0; i < holds.size(); ++i) {
        if (holds[i] == 0) x[i] = w[i] = 0;
      }
    }
    sum.merge(Reducer<Host>(Host{field.threads})
                  .dot(View<double const>(x.data(), count), View<double const>(w.data(), count)));
  });
  return sum;
}

}  // namespace ulpine
