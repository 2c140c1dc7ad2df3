/* SPDX-License-Identifier: Apache-2.0 */
/* The probe's interface as a library that prints, in one line of JSON each, what its calls are given: places in memory from an origin that
   the caller names, and the values found there. With STUB_OFF in the environment nothing is asked for. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ulpine.h"

int ulpine_active = 0;
static char const* origin;

void stub_origin(void const* address) { origin = address; }

__attribute__((constructor)) static void begin(void) {
  ulpine_active = getenv("STUB_OFF") == NULL;
  setvbuf(stdout, NULL, _IOLBF, 0);
}

static void print_name(char const* key, char const* name, size_t length) {
  while (length > 0 && name[length - 1] == ' ') --length;
  printf(", \"%s\": \"%.*s\"", key, (int)length, name);
}

static void print_numbers(char const* key, int64_t const* values, int64_t count) {
  printf(", \"%s\": [", key);
  for (int64_t i = 0; i < count; ++i) printf("%s%" PRId64, i ? ", " : "", values[i]);
  printf("]");
}

static void print_value(char const* at, int type) {
  switch (type) {
    case ULPINE_F32: printf("%.9g", *(float const*)at); break;
    case ULPINE_F64: printf("%.17g", *(double const*)at); break;
    case ULPINE_I8: printf("%d", *(int8_t const*)at); break;
    case ULPINE_I16: printf("%d", *(int16_t const*)at); break;
    case ULPINE_I32: printf("%d", *(int32_t const*)at); break;
    case ULPINE_I64: printf("%" PRId64, *(int64_t const*)at); break;
    case ULPINE_L8: printf("%d", *(int8_t const*)at != 0); break;
    case ULPINE_L32: printf("%d", *(int32_t const*)at != 0); break;
    case ULPINE_L64: printf("%d", *(int64_t const*)at != 0); break;
    case ULPINE_C32: printf("[%.9g, %.9g]", ((float const*)at)[0], ((float const*)at)[1]); break;
    case ULPINE_C64: printf("[%.17g, %.17g]", ((double const*)at)[0], ((double const*)at)[1]); break;
    default: printf("null");
  }
}

/* Elements in the order of the array's axes, the first fastest. */
static void print_values(ulpine_array const* array) {
  int64_t count = 1;
  printf(", \"values\": [");
  for (int axis = 0; axis < array->rank; ++axis) count *= array->extent[axis];
  for (int64_t n = 0; n < count; ++n) {
    char const* at = array->data;
    int64_t rest = n;
    for (int axis = 0; axis < array->rank; ++axis) {
      at += rest % array->extent[axis] * array->stride[axis];
      rest /= array->extent[axis];
    }
    if (n) printf(", ");
    print_value(at, array->type);
  }
  printf("]");
}

static void print_array(char const* call, char const* name, size_t length, ulpine_array const* array) {
  printf("{\"call\": \"%s\"", call);
  print_name("name", name, length);
  printf(", \"type\": %d, \"rank\": %d, \"flags\": %d, \"stream\": %" PRIdPTR, array->type, array->rank, array->flags, (intptr_t)array->stream);
  print_numbers("extent", array->extent, array->rank);
  print_numbers("stride", array->stride, array->rank);
  print_numbers("first", array->first, array->rank);
  print_numbers("whole", array->whole, array->rank);
  if (array->numbers) {
    printf(", \"axis\": %d", array->numbered);
    if (array->numbered >= 0 && array->numbered < array->rank) print_numbers("numbers", array->numbers, array->extent[array->numbered]);
  }
  if (array->data) printf(", \"place\": %td", (char const*)array->data - origin);
  if (!(array->flags & ULPINE_DEVICE)) print_values(array);
  printf("}\n");
}

static void print_call(char const* call, char const* name, size_t length, int64_t const* number) {
  printf("{\"call\": \"%s\"", call);
  if (name) print_name("name", name, length);
  if (number) printf(", \"number\": %" PRId64, *number);
  printf("}\n");
}

void ulpine_step(int64_t n) { print_call("step", NULL, 0, &n); }
void ulpine_rank(int rank, int ranks) { printf("{\"call\": \"rank\", \"rank\": %d, \"ranks\": %d}\n", rank, ranks); }
void ulpine_enter_n(char const* loop, size_t length, int64_t i) { print_call("enter", loop, length, &i); }
void ulpine_leave(void) { print_call("leave", NULL, 0, NULL); }
void ulpine_stage_n(char const* name, size_t length) { print_call("stage", name, length, NULL); }
void ulpine_field_n(char const* name, size_t length, ulpine_array const* array) { print_array("field", name, length, array); }
void ulpine_state_n(char const* name, size_t length, ulpine_array const* array) {
  print_array("state", name, length, array);
  /* What settings may do: an element changes. */
  if (getenv("STUB_CHANGES") && array->type == ULPINE_F64 && array->data) *(double*)array->data = -7;
}
void ulpine_unset_n(char const* name, size_t length, ulpine_array const* array) { print_array("unset", name, length, array); }
void ulpine_watch_n(char const* name, size_t length, ulpine_array const* array) { print_array("watch", name, length, array); }
void ulpine_unwatch_n(char const* name, size_t length) { print_call("unwatch", name, length, NULL); }
void ulpine_unit_n(char const* name, size_t length, char const* unit, size_t unit_length) {
  printf("{\"call\": \"unit\"");
  print_name("name", name, length);
  print_name("unit", unit, unit_length);
  printf("}\n");
}
void ulpine_time(double seconds) { printf("{\"call\": \"time\", \"seconds\": %.17g}\n", seconds); }
void ulpine_refuse(char const* text, size_t length) {
  fprintf(stderr, "ulpine: %.*s\n", (int)length, text);
  ulpine_active = 0;
}
void ulpine_close(void) { print_call("close", NULL, 0, NULL); }

void ulpine_enter(char const* loop, int64_t i) { ulpine_enter_n(loop, strlen(loop), i); }
void ulpine_stage(char const* name) { ulpine_stage_n(name, strlen(name)); }
void ulpine_field(char const* name, ulpine_array const* array) { ulpine_field_n(name, strlen(name), array); }
void ulpine_state(char const* name, ulpine_array const* array) { ulpine_state_n(name, strlen(name), array); }
void ulpine_unset(char const* name, ulpine_array const* array) { ulpine_unset_n(name, strlen(name), array); }
void ulpine_watch(char const* name, ulpine_array const* array) { ulpine_watch_n(name, strlen(name), array); }
void ulpine_unwatch(char const* name) { ulpine_unwatch_n(name, strlen(name)); }
void ulpine_unit(char const* name, char const* unit) { ulpine_unit_n(name, strlen(name), unit, strlen(unit)); }
