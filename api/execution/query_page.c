/* Composes a page from complete ranges: its results, the cursor of the next page, the total, or a
 * fault. */
#include "execution/query_plan.h"

#include <assert.h>

static void add_contact_limit_fault(const api_force_outcome *outcome, api_faults *faults) {
  switch (outcome->limit_kind) {
  case API_CONTACT_LIMIT_MEMORY:
    api_fault_plain(faults, API_PROBLEM_LIMIT_EXCEEDED,
                    "The query has more than %zu contacts, the most that requestMemoryBytes "
                    "allows: select fewer pairs.",
                    outcome->contacts_limit);
    break;
  case API_CONTACT_LIMIT_METHOD:
    api_fault_plain(faults, API_PROBLEM_LIMIT_EXCEEDED,
                    "An island has %zu contacts, linked by bodies; the method accepts at most %zu: "
                    "omit method, or use pgs.",
                    outcome->contacts, outcome->contacts_limit);
    break;
  case API_CONTACT_LIMIT_PYRAMID:
    api_fault_plain(faults, API_PROBLEM_LIMIT_EXCEEDED,
                    "An island has %zu contacts, which make %zu rows with pyramids of %u sides; "
                    "the limit is %zu: use friction \"cone\", or fewer directions.",
                    outcome->contacts, outcome->contacts * (outcome->sides + 2), outcome->sides,
                    outcome->contacts_limit);
    break;
  default:
    api_fault_plain(faults, API_PROBLEM_LIMIT_EXCEEDED,
                    "An island has %zu contacts, with more than %zu pairs of contacts that share a "
                    "body, the limit: select fewer bodies.",
                    outcome->contacts, outcome->contacts_limit);
  }
}

static bool add_size_fault(api_faults *faults) {
  api_fault_plain(
      faults, API_PROBLEM_LIMIT_EXCEEDED,
      "The answer needs more memory than requestMemoryBytes: request smaller pages with limit.");
  return false;
}

/* Adds the range's fault, if it has one. enough: the page ends within this range, so that a limit
 * exceeded beyond the page's end is no fault. True: a fault was added. */
static bool add_range_fault(const api_range *range, bool enough, api_faults *faults) {
  if (range->memory || range->status == CT_OUT_OF_MEMORY) api_fault_memory(faults);
  else if (range->status == CT_CANCELLED || !range->complete) api_fault_cancelled(faults);
  else if (range->force.limit_kind && !enough) add_contact_limit_fault(&range->force, faults);
  else if (range->status == CT_LIMIT && !enough) add_size_fault(faults);
  return api_faults_any(faults);
}

/* Sets page->next to the position after the page's last result, which is result `local` (from 1) of
 * `range`, or, if local is 0, the last result of an earlier range. */
static void set_next_page(const api_task *task, size_t range, size_t local, api_page *page) {
  assert(page->truncated);
  assert(range < task->range_count && local <= task->ranges[range].count);
  while (local == 0 && range > 0) local = task->ranges[--range].count;
  const api_range *r = &task->ranges[range];
  assert(local > 0); /* a truncated page has at least one result */
  const api_mark *mark = &r->marks[local - 1];
  page->next = (api_cursor){.item = mark->item, .after = mark->after, .part = mark->part};
  /* If the item has no further results, the next page starts at the next item. */
  if (mark->after == CT_NO_ROW && mark->part == 0) page->next.item++;
  if (task->question.mode == API_MODE_VARIANTS) {
    size_t variant = 0;
    for (size_t sum = 0; variant < r->variant_count; variant++) {
      sum += r->variants[variant].count;
      if (sum >= local) break;
    }
    page->variants = range * task->step + variant + 1;
    page->next.variant = task->start + page->variants - 1;
    /* A summary is the only result of its variant: the next page starts at the next variant. */
    if (task->question.summary != API_SUMMARY_NONE)
      page->next = (api_cursor){.variant = task->start + page->variants, .after = CT_NO_ROW};
  }
  if (task->question.reports_revision)
    page->next.revision = ct_scene_revision(task->question.revision);
}

void api_pair_fault(const api_plan *plan, const api_task *task, api_faults *faults) {
  uint64_t limit = plan->limits->pairs;
  api_pointer queries = api_pointer_member(NULL, "queries"),
              query = api_pointer_index(&queries, (size_t)(task - plan->tasks));
  const api_pointer *question = task->in_batch ? &query : NULL;
  api_pointer boxes = api_pointer_member(question, "boxes");
  api_fault_limit(api_fault_at(faults, API_PROBLEM_PAIR_LIMIT,
                               task->question.mode == API_MODE_BOXES ? &boxes : question,
                               "The query has more than %llu candidate pairs, the limit (pairs): "
                               "query fewer bodies or boxes, or smaller pages with limit.",
                               (unsigned long long)limit),
                  (double)limit, (double)limit + 1.0);
}

