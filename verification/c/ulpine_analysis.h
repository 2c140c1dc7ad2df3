/* SPDX-License-Identifier: Apache-2.0 */
/* Analysis of fields for other languages: libulpine_analysis.so, which the Python package `ulpine` loads.
 *
 * A request and an answer are JSON in UTF-8. Keys of a request are named at each call; those that it may
 * leave out are marked with their default. Every call gives one of the codes below and sets *answer: a
 * document, or what is wrong in one line. Give it back with ulpine_free_text(). A call may be made from any
 * thread, several at a time; calls that are given files copy the process, so that no other thread may be
 * within NetCDF or HDF5 meanwhile but through this library. No exception leaves it, and nothing is printed.
 */
#ifndef ULPINE_ANALYSIS_H
#define ULPINE_ANALYSIS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
  ULPINE_DONE = 0,
  ULPINE_BAD_INPUT = 1,   /* what was given cannot be used */
  ULPINE_ENVIRONMENT = 2, /* the machine lacks something: memory, processes */
  ULPINE_FAILED = 3,      /* an error of the library */
  ULPINE_STOPPED = 4      /* `progress` asked for it */
};

/* Number of the interface, which changes whenever a call does. */
int ulpine_analysis_interface(void);

void ulpine_free_text(char* text);

/* Called now and then with the part that is done, 0 to 1, and what is at work; other than 0 stops the call.
 */
typedef int (*ulpine_progress)(double fraction, char const* what);

/* `ulpine compare` of two NetCDF files: {"reference": path, "test": path, "variables": [], "times": "worst"
 * ("all", "last"), "levels": false, "weights": ""}. Answer: docs/reference/comparing.md. */
int ulpine_compare(char const* request, char** answer);

/* `ulpine spectrum` of a NetCDF file: {"file": path, "variables": [name, ...], "time": -1, "all_times":
 * false, "variant": "pysteps", "log10": null, "level": null, "at": {dimension: index}, "plane": null ([rows,
 * columns])}. */
int ulpine_spectrum(char const* request, char** answer);

/* Of row-major values, rows x columns, NaN where missing: {"variant": "pysteps", "log10": null, "spacing":
 * null
 * ([rows, columns] in m)}. */
int ulpine_spectrum_of_values(double const* values, int64_t rows, int64_t columns, char const* request,
                              char** answer);

/* `ulpine lkf` of a NetCDF file: {"file": path, "variable": "shear", "time": -1, "rules": "", "parameters":
 * "", "orientations": true, "level": null, "at": {}, "plane": null}. Without orientations, which are eight
 * more detections, "orientations" is null in the answer. */
int ulpine_lkf(char const* request, char** answer);

/* Of row-major values, rows x columns, NaN where missing: {"units": "day-1", "spacing": null ([rows, columns]
 * in m), "rules": "", "parameters": "", "orientations": true}. */
int ulpine_lkf_of_values(double const* values, int64_t rows, int64_t columns, char const* request,
                         char** answer);

/* `ulpine consistency` of NetCDF files: {"ensemble": [path, ...] (files, folders, or one summary file),
 * "tests": [path, ...], "unperturbed": null, "control": [], "truth": [], "methods": [], "variables": [],
 * "times": "all"
 * ("last"), "levels": false, "weights": "", "parameters": {"pca.sigma": "2"}, "seed": 1}. Answer: schema
 * ulpine.consistency/1. `progress` may be null. */
int ulpine_consistency(char const* request, ulpine_progress progress, char** answer);

/* `ulpine digits --samples-from`: {"samples": [path, ...], "nearest": null, "wider": null, "mantissa": 53,
 * "variables": [], "relative": false, "absolute": false, "scales": {name: number}, "probability": 0.95,
 * "confidence": 0.95}. Answer: schema ulpine.digits/1. `progress` may be null. */
int ulpine_digits(char const* request, ulpine_progress progress, char** answer);

/* A trace, of several ranks also by its name without rank: {"file": path, "partial": false}. Answer:
 * {"records": number of records, "loops": [texts of the places within a step], "stages": [{"name",
 * "attributes": {}}], "fields": likewise, "ranks": number, "notes": [what is wrong with it]}. `trace` gets
 * what ulpine_trace_columns() reads; give it back with ulpine_free_trace(). */
typedef struct ulpine_trace ulpine_trace;
int ulpine_open_trace(char const* request, ulpine_trace** trace, char** answer);
/* Arrays of as many numbers as there are records. `loops`, `stage` and `field` count entries of the answer's
 * lists from 0. */
void ulpine_trace_columns(ulpine_trace const* trace, int64_t* step, int64_t* loops, int64_t* stage,
                          int64_t* field, int64_t* elements, int64_t* missing, uint64_t* hash);
void ulpine_free_trace(ulpine_trace* trace);

#ifdef __cplusplus
}
#endif
#endif
