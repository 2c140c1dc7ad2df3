# SPDX-License-Identifier: Apache-2.0
# Labels by the time that tests take: `quick` under two seconds, `nightly` long ones whose code shorter tests reach too.
# `ctest -L quick` is for between two edits, ./run-tests leaves out `nightly`, ./run-tests --all takes every test.
set(ULPINE_QUICK_TESTS
    axis calibration cards case_file cli_altered cli_digits cli_setup contraction elementary_ptx emulation ensembles_shell ensembles_study exact_sum
    exec_counting exec_host exec_out_of_core exec_random exec_reduce exec_two_devices fdm_sound fdm_steps fem_air fem_assembly fem_linear_mountain fem_matrices fem_petsc
    fem_petsc_ranks fem_quadrature fem_remesh fem_upwind fft_counted field formats hash_log install_find_package install_pkgconfig install_poisson install_tree
    kernel_hygiene lattice les_random_start les_raster les_surface_layer les_topography les_town linalg_krylov linalg_matrix linalg_multigrid linalg_petsc
    linalg_ranks lorenz96_formats lorenz96_operations mesh model multiples mutants_apply mutants_harness own_files physics plain_text poisson_solver probe_engine probe_settings published ranks regular_file
    restart seaice_stage_policies seal sounding stage state style style_check style_format style_labels style_pages style_prose tf32_mma)
set(ULPINE_NIGHTLY_TESTS
    cli_alone_in_many cli_cards_of_all cli_compare_pairs cli_operations_of_all cli_device_code_of_all cli_two_floats_of_all consistency ensembles_locating fdm fuzz hardening_file_faults hostile hostile_judgement install_shallow_water install_subdirectory install_without_cuda
    additions all_demanded_parts les_palm policies seaice_sphere)

# ulpine_label_tests(): the labels of all tests that the directory has so far; those of devices have their own alone.
function(ulpine_label_tests)
  get_property(tests DIRECTORY PROPERTY TESTS)
  foreach(label quick nightly)
    string(TOUPPER ${label} upper)
    foreach(test ${tests})
      if(test IN_LIST ULPINE_${upper}_TESTS)
        set_property(TEST ${test} APPEND PROPERTY LABELS ${label})
      endif()
    endforeach()
  endforeach()
endfunction()
