# SPDX-License-Identifier: Apache-2.0
# Reads precision/policies.list and writes what follows from it: the headers ulpine_policies.hpp, ulpine_demanded_policies.hpp,
# ulpine_host_policies.hpp, ulpine_policy_rows.hpp and ulpine_instances.hpp, and, by ulpine_instantiate(), sources that
# instantiate templates.
#
# Sets ULPINE_POLICIES (names in order); ULPINE_DEVICE_POLICIES, those that run everywhere; ULPINE_OWN_POLICIES, the others, each
# of which is a part of its own; ULPINE_DEMANDED_POLICIES, those of the latter that are compiled on demand, for a device too;
# ULPINE_EXACT_POLICIES and ULPINE_ROUNDED_POLICIES, those that run everywhere and round no operands of products or do; of each
# ULPINE_POLICY_<name>_TYPE, _STATE, _COMPUTE and _ACCUMULATE; and ULPINE_ARITHMETICS, the different pairs "state,compute" of those
# that run everywhere, as policies that differ by what else is in a row share most code.

set(policy_list "${PROJECT_SOURCE_DIR}/precision/policies.list")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${policy_list}")
set(generated "${PROJECT_BINARY_DIR}/generated")
set(ULPINE_POLICIES "")
set(ULPINE_DEVICE_POLICIES "")
set(ULPINE_OWN_POLICIES "")
set(ULPINE_DEMANDED_POLICIES "")
set(ULPINE_ARITHMETICS "")
set(ULPINE_EXACT_POLICIES "")
set(ULPINE_ROUNDED_POLICIES "")
set(everywhere_structs "")
set(demanded_structs "")
set(host_structs "")
set(rows "")
set(roundings "")

