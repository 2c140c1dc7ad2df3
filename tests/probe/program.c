/* SPDX-License-Identifier: Apache-2.0 */
/* A model that is linked with the probe: program WHAT. It computes sums of a field whose state it prints at its end. */
#define _GNU_SOURCE
#include <errno.h>
#include <fenv.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "ulpine.h"

enum { most = 1000 };
static double t[most];

static ulpine_array all_of(double* values, int count) {
  ulpine_array array;
  memset(&array, 0, sizeof array);
  array.data = values;
  array.type = ULPINE_F64;
  array.rank = 1;
  array.extent[0] = count;
  return array;
}

static void step(int n) {
  ulpine_array const array = all_of(t, most);
  ulpine_step(n);
  for (int i = 0; i < most; ++i) t[i] = t[i] * 0.75 + i / (double)n;
  ulpine_stage_n("decay  ", 7); /* as from Fortran */
  ulpine_state("t", &array);
}

int main(int count, char** arguments) {
  char const* const what = count > 1 ? arguments[1] : "";
  int steps = count > 2 ? atoi(arguments[2]) : 3;
  if (strcmp(what, "elsewhere") == 0 && chdir("/") != 0) return 9;
  if (strcmp(what, "never") == 0) return 0;
  if (strcmp(what, "ranks") == 0) ulpine_rank(1, 3);
  if (strcmp(what, "quiet") == 0) {
    /* What the probe must leave as it is. */
    fesetround(FE_UPWARD);
    feclearexcept(FE_ALL_EXCEPT);
    feraiseexcept(FE_DIVBYZERO);
    errno = 77;
  }
  for (int n = 1; n <= steps; ++n) step(n);
  if (strcmp(what, "quiet") == 0) {
    printf("rounding %d, exceptions %d, errno %d\n", fegetround() == FE_UPWARD, fetestexcept(FE_DIVBYZERO) != 0, errno);
    fesetround(FE_TONEAREST);
  }
  if (strcmp(what, "twice") == 0) step(steps);
  if (strcmp(what, "differs") == 0) {
    t[5] += 1;
    step(steps + 1);
    step(steps + 2);
  }
  if (strcmp(what, "fork") == 0) {
    pid_t const child = fork();
    if (child == 0) {
      step(steps + 1);
      ulpine_close();
      exit(0);
    }
    waitpid(child, NULL, 0);
    step(steps + 1);
  }
  if (strcmp(what, "kill") == 0) {
    struct timespec const pause = {0, 100000000};
    nanosleep(&pause, NULL);
    step(steps + 1);
    raise(SIGKILL);
  }
  if (strcmp(what, "close") == 0) {
    ulpine_close();
    step(steps + 1);
    ulpine_close();
    raise(SIGKILL);
  }
  if (strcmp(what, "abort") == 0) abort();
  if (strcmp(what, "exit") == 0) exit(3);
  double sum = 0;
  for (int i = 0; i < most; ++i) sum += t[i];
  printf("%a, active %d\n", sum, ulpine_active);
  return 0;
}
