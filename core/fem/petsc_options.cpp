// SPDX-License-Identifier: Apache-2.0
#include "core/fem/petsc_options.hpp"

#include <algorithm>
#include <cctype>
#include <set>
#include <sstream>
#include <string_view>

namespace ulpine::fem {
namespace {

/// Prefixes of options of solvers within solvers: "sub_", also with a number, as "mg_levels_2_".
constexpr std::string_view within[] = {"sub_",    "redundant_", "mg_levels_", "mg_coarse_",
                                       "esteig_", "telescope_", "ksp_"};

/// Names without their prefixes, of PETSc 3.18's manual pages of KSPSetFromOptions, PCSetFromOptions and the
/// types' own. Viewers, monitors and reasons are not among them: all of those take a file.
std::set<std::string_view> const& known() {
  static std::set<std::string_view> const names = {"ksp_type",
                                                   "ksp_rtol",
                                                   "ksp_atol",
                                                   "ksp_divtol",
                                                   "ksp_max_it",
                                                   "ksp_norm_type",
                                                   "ksp_pc_side",
                                                   "ksp_check_norm_iteration",
                                                   "ksp_lag_norm",
                                                   "ksp_initial_guess_nonzero",
                                                   "ksp_initial_guess_knoll",
                                                   "ksp_diagonal_scale",
                                                   "ksp_diagonal_scale_fix",
                                                   "ksp_reuse_preconditioner",
                                                   "ksp_convergence_test",
                                                   "ksp_converged_maxits",
                                                   "ksp_converged_use_initial_residual_norm",
                                                   "ksp_converged_use_min_initial_residual_norm",
                                                   "ksp_constant_null_space",
                                                   "ksp_gmres_restart",
                                                   "ksp_gmres_haptol",
                                                   "ksp_gmres_breakdown_tolerance",
                                                   "ksp_gmres_preallocate",
                                                   "ksp_gmres_classicalgramschmidt",
                                                   "ksp_gmres_modifiedgramschmidt",
                                                   "ksp_gmres_cgs_refinement_type",
                                                   "ksp_lgmres_augment",
                                                   "ksp_lgmres_constant",
                                                   "ksp_dgmres_eigen",
                                                   "ksp_dgmres_max_eigen",
                                                   "ksp_pipefgmres_shift",
                                                   "ksp_gcr_restart",
                                                   "ksp_fcg_mmax",
                                                   "ksp_fcg_nprealloc",
                                                   "ksp_fcg_truncation_type",
                                                   "ksp_cg_single_reduction",
                                                   "ksp_bcgsl_ell",
                                                   "ksp_bcgsl_cxpoly",
                                                   "ksp_bcgsl_mrres",
                                                   "ksp_bcgsl_xres",
                                                   "ksp_bcgsl_pinv",
                                                   "ksp_richardson_scale",
                                                   "ksp_richardson_self_scale",
                                                   "ksp_chebyshev_eigenvalues",
                                                   "ksp_chebyshev_esteig",
                                                   "ksp_chebyshev_esteig_steps",
                                                   "ksp_chebyshev_esteig_noisy",
                                                   "ksp_chebyshev_kind",
                                                   "pc_type",
                                                   "pc_use_amat",
                                                   "pc_jacobi_type",
                                                   "pc_jacobi_abs",
                                                   "pc_jacobi_fixdiagonal",
                                                   "pc_sor_symmetric",
                                                   "pc_sor_backward",
                                                   "pc_sor_forward",
                                                   "pc_sor_local_symmetric",
                                                   "pc_sor_local_backward",
                                                   "pc_sor_local_forward",
                                                   "pc_sor_omega",
                                                   "pc_sor_diagonal_shift",
                                                   "pc_sor_its",
                                                   "pc_sor_lits",
                                                   "pc_eisenstat_omega",
                                                   "pc_eisenstat_no_diagonal_scaling",
                                                   "pc_bjacobi_blocks",
                                                   "pc_bjacobi_local_blocks",
                                                   "pc_asm_overlap",
                                                   "pc_asm_blocks",
                                                   "pc_asm_local_blocks",
                                                   "pc_asm_type",
                                                   "pc_asm_local_type",
                                                   "pc_asm_sub_mat_type",
                                                   "pc_gasm_overlap",
                                                   "pc_gasm_type",
                                                   "pc_gasm_total_subdomains",
                                                   "pc_composite_type",
                                                   "pc_composite_pcs",
                                                   "pc_redundant_number",
                                                   "pc_telescope_reduction_factor",
                                                   "pc_factor_levels",
                                                   "pc_factor_fill",
                                                   "pc_factor_shift_type",
                                                   "pc_factor_shift_amount",
                                                   "pc_factor_mat_ordering_type",
                                                   "pc_factor_mat_solver_type",
                                                   "pc_factor_nonzeros_along_diagonal",
                                                   "pc_factor_reuse_ordering",
                                                   "pc_factor_reuse_fill",
                                                   "pc_factor_zeropivot",
                                                   "pc_factor_pivot_in_blocks",
                                                   "pc_factor_pivoting",
                                                   "pc_factor_diagonal_fill",
                                                   "pc_factor_in_place",
                                                   "pc_mg_type",
                                                   "pc_mg_levels",
                                                   "pc_mg_cycle_type",
                                                   "pc_mg_multiplicative_cycles",
                                                   "pc_mg_distinct_smoothup",
                                                   "pc_gamg_type",
                                                   "pc_gamg_threshold",
                                                   "pc_gamg_threshold_scale",
                                                   "pc_gamg_agg_nsmooths",
                                                   "pc_gamg_square_graph",
                                                   "pc_gamg_aggressive_coarsening",
                                                   "pc_gamg_coarse_eq_limit",
                                                   "pc_gamg_process_eq_limit",
                                                   "pc_gamg_repartition",
                                                   "pc_gamg_reuse_interpolation",
                                                   "pc_gamg_sym_graph",
                                                   "pc_gamg_symmetrize_graph",
                                                   "pc_gamg_asm_use_agg",
                                                   "pc_gamg_use_sa_esteig",
                                                   "pc_gamg_parallel_coarse_grid_solver",
                                                   "pc_gamg_eigenvalues",
                                                   "pc_gamg_rank_reduction_factors",
                                                   "pc_ml_maxNlevels",
                                                   "pc_ml_maxCoarseSize",
                                                   "pc_ml_CoarsenScheme",
                                                   "pc_ml_DampingFactor",
                                                   "pc_ml_Threshold",
                                                   "pc_hypre_type",
                                                   "pc_hypre_boomeramg_cycle_type",
                                                   "pc_hypre_boomeramg_max_levels",
                                                   "pc_hypre_boomeramg_max_iter",
                                                   "pc_hypre_boomeramg_tol",
                                                   "pc_hypre_boomeramg_truncfactor",
                                                   "pc_hypre_boomeramg_P_max",
                                                   "pc_hypre_boomeramg_agg_nl",
                                                   "pc_hypre_boomeramg_agg_num_paths",
                                                   "pc_hypre_boomeramg_strong_threshold",
                                                   "pc_hypre_boomeramg_max_row_sum",
                                                   "pc_hypre_boomeramg_grid_sweeps_all",
                                                   "pc_hypre_boomeramg_grid_sweeps_down",
                                                   "pc_hypre_boomeramg_grid_sweeps_up",
                                                   "pc_hypre_boomeramg_grid_sweeps_coarse",
                                                   "pc_hypre_boomeramg_relax_type_all",
                                                   "pc_hypre_boomeramg_relax_type_down",
                                                   "pc_hypre_boomeramg_relax_type_up",
                                                   "pc_hypre_boomeramg_relax_type_coarse",
                                                   "pc_hypre_boomeramg_relax_weight_all",
                                                   "pc_hypre_boomeramg_outer_relax_weight_all",
                                                   "pc_hypre_boomeramg_no_CF",
                                                   "pc_hypre_boomeramg_measure_type",
                                                   "pc_hypre_boomeramg_coarsen_type",
                                                   "pc_hypre_boomeramg_interp_type",
                                                   "mat_mumps_icntl_7",
                                                   "mat_mumps_icntl_14",
                                                   "mat_mumps_icntl_24",
                                                   "mat_mumps_cntl_1",
                                                   "mat_superlu_dist_colperm",
                                                   "mat_superlu_dist_rowperm",
                                                   "mat_superlu_dist_equil",
                                                   "mat_superlu_dist_replacetinypivot"};
  return names;
}

/// Whether `name` is known, by itself or within other solvers.
bool is_known(std::string_view name) {
  if (known().contains(name)) return true;
  for (auto const prefix : within) {
    if (!name.starts_with(prefix)) continue;
    auto rest = name.substr(prefix.size());
    if (is_known(rest)) return true;
    auto const digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
    if (digits == 0 || digits == rest.size() || rest[digits] != '_') continue;
    if (is_known(rest.substr(digits + 1))) return true;
  }
  return false;
}

/// A number, a name or a list of them: nothing that PETSc takes for a path, a viewer, a quotation or a
/// comment. Kinds that run code of others by its name are none either.
bool is_plain(std::string_view value) {
  auto const plain = std::ranges::all_of(value, [](unsigned char letter) {
    return std::isalnum(letter) != 0 ||
           std::string_view("_.,+-").find(static_cast<char>(letter)) != std::string_view::npos;
  });
  return plain && value.find("python") == std::string_view::npos;
}

/// PETSc takes "-1e-3" for a value.
bool is_option(std::string const& word) {
  return word.size() > 1 && word[0] == '-' && std::isalpha(static_cast<unsigned char>(word[1])) != 0;
}

}  // namespace

std::string unfit_petsc_option(std::string const& options) {
  // PETSc cuts at blanks alone.
  if (options.find_first_of("\t\n\r\v\f") != std::string::npos) return options;
  std::istringstream words(options);
  std::string option;
  for (std::string word; words >> word;) {
    if (!is_option(word)) {
      if (!is_plain(word)) return option.empty() ? word : option + " " + word;
      continue;
    }
    option = word;
    if (!is_known(std::string_view(word).substr(1))) return word;
  }
  return {};
}

}  // namespace ulpine::fem
