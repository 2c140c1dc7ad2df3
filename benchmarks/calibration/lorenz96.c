// SPDX-License-Identifier: Apache-2.0
// A model that knows nothing of Ulpine: Lorenz's equations of 1996 (40 variables, Runge-Kutta 4), its
// settings in settings.txt, its states in state.nc. Build: cc -O2 lorenz96.c -o O2 -lnetcdf -lm; -DREAL=float
// computes in single precision.
#include <math.h>
#include <netcdf.h>
#include <stdint.h>
#include <stdio.h>

#define N 40
#define STEPS_BETWEEN 25
#ifndef REAL
#define REAL double
#endif

// A number uniform in [-1, 1) by Steele, Lea and Flood's SplitMix64.
static double uniform(uint64_t seed, uint64_t index) {
  uint64_t z = (seed << 20) + (index + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return (double)((z ^ (z >> 31)) >> 11) / 4503599627370496.0 - 1;
}

// A step of Runge and Kutta's of order 4, in numbers of TYPE.
#define DEFINE_STEP(NAME, TYPE)                                                                  \
  static void NAME(TYPE x[N], TYPE forcing) {                                                    \
    TYPE const h = (TYPE)0.01;                                                                   \
    TYPE k[4][N], y[N];                                                                          \
    for (int i = 0; i < N; i++) y[i] = x[i];                                                     \
    for (int r = 0; r < 4; r++) {                                                                \
      for (int i = 0; i < N; i++)                                                                \
        k[r][i] = (y[(i + 1) % N] - y[(i + N - 2) % N]) * y[(i + N - 1) % N] - y[i] + forcing;   \
      for (int i = 0; i < N; i++) y[i] = x[i] + (r < 2 ? h / 2 : h) * k[r][i];                   \
    }                                                                                            \
    for (int i = 0; i < N; i++) x[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]); \
  }
DEFINE_STEP(spin_up, double)
DEFINE_STEP(step, REAL)

int main(void) {
  double end, amplitude, own, forcing;
  unsigned long start, seed;
  FILE* settings = fopen("settings.txt", "r");
  if (!settings || fscanf(settings, "end %lf start %lu noise %lf %lu own %lf forcing %lf", &end, &start,
                          &amplitude, &seed, &own, &forcing) != 6)
    return 1;
  double before[N];
  REAL x[N];
  for (int i = 0; i < N; i++) before[i] = 8 + 4 * uniform(start, (uint64_t)i);
  for (int s = 0; s < 500; s++) spin_up(before, 8);  // onto the attractor
  for (int i = 0; i < N; i++)
    x[i] = (REAL)(before[i] + amplitude * uniform(seed, (uint64_t)i) +
                  own * uniform(start, (uint64_t)(1000 + i)));
  int nc, dims[2], time, field;
  nc_create("state.nc", NC_CLOBBER, &nc);
  nc_def_dim(nc, "time", NC_UNLIMITED, &dims[0]);
  nc_def_dim(nc, "x", N, &dims[1]);
  nc_def_var(nc, "time", NC_DOUBLE, 1, dims, &time);
  nc_put_att_text(nc, time, "units", 33, "seconds since 2000-01-01 00:00:00");
  nc_def_var(nc, "X", NC_DOUBLE, 2, dims, &field);
  nc_put_att_text(nc, field, "units", 1, "1");
  nc_enddef(nc);
  for (long s = 0; s <= lround(end / 0.01); s++) {
    if (s % STEPS_BETWEEN == 0) {
      double out[N], now = (double)s * 0.01;
      for (int i = 0; i < N; i++) out[i] = x[i];
      size_t const record = (size_t)s / STEPS_BETWEEN, from[2] = {record, 0}, count[2] = {1, N};
      nc_put_vara_double(nc, field, from, count, out);
      nc_put_var1_double(nc, time, &record, &now);
    }
    step(x, (REAL)forcing);
  }
  if (nc_close(nc) != NC_NOERR) return 1;
  puts("the model has ended");
  return 0;
}
