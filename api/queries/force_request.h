/* Reads queries of the kinds impulse, restingForces and compliantForces: contacts found or given,
 * loads, tolerances, and the options of the solvers. */
#ifndef API_QUERIES_FORCE_REQUEST_H
#define API_QUERIES_FORCE_REQUEST_H

#include <contact/compliant.h>
#include <contact/impulse.h>
#include <contact/resting.h>

#include "results/volume_json.h"
#include "json/fields.h"

/* Members that only force queries have, in addition to API_MEMBER_MAP: X(NAME, "word"). */
#define API_FORCE_MEMBER_MAP(X)                                                                    \
  X(CONTACTS, "contacts")                                                                          \
  X(VOLUMETRIC, "volumetric")                                                                      \
  X(CONTACT_TOLERANCE, "contactTolerance")                                                         \
  X(VELOCITY_TOLERANCE, "velocityTolerance")                                                       \
  X(GRAVITY, "gravity")                                                                            \
  X(MATERIAL, "material")                                                                          \
  X(LOADS, "loads")                                                                                \
  X(LAW, "law")                                                                                    \
  X(SIMULTANEOUS, "simultaneous")                                                                  \
  X(FRICTION, "friction")                                                                          \
  X(ENERGY_GUARD, "energyGuard")                                                                   \
  X(REST_VELOCITY, "restVelocity")                                                                 \
  X(LEVEL, "level")                                                                                \
  X(TIME_STEP, "timeStep")                                                                         \
  X(DIRECTIONS, "directions")                                                                      \
  X(CIRCUMSCRIBED, "circumscribed")                                                                \
  X(TIE, "tie")                                                                                    \
  X(ELASTIC, "elastic")

enum {
#define API_FORCE_MEMBER_ENUM(name, word) API_FORCE_##name,
  API_FORCE_MEMBER_MAP(API_FORCE_MEMBER_ENUM)
#undef API_FORCE_MEMBER_ENUM
      API_FORCE_MEMBER_COUNT
};

#define API_FORCE_MEMBER(name) (1u << API_FORCE_##name)

const char *api_force_member_word(int member);

typedef struct api_force {
  ct_mechanics_options mechanics; /* its arrays are in the arena */
  api_volume volumetric;          /* set if contacts are volumetric */
  ct_mechanics_volumes volumes;   /* set if contacts are volumetric */
  const char *warning;            /* warning about volumetric contacts; NULL: none */
  ct_vec3 gravity;                /* value in effect */
  double velocity_tolerance;      /* value in effect, m/s */
  ct_impulse_options impulse;
  ct_resting_options resting;
  ct_compliant_options compliant;
  bool law_given;      /* impulse: the request has the member law */
  bool friction_given; /* the request has a friction model; otherwise resting forces have friction
                          if a contact has it */
  bool put_matrix, put_vector;
} api_force;

/* The members of the request, each present or absent; `method` and `contactState` are members that
 * other kinds have too. */
typedef struct api_force_fields {
  const api_field *own[API_FORCE_MEMBER_COUNT];
  const api_field *method, *state;
  const api_pointer *question;
} api_force_fields;

/* What was read before the force members: where, pairs, hypothetical poses and velocities,
 * detail. */
typedef struct api_force_scope {
  const ct_scene *scene;
  const ct_query_options *options;
  ct_detail detail;
  const ct_row_velocity *velocities;
  size_t velocity_count;
} api_force_scope;

/* Reads the options that only one kind has; called after the options of all force kinds were
 * read. */
typedef bool api_force_reader(api_reader *reader, const api_force_fields *fields,
                              const api_force_scope *scope, api_force *out);
api_force_reader api_read_impulse_options, api_read_resting_options, api_read_compliant_options;

/* Reads the force members of a query. *out must be zeroed, except put_matrix and put_vector, and
 * must not be moved afterwards, because its member mechanics points into it. */
bool api_read_force(api_reader *reader, const api_force_fields *fields,
                    const api_force_scope *scope, api_force_reader *read_options, api_force *out);
/* Reads the speed below which a velocity counts as zero, m/s. If the member is absent, it is the
 * scene's default for the contact tolerance. */
bool api_read_velocity_tolerance(api_reader *reader, const api_field *field, const ct_scene *scene,
                                 double contact_tolerance, double *out);
/* Returns the row of the first dynamic body whose inertia is singular; CT_NO_ROW: there is none. */
uint32_t api_find_singular(const ct_scene *scene);

#endif
