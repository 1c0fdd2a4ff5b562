/* Random numbers of the peer benchmark: SplitMix64 from a fixed seed, so that every run and every
 * engine gets the same inputs. */
#ifndef BENCH_DRAW_H
#define BENCH_DRAW_H

#include <math.h>
#include <stdint.h>

#define TWO_PI 6.283185307179586476925

typedef struct source {
  uint64_t state;
} source;

static inline uint64_t draw(source *s) {
  uint64_t z = s->state += 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

static inline double fraction(source *s) { return (double)(draw(s) >> 11) * 0x1p-53; }
static inline double between(source *s, double low, double high) {
  return low + (high - low) * fraction(s);
}

/* Through memory, so that a compiler cannot skip the rounding. */
static inline double to_float(double x) {
  volatile float f = (float)x;
  return (double)f;
}

static inline void direction(source *s, double d[3]) {
  double z = between(s, -1.0, 1.0), turn = TWO_PI * fraction(s), ring = sqrt(1.0 - z * z);
  d[0] = ring * cos(turn);
  d[1] = ring * sin(turn);
  d[2] = z;
}

static inline void rotation(source *s, double q[4]) {
  double u = fraction(s), v = TWO_PI * fraction(s), w = TWO_PI * fraction(s);
  double xy = sqrt(1.0 - u), zw = sqrt(u);
  q[0] = xy * sin(v);
  q[1] = xy * cos(v);
  q[2] = zw * sin(w);
  q[3] = zw * cos(w);
}

#endif
