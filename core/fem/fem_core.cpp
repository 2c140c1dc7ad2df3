// SPDX-License-Identifier: Apache-2.0
#include "core/exec/counting_host.hpp"
#include "core/fem/keys.hpp"
#include "core/fem/make_impl.hpp"
#include "core/fem/register.hpp"
#include "core/model/case_keys.hpp"
#include "core/model/emulated.hpp"
#include "core/model/operations.hpp"
#include "core/ranks/mpi_ranks.hpp"
#include "io/error.hpp"

namespace ulpine::fem {

namespace {

/// InputError where PETSc is to solve what it cannot.
void require_own_solvers(Parameters const& of, std::string const& why,
                         char const* instead = "run on the host with a policy whose state is double") {
  for (auto const* options : {&of.velocity, &of.pressure}) {
    if (!options->petsc) continue;
    throw InputError(options->petsc_place + "asks for PETSc " + why + " take the key out, or " + instead);
  }
}
char const* const on_a_device = "on a device (it solves on the host)";

/// InputError for what several ranks do not do.
void require_shareable(Parameters const& of, PolicyRow const& policy, Ranks const* team) {
  if (!several(team)) return;
  if (policy.runs != Runs::everywhere) {
    throw InputError("policy " + std::string(policy.name) +
                     " is for one rank of core 'fem' (its solvers' sums are not shared in it) use one rank");
  }
  if (!mpi_communicator(*team)) {
    require_own_solvers(of, "on ranks that are threads of one process (it solves on processes of MPI)",
                        "start them with mpirun");
  }
}

}  // namespace

std::unique_ptr<Core> make(Host host, std::string const& policy, Assembly assembly, Setup const& setup,
                           std::shared_ptr<Ranks> const& team, SetupTimes* times) {
  // By the words of the ranks that are on a device.
  if (several(team) && team->mixed()) require_own_solvers(setup.parameters, on_a_device);
  auto const* const row = find_policy(policy);
  if (row == nullptr) return nullptr;
  if (row->state != "double") {
    require_own_solvers(setup.parameters, "with policy " + policy + " (PETSc's numbers are doubles)");
  }
  require_shareable(setup.parameters, *row, team.get());
  if (row->runs != Runs::everywhere && assembly != Assembly::deterministic) return nullptr;
  return find_instance<Maker<Host>>("fem", policy, "make", linked_parts())(host, assembly, setup, team,
                                                                           times);
}
std::unique_ptr<Core> make(EmulatingHost host, Setup const& setup, std::shared_ptr<Ranks> const& team) {
  return find_instance<Maker<EmulatingHost>>("fem", "emulated", "make", linked_parts())(
      host, Assembly::deterministic, setup, team, nullptr);
}
std::unique_ptr<Core> make(CountingHost host, Setup const& setup) {
  require_own_solvers(setup.parameters, "where operations are counted (PETSc's numbers are doubles)");
  return find_instance<Maker<CountingHost>>("fem", "counted", "make", linked_parts())(
      host, Assembly::deterministic, setup, {}, nullptr);
}
#if defined(ULPINE_HAS_CUDA)
std::unique_ptr<Core> make(Cuda cuda, std::string const& policy, Assembly assembly, Setup const& setup,
                           std::shared_ptr<Ranks> const& team, SetupTimes* times) {
  require_own_solvers(setup.parameters, on_a_device);
  auto const* const row = find_policy(policy);
  if (row == nullptr) return nullptr;
  require_shareable(setup.parameters, *row, team.get());
  if (made_on_demand(policy, assembly)) {
    return find_instance<Maker<Cuda>>("fem", policy, "make_on_device", linked_parts())(cuda, assembly, setup,
                                                                                       team, times);
  }
  return with_policy(DevicePolicies{}, policy,
                     [&]<class P>() { return make_in<P>(cuda, assembly, setup, team, times); });
}
#endif

namespace {

std::unique_ptr<Model> make_model_of_air(io::CaseFile const& case_file, ModelOptions const& options) {
  auto const setup = read_case(case_file);
  return model_in_formats(
      options, case_file,
      [&](auto executor) { return make(executor, options.policy, options.assembly, setup, options.team); },
      [&](EmulatingHost host) {
        require_own_solvers(setup.parameters, "in emulated formats (PETSc's numbers are doubles)");
        return make(host, setup, options.team);
      });
}

}  // namespace

void register_core() {
  register_model("fem", "compressible air on tetrahedra (P1), semi-implicit", make_model_of_air, true,
                 R"toml(
[evaluate.w_max]
kind = "extremum"
long_name = "largest |w|"
field = "w"
which = "magnitude"
[evaluate.theta_min]
kind = "extremum"
long_name = "lowest potential temperature"
field = "theta"
which = "minimum"
[evaluate.theta_max]
kind = "extremum"
long_name = "highest potential temperature"
field = "theta"
which = "maximum"
[evaluate.mass]
kind = "integral"
long_name = "mass of the air"
field = "rho"
[evaluate.kinetic_energy]
kind = "integral"
long_name = "kinetic energy"
field = "kinetic_energy_density"
[evaluate.drag]
kind = "integral"
long_name = "drag on the ground along x"
field = "ground_drag"

[figure.w]
kind = "section"
field = "w"
scale = "diverging"
[figure.theta]
kind = "section"
field = "theta"
[figure.w_max]
kind = "series"
statistic = "w_max"
[figure.kinetic_energy]
kind = "series"
statistic = "kinetic_energy"
[figure.drag]
kind = "series"
statistic = "drag"
)toml");
  register_case_keys("fem", case_keys());
  register_on_ranks("fem");
  register_counted_core("fem", [](io::CaseFile const& case_file, CountingHost host) {
    return make(host, read_case(case_file));
  });
}

}  // namespace ulpine::fem
