// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/seaice/maps.hpp"
#include "core/seaice/part.hpp"
#include "core/seaice/start.hpp"

namespace ulpine::seaice {

/// The element matrices, in the format of policy P, and the fields at the start.
template <class P, class D, class Maps>
class Elements final : public Part {
 public:
  Elements(D& d, Setup const& setup) : maps_(d.executor, d.cells.plane()) {
    mode_areas_ = set_geometry(d, setup.mesh, Maps::shared, [this](std::int64_t cell, auto const& element) {
      maps_.template set<P>(cell, element);
    });
    maps_.finish();
    set_fields(d, setup);
  }
  Maps const& maps() const { return maps_; }
  ModeAreas<D> const& mode_areas() const { return mode_areas_; }
  std::int64_t bytes() const override { return maps_.bytes(); }

 private:
  Maps maps_;
  ModeAreas<D> mode_areas_;
};

}  // namespace ulpine::seaice