static bool add_pair_fault(const api_plan *plan, const api_task *task, api_faults *faults) {
  api_pair_fault(plan, task, faults);
  return false;
}

/* Sums the results of all ranges, for the first page. The total is unknown if counting would need
 * more candidate pairs than a query may have. False: a fault was added. */
static bool count_all_results(const api_plan *plan, const api_task *task, api_page *page,
                              api_faults *faults) {
  uint64_t total = 0, candidates = 0;
  for (size_t r = 0; r < task->range_count; r++) {
    const api_range *range = &task->ranges[r];
    if (task->question.mode == API_MODE_SCENE) candidates += range->statistics.candidates;
    if (range->status == CT_PAIR_LIMIT || candidates > plan->limits->pairs) {
      page->total = API_TOTAL_UNKNOWN;
      return true;
    }
    if (add_range_fault(range, false, faults)) return false;
    total += range->found;
  }
  page->total = api_total_code(total);
  return true;
}

static bool find_total(const api_plan *plan, const api_task *task, api_page *page,
                       api_faults *faults) {
  const api_query *q = &task->question;
  if (q->resumed) page->total = q->from.total;
  else if (q->without_total) page->total = API_TOTAL_NONE;
  else if (q->mode == API_MODE_VARIANTS) page->total = api_total_code(q->variant_count);
  else if (!page->truncated) page->total = api_total_code(page->count);
  else if (q->mode == API_MODE_FORCE) page->total = api_total_code(task->islands);
  else if (q->mode == API_MODE_BOXES)
    page->total = api_total_code(task->ranges[0].boxes.pair_count);
  else if (q->mode == API_MODE_BODIES) page->total = api_total_code(task->items);
  else if (!count_all_results(plan, task, page, faults)) return false;
  assert(!q->resumed || page->total == q->from.total);
  page->next.total = page->total;
  page->next.limit = q->limit;
  return true;
}

bool api_task_page(const api_plan *plan, const api_task *task, api_page *page, api_faults *faults) {
  const api_query *q = &task->question;
  bool boxes = q->mode == API_MODE_BOXES;
  uint64_t limit = boxes ? UINT64_MAX : q->limit, bytes = 0, candidates = 0;
  *page = (api_page){.variants = task->items - task->start};
  for (size_t r = 0; r < task->range_count && !page->truncated; r++) {
    const api_range *range = &task->ranges[r];
    page->truncated = page->count + range->count > limit || (boxes && range->found > range->count);
    if (range->status == CT_PAIR_LIMIT && !page->truncated)
      return add_pair_fault(plan, task, faults);
    if (add_range_fault(range, page->truncated, faults)) return false;
    if (range->overflow && !page->truncated) return add_size_fault(faults);
    page->statistics.candidates += range->statistics.candidates;
    page->statistics.box_tests += range->statistics.box_tests;
    page->planes.hits += range->planes.hits;
    page->planes.repairs += range->planes.repairs;
    page->planes.searches += range->planes.searches;
    page->force.diverged = page->force.diverged || range->force.diverged;
    page->force.falls = page->force.falls || range->force.falls;
    page->force.undecided = page->force.undecided || range->force.undecided;
    page->statistics.doubled += range->statistics.doubled;
    /* A truncated page counts candidate pairs only up to the first result beyond its end, so that
     * the count does not depend on the division into ranges. */
    uint64_t needed = candidates;
    assert(!page->truncated || boxes || limit - page->count < range->count);
    if (page->truncated && !boxes) needed += range->marks[limit - page->count].candidates;
    else if (q->mode == API_MODE_SCENE) needed += range->statistics.candidates;
    if (needed > plan->limits->pairs) return add_pair_fault(plan, task, faults);
    if (q->mode == API_MODE_SCENE) candidates = needed;
    page->ranges = r + 1;
    size_t taken = page->truncated && !boxes ? (size_t)(limit - page->count) : range->count;
    if (page->truncated && boxes)
      page->next = (api_cursor){.item = q->from.item + taken, .after = CT_NO_ROW};
    else if (page->truncated) set_next_page(task, r, taken, page);
    bytes += taken == 0 ? 0
             : boxes    ? range->text.length
                        : range->marks[taken - 1].end + range->marks[taken - 1].sums;
    if (q->mode == API_MODE_VARIANTS) bytes += range->frames.length;
    if (!page->truncated) bytes += range->removed.length;
    page->count += taken;
    assert(page->count <= limit && taken <= range->count);
    if (bytes > plan->limits->request_memory_bytes) return add_size_fault(faults);
  }
  return find_total(plan, task, page, faults);
}
