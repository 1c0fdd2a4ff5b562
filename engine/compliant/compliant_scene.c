/* The elastic law at all contacts of a scene, and what it comes to for bodies. */
#include <contact/compliant.h>

#include <stdlib.h>

/* Contacts between two looks at the cancel flag: well below a millisecond. */
#define CONTACTS_PER_POLL 256

typedef struct solving {
  const ct_scene *scene;
  const ct_compliant_options *options;
  const ct_contact_index *index; /* NULL: no state */
  ct_compliant_answer *out;
} solving;

static bool solid_of(const solving *s, uint32_t row, uint32_t collider, ct_elastic_solid *out) {
  const ct_compliant_options *o = s->options;
  if (!(o->youngs_modulus > 0.0)) return ct_scene_elastic_solid(s->scene, row, collider, out);
  const ct_collider c = ct_body_collider(ct_scene_body(s->scene, row), collider);
  *out = (ct_elastic_solid){.youngs_modulus = o->youngs_modulus, .poisson_ratio = o->poisson_ratio};
  out->radius = ct_elastic_radius(&c.shape, &out->flat);
  return true;
}

/* How fast the contact began. */
static void find_approach(const solving *s, const ct_contact_set *set, ct_compliant_contact *c) {
  const ct_contact *t = c->contact;
  const ct_contact_record *record =
      s->index ? ct_contact_index_find(s->index, c->a, c->b, t->collider_a, t->collider_b) : NULL;
  c->stored = record != NULL;
  c->approach =
      fabs(record ? record->normal_velocity : ct_contact_relative_velocity(set, t, 0.0).normal);
}

static bool solve_contact(const solving *s, const ct_contact_set *set, ct_compliant_contact *c) {
  ct_elastic_solid a, b;
  if (!solid_of(s, c->a, c->contact->collider_a, &a) ||
      !solid_of(s, c->b, c->contact->collider_b, &b))
    return false;
  find_approach(s, set, c);
  c->pair = ct_elastic_pair_of(&a, &b, &c->contact->material, c->approach, &s->options->elastic);
  c->force = ct_compliant_law(&c->pair, set, c->contact, &s->options->elastic);
  return true;
}

/* The contact's force on one of its bodies: that on b, or with sign -1 on a. */
static void add(ct_body_sum *sum, const ct_mass_body *body, const ct_compliant_contact *c,
                double sign) {
  ct_vec3 moment = ct_cross(ct_sub(c->contact->position, body->center), c->force.force);
  sum->force = ct_add_scaled(sum->force, c->force.force, sign);
  sum->torque = ct_add_scaled(sum->torque, ct_add(moment, c->force.torque), sign);
}

/* Contacts of one island, and the sums of its dynamic bodies; `sums` is room for all its bodies. */
static ct_status solve_island(const solving *s, const ct_island *island, ct_body_sum *sums) {
  const ct_contact_set *set = &island->set;
  for (size_t i = 0; i < set->body_count; i++) sums[i] = (ct_body_sum){.row = island->rows[i]};
  for (size_t i = 0; i < set->count; i++) {
    if (i % CONTACTS_PER_POLL == 0 && ct_cancel_raised(s->options->cancel)) return CT_CANCELLED;
    const ct_contact *t = &set->contacts[i];
    ct_compliant_contact *c = &s->out->contacts[island->numbers[i]];
    *c = (ct_compliant_contact){.a = island->rows[t->a], .b = island->rows[t->b], .contact = t};
    if (!solve_contact(s, set, c)) return CT_NOT_FOUND;
    add(&sums[t->a], &set->bodies[t->a], c, -1.0);
    add(&sums[t->b], &set->bodies[t->b], c, 1.0);
  }
  for (size_t i = 0; i < set->body_count; i++)
    if (set->bodies[i].mobility == CT_DYNAMIC) s->out->bodies[s->out->body_count++] = sums[i];
  return CT_OK;
}

static int by_row(const void *x, const void *y) {
  uint32_t a = ((const ct_body_sum *)x)->row, b = ((const ct_body_sum *)y)->row;
  return (a > b) - (a < b);
}

static ct_status solve_islands(const solving *s, const ct_mechanics *mechanics) {
  size_t bodies = 0, most = 0;
  for (size_t i = 0; i < ct_mechanics_islands(mechanics); i++) {
    const ct_island island = ct_mechanics_island(mechanics, i);
    if (island.set.count == 0) continue;
    bodies += island.set.body_count;
    if (island.set.body_count > most) most = island.set.body_count;
  }
  s->out->contacts = malloc((ct_mechanics_count(mechanics) + 1) * sizeof *s->out->contacts);
  s->out->bodies = malloc((bodies + 1) * sizeof *s->out->bodies);
  ct_body_sum *sums = malloc((most + 1) * sizeof *sums);
  ct_status status = s->out->contacts && s->out->bodies && sums ? CT_OK : CT_OUT_OF_MEMORY;
  for (size_t i = 0; i < ct_mechanics_islands(mechanics) && status == CT_OK; i++) {
    const ct_island island = ct_mechanics_island(mechanics, i);
    if (island.set.count > 0) status = solve_island(s, &island, sums);
  }
  free(sums);
  if (status != CT_OK) return status;
  s->out->count = ct_mechanics_count(mechanics);
  qsort(s->out->bodies, s->out->body_count, sizeof *s->out->bodies, by_row);
  return CT_OK;
}

ct_status ct_compliant_solve(const ct_scene *scene, const ct_mechanics *mechanics,
                             const ct_compliant_options *options, ct_compliant_answer *out) {
  *out = (ct_compliant_answer){0};
  ct_contact_index *index = NULL;
  ct_status status = options->state
                         ? ct_contact_index_create(scene, options->state, options->cancel, &index)
                         : CT_OK;
  const solving s = {scene, options, index, out};
  if (status == CT_OK) status = solve_islands(&s, mechanics);
  ct_contact_index_destroy(index);
  if (status != CT_OK) ct_compliant_answer_free(out);
  return status;
}

void ct_compliant_answer_free(ct_compliant_answer *answer) {
  free(answer->contacts);
  free(answer->bodies);
  *answer = (ct_compliant_answer){0};
}
