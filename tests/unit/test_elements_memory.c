/* Building elements: failing allocations leak nothing, a raised flag ends the build soon, and the
 * bytes per element are bounded. */
/* Must come first: it has variables of the same name as a type of blocks.h. */
#include "tests/support/failing_malloc.h"

#include "tests/support/blocks.h"
#include "tests/support/polls.h"

static const ct_element_type types[] = {CT_TETRAHEDRA, CT_HEXAHEDRA, CT_MIXED_ELEMENTS};

static void every_refused_allocation_is_told_and_leaves_nothing(void) {
  NEEDS_FAILING_MALLOC;
  for (int t = 0; t < 3; t++) {
    block b = block_make(types[t], 2, 1, 1);
    ct_elements *whole = block_elements(&b);
    const uint32_t outer = ct_elements_get(whole)->outer_count;
    uint32_t ids[24] = {0};
    ct_vec3 normals[16];
    CHECK(outer <= 24 && b.vn <= 16);
    for (int i = 0; i < 16; i++) normals[i] = ct_vec(0, 0, 1);
    ct_elements_release(whole);
    ct_elements_data data = block_data(&b);
    data.normals = normals;
    data.surface_ids = ids;
    data.surface_id_count = outer;
    long before = memory.live;
    ct_elements *elements = NULL;
    for (long at = 1;; at++) {
      ct_elements_report report = {.nodes = 77};
      memory.fail_at = at, memory.taken = 0, memory.counting = true;
      ct_status status = ct_elements_create(&data, NULL, &elements, &report);
      memory.counting = false;
      if (status == CT_OK) {
        CHECK(at > 20);
        break;
      }
      CHECK_INT(status, CT_OUT_OF_MEMORY);
      CHECK(elements == NULL && report.nodes == 77);
      CHECK_INT(memory.live, before);
    }
    ct_elements_retain(elements);
    ct_elements_release(elements);
    CHECK(memory.live > before);
    ct_elements_release(elements);
    CHECK_INT(memory.live, before);
    memory.fail_at = 0;
    /* Refused elements leak nothing either. */
    data.surface_id_count--;
    elements = NULL;
    CHECK_INT(ct_elements_create(&data, NULL, &elements, NULL), CT_BAD_ELEMENT);
    CHECK_INT(memory.live, before);
    block_free(&b);
  }
}

static ct_status run_build(void *context, ct_cancel *cancel) {
  ct_elements *elements = NULL;
  ct_status status = ct_elements_create(context, cancel, &elements, NULL);
  CHECK((elements != NULL) == (status == CT_OK));
  ct_elements_release(elements);
  return status;
}

static void a_raised_flag_ends_the_building_soon(void) {
  for (int t = 0; t < 3; t++) {
    block b = block_make(types[t], types[t] == CT_HEXAHEDRA ? 20 : 12, 10, 10);
    ct_elements_data data = block_data(&b);
    polls_check_stops(run_build, &data, CT_OK, 0.0);
    block_free(&b);
  }
}

/* The bound that memory limits assume: 250,000 elements stay below 0.65 GiB. */
static void an_element_takes_a_known_number_of_bytes(void) {
  for (int t = 0; t < 3; t++) {
    block b = block_make(types[t], 8, 8, 8);
    check_random r = {1};
    block_jitter(&b, &r, 0.05);
    ct_elements *elements = block_elements(&b);
    CHECK((double)ct_elements_bytes(elements) < 2600.0 * b.en);
    CHECK((double)ct_elements_bytes(elements) > 1000.0 * b.en);
    ct_elements_release(elements);
    block_free(&b);
  }
}

static const check_test tests[] = {
    {"every_refused_allocation_is_told_and_leaves_nothing",
     every_refused_allocation_is_told_and_leaves_nothing},
    {"a_raised_flag_ends_the_building_soon", a_raised_flag_ends_the_building_soon},
    {"an_element_takes_a_known_number_of_bytes", an_element_takes_a_known_number_of_bytes},
};
CHECK_MAIN(tests)
