// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/exec/memory.hpp"
#include "core/fem/assembler.hpp"
#include "core/fem/assembly.hpp"
#include "core/fem/instances.hpp"

namespace ulpine::fem {

/// How a model assembles on an executor, where one way is the fastest deterministic one of a device.
template <class Executor>
constexpr Way way_of(Assembly assembly, Way of_device) {
  if (assembly == Assembly::atomic) return Way::atomic;
  return Executor::on_device ? of_device : Way::elements;
}

/// Rows of the patches of scalar matrices, of blocks of three numbers, and where visits are stored: measured
/// (docs/results/fem.md).
inline constexpr std::int32_t rows_of_scalars = 56, rows_of_blocks = 32, rows_of_visits = 12;

template <class P, class Executor>
class PolicyAssembler final : public Assembler<typename P::State> {
  using T = typename P::State;
  using Real = typename P::Compute;
  using Base = Assembler<T>;

 public:
  PolicyAssembler(Executor executor, Assembly assembly, TetraConnectivity const& mesh, T const* position)
      : executor_{executor},
        scalars_{executor, mesh, way_of<Executor>(assembly, Way::patches), rows_of_scalars},
        blocks_{executor, mesh, way_of<Executor>(assembly, Way::patches), rows_of_blocks},
        visits_{executor, mesh, way_of<Executor>(assembly, Way::visits), rows_of_visits},
        mesh_{mesh},
        position_{position} {
    if (visits_.way() != Way::visits) return;
    entries_ = {executor, stored_entries<SharedMomentum<P>>(mesh.elements)};
    sums_ = {executor, stored_sums<SharedMomentum<P>>(mesh.elements)};
  }

  void scalar(typename Base::Scalar const& of) override {
    ScalarInput<P> const in{of.velocity, of.value, of.diffusivity, of.absorption, of.reference, nullptr};
    ScalarStep<Real> const step{static_cast<Real>(of.implicit), Real(0)};
    if (of.upwinding.stabilisation == Stabilisation::none) {
      fill(scalars_, ScalarForm<P>{position_, in, step, {}}, of.matrix, of.right);
    } else {
      fill(scalars_, UpwindScalarForm<P>{position_, in, step, {}, narrowed(of.upwinding)}, of.matrix,
           of.right);
    }
  }

  void momentum(typename Base::Momentum const& of) override {
    MomentumOptions options;
    options.lumped = true;
    options.pressure_by_parts = true;
    MomentumInput<P> const in{of.velocity,   of.old_velocity, of.density,  of.viscosity,
                              of.absorption, of.target,       of.buoyancy, of.pressure};
    MomentumStep<Real> const step{
        static_cast<Real>(of.implicit), Real(0), {Real(0), Real(0), static_cast<Real>(-of.gravity)}, {}};
    if (of.upwinding.stabilisation == Stabilisation::none) {
      fill(visits_, SharedMomentum<P>{position_, in, step, options}, of.matrix, of.right, of.mass);
    } else {
      fill(visits_, UpwindSharedMomentum<P>{position_, in, step, options, narrowed(of.upwinding)}, of.matrix,
           of.right, of.mass);
    }
  }

  void divergence(T const* density, T const* old_density, T implicitness, T* matrix) override {
    fill(blocks_, CompressibleDivergence<P>{position_, true, density, old_density, implicitness}, matrix);
  }

  void projection(typename Base::Projection const& of) override {
    auto const scale = 1 / (of.step * of.step * of.implicitness * of.implicitness);
    fill(scalars_,
         ProjectionMatrix<P>{position_, of.compressibility, of.pressure, of.pressure, of.old_density,
                             of.density, static_cast<Real>(scale), static_cast<Real>(1 / of.step)},
         of.matrix, of.right);
  }

  void gradient(T* matrix) override { fill(blocks_, PlainDivergence<P>{position_}, matrix); }
  void pressure_diffusion(T* matrix) override { fill(visits_, PressureDiffusion<P>{position_}, matrix); }

 private:
  static Upwinding<Real> narrowed(Upwinding<double> const& of) {
    return {of.stabilisation, of.rule, static_cast<Real>(of.scale), static_cast<Real>(of.limit)};
  }
  template <class F>
  void fill(Plan<Executor> const& plan, F const& form, T* matrix, T* right = nullptr, T* mass = nullptr) {
    // The element matrices of momentum are the largest of those that are stored.
    assemble(executor_, plan, mesh_, form, Target<F>{matrix, right, mass},
             ElementMatrices<F>{entries_.view().data(), sums_.view().data()});
  }

  Executor executor_;
  Plan<Executor> scalars_, blocks_, visits_;
  Array<Real, Executor> entries_, sums_;
  TetraConnectivity mesh_;
  T const* position_;
};

template <class P, class Executor>
std::unique_ptr<Assembler<typename P::State>> make_assembler(Executor executor, Assembly assembly,
                                                             TetraConnectivity const& mesh,
                                                             typename P::State const* position) {
  return std::make_unique<PolicyAssembler<P, Executor>>(executor, assembly, mesh, position);
}

}  // namespace ulpine::fem
