// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <boost/version.hpp>
#include <nlohmann/detail/abi_macros.hpp>
#include <string_view>
#include <thread>

#include "cli/console.hpp"
#include "cli/html_report.hpp"
#include "core/exec/device.hpp"
#include "core/model/model.hpp"
#include "core/ranks/link.hpp"
#include "core/ranks/mpi_ranks.hpp"
#include "ensembles/cards/card.hpp"
#include "ensembles/study/cases.hpp"
#include "io/grib_library.hpp"
#include "io/provenance.hpp"
#include "io/zarr_codecs.hpp"
#include "ulpine_version.hpp"

namespace ulpine::cli {
namespace {

std::string line(std::string_view name, std::string_view text) {
  return fmt::format("{:<12} {}\n", name, text);
}

std::string policy_line() {
  std::string names;
  for (auto const* name = policy_names(); *name != nullptr; ++name) {
    names += std::string(names.empty() ? "" : " ") + *name;
  }
  return names;
}

/// The GPUs against what this build holds code for, and what to do where they do not fit.
std::string device_lines() {
  std::string_view const architectures = build::cuda_architectures;
  if (architectures.empty()) {
    return line("CUDA", "not in this build (configure with -DULPINE_CUDA=ON for GPUs)");
  }
  auto const driver = driver_version();
  auto const found = devices();
  auto text = line("CUDA", fmt::format("built for compute capability {}; driver {}", architectures,
                                       driver.empty() ? "none found" : driver));
  if (found.empty()) {
    return text + line("devices", driver.empty()
                                      ? "none (install the NVIDIA driver, or run with --device cpu)"
                                      : "none (is a GPU visible? see CUDA_VISIBLE_DEVICES)");
  }
  for (auto const& device : found) {
    text += line(
        fmt::format("cuda:{}", device.ordinal),
        fmt::format("{}, compute capability {}.{}, {:.0f} GiB", device.name, device.compute_capability / 10,
                    device.compute_capability % 10, static_cast<double>(device.memory_bytes) / 1073741824.0));
    if (!device.supported) {
      text += line(
          "",
          fmt::format("no code for it in this build: configure with -DCMAKE_CUDA_ARCHITECTURES={} and build "
                      "again",
                      device.compute_capability));
    }
  }
  return text;
}

std::string library_line(std::string const& parser) {
  return fmt::format("{}, nlohmann-json {}.{}.{}, fmt {}.{}.{}, Boost {}.{}.{}, {}", io::library_versions(),
                     NLOHMANN_JSON_VERSION_MAJOR, NLOHMANN_JSON_VERSION_MINOR, NLOHMANN_JSON_VERSION_PATCH,
                     FMT_VERSION / 10000, FMT_VERSION / 100 % 100, FMT_VERSION % 100, BOOST_VERSION / 100000,
                     BOOST_VERSION / 100 % 1000, BOOST_VERSION % 100, parser);
}

}  // namespace

int info(InfoOptions const& options) {
  auto const provenance = io::build_provenance();
  auto text = line("ulpine", fmt::format("{} (commit {})", provenance.version, provenance.commit));
  text += line("compiler", provenance.compiler);
  text += line("flags", provenance.flags);
  text +=
      line("host", fmt::format("{}, {} threads", provenance.host_cpu, std::thread::hardware_concurrency()));
  text += device_lines();
  auto const mpi = mpi_version(), nccl = nccl_version();
  text +=
      line("MPI", mpi.empty()
                      ? "not in this build (install libopenmpi-dev and build again for runs on several ranks)"
                      : mpi + (nccl.empty() ? "" : ", NCCL " + nccl));
  text += line("policies", policy_line());
  text +=
      line("assemblies", fmt::format("{} {}", name_of(Assembly::deterministic), name_of(Assembly::atomic)));
  for (auto const& [name, description] : known_cores()) {
    text += line("core", name + ": " + description);
  }
  text += line("libraries", library_line(options.parser));
  auto const eccodes = io::eccodes_version(), blosc = io::blosc_version();
  text += line("formats",
               fmt::format("NetCDF; {}; Zarr 2 {}",
                           eccodes.empty() ? "no GRIB (install libeccodes0)" : "GRIB by ecCodes " + eccodes,
                           blosc.empty() ? "without Blosc (install libblosc1)" : "with Blosc " + blosc));
  auto const folder = ensembles::cases_folder().string();
  text += line("cases", folder.empty() ? "none found" : folder);
  text += line("cards", fmt::format("{}", fmt::join(ensembles::cards::known_cards(), " ")));
  auto const script = report_script().string();
  text += line("report", script.empty() ? "no analysis scripts found" : report_python() + " " + script);
  print(options.common, text);
  return exit_code::done;
}

}  // namespace ulpine::cli
