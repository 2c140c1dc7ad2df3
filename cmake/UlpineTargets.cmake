# SPDX-License-Identifier: Apache-2.0

# ulpine_compile_quickly(TARGET [SOURCES]): code whose own time does not matter (tests, orchestration, emulated formats)
# is optimised less in Release, which takes a third to a half off its compilation; the numerical contract makes the bits the same.
function(ulpine_compile_quickly target)
  if(ARGN)
    set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS "$<$<CONFIG:Release>:-O1;-fno-tree-vectorize>")
  else()
    target_compile_options(${target} PRIVATE "$<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CONFIG:Release>>:-O1;-fno-tree-vectorize>")
  endif()
endfunction()

# ulpine_compile_plainly(TARGET): the same with -Og, which takes another fifth off, for what has no loops of its own that
# matter. GCC warns of what its standard library's own headers do then.
function(ulpine_compile_plainly target)
  target_compile_options(${target} PRIVATE "$<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CONFIG:Release>>:-Og;-fno-tree-vectorize>"
    "$<$<AND:$<COMPILE_LANG_AND_ID:CXX,GNU>,$<CONFIG:Release>>:-Wno-maybe-uninitialized;-Wno-mismatched-new-delete>")
endfunction()

# ulpine_compile_large_kernels(TARGET): kernels that are single blocks of many thousand instructions compile in a fifth less
# time without combinations of more than two instructions and register allocation by region. Those of sea ice and of finite
# differences run as fast so; large eddies and finite elements took a tenth to a third longer (2026-11-26).
function(ulpine_compile_large_kernels target)
  target_compile_options(${target} PRIVATE
    "$<$<AND:$<COMPILE_LANG_AND_ID:CXX,GNU>,$<CONFIG:Release>>:--param=max-combine-insns=2;-fira-region=one>")
endfunction()

