/* Questions about forces decoded: contacts found or given, loads, tolerances, and how impulses, resting and elastic forces are
 * computed. */
#ifndef API_QUERIES_FORCE_REQUEST_H
#define API_QUERIES_FORCE_REQUEST_H

#include <contact/compliant.h>
#include <contact/impulse.h>
#include <contact/resting.h>

#include "calls/routes.h"
#include "results/volume_json.h"
#include "json/fields.h"

/* Members beside those of other questions. */
#define API_FORCE_MEMBER_MAP(X)                                                                                                    \
  X(CONTACTS, "contacts")                                                                                                          \
  X(VOLUMETRIC, "volumetric")                                                                                                      \
  X(CONTACT_TOLERANCE, "contactTolerance")                                                                                         \
  X(VELOCITY_TOLERANCE, "velocityTolerance")                                                                                       \
  X(GRAVITY, "gravity")                                                                                                            \
  X(MATERIAL, "material")                                                                                                          \
  X(LOADS, "loads")                                                                                                                \
  X(LAW, "law")                                                                                                                    \
  X(SIMULTANEOUS, "simultaneous")                                                                                                  \
  X(FRICTION, "friction")                                                                                                          \
  X(ENERGY_GUARD, "energyGuard")                                                                                                   \
  X(REST_VELOCITY, "restVelocity")                                                                                                 \
  X(LEVEL, "level")                                                                                                                \
  X(TIME_STEP, "timeStep")                                                                                                         \
  X(DIRECTIONS, "directions")                                                                                                      \
  X(CIRCUMSCRIBED, "circumscribed")                                                                                                \
  X(TIE, "tie")                                                                                                                    \
  X(ELASTIC, "elastic")

enum {
#define API_FORCE_MEMBER_ENUM(name, word) API_FORCE_##name,
  API_FORCE_MEMBER_MAP(API_FORCE_MEMBER_ENUM)
#undef API_FORCE_MEMBER_ENUM
      API_FORCE_MEMBER_COUNT
};

/* A bit for each of them that a question of the kind may have; 0: none. */
uint32_t api_force_members(api_kind kind);
const char *api_force_member_word(int member);
static inline bool api_kind_is_force(api_kind kind) {
  return kind == API_KIND_IMPULSE || kind == API_KIND_RESTING_FORCES || kind == API_KIND_COMPLIANT_FORCES;
}

typedef struct api_force {
  ct_mechanics_options mechanics; /* what it points to is in the arena */
  api_volume volumetric;          /* where contacts are volumetric */
  ct_mechanics_volumes volumes;   /* likewise */
  const char *warning;            /* of these, or NULL */
  ct_vec3 gravity;                /* in force */
  double velocity_tolerance;      /* m/s, in force */
  ct_impulse_options impulse;
  ct_resting_options resting;
  ct_compliant_options compliant;
  bool law_given;      /* of impulses */
  bool friction_given; /* else resting forces have friction where any contact has */
  bool put_matrix, put_vector;
} api_force;

/* The members, absent ones too, and of other questions `method` and `contactState`; the place of the question. */
typedef struct api_force_fields {
  const api_field *own[API_FORCE_MEMBER_COUNT];
  const api_field *method, *state;
  const api_pointer *question;
} api_force_fields;

/* Whom the question is about, which is read: where, pairs, what-if poses and velocities, detail. */
typedef struct api_force_scope {
  api_kind kind;
  const ct_scene *scene;
  const ct_query_options *options;
  const ct_row_velocity *velocities;
  size_t velocity_count;
} api_force_scope;

/* *out must be zeroed, except put_matrix and put_vector; it is not to be moved afterwards. */
bool api_read_force(api_reader *reader, const api_force_fields *fields, const api_force_scope *about, api_force *out);
/* What velocities are called zero below: the member's, or the scene's own for these contacts. */
bool api_read_velocity_tolerance(api_reader *reader, const api_field *field, const ct_scene *scene, double contact_tolerance,
                                 double *out);
/* The first dynamic body whose mass has no inertia that can be inverted; CT_NO_ROW: all have. */
uint32_t api_find_singular(const ct_scene *scene);

#endif
