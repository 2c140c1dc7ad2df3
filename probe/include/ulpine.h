/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ULPINE_H
#define ULPINE_H

/* Traces of any model: it says which stage has run and which fields that stage wrote, and the environment says what
   to do with them (ULPINE=probe.toml, or ULPINE_TRACE=trace.bin). Where nothing is asked for, a call returns at once.

   Words: a run has steps; a step has stages, and may have loops (ulpine_enter, ulpine_leave) that have stages. A stage
   is named after it ran; the fields that are told next are those that it wrote. A field of several threads, blocks or
   ranks may come in parts: the places of all parts in the whole domain say when it is complete.

   Nothing is returned and the program is not ended, except where the settings ask for a stop at the first difference.
   A wrong use or a full disk is said in one line on the standard error, and the probe is silent from then on. All calls
   but ulpine_step, ulpine_enter, ulpine_leave and ulpine_stage may come from several threads at once. */

#include <stddef.h>
#include <stdint.h>

#if defined(__cplusplus)
extern "C" {
#endif

#define ULPINE_MOST_AXES 7

enum ulpine_type {
  ULPINE_F32 = 1, /* IEEE binary32 */
  ULPINE_F64 = 2, /* IEEE binary64 */
  ULPINE_I32 = 3,
  ULPINE_I64 = 4,
  ULPINE_L8 = 5, /* truth values of 1, 4 and 8 bytes: 0 is false, all else true */
  ULPINE_L32 = 6,
  ULPINE_L64 = 7,
  ULPINE_C32 = 8, /* pairs of binary32: real and imaginary part */
  ULPINE_C64 = 9, /* pairs of binary64 */
  ULPINE_I8 = 10,
  ULPINE_I16 = 11
};

enum ulpine_flag {
  ULPINE_FASTEST_FIRST = 1, /* axes are given as Fortran has them, indices are counted from 1 */
  ULPINE_DEVICE = 2,        /* data is an address of a GPU; found without it where a CUDA driver knows the address */
  ULPINE_REPLICATED = 4     /* every rank has the whole field: it counts once, and ranks are compared */
};

/* An array in memory and its place in the domain. All members beyond `rank` that are not set must be zero. */
typedef struct ulpine_array {
  void* data;                          /* the first element, that of the lowest indices */
  int type;                            /* enum ulpine_type */
  int rank;                            /* number of axes, 0 (a scalar) to 7 */
  int64_t extent[ULPINE_MOST_AXES];    /* elements along each axis; slowest axis first, see ULPINE_FASTEST_FIRST */
  int64_t stride[ULPINE_MOST_AXES];    /* bytes from an element to the next along each axis, of any sign; all zero: dense */
  int64_t first[ULPINE_MOST_AXES];     /* place of the first element in the domain, counted from 0 */
  int64_t whole[ULPINE_MOST_AXES];     /* extents of the domain; all zero: this array is the whole of it */
  int64_t const* numbers;              /* null, or in host memory the places (from 0) of the elements along axis `numbered` in the domain, in any order */
  int numbered;                        /* axis of `numbers` */
  int flags;                           /* of enum ulpine_flag */
  void* stream;                        /* CUDA stream of the work that writes the array; null: the default stream */
} ulpine_array;

/* Whether anything is asked for: 0 or 1. To be read only. */
extern int ulpine_active;

/* Step number n (from 1) begins: n may start anywhere and rises. */
void ulpine_step(int64_t n);
/* This process is `rank` (from 0) of `ranks`; before the first step. Without it the launcher's environment tells (Open MPI,
   MPICH, Slurm, PMI). */
void ulpine_rank(int rank, int ranks);
/* A loop within the step begins its i-th turn, or goes on to it where the innermost loop has this name; up to 7 deep. */
void ulpine_enter(char const* loop, int64_t i);
/* The innermost loop has ended. */
void ulpine_leave(void);
/* This stage has run. A stage that runs again at one place of the loops is told apart by a loop "call", counted from 2. */
void ulpine_stage(char const* name);
/* The stage wrote this field, or this part of it. */
void ulpine_field(char const* name, ulpine_array const* array);
/* The same of a field that the run goes on from: the settings may perturb, round or reset it. */
void ulpine_state(char const* name, ulpine_array const* array);
/* The stage that comes next writes all of this array: the settings may fill it with values that show where it does not. */
void ulpine_unset(char const* name, ulpine_array const* array);
/* A field of a lasting array is looked at after every stage from now on; again with the same name: its new address. */
void ulpine_watch(char const* name, ulpine_array const* array);
/* Takes a field off that list, e.g. before its memory is freed. */
void ulpine_unwatch(char const* name);
/* The unit of a field, for tables and files: "K". */
void ulpine_unit(char const* name, char const* unit);
/* Time of the model in seconds, for the files of values. */
void ulpine_time(double seconds);
/* Ends the trace; the end of the program does it too. */
void ulpine_close(void);
/* For interfaces of other languages: a call was wrong in a way that only they can see. The library says it in one line, as it
   says what it finds itself ("ulpine: TEXT"), and is silent from then on. */
void ulpine_refuse(char const* text, size_t length);

/* The same with names of a given length, as Fortran has them; trailing blanks do not count. */
void ulpine_enter_n(char const* loop, size_t length, int64_t i);
void ulpine_stage_n(char const* name, size_t length);
void ulpine_field_n(char const* name, size_t length, ulpine_array const* array);
void ulpine_state_n(char const* name, size_t length, ulpine_array const* array);
void ulpine_unset_n(char const* name, size_t length, ulpine_array const* array);
void ulpine_watch_n(char const* name, size_t length, ulpine_array const* array);
void ulpine_unwatch_n(char const* name, size_t length);
void ulpine_unit_n(char const* name, size_t length, char const* unit, size_t unit_length);

#if defined(__cplusplus)
}
#endif

#endif
