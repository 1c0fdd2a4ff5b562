/* Which bodies of a scene are at most 5 cm apart? */
#include <contact/contact.h>

#include <stdio.h>
#include <string.h>

static ct_text text(const char *string) { return (ct_text){string, strlen(string)}; }

/* Balls of radius 0.5 m in a row; the gaps are 15, 30, 45 and 60 mm. */
static const ct_scene *build_row(void) {
  static const char *const names[5] = {"a", "b", "c", "d", "e"};
  const ct_scene *empty = ct_scene_create(0);
  ct_draft *draft = empty ? ct_draft_begin(empty) : NULL;
  ct_status status = draft ? CT_OK : CT_OUT_OF_MEMORY;
  double x = 0.0;
  for (int i = 0; i < 5 && status == CT_OK; i++, x += 1.0 + 0.015 * i) {
    const ct_collider collider = {.shape = {.kind = CT_KIND_SPHERE, .sphere = {0.5}}};
    ct_body_options options = ct_body_options_default();
    options.id = text(names[i]);
    options.colliders = &collider;
    options.collider_count = 1;
    const ct_body *body = NULL;
    const ct_pose pose = {.position = {x, 0.0, 0.0}};
    uint32_t row;
    status = ct_body_create(&options, &body);
    if (status == CT_OK) status = ct_draft_insert(draft, body, &pose, NULL, &row);
    ct_body_release(body);
  }
  const ct_scene *scene = status == CT_OK ? ct_draft_seal(draft) : NULL;
  if (draft && !scene) ct_draft_discard(draft);
  ct_scene_release(empty);
  return scene;
}

typedef struct report {
  const ct_scene *scene;
  int pairs;
  double error;
} report;

static bool print_pair(void *context, const ct_distance_hit *hit) {
  report *r = context;
  const ct_text a = ct_body_id(ct_scene_body(r->scene, hit->a)),
                b = ct_body_id(ct_scene_body(r->scene, hit->b));
  printf("%.*s and %.*s: %.12f m\n", (int)a.length, a.bytes, (int)b.length, b.bytes,
         hit->result.distance);
  r->error = fmax(r->error, fabs(hit->result.distance - 0.015 * hit->b));
  r->pairs++;
  return true;
}

int main(void) {
  const ct_scene *scene = build_row();
  ct_workspace *workspace = ct_workspace_create();
  if (!scene || !workspace) return 1;
  ct_query_options options = ct_query_options_default();
  options.clearance = 0.05;
  ct_query *query = NULL;
  report r = {.scene = scene};
  ct_status status = ct_query_prepare_distances(scene, &options, NULL, &query);
  if (status == CT_OK) {
    const ct_query_range all = {.end = ct_query_items(query), .after = CT_NO_ROW};
    status = ct_query_run_distances(query, &all, workspace, print_pair, &r, NULL);
    ct_query_destroy(query);
  }
  ct_workspace_destroy(workspace);
  ct_scene_release(scene);
  printf("closed form: three pairs, 15, 30 and 45 mm apart\n");
  return status != CT_OK || r.pairs != 3 || r.error > 1e-12;
}
