/* The peer benchmark: the same queries to this engine and to the engines packaged in Debian, in one
 * run.
 *
 * A row is one workload at one size: W1 distance of separated hulls, W2 depth of overlapping ones,
 * W3 contact of primitives, W5 hulls of points, W6 intersection of two hulls. An engine answers a
 * whole row in one call. input.c makes the inputs, reference.c the references, and peers.c runs the
 * rounds. */
#ifndef BENCH_PEERS_H
#define BENCH_PEERS_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { BENCH_HULLS = 64, BENCH_PRIMITIVE_PAIRS = 25000, BENCH_PAIRS_MAX = BENCH_PRIMITIVE_PAIRS };
/* Values of a hull in W5: vertices, facets, volume. */
enum { BENCH_HULL_VALUES = 3 };

typedef enum bench_work {
  BENCH_DISTANCE,
  BENCH_DEPTH,
  BENCH_PRIMITIVES,
  BENCH_CLOUDS,
  BENCH_SHALLOW,
  BENCH_DEEP
} bench_work;
typedef enum bench_primitive { BENCH_BOX, BENCH_SPHERE, BENCH_CAPSULE } bench_primitive;

/* A hull whose vertices are all extreme and whose faces are triangles. */
typedef struct bench_hull {
  int vertex_count, face_count;
  double (*vertex)[3];
  int (*face)[3]; /* counter-clockwise from outside */
} bench_hull;

/* Positions in m; rotations x, y, z, w, unit to float precision: engines normalise them. The layout
 * is hashed. */
typedef struct bench_pair {
  int32_t hull_a, hull_b;
  double rotation_a[4], position_a[3], rotation_b[4], position_b[3];
} bench_pair;

typedef struct bench_solid {
  bench_primitive kind;
  double size[3]; /* box: half edges; sphere: radius; capsule about z: radius, half length between
                     the centres */
  double rotation[4], position[3];
} bench_solid;

/* A hull of a pair in the world, with its outward unit planes n.p <= d. */
typedef struct bench_body {
  int vertex_count, face_count;
  const double (*vertex)[3], (*plane)[4];
  const int (*face)[3];
} bench_body;

typedef struct bench_row {
  bench_work work;
  int size; /* vertices of a hull; W3: 0 box-box, 1 sphere-sphere, 2 capsule-capsule, 3 box-sphere;
               W5: 0..3 clouds in a ball of 32, 128, 1000, 10000 points, 4..7 on a sphere */
  const char *name; /* of the row */
  int count;
  const bench_hull *hulls;        /* [BENCH_HULLS]; W1, W2, W6 */
  const bench_pair *pairs;        /* [count]; W1, W2, W6 */
  const bench_solid (*solids)[2]; /* [count]; W3 */
  const double (*clouds)[3];      /* [count * cloud_points], one cloud after the other; W5 */
  int cloud_points;
  const bench_body (*bodies)[2]; /* [count]; W6 */
  const double (*inside)[3];     /* [count] a point inside both bodies; W6 */
  const double *reference;       /* [count] W1: distance; W2: depth; W3: signed distance; W5:
                                  BENCH_HULL_VALUES each; W6:       volume */
} bench_row;

/* Row-major matrix of the normalised quaternion. */
void bench_matrix(const double rotation[4], double matrix[9]);

/* Makes the inputs of a row. False, with a message on stderr, if out of memory. *as_specified: the
 * hashes agree with those of the specification; another libm may round a few numbers
 * differently. */
bool bench_input_make(bench_work work, int size, bench_row *row, bool *as_specified);
void bench_input_free(bench_row *row);

/* Reference answers in long double, by algorithms that no engine here uses. *gap: the largest
 * uncertainty. */
bool bench_reference_make(const bench_row *row, double *reference, double *gap);

/* Makes the W5 part of a row: clouds, and proven vertices, facets and volumes of their hulls. */
bool bench_clouds_make(bench_row *row);
bool bench_clouds_reference(const bench_row *row, double *reference);

/* Makes the W6 part of a row. */
bool bench_common_make(bench_row *row);
void bench_common_reference(const bench_row *row, double *reference);
void bench_common_free(bench_row *row);

/* Result of an engine that fails to answer and, in W3, of one that finds no contact. */
#define BENCH_FAILED (-1e300)
#define BENCH_NO_CONTACT (-1.0)

/* One query method of one engine. */
typedef struct bench_engine {
  const char *name;
  bool ours;
  bool tells_depth; /* W3: the value is the depth, not only whether there is contact */
  bool (*takes)(const bench_row *row);
  void *(*prepare)(const bench_row *row); /* not measured. NULL: unsupported */
  /* Answers all pairs. W1: distance; W2: depth, positive; W3: depth of the deepest contact or
   * BENCH_NO_CONTACT. W5: BENCH_HULL_VALUES each. W6: volume. */
  void (*answer)(void *state, const bench_row *row, double *values);
  /* W5, W6: answers including the volumes, which `answer` may omit; not measured. NULL: `answer`
   * returns them. */
  void (*answer_all)(void *state, const bench_row *row, double *values);
} bench_engine;

extern const bench_engine bench_ours[], bench_fcl[], bench_ccd[], bench_bullet[], bench_ode[],
    bench_ours_hull[], bench_qhull[], bench_cgal_hull[], bench_bullet_hull[], bench_ours_common[],
    bench_qhull_common[], bench_cgal_common[];
extern const int bench_ours_count, bench_fcl_count, bench_ccd_count, bench_bullet_count,
    bench_ode_count, bench_ours_hull_count, bench_qhull_count, bench_cgal_hull_count,
    bench_bullet_hull_count, bench_ours_common_count, bench_qhull_common_count,
    bench_cgal_common_count;

#ifdef __cplusplus
}
#endif

#endif