# ulpine_compile_together(TARGET COUNT [BUT ALONE ...]): compiles so many of the target's C++ sources at a time, as what they
# include and instantiate costs more than what they say. Sources with options of their own are compiled alone, and so are
# those named: they define in an unnamed namespace what another of the target's defines too.
function(ulpine_compile_together target count)
  cmake_parse_arguments(ARG "" "" "BUT" ${ARGN})
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${ULPINE_JOINED_SOURCES} UNITY_BUILD_BATCH_SIZE ${count})
  if(ULPINE_JOINED_SOURCES AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")  # which takes a joined source for a header
    target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:-Wno-subobject-linkage>")
  endif()
  set_source_files_properties(${ARG_BUT} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# Programs of others include <ulpine/ROOM/NAME.hpp>, from the build as from an installation.
foreach(room precision io core verification ensembles cli)
  file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/include/ulpine")
  file(CREATE_LINK "${PROJECT_SOURCE_DIR}/${room}" "${PROJECT_BINARY_DIR}/include/ulpine/${room}" SYMBOLIC)
endforeach()

# ulpine_library(NAME [SOURCES ...] [CUDA_SOURCES ...] [PUBLIC libs] [PRIVATE libs])
# A room as a static library `ulpine_NAME`, alias `ulpine::NAME`; .cu sources only where CUDA is used.
function(ulpine_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;CUDA_SOURCES;PUBLIC;PRIVATE" ${ARGN})
  set(target ulpine_${name})
  add_library(${target} STATIC ${ARG_SOURCES})
  add_library(ulpine::${name} ALIAS ${target})
  if(ULPINE_HAS_CUDA AND ARG_CUDA_SOURCES)
    target_sources(${target} PRIVATE ${ARG_CUDA_SOURCES})
  endif()
  target_include_directories(${target} PUBLIC
    "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>" "$<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/generated>"
    "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
  target_include_directories(${target} INTERFACE "$<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>")
  ulpine_compile_options(${target})
  target_link_libraries(${target} PUBLIC ${ARG_PUBLIC} PRIVATE ${ARG_PRIVATE})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  set_property(GLOBAL APPEND PROPERTY ULPINE_LIBRARIES ${target})
endfunction()

# A dynamical core is compiled in parts: ulpine_core() names what all runs of it need, ulpine_part() what only some do, such as a
# precision policy's instantiations, and ulpine_finish_core() makes of them
#   ulpine_NAME          the static library with all parts, alias ulpine::NAME, for tests and programs of others;
#   ulpine_NAME_program  the sources that the command `ulpine` holds itself: without the parts that are modules, which are shared
#                        libraries NAME_PART.so beside the program, opened when a run asks for them (core/model/modules.hpp).

# ulpine_core(NAME SOURCES ... [CUDA_SOURCES ...] [PUBLIC libs] [PRIVATE libs] [WITH functions])
# WITH names functions such as ulpine_compile_large_kernels that are called with each target that compiles sources of the core.
function(ulpine_core name)
  cmake_parse_arguments(ARG "" "" "SOURCES;CUDA_SOURCES;PUBLIC;PRIVATE;WITH" ${ARGN})
  if(NOT ULPINE_HAS_CUDA)
    set(ARG_CUDA_SOURCES "")
  endif()
  set_property(GLOBAL PROPERTY ULPINE_CORE_${name}_LIBRARIES ${ARG_PUBLIC} ${ARG_PRIVATE})
  set_property(GLOBAL PROPERTY ULPINE_CORE_${name}_PUBLIC ${ARG_PUBLIC})
  set_property(GLOBAL PROPERTY ULPINE_CORE_${name}_WITH ${ARG_WITH})
  ulpine_objects(${name} common ${ARG_SOURCES} ${ARG_CUDA_SOURCES})
  ulpine_keep_objects(${name} common)
  set_property(GLOBAL APPEND PROPERTY ULPINE_CORES ${name})
endfunction()

# ulpine_list_processes(CORE PARTS names [GIVEN names] DOMAINS types MAKER instance [ALSO NAME instances])
# The processes of a core in their order, each in core/CORE/parts/NAME.hpp as a class template of the domain. Writes
#   ulpine_CORE_parts.hpp      make_parts(), which makes those of a case; makers of the GIVEN ones are its arguments
#   ulpine_CORE_all_parts.hpp  includes all of them, and has part_keys(), the keys of those that are not given
# and sources, by part for those that are not given and one for the core itself, whose explicit instantiation is MAKER with @DOMAIN@;
# ALSO is one more, of the explicit instantiations of what core/CORE/NAME_impl.hpp defines.
# Each compiles its own for all DOMAINS (with @STATE@, @COMPUTE@ and @EXECUTOR@): of all ULPINE_ARITHMETICS on the host (CORE_SOURCES)
# and on a device (CORE_CUDA_SOURCES), of each policy of the host alone (CORE_quad_SOURCES), in emulated formats
# (CORE_emulated_SOURCES), whose executor core/CORE/emulated.hpp includes, and with numbers that count (CORE_counted_SOURCES), whose
# executor core/CORE/counted.hpp includes.
function(ulpine_list_processes CORE)
  cmake_parse_arguments(ARG "" "MAKER" "PARTS;GIVEN;DOMAINS;ALSO" ${ARGN})
  list(POP_FRONT ARG_ALSO also)
  set(folder "${PROJECT_BINARY_DIR}/generated")
  set(types_host ${ULPINE_ARITHMETICS})
  set(types_cuda ${ULPINE_ARITHMETICS})
  set(types_emulated "EmulatedNumber,EmulatedNumber")
  set(types_counted "CountedState,CountedCompute")
  set(header_host core/exec/host.hpp)
  set(header_cuda core/exec/cuda.cuh)
  set(header_emulated core/${CORE}/emulated.hpp)
  set(header_counted core/${CORE}/counted.hpp)
  set(executor_host Host)
  set(executor_cuda Cuda)
  set(executor_emulated EmulatingHost)
  set(executor_counted CountingHost)
  foreach(policy IN LISTS ULPINE_HOST_POLICIES)
    set(types_${policy} "${ULPINE_POLICY_${policy}_STATE},${ULPINE_POLICY_${policy}_COMPUTE}")
    set(header_${policy} core/exec/wide_host.hpp)
    set(executor_${policy} Host)
  endforeach()
  set(DECLARED "")
  set(MAKERS "")
  set(GIVEN_PARAMETERS "")
  set(INCLUDES "")
  set(CLASSES "")
  foreach(part IN LISTS ARG_PARTS ITEMS core ${also})
    if(part STREQUAL "core")
      set(INCLUDED "#include \"core/${CORE}/${CORE}.hpp\"")
      set(instances "${ARG_MAKER}")
      set(DEFINITION "")
    elseif(part STREQUAL "${also}")
      set(INCLUDED "#include \"core/${CORE}/${also}_impl.hpp\"")
      set(instances "${ARG_ALSO}")
      set(DEFINITION "")
    else()
      string(APPEND INCLUDES "#include \"core/${CORE}/parts/${part}.hpp\"\n")
      if(part IN_LIST ARG_GIVEN)
        list(APPEND MAKERS ${part})
        string(APPEND GIVEN_PARAMETERS ", PartMaker<Part, D> ${part}")
        continue()
      endif()
      ulpine_class_of(${part} class)
      list(APPEND CLASSES "${class}<D>")
      string(APPEND DECLARED "template <class D>\nclass ${class};\n")
      list(APPEND MAKERS "&make_part<${class}, D>")
      set(INCLUDED "#include \"core/${CORE}/parts/${part}.hpp\"\n#include \"ulpine_${CORE}_parts.hpp\"")
      set(instances "std::unique_ptr<Part> make_part<${class}>(@DOMAIN@&)")
      set(DEFINITION "template <template <class> class P, class D>
std::unique_ptr<Part> make_part(D& domain) {
  return part_of<P, Part>(domain);
}

")
    endif()
    foreach(where host cuda emulated counted ${ULPINE_HOST_POLICIES})
      set(EXECUTOR ${executor_${where}})
      set(lines "")
      foreach(arithmetic IN LISTS types_${where})
        string(REGEX MATCH "^(.*),(.*)$" types "${arithmetic}")
        set(STATE "${CMAKE_MATCH_1}")
        set(COMPUTE "${CMAKE_MATCH_2}")
        foreach(pattern IN LISTS ARG_DOMAINS)
          string(CONFIGURE "${pattern}" DOMAIN @ONLY)
          foreach(instance IN LISTS instances)
            string(CONFIGURE "${instance}" text @ONLY)
            list(APPEND lines "template ${text}")
          endforeach()
        endforeach()
      endforeach()
      list(REMOVE_DUPLICATES lines)
      string(REPLACE ";" ";\n" INSTANCES "${lines};")
      set(EXECUTOR_HEADER ${header_${where}})
      set(name "part_${part}_${where}.cpp")
      string(REPLACE "_cuda.cpp" ".cu" name ${name})
      configure_file("${PROJECT_SOURCE_DIR}/cmake/process.cpp.in" "${folder}/core/${CORE}/${name}" @ONLY)
      list(APPEND sources_${where} "${folder}/core/${CORE}/${name}")
    endforeach()
  endforeach()
  string(REPLACE ";" ", " MAKERS "${MAKERS}")
  string(REPLACE ";" ", " CLASSES "${CLASSES}")
  configure_file("${PROJECT_SOURCE_DIR}/cmake/all_processes.hpp.in" "${folder}/ulpine_${CORE}_all_parts.hpp" @ONLY)
  configure_file("${PROJECT_SOURCE_DIR}/cmake/process.hpp.in" "${folder}/ulpine_${CORE}_parts.hpp" @ONLY)
  set(${CORE}_SOURCES "${sources_host}" PARENT_SCOPE)
  set(${CORE}_CUDA_SOURCES "${sources_cuda}" PARENT_SCOPE)
  foreach(where emulated counted ${ULPINE_HOST_POLICIES})
    set(${CORE}_${where}_SOURCES "${sources_${where}}" PARENT_SCOPE)
  endforeach()
endfunction()

# ulpine_policy_source(RESULT CORE PART)
# Appends to RESULT the source of the entry point "make" of the core in policy PART, in emulated formats or with numbers that count: an
# instance of make_in() of core/CORE/make_impl.hpp.
function(ulpine_policy_source result CORE PART)
  set(EXECUTOR_HEADER core/exec/host.hpp)
  set(MAKER Maker)
  set(TYPE "${ULPINE_POLICY_${PART}_TYPE}")
  if(PART IN_LIST ULPINE_HOST_POLICIES)
    set(EXECUTOR_HEADER core/exec/wide_host.hpp)
  elseif(PART STREQUAL emulated)
    set(EXECUTOR_HEADER core/${CORE}/emulated.hpp)
    set(MAKER EmulatedMaker)
    set(TYPE EmulatedPolicy)
  elseif(PART STREQUAL counted)
    set(EXECUTOR_HEADER core/${CORE}/counted.hpp)
    set(MAKER CountedMaker)
    set(TYPE CountedPolicy)
  endif()
  set(source "${PROJECT_BINARY_DIR}/generated/core/${CORE}/policy_${PART}.cpp")
  configure_file("${PROJECT_SOURCE_DIR}/cmake/policy.cpp.in" "${source}" @ONLY)
  set(${result} ${${result}} "${source}" PARENT_SCOPE)
endfunction()

# The name of the class in parts/NAME.hpp: open_sides -> OpenSides.
function(ulpine_class_of name result)
  string(REPLACE "_" ";" words "${name}")
  set(class "")
  foreach(word IN LISTS words)
    string(SUBSTRING ${word} 0 1 first)
    string(SUBSTRING ${word} 1 -1 rest)
    string(TOUPPER ${first} first)
    string(APPEND class "${first}${rest}")
  endforeach()
  set(${result} ${class} PARENT_SCOPE)
endfunction()

# ulpine_part(CORE PART LINKED|MODULE|DEMANDED|TESTED SOURCES ...)
# LINKED: the program holds it. MODULE: a module of the program. DEMANDED: a module that is built by the name of its target
# ulpine_CORE_PART, or of ulpine_PART for all cores', and not with the rest. TESTED: for tests alone. All but the last define the array
# ulpine_CORE_PART of core/model/modules.hpp.
function(ulpine_part core part kind)
  if(NOT kind MATCHES "^(LINKED|MODULE|DEMANDED|TESTED)$")
    message(FATAL_ERROR "part ${part} of core ${core} is ${kind}: write LINKED, MODULE, DEMANDED or TESTED")
  endif()
  ulpine_objects(${core} ${part} ${ARGN})
  if(kind STREQUAL "DEMANDED")
    set_target_properties(ulpine_${core}_${part}_objects PROPERTIES EXCLUDE_FROM_ALL ON)
  else()
    ulpine_keep_objects(${core} ${part})
  endif()
  set_property(GLOBAL APPEND PROPERTY ULPINE_CORE_${core}_${kind} ${part})
endfunction()

# ulpine_policies_of_host(CORE [SOURCES ...]): the parts of the policies that the host alone runs, of what ulpine_list_processes() and
# ulpine_policy_source() write. Those whose state is DoubleFloat also hold SOURCES: what libraries do not have of it.
function(ulpine_policies_of_host core)
  foreach(policy IN LISTS ULPINE_HOST_POLICIES)
    set(sources ${${core}_${policy}_SOURCES})
    ulpine_policy_source(sources ${core} ${policy})
    if(ULPINE_POLICY_${policy}_STATE STREQUAL "DoubleFloat")
      list(APPEND sources ${ARGN})
    endif()
    ulpine_part_of_host(${core} ${policy} ${sources})
  endforeach()
endfunction()

# ulpine_part_of_host(CORE POLICY SOURCES ...): the part of a policy that the host alone runs.
function(ulpine_part_of_host core policy)
  set(kind MODULE)
  if(policy IN_LIST ULPINE_DEMANDED_POLICIES)
    set(kind DEMANDED)
  endif()
  ulpine_part(${core} ${policy} ${kind} ${ARGN})
  ulpine_compile_quickly(${core} ${ARGN})
endfunction()

# The objects of the part are in the core's static library.
function(ulpine_keep_objects core part)
  set_property(GLOBAL APPEND PROPERTY ULPINE_CORE_${core}_OBJECTS ulpine_${core}_${part}_objects)
  set_property(GLOBAL APPEND PROPERTY ULPINE_OBJECTS ulpine_${core}_${part}_objects)
endfunction()

# The object library ulpine_CORE_PART_objects.
function(ulpine_objects core part)
  set(target ulpine_${core}_${part}_objects)
  add_library(${target} OBJECT ${ARGN})
  target_include_directories(${target} PUBLIC "${PROJECT_SOURCE_DIR}" "${PROJECT_BINARY_DIR}/generated")
  ulpine_compile_options(${target})
  get_property(libraries GLOBAL PROPERTY ULPINE_CORE_${core}_LIBRARIES)
  target_link_libraries(${target} PUBLIC ${libraries})
  get_property(functions GLOBAL PROPERTY ULPINE_CORE_${core}_WITH)
  foreach(function IN LISTS functions)
    cmake_language(CALL ${function} ${target})
  endforeach()
endfunction()

# Writes the source that says which parts of a core a program holds.
function(ulpine_list_parts core source)
  set(DECLARED "")
  set(LISTED "")
  foreach(part IN LISTS ARGN)
    string(APPEND DECLARED "extern ulpine::Instance const ulpine_${core}_${part}[];\n")
    string(APPEND LISTED "{\"${part}\", ulpine_${core}_${part}}, ")
  endforeach()
  set(CORE ${core})
  configure_file("${PROJECT_SOURCE_DIR}/cmake/linked_parts.cpp.in" "${source}" @ONLY)
endfunction()

function(ulpine_finish_core name)
  foreach(what OBJECTS PUBLIC LIBRARIES LINKED MODULE)
    get_property(${what} GLOBAL PROPERTY ULPINE_CORE_${name}_${what})
  endforeach()
  set(folder "${PROJECT_BINARY_DIR}/generated/core/${name}")
  ulpine_list_parts(${name} "${folder}/all_parts.cpp" ${LINKED} ${MODULE})
  ulpine_list_parts(${name} "${folder}/program_parts.cpp" ${LINKED})

  set(private ${LIBRARIES})
  list(REMOVE_ITEM private ${PUBLIC})
  list(TRANSFORM OBJECTS REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>")
  ulpine_library(${name} SOURCES "${folder}/all_parts.cpp" PUBLIC ${PUBLIC} PRIVATE ${private})
  target_sources(ulpine_${name} PRIVATE ${OBJECTS})

  add_library(ulpine_${name}_program INTERFACE)
  set(sources "${folder}/program_parts.cpp")
  foreach(part common ${LINKED})
    list(APPEND sources $<TARGET_OBJECTS:ulpine_${name}_${part}_objects>)
  endforeach()
  target_sources(ulpine_${name}_program INTERFACE ${sources})
  target_link_libraries(ulpine_${name}_program INTERFACE ${LIBRARIES})
endfunction()

# ulpine_modules(PROGRAM): the modules of all cores, which call into PROGRAM and share its one copy of everything. PROGRAM holds
# whole what they may call.
function(ulpine_modules program)
  get_property(cores GLOBAL PROPERTY ULPINE_CORES)
  get_property(libraries GLOBAL PROPERTY ULPINE_LIBRARIES)
  set(whole "")
  foreach(core IN LISTS cores)
    list(REMOVE_ITEM libraries ulpine_${core})
  endforeach()
  list(FILTER libraries EXCLUDE REGEX "^ulpine_(verification|lkf|ensembles|command)$")
  foreach(library IN LISTS libraries)
    string(APPEND whole " $<TARGET_FILE:${library}>")
  endforeach()
  target_link_libraries(${program} PRIVATE ${libraries})
  target_link_options(${program} PRIVATE "SHELL:-Wl,--whole-archive${whole} -Wl,--no-whole-archive")
  set_target_properties(${program} PROPERTIES ENABLE_EXPORTS ON)

  set(modules "")
  foreach(core IN LISTS cores)
    get_property(built GLOBAL PROPERTY ULPINE_CORE_${core}_MODULE)
    get_property(demanded GLOBAL PROPERTY ULPINE_CORE_${core}_DEMANDED)
    foreach(part IN LISTS built demanded)
      set(target ulpine_${core}_${part})
      add_library(${target} MODULE "${PROJECT_SOURCE_DIR}/core/model/module_commit.cpp"
                  $<TARGET_OBJECTS:ulpine_${core}_${part}_objects>)
      ulpine_compile_options(${target})
      target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}" "${PROJECT_BINARY_DIR}/generated")
      target_link_libraries(${target} PRIVATE quadmath)
      set_target_properties(${target} PROPERTIES PREFIX "" OUTPUT_NAME ${core}_${part}
        LIBRARY_OUTPUT_DIRECTORY "$<TARGET_FILE_DIR:${program}>/${ULPINE_MODULES_FROM_PROGRAM}")
      add_dependencies(${target} ${program})
      if(part IN_LIST demanded)
        set_target_properties(${target} PROPERTIES EXCLUDE_FROM_ALL ON)
        if(NOT TARGET ulpine_${part})
          add_custom_target(ulpine_${part})
        endif()
        add_dependencies(ulpine_${part} ${target})
      else()
        list(APPEND modules ${target})
      endif()
    endforeach()
  endforeach()
  set_property(GLOBAL PROPERTY ULPINE_MODULES ${modules})
endfunction()

# The target whose precompiled header the tests share: a program too, as libraries are compiled with other flags.
function(ulpine_test_headers)
  add_executable(ulpine_test_headers "${PROJECT_SOURCE_DIR}/tests/support/gpu_main.cpp")
  ulpine_compile_options(ulpine_test_headers)
  ulpine_compile_quickly(ulpine_test_headers)
  target_link_libraries(ulpine_test_headers PRIVATE GTest::gtest)
  target_precompile_headers(ulpine_test_headers PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:${PROJECT_SOURCE_DIR}/tests/support/common.hpp>")
  set_target_properties(ulpine_test_headers PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests/bin")
endfunction()

# main() of tests of device code.
function(ulpine_gpu_main)
  add_library(ulpine_gpu_main STATIC "${PROJECT_SOURCE_DIR}/tests/support/gpu_main.cpp")
  ulpine_compile_options(ulpine_gpu_main)
  ulpine_compile_plainly(ulpine_gpu_main)
  target_link_libraries(ulpine_gpu_main PUBLIC GTest::gtest)
endfunction()

# Over a hundred programs link the libraries; gold, which comes with GNU binutils, takes a third of the usual linker's time.
include(CheckLinkerFlag)
check_linker_flag(CXX -fuse-ld=gold ULPINE_HAS_GOLD)

# ulpine_test(NAME SOURCES ... LIBRARIES ... [TOGETHER [ALONE ...]] [LOOPS] [GPU] [MPI] [TIMEOUT s])
# One GoogleTest program tests/bin/test_NAME, registered as one CTest test NAME. GPU tests carry the label `gpu`
# and skip (exit code 77, where every case does) where there is no device; those of MPI start mpirun with themselves. Threads
# wait without spinning: teams on small fields would keep a busy machine for minutes. Compiled plainly all tests run in no more
# time together; LOOPS names those that instantiate the loops in which they spend their time.
function(ulpine_test name)
  cmake_parse_arguments(ARG "GPU;LOOPS;MPI;TOGETHER" "TIMEOUT" "SOURCES;LIBRARIES;ALONE" ${ARGN})
  add_executable(test_${name} ${ARG_SOURCES})
  ulpine_compile_options(test_${name})
  if(ARG_LOOPS)
    ulpine_compile_quickly(test_${name})
  else()
    ulpine_compile_plainly(test_${name})
  endif()
  if(ARG_TOGETHER)
    ulpine_compile_together(test_${name} 6 BUT ${ARG_ALONE})
  endif()
  target_include_directories(test_${name} PRIVATE "${PROJECT_SOURCE_DIR}/tests")
  target_link_libraries(test_${name} PRIVATE ${ARG_LIBRARIES} GTest::gtest)
  if(ULPINE_HAS_GOLD)
    target_link_options(test_${name} PRIVATE -fuse-ld=gold)
  endif()
  set_target_properties(test_${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests/bin")
  if(ULPINE_PRECOMPILED_HEADERS)
    target_precompile_headers(test_${name} REUSE_FROM ulpine_test_headers)
  endif()
  add_test(NAME ${name} COMMAND test_${name})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 300)
  endif()
  set_tests_properties(${name} PROPERTIES TIMEOUT ${ARG_TIMEOUT} SKIP_RETURN_CODE 77
    ENVIRONMENT "ULPINE_TEST_DATA=${ULPINE_TEST_DATA};ULPINE_SOURCE_DIR=${PROJECT_SOURCE_DIR};OMP_WAIT_POLICY=passive")
  if(ARG_GPU)
    target_link_libraries(test_${name} PRIVATE ulpine_gpu_main)
    set_tests_properties(${name} PROPERTIES LABELS gpu)
  elseif(ARG_MPI)
    target_sources(test_${name} PRIVATE "${PROJECT_SOURCE_DIR}/tests/support/mpi_main.cpp")
    target_link_libraries(test_${name} PRIVATE ulpine::ranks)
    set_tests_properties(${name} PROPERTIES PROCESSORS 2)
  else()
    target_link_libraries(test_${name} PRIVATE GTest::gtest_main)
  endif()
endfunction()
