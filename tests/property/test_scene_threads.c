/* Many readers, one writer: threads query sealed revisions, including concurrent first queries of
 * each revision, while drafts create the next ones. A race detector finds unguarded sharing; every
 * run finds answers that differ from those of a single thread. */
#include "tests/support/scenes.h"

#include <pthread.h>
#include <stdatomic.h>

enum { READERS = 3, BODIES = 300, REVISIONS = 60, SAME_TIME = 40 };

static const char *id_text(char *text, uint32_t i) {
  snprintf(text, 16, "b%u", i);
  return text;
}

static const ct_scene *crowd(check_random *r, uint32_t bodies) {
  const ct_scene *empty = ct_scene_create(0);
  ct_draft *draft = ct_draft_begin(empty);
  char id[16];
  for (uint32_t i = 0; i < bodies; i++) {
    ct_shape shape = sphere_of(0.3);
    add_body(draft, body_of(id_text(id, i), &shape, NULL, 1, i % 2 ? "odd" : "even"),
             pose_at(check_uniform(r, 0, 4), check_uniform(r, 0, 4), check_uniform(r, 0, 4)));
  }
  ct_text against[1] = {text_of("odd")};
  ct_group_rule rule = {text_of("even"), against, 1};
  CHECK_INT(ct_draft_set_filters(draft, &(ct_filters){&rule, 1, NULL, 0}), CT_OK);
  return seal(draft, empty);
}

/* The published revision; readers take a reference under the lock, as the server's registry
 * does. */
typedef struct show {
  pthread_mutex_t lock;
  const ct_scene *scene;
  atomic_bool over;
  atomic_int wrong, requested;
} show;

static const ct_scene *take(show *s) {
  pthread_mutex_lock(&s->lock);
  const ct_scene *scene = ct_scene_retain(s->scene);
  pthread_mutex_unlock(&s->lock);
  return scene;
}

static void put(show *s, const ct_scene *scene) {
  pthread_mutex_lock(&s->lock);
  const ct_scene *old = s->scene;
  s->scene = scene;
  pthread_mutex_unlock(&s->lock);
  ct_scene_release(old);
}

static void *read_revisions(void *context) {
  show *s = context;
  do {
    const ct_scene *scene = take(s);
    pair_log tree = log_pairs(scene, CT_QUERY_OVERLAP, CT_BROADPHASE_TREE),
             brute = log_pairs(scene, CT_QUERY_OVERLAP, CT_BROADPHASE_BRUTE_FORCE);
    if (tree.sum != brute.sum || tree.count != brute.count) atomic_fetch_add(&s->wrong, 1);
    atomic_fetch_add(&s->requested, 1);
    ct_scene_release(scene);
  } while (!atomic_load(&s->over));
  return NULL;
}

static void edit(ct_draft *draft, check_random *r, uint32_t revision) {
  char id[16];
  for (int k = 0; k < 20; k++) {
    uint32_t row = ct_draft_find(draft, text_of(id_text(id, (uint32_t)(check_next(r) % BODIES))));
    ct_pose pose = pose_at(check_uniform(r, 0, 4), check_uniform(r, 0, 4), check_uniform(r, 0, 4));
    if (row != CT_NO_ROW) CHECK_INT(ct_draft_set_pose(draft, row, &pose), CT_OK);
  }
  if (revision % 5 == 0) {
    id_text(id, (uint32_t)(check_next(r) % BODIES));
    uint32_t row = ct_draft_find(draft, text_of(id));
    if (row == CT_NO_ROW) add_shape(draft, id, sphere_of(0.2), pose_at(1, 1, 1));
    else CHECK_INT(ct_draft_remove(draft, row), CT_OK);
  }
}

static void readers_and_a_writer_do_not_disturb_each_other(void) {
  check_random r = {71};
  show s = {.scene = crowd(&r, BODIES)};
  pthread_t readers[READERS];
  pthread_mutex_init(&s.lock, NULL);
  for (int k = 0; k < READERS; k++)
    CHECK_INT(pthread_create(&readers[k], NULL, read_revisions, &s), 0);
  for (uint32_t revision = 1; revision <= REVISIONS; revision++) {
    const ct_scene *base = take(&s);
    ct_draft *draft = ct_draft_begin(base);
    edit(draft, &r, revision);
    put(&s, seal(draft, base));
    /* Waits until some revisions have been queried, and leaves others without a query. */
    int requested = atomic_load(&s.requested);
    for (int spin = 0; revision % 3 && spin < 20000 && atomic_load(&s.requested) == requested;
         spin++)
      sched_yield();
  }
  atomic_store(&s.over, true);
  for (int k = 0; k < READERS; k++) pthread_join(readers[k], NULL);
  CHECK_INT(atomic_load(&s.wrong), 0);
  CHECK(atomic_load(&s.requested) >= READERS);
  CHECK_INT(ct_scene_revision(s.scene), REVISIONS + 1);
  ct_scene_release(s.scene);
  pthread_mutex_destroy(&s.lock);
}

