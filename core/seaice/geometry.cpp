// SPDX-License-Identifier: Apache-2.0
#include "core/seaice/geometry.hpp"

namespace ulpine::seaice {

template ElementMatrices<double, Space<1, 1>> element_matrices(double const (&)[4], double const (&)[4]);
template ElementMatrices<double, Space<1, 3>> element_matrices(double const (&)[4], double const (&)[4]);
template ElementMatrices<double, Space<1, 6>> element_matrices(double const (&)[4], double const (&)[4]);
template ElementMatrices<double, Space<2, 1>> element_matrices(double const (&)[4], double const (&)[4]);
template ElementMatrices<double, Space<2, 3>> element_matrices(double const (&)[4], double const (&)[4]);
template ElementMatrices<double, Space<2, 6>> element_matrices(double const (&)[4], double const (&)[4]);
template ElementMatrices<double, OnSphere<Space<1, 1>>> element_matrices(double const (&)[4],
                                                                         double const (&)[4]);
template ElementMatrices<double, OnSphere<Space<1, 3>>> element_matrices(double const (&)[4],
                                                                         double const (&)[4]);
template ElementMatrices<double, OnSphere<Space<1, 6>>> element_matrices(double const (&)[4],
                                                                         double const (&)[4]);
template ElementMatrices<double, OnSphere<Space<2, 1>>> element_matrices(double const (&)[4],
                                                                         double const (&)[4]);
template ElementMatrices<double, OnSphere<Space<2, 3>>> element_matrices(double const (&)[4],
                                                                         double const (&)[4]);
template ElementMatrices<double, OnSphere<Space<2, 6>>> element_matrices(double const (&)[4],
                                                                         double const (&)[4]);

}  // namespace ulpine::seaice