file(STRINGS "${policy_list}" lines REGEX "^[^#]")
foreach(line IN LISTS lines)
  string(REGEX REPLACE "[ \t]*[|][ \t]*" ";" cells "${line}")
  list(LENGTH cells count)
  if(NOT count EQUAL 9)
    message(FATAL_ERROR "${policy_list}: '${line}' has ${count} columns (a policy has 9, separated by |) see the head of the file")
  endif()
  list(GET cells 0 name)
  list(GET cells 1 type)
  list(GET cells 2 state)
  list(GET cells 3 compute)
  list(GET cells 4 accumulate)
  list(GET cells 5 multiplicand)
  list(GET cells 6 runs)
  list(GET cells 8 meaning)
  if(NOT runs MATCHES "^(everywhere|host|demand)$")
    message(FATAL_ERROR "${policy_list}: policy ${name} runs '${runs}' (it is everywhere, host or demand) write one of them")
  endif()
  if(NOT name MATCHES "^[a-z][a-z0-9_]*$")
    message(FATAL_ERROR "${policy_list}: a policy is named '${name}' (names are part of those of C++) use small letters, digits and _")
  endif()
  if("${name}" IN_LIST ULPINE_POLICIES)
    message(FATAL_ERROR "${policy_list}: two policies are named ${name} (a run names one) give each a name of its own")
  endif()
  list(APPEND ULPINE_POLICIES ${name})
  set(ULPINE_POLICY_${name}_TYPE ${type})
  set(ULPINE_POLICY_${name}_STATE ${state})
  set(ULPINE_POLICY_${name}_COMPUTE ${compute})
  set(ULPINE_POLICY_${name}_ACCUMULATE ${accumulate})
  set(struct "/// ${name}: ${meaning}.
struct ${type} {
  using State = ${state};
  using Compute = ${compute};
  using Accumulate = ${accumulate};
  using Multiplicand = ${multiplicand};
  static constexpr char const* name = \"${name}\";
};
")
  if(runs STREQUAL "everywhere")
    list(APPEND ULPINE_DEVICE_POLICIES ${name})
    list(APPEND device_types ${type})
    list(APPEND ULPINE_ARITHMETICS "${state},${compute}")
    string(APPEND everywhere_structs "${struct}")
    if(multiplicand STREQUAL "Exact")
      list(APPEND ULPINE_EXACT_POLICIES ${name})
      list(APPEND exact_types ${type})
    else()
      list(APPEND ULPINE_ROUNDED_POLICIES ${name})
      list(APPEND roundings "${compute}, ${multiplicand}")
      list(APPEND rounded_types ${type})
    endif()
    set(where everywhere)
  else()
    list(APPEND ULPINE_OWN_POLICIES ${name})
    list(APPEND own_types ${type})
    if(runs STREQUAL "demand")
      list(APPEND ULPINE_DEMANDED_POLICIES ${name})
      string(APPEND demanded_structs "${struct}")
      set(where on_demand)
    else()
      string(APPEND host_structs "${struct}")
      set(where on_host)
    endif()
  endif()
  string(APPEND rows "    {\"${name}\", \"${state}\", Runs::${where}, \"${meaning}\"},\n")
endforeach()
list(REMOVE_DUPLICATES ULPINE_ARITHMETICS)
list(REMOVE_DUPLICATES roundings)
list(JOIN device_types ", " device_types)
list(JOIN own_types ", " own_types)
list(JOIN exact_types ", " exact_types)
list(JOIN rounded_types ", " rounded_types)
list(TRANSFORM roundings REPLACE "(.+)" "instantiate(\\1)")
list(JOIN roundings " " roundings)

set(head "// SPDX-License-Identifier: Apache-2.0\n// Made by CMake from precision/policies.list: change that.\n#pragma once\n")
file(CONFIGURE OUTPUT "${generated}/ulpine_policies.hpp" @ONLY CONTENT [[@head@
#include "precision/formats.hpp"

namespace ulpine {

@everywhere_structs@
template <class... Ps>
struct PolicyList {};

/// The policies that host and device both run.
using DevicePolicies = PolicyList<@device_types@>;
/// Those of them that round no operands of products.
using ExactPolicies = PolicyList<@exact_types@>;
/// Those that do.
using RoundedPolicies = PolicyList<@rounded_types@>;

}  // namespace ulpine
]])
file(CONFIGURE OUTPUT "${generated}/ulpine_demanded_policies.hpp" @ONLY CONTENT [[@head@
#include "precision/policy.hpp"

namespace ulpine {

@demanded_structs@
}  // namespace ulpine
]])
file(CONFIGURE OUTPUT "${generated}/ulpine_host_policies.hpp" @ONLY CONTENT [[@head@
#include "ulpine_demanded_policies.hpp"

namespace ulpine {

@host_structs@
/// The policies that the host runs.
using HostPolicies = PolicyList<@device_types@, @own_types@>;

}  // namespace ulpine
]])
file(CONFIGURE OUTPUT "${generated}/ulpine_instances.hpp" @ONLY CONTENT [[@head@
#include "precision/policy.hpp"

/// instantiate(T, Format) for each type and format that a policy rounds operands of products in: what libraries hold code for.
#define ULPINE_FOR_ROUNDINGS(instantiate) @roundings@
]])
file(CONFIGURE OUTPUT "${generated}/ulpine_policy_rows.hpp" @ONLY CONTENT [[@head@
#include "precision/policy.hpp"

namespace ulpine {

inline constexpr PolicyRow policy_list[] = {
@rows@};

}  // namespace ulpine
]])

# ulpine_instantiate(RESULT TEMPLATE SUFFIX NAME=TEXT ...)
# Writes a source from the current folder's TEMPLATE, such as eddies.cpp.in, with each @NAME@ replaced, and appends it to the list
# RESULT. SUFFIX tells it from others of that template: eddies_fp32.cpp.
function(ulpine_instantiate result template suffix)
  foreach(replaced IN LISTS ARGN)
    string(REGEX MATCH "^([A-Z]+)=(.*)$" found "${replaced}")
    set(${CMAKE_MATCH_1} "${CMAKE_MATCH_2}")
  endforeach()
  string(REGEX REPLACE "[.](cpp|cu)[.]in$" "_${suffix}.\\1" name "${template}")
  file(RELATIVE_PATH room "${PROJECT_SOURCE_DIR}" "${CMAKE_CURRENT_SOURCE_DIR}")
  set(source "${PROJECT_BINARY_DIR}/generated/${room}/${name}")
  configure_file("${template}" "${source}" @ONLY)
  set(${result} ${${result}} "${source}" PARENT_SCOPE)
endfunction()

# ulpine_instantiate_arithmetics(RESULT TEMPLATE)
# The same once for each of ULPINE_ARITHMETICS, with @STATE@ and @COMPUTE@.
function(ulpine_instantiate_arithmetics result template)
  foreach(arithmetic IN LISTS ULPINE_ARITHMETICS)
    string(REPLACE "," ";" types "${arithmetic}")
    list(GET types 0 state)
    list(GET types 1 compute)
    ulpine_instantiate(${result} ${template} ${state}_${compute} STATE=${state} COMPUTE=${compute})
  endforeach()
  set(${result} ${${result}} PARENT_SCOPE)
endfunction()