typedef struct first_question {
  const ct_scene *scene;
  pthread_barrier_t *start;
  pair_log log;
} first_question;

static void *ask_first(void *context) {
  first_question *q = context;
  pthread_barrier_wait(q->start);
  q->log = log_pairs(q->scene, CT_QUERY_OVERLAP, CT_BROADPHASE_TREE);
  return NULL;
}

/* All readers find the lazily computed data absent at the same time, and agree on one copy. */
static void the_first_queries_of_a_revision_may_be_concurrent(void) {
  check_random r = {72};
  const ct_scene *scene = crowd(&r, BODIES);
  pthread_barrier_t start;
  pthread_barrier_init(&start, NULL, READERS);
  for (uint32_t turn = 0; turn < SAME_TIME; turn++) {
    first_question questions[READERS];
    pthread_t readers[READERS];
    pair_log brute = log_pairs(scene, CT_QUERY_OVERLAP, CT_BROADPHASE_BRUTE_FORCE);
    for (int k = 0; k < READERS; k++) {
      questions[k] = (first_question){scene, &start, {0, 0}};
      CHECK_INT(pthread_create(&readers[k], NULL, ask_first, &questions[k]), 0);
    }
    for (int k = 0; k < READERS; k++) {
      pthread_join(readers[k], NULL);
      CHECK(questions[k].log.sum == brute.sum && questions[k].log.count == brute.count);
    }
    ct_draft *draft = ct_draft_begin(scene);
    edit(draft, &r, turn);
    scene = seal(draft, scene);
  }
  pthread_barrier_destroy(&start);
  ct_scene_release(scene);
}

/* Ranges of one query on several threads, with concatenated results. */
typedef struct range_job {
  const ct_query *query;
  size_t begin, end;
  pair_log log;
  uint32_t rows[BODIES * 4];
} range_job;

static bool note_rows(void *context, const kind_hit *hit) {
  range_job *job = context;
  if (job->log.count < BODIES * 2) {
    job->rows[2 * job->log.count] = hit->a;
    job->rows[2 * job->log.count + 1] = hit->b;
  }
  return log_pair(&job->log, hit);
}

static void *run_range(void *context) {
  range_job *job = context;
  ct_workspace *workspace = ct_workspace_create();
  CHECK_INT(run_kind(job->query, CT_QUERY_OVERLAP,
                     (ct_query_range){job->begin, job->end, CT_NO_ROW, 0}, workspace,
                     (kind_report){note_rows, job}, NULL),
            CT_OK);
  ct_workspace_destroy(workspace);
  return NULL;
}

static void ranges_of_one_query_run_on_any_thread(void) {
  check_random r = {73};
  const ct_scene *scene = crowd(&r, BODIES);
  ct_query_options options = {.broadphase = CT_BROADPHASE_TREE};
  ct_query *query = NULL;
  static range_job jobs[READERS];
  pthread_t threads[READERS];
  pair_log whole = log_pairs(scene, CT_QUERY_OVERLAP, CT_BROADPHASE_TREE), joined = {0, 0};
  CHECK_INT(ct_query_prepare_overlaps(scene, &options, NULL, &query), CT_OK);
  for (size_t k = 0; k < READERS; k++) {
    jobs[k].query = query;
    jobs[k].begin = k * BODIES / READERS;
    jobs[k].end = (k + 1) * BODIES / READERS;
    CHECK_INT(pthread_create(&threads[k], NULL, run_range, &jobs[k]), 0);
  }
  for (int k = 0; k < READERS; k++) {
    pthread_join(threads[k], NULL);
    CHECK(jobs[k].log.count > 0 && jobs[k].log.count < BODIES * 2);
    for (size_t h = 0; h < jobs[k].log.count; h++) {
      kind_hit hit = {.a = jobs[k].rows[2 * h], .b = jobs[k].rows[2 * h + 1]};
      log_pair(&joined, &hit);
    }
  }
  CHECK(joined.count == whole.count && joined.sum == whole.sum);
  ct_query_destroy(query);
  ct_scene_release(scene);
}

static const check_test tests[] = {
    {"readers_and_a_writer_do_not_disturb_each_other",
     readers_and_a_writer_do_not_disturb_each_other},
    {"the_first_queries_of_a_revision_may_be_concurrent",
     the_first_queries_of_a_revision_may_be_concurrent},
    {"ranges_of_one_query_run_on_any_thread", ranges_of_one_query_run_on_any_thread},
};

CHECK_MAIN(tests)
