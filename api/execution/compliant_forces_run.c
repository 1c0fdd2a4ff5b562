/* Runs queries of elastic contact forces and puts their results. */
#include "execution/force_run.h"

#include <assert.h>

#include "documents/elastic_json.h"
#include "results/force_json.h"
#include "results/result_json.h"

static void put_compliant_contact(api_buffer *out, const ct_scene *scene,
                                  const ct_compliant_contact *c) {
  const ct_compliant_force *f = &c->force;
  api_open_contact(out, ct_scene_body(scene, c->a), ct_scene_body(scene, c->b), c->contact, true);
  api_put_member_number(out, "depth", f->depth);
  api_put_member_number(out, "depthRate", f->depth_rate);
  api_put_member_number(out, "slip", f->slip);
  api_put_member_number(out, "angularSpeed", f->angular_speed);
  api_put_member_number(out, "approach", c->approach);
  api_put_member_string(out, "approachOf", api_text(c->stored ? "begin" : "now"));
  api_put_member_number(out, "restitution", c->pair.restitution);
  api_put_member_number(out, "cRes", c->pair.c_res);
  api_put_member_number(out, "dRes", c->pair.damping);
  api_put_member_number(out, "cGeo", c->pair.c_geo);
  api_put_member_number(out, "nGeo", c->pair.n_geo);
  api_put_member_number(out, "normalForce", f->normal);
  api_put_member_vec3(out, "tangentialForce", f->friction);
  api_put_member_number(out, "rollingTorque", f->rolling);
  api_put_member_vec3(out, "force", f->force);
  api_put_member_vec3(out, "torque", f->torque);
  api_put_byte(out, '}');
}

static void put_body_sums(api_buffer *out, const ct_scene *scene,
                          const ct_compliant_answer *answer) {
  api_put_key(out, "bodies");
  api_put_byte(out, '[');
  for (size_t i = 0; i < answer->body_count; i++) {
    const ct_body_sum *sum = &answer->bodies[i];
    api_put_item(out);
    api_put_byte(out, '{');
    api_put_id(out, "id", ct_body_id(ct_scene_body(scene, sum->row)));
    api_put_member_vec3(out, "force", sum->force);
    api_put_member_vec3(out, "torque", sum->torque);
    api_put_byte(out, '}');
  }
  api_put_byte(out, ']');
}

void api_run_compliant(api_range_run *run, size_t begin, size_t end) {
  assert(begin == 0 && end == 1); /* a single range */
  (void)begin;
  (void)end;
  const api_query *q = &run->task->question;
  ct_mechanics *mechanics = NULL;
  ct_compliant_answer answer = {0};
  ct_status status =
      ct_mechanics_prepare(q->scene, &q->force.mechanics, run->workspace, &mechanics);
  if (status == CT_OK)
    status = ct_compliant_solve(q->scene, mechanics, &q->force.compliant, &answer);
  run->range->status = status;
  run->task->islands = answer.count;
  bool all = status == CT_OK && !q->resumed;
  for (size_t i = q->from.item; i < answer.count; i++) {
    put_compliant_contact(&run->range->text, q->scene, &answer.contacts[i]);
    if (api_mark_result(run, (api_mark){.item = (uint32_t)i, .after = CT_NO_ROW})) continue;
    all = false;
    break;
  }
  /* A reply that lacks some of the contacts has no sums per body. */
  if (all && answer.count <= q->limit) put_body_sums(&run->range->frames, q->scene, &answer);
  if (run->range->frames.failed) run->range->memory = true;
  ct_compliant_answer_free(&answer);
  ct_mechanics_destroy(mechanics);
}

void api_put_compliant_members(api_buffer *out, const api_task *task, const api_page *page) {
  api_put_elastic_options(out, &task->question.force.compliant.elastic);
  if (page->truncated || task->question.resumed || task->range_count == 0) return;
  api_put_item(out);
  api_put_bytes(out, task->ranges[0].frames.bytes, task->ranges[0].frames.length);
}
