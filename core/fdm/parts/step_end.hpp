// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/fdm/domain.hpp"
#include "core/fdm/leap.hpp"
#include "core/fdm/part.hpp"

namespace ulpine::fdm {

/// The end of a leap: of wind and pressure, at the faces and the centre of a cell.
template <class T, class S>
struct LeapDeviations {
  T filter;
  Deviations<S> change;
  Rows<T> u, v, w, p, u0, v0, w0, p0;
  ULPINE_HD void operator()(std::int32_t i, std::int32_t j, std::int32_t k) const {
    auto const one = [&](Rows<S> const& deviation, Rows<T> const& now, Rows<T> const& start) {
      auto const after = start(k, j, i) + static_cast<T>(deviation(k, j, i));
      leap(filter, after, now(k, j, i), start(k, j, i));
    };
    one(change.u, u, u0);
    one(change.v, v, v0);
    one(change.w, w, w0);
    one(change.p, p, p0);
  }
};

/// Wind and pressure after the small steps: the state in which the step began, and their deviations from it.
template <class D>
class StepEnd final : public Part {
  using T = typename D::T;
  using S = typename D::S;

 public:
  explicit StepEnd(D& d) : d_{d} {}

  void declare_stages() override {
    stage_ = d_.stage("sound.end", "u, v, w and p' with their deviations after the last small step", 8, 4);
  }
  void end_wind(Interval const& interval) override {
    if (!interval.leaps) {
      d_.run(stage_, d_.with_last_faces(),
             AddDeviations<T, S>{d_.start(), d_.deviations(), d_.u.out(), d_.v.out(), d_.w.out(),
                                 d_.pressure.out()},
             {d_.u, d_.v, d_.w, d_.pressure});
      return;
    }
    d_.run(stage_, d_.with_last_faces(),
           LeapDeviations<T, S>{static_cast<T>(d_.p.asselin), d_.deviations(), d_.u.out(), d_.v.out(),
                                d_.w.out(), d_.pressure.out(), d_.start_u.out(), d_.start_v.out(),
                                d_.start_w.out(), d_.start_pressure.out()},
           {d_.u, d_.v, d_.w, d_.pressure, d_.start_u, d_.start_v, d_.start_w, d_.start_pressure});
  }

 private:
  D& d_;
  Stage stage_{};
};

}  // namespace ulpine::fdm
