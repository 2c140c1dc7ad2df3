// SPDX-License-Identifier: Apache-2.0
// A stranger's program: uses installed headers and libraries only, to compare two fields of another model.
#include <cstdio>
#include <vector>

#include <ulpine/verification/metrics/metrics.hpp>

int main() {
  std::vector<double> const reference = {3, 4}, test = {3, 4.5};
  auto const metrics = ulpine::verification::compute_metrics(test, reference);
  auto const error = metrics["l2_relative"].number();
  std::printf("relative L2 error %g\n", error);
  return error == 0.1 ? 0 : 1;
}
