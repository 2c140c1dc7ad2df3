// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "verification/consistency/method.hpp"
#include "verification/consistency/outcome.hpp"

// The rules of PyCECT (Baker et al. 2015; Milroy et al. 2018; its version of 2024) as it applies them, on
// global means: `--as pycect` and `--as eet`.

namespace ulpine::verification::consistency {

/// Whose files the means are of: the defaults of the rule go by that.
enum class PycectModel { cam, mpas };

/// An ensemble as PyCECT's summary files of CAM and MPAS-A keep it.
struct PycectEnsemble {
  PycectModel model = PycectModel::cam;
  std::vector<std::string> names;             ///< variables, part by part
  std::vector<std::size_t> parts;             ///< how many are 3D, 2D; or of cells, edges, vertices
  std::vector<std::vector<double>> means;     ///< global means [variable][member]
  std::vector<std::vector<double>> standard;  ///< the same, standardised
  std::vector<double> mean, deviation;        ///< of each variable over the members
  std::vector<std::vector<double>> loadings;  ///< [variable][component]
  std::vector<double> score_deviation;        ///< of each component over the members
};

/// Global means of runs, all finite.
struct PycectMeans {
  std::vector<std::string> names;          ///< variables, part by part
  std::vector<std::size_t> parts;          ///< as of PycectEnsemble
  std::vector<std::vector<double>> means;  ///< [variable][run]
};

/// The summary of an ensemble by PyCECT's rules. Variables are left out that are constant, that have fewer
/// distinct values than 3 % of the members, and that depend linearly on others: by a QR factorisation with
/// pivoting of the standardised means, below a tolerance in single precision. `notes` get a line for each of
/// these reasons with its variables. InputError where there are more variables than members.
PycectEnsemble pycect_ensemble(PycectMeans means, PycectModel model, std::vector<std::string>& notes);

/// New runs that the rule is applied to: a mean of each variable of the ensemble for each run.
struct PycectTests {
  std::vector<std::string> runs;
  std::vector<std::vector<double>> means;  ///< [variable][run]
};

/// The principal-component test: of each component how many runs are beyond `sigMul` standard deviations of
/// the ensemble's scores. Parameters (PyCECT's names): nPC, sigMul, minPCFail, minRunFail, numRunFile. Where
/// more runs are offered than numRunFile, as many are drawn by `seed`, and a note names them. Findings are
/// the scores of each component and run. InputError where there are fewer runs.
Outcome pycect_test(PycectEnsemble const& ensemble, PycectTests const& tests, Parameters& parameters,
                    std::uint64_t seed, std::vector<std::string>& notes);

/// The exhaustive ensemble test: the same for every choice of numRunFile of all runs; fails where more than
/// 10 % of the choices do. A choice fails, as in PyCECT, where more than minRunFail components are beyond the
/// limit in two of its runs.
Outcome exhaustive_test(PycectEnsemble const& ensemble, PycectTests const& tests, Parameters& parameters,
                        std::uint64_t seed, std::vector<std::string>& notes);

}  // namespace ulpine::verification::consistency
