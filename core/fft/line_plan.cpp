// SPDX-License-Identifier: Apache-2.0
#include "core/fft/line_plan.hpp"

#include <bit>
#include <stdexcept>
#include <type_traits>

#include "core/fft/roots.hpp"
#include "precision/counted_number.hpp"
#include "precision/double_float.hpp"
#include "precision/emulated_number.hpp"
#include "precision/formats.hpp"
#include "ulpine_instances.hpp"

namespace ulpine::fft {
namespace {

template <class T, class Format>
T rounded(float128 const& x) {
  if constexpr (std::is_same_v<T, EmulatedNumber> || std::is_same_v<T, CountedState> ||
                std::is_same_v<T, CountedCompute>) {
    return T::of(static_cast<double>(x));  // emulated stages round it to their own formats
  } else if constexpr (std::is_same_v<T, DoubleFloat>) {
    auto const hi = static_cast<float>(x);
    return DoubleFloat::of(math::fast_two_sum(hi, static_cast<float>(x - float128(hi))));
  } else {
    return Format::round(static_cast<T>(x));
  }
}
template <class T, class Format>
Complex<T> rounded(Complex<float128> const& x) {
  return {rounded<T, Format>(x.re), rounded<T, Format>(x.im)};
}

template <class T, class Format, int R>
OddRoots<T, R> odd_roots() {
  OddRoots<T, R> roots;
  for (int k = 0; k < R / 2; ++k) {
    auto const w = rounded<T, Format>(root(k + 1, R));
    roots.cosine[k] = w.re;
    roots.sine[k] = -w.im;
  }
  return roots;
}

/// Gives each step its source and target.
class Steps {
 public:
  void add(Step step) {
    step.by_stride = Divider(step.stride);
    step.by_items = Divider(step.items);
    steps_.push_back(step);
  }
  std::size_t size() const { return steps_.size(); }
  Step& operator[](std::size_t i) { return steps_[i]; }

  template <class T>
  void copy_to(LineProgram<T>& program) {
    if (steps_.size() > LineProgram<T>::most_steps) throw std::logic_error("a transform of too many steps");
    auto place = Place::planes;
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      steps_[i].source = place;
      place = i + 1 == steps_.size() ? Place::planes : place == Place::a ? Place::b : Place::a;
      steps_[i].target = place;
      program.steps[i] = steps_[i];
    }
    program.count = static_cast<std::int32_t>(steps_.size());
  }

 private:
  std::vector<Step> steps_;
};

}  // namespace

std::vector<std::int32_t> radices_of(std::int32_t n) {
  std::vector<std::int32_t> radices;
  auto twos = std::countr_zero(static_cast<std::uint32_t>(n));
  n >>= twos;
  for (; twos > 4 || twos == 3; twos -= 3) radices.push_back(8);
  for (; twos > 1; twos -= 2) radices.push_back(4);
  if (twos == 1) radices.push_back(2);
  for (std::int32_t const prime : {7, 5, 3}) {
    for (; n % prime == 0; n /= prime) radices.push_back(prime);
  }
  return n == 1 ? radices : std::vector<std::int32_t>{};
}

template <class T, class Format>
LinePlan<T, Format>::LinePlan(LineKind kind, std::int32_t points)
    : kind_{kind},
      points_{points},
      n_{kind == LineKind::real && points % 2 == 0 ? points / 2 : points},
      length_{n_} {
  auto radices = radices_of(n_);
  if (radices.empty() && n_ > 1) {
    length_ = static_cast<std::int32_t>(std::bit_ceil(2 * static_cast<std::uint32_t>(n_) - 1));
    radices = radices_of(length_);
  }
  auto const here = [this] { return static_cast<std::int64_t>(table_.size()); };
  auto const keep = [this](Complex<float128> const& x) { table_.push_back(rounded<T, Format>(x)); };
  std::int32_t stride = 1;
  for (auto const radix : radices) {
    passes_.push_back({radix, stride, here()});
    if (stride > 1) {
      for (std::int64_t r = 1; r < radix; ++r) {
        for (std::int64_t p = 0; p < stride; ++p) keep(root(p * r, std::int64_t{radix} * stride));
      }
    }
    stride *= radix;
  }
  if (bluestein()) {
    chirp_ = here();
    for (std::int64_t j = 0; j < n_; ++j) keep(chirp(j, n_));
    filter_ = here();
    for (auto const& x : chirp_filter(n_, length_)) keep(x);
  }
  if (kind == LineKind::real && points % 2 == 0) {
    split_ = here();
    for (std::int64_t k = 0; k <= n_ / 2; ++k) keep(root(k, points));
  }
}

template <class T, class Format>
LineProgram<T> LinePlan<T, Format>::program(Direction direction, Complex<T> const* table) const {
  LineProgram<T> program;
  program.points = n_;
  program.buffered = length_;
  program.table = table;
  program.constants = {rounded<T, Format>(-root(1, 8).im), odd_roots<T, Format, 3>(),
                       odd_roots<T, Format, 5>(), odd_roots<T, Format, 7>()};
  auto const forward = direction == Direction::forward;
  auto const real = kind_ == LineKind::real, even = points_ % 2 == 0;
  Steps steps;
  auto const add_passes = [&] {
    for (auto const& pass : passes_) {
      steps.add({.operation = Operation::pass,
                 .radix = pass.radix,
                 .items = length_ / pass.radix,
                 .stride = pass.stride,
                 .table = pass.table});
    }
  };

  if (real && forward && !even) steps.add({.operation = Operation::from_real, .items = n_});
  if (real && !forward && even) {
    steps.add({.operation = Operation::merge, .items = n_ / 2 + 1, .table = split_});
  }
  if (real && !forward && !even) steps.add({.operation = Operation::from_half, .items = n_});
  auto const first = steps.size();
  if (bluestein()) {
    steps.add({.operation = Operation::chirp, .items = length_, .table = chirp_});
    add_passes();
    steps.add({.operation = Operation::filter, .swapped_target = true, .items = length_, .table = filter_});
    add_passes();
    steps.add({.operation = Operation::unchirp, .swapped_source = true, .items = n_, .table = chirp_});
  } else {
    add_passes();
  }
  if (!forward && steps.size() > first) {
    steps[first].swapped_source = true;
    steps[steps.size() - 1].swapped_target = true;
  }
  if (real && forward && even) {
    steps.add({.operation = Operation::split, .items = n_ / 2 + 1, .table = split_});
  }
  if (real && forward && !even) steps.add({.operation = Operation::to_half, .items = n_ / 2 + 1});
  if (real && !forward && !even) steps.add({.operation = Operation::to_real, .items = n_ / 2 + 1});
  steps.copy_to(program);
  return program;
}

template class LinePlan<float, Exact>;
#define ULPINE_INSTANTIATE(T, Format) template class LinePlan<T, Format>;
ULPINE_FOR_ROUNDINGS(ULPINE_INSTANTIATE)
#undef ULPINE_INSTANTIATE
template class LinePlan<double, Exact>;
template class LinePlan<float128, Exact>;
template class LinePlan<DoubleFloat, Exact>;
template class LinePlan<EmulatedNumber, EmulatedMultiplicand>;
template class LinePlan<CountedState, Exact>;
template class LinePlan<CountedCompute, Exact>;

}  // namespace ulpine::fft
