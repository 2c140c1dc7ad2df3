// SPDX-License-Identifier: Apache-2.0
#include "core/fem/start_file.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "core/exec/host.hpp"
#include "core/fem/remesh_kernels.hpp"
#include "core/mesh/tetra_search.hpp"
#include "core/mesh/ugrid.hpp"
#include "io/netcdf.hpp"
#include "io/plausible.hpp"
#include "io/units.hpp"

namespace ulpine::fem {
namespace {

// Vapour and water of finite elements pass a little below 0 beside their fronts.
constexpr io::PlausibleRange pressures = {"pressures", 0, 1.2e5, "Pa"},
                             temperatures = {"potential temperatures", 100, 5000, "K"},
                             contents = {"mixing ratios", -0.05, 0.2, "1"};

class StartReader {
 public:
  StartReader(io::CaseFile const& c, StartFile const& start)
      : case_{c}, time_{start.time}, file_{start.path}, mesh_{read_ugrid(start.path)} {
    if (mesh_.node_number.empty()) return;
    first_ = *std::ranges::min_element(mesh_.node_number);
  }

  TetraMesh const& mesh() const { return mesh_; }

  /// Values in the mesh's order and the unit of the range, which is the first of `units`.
  std::vector<double> values(std::string const& name, std::span<io::UnitSpelling const> units,
                             io::PlausibleRange const& range) const {
    if (!file_.has(name)) {
      throw case_.error("start.file",
                        "no variable '" + name + "' in the file" + choices_hint(name, file_.variables()));
    }
    auto const times = static_cast<std::int64_t>(file_.times(name).size());
    if (times > 0 && (time_ >= times || time_ < -times)) {
      throw case_.error("start.time", "out of range (it is " + std::to_string(time_) + "; " + name + " has " +
                                          std::to_string(times) + " times) choose between " +
                                          std::to_string(-times) + " and " + std::to_string(times - 1));
    }
    auto const data = file_.read(name, time_);
    auto const divisor = io::divisor_of(units, data.info.units);
    if (!divisor) {
      throw case_.error("start.file", name + " is in '" + data.info.units + "' (it is read in " +
                                          io::spellings_of(units) + ") give the output of a run");
    }
    if (data.info.shape != std::vector<std::int64_t>{mesh_.nodes()}) {
      throw case_.error("start.file", name + " is not on the nodes of the file's mesh (which has " +
                                          std::to_string(mesh_.nodes()) + ") give the output of a run");
    }
    std::vector<double> values;
    for (auto const number : mesh_.node_number) {
      values.push_back(data.values[static_cast<std::size_t>(number - first_)] / *divisor);
      if (!io::is_plausible(values.back(), range)) {
        throw case_.error("start.file", io::implausible_text(name, values.back(),
                                                             "at node " + std::to_string(number), range));
      }
      if (std::isfinite(values.back())) continue;
      throw case_.error("start.file", name + " has no value at node " + std::to_string(number) +
                                          " (a start needs all of them) give the output of a run");
    }
    return values;
  }

 private:
  io::CaseFile const& case_;
  std::int64_t time_;
  io::InputFile file_;
  TetraMesh mesh_;
  std::int64_t first_ = 0;  ///< what the file counts nodes from
};

/// Less what `reference` is at the nodes, to the precision of the values: what a run in float had at rest has
/// no departure.
template <class Reference>
void subtract(std::vector<double>& values, TetraMesh const& mesh, Reference const& reference) {
  bool const narrow = std::ranges::all_of(
      values, [](double value) { return static_cast<double>(static_cast<float>(value)) == value; });
  for (std::size_t n = 0; n < values.size(); ++n) {
    auto const at = reference(mesh.position[3 * n + 2]);
    values[n] -= narrow ? static_cast<double>(static_cast<float>(at)) : at;
  }
}

}  // namespace

void start_from(io::CaseFile const& c, BaseColumn const& column, Setup& setup) {
  StartReader const reader(c, *setup.parameters.start);
  auto const& mesh = reader.mesh();
  auto const view = [](auto const& all) { return View{all.data(), static_cast<std::int64_t>(all.size())}; };
  auto const located =
      TetraSearch<Host>(Host{}, view(mesh.position), view(mesh.element)).locate(view(setup.mesh.position));
  Interpolation<double, double> const interpolation{located.node.view().data(), located.weight.view().data()};
  auto const interpolated = [&](std::vector<double> const& from) {
    std::vector<double> onto(static_cast<std::size_t>(setup.nodes()));
    for_each(Host{}, setup.nodes(), Interpolated<double, double>{interpolation, from.data(), onto.data()});
    return onto;
  };
  setup.start_u = interpolated(reader.values("u", io::speeds(), io::plausible_winds));
  setup.start_v = interpolated(reader.values("v", io::speeds(), io::plausible_winds));
  setup.start_w = interpolated(reader.values("w", io::speeds(), io::plausible_winds));
  auto p = reader.values("p", io::pressures(), pressures),
       theta = reader.values("theta", io::temperatures(), temperatures);
  double highest = 0;
  for (std::size_t i = 2; i < mesh.position.size(); i += 3) highest = std::max(highest, mesh.position[i]);
  if (!(highest < column.top())) {
    throw c.error("start.file", "its mesh reaches above the case's air (" + io::number_text(highest) +
                                    " m; the column ends at " + io::number_text(column.top()) +
                                    " m) warm the air");
  }
  subtract(p, mesh, [&](double z) { return column.pressure(z); });
  subtract(theta, mesh, [&](double z) { return column.theta(z); });
  setup.start_departure = interpolated(p);
  auto const departure = interpolated(theta);
  for (std::size_t n = 0; n < departure.size(); ++n) setup.start_theta[n] = setup.theta[n] + departure[n];
  if (!setup.parameters.water) return;
  auto vapour = reader.values("vapour", io::mass_fractions(), contents);
  subtract(vapour, mesh, [&](double z) { return column.vapour(z); });
  auto const surplus = interpolated(vapour);
  for (std::size_t n = 0; n < surplus.size(); ++n) setup.vapour[n] = setup.humidity[n] + surplus[n];
  setup.cloud = interpolated(reader.values("cloud", io::mass_fractions(), contents));
  setup.rain = interpolated(reader.values("rain", io::mass_fractions(), contents));
}

}  // namespace ulpine::fem
