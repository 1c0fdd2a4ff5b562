/* Growth of arrays: capacity, content, and refusal of sizes beyond the address space. */
#include "base/array.h"
#include "tests/support/check.h"

typedef struct item {
  uint64_t words[3];
} item;

static void an_array_keeps_its_items_as_it_grows(void) {
  item *items = NULL;
  size_t capacity = 0;
  for (size_t i = 0; i < 1000; i++) {
    CHECK(ct_array_reserve(&items, &capacity, i + 1, sizeof *items));
    CHECK(capacity > i);
    items[i] = (item){{i, 2 * i, 3 * i}};
  }
  bool same = true;
  for (size_t i = 0; i < 1000; i++) same &= items[i].words[0] == i && items[i].words[2] == 3 * i;
  CHECK(same);
  /* 16 doubled six times: each item is copied at most once on average. */
  CHECK(capacity == 1024);
  free(items);
}

static void space_that_is_there_is_not_allocated_again(void) {
  double *numbers = NULL;
  size_t capacity = 0;
  CHECK(ct_array_reserve(&numbers, &capacity, 200, sizeof *numbers));
  CHECK(capacity == 200);
  double *before = numbers;
  CHECK(ct_array_reserve(&numbers, &capacity, 200, sizeof *numbers));
  CHECK(ct_array_reserve(&numbers, &capacity, 0, sizeof *numbers));
  CHECK(numbers == before);
  CHECK(capacity == 200);
  CHECK(ct_array_reserve(&numbers, &capacity, 201, sizeof *numbers));
  CHECK(capacity == 400);
  free(numbers);
}

static void more_than_the_address_space_is_refused_and_changes_nothing(void) {
  item *items = NULL;
  size_t capacity = 0;
  CHECK(ct_array_reserve(&items, &capacity, 1, sizeof *items));
  item *before = items;
  CHECK(!ct_array_reserve(&items, &capacity, SIZE_MAX / 2, sizeof *items));
  CHECK(!ct_array_reserve(&items, &capacity, SIZE_MAX, sizeof *items));
  CHECK(items == before);
  CHECK(capacity == CT_ARRAY_FIRST);
  free(items);
}

static void a_32_bit_capacity_stays_within_its_type(void) {
  unsigned char *bytes = NULL;
  uint32_t capacity = 0;
  CHECK(ct_array_reserve32(&bytes, &capacity, 64, 1));
  CHECK(ct_array_reserve32(&bytes, &capacity, 65, 1));
  CHECK(capacity == 128);
  CHECK(!ct_array_reserve32(&bytes, &capacity, UINT32_MAX - 1, SIZE_MAX / 8));
  CHECK(!ct_array_reserve32(&bytes, &capacity, UINT32_MAX, 1));
  CHECK(!ct_array_reserve32(&bytes, &capacity, (size_t)UINT32_MAX + 1, 1));
  CHECK(capacity == 128);
  free(bytes);
}

static void a_32_bit_capacity_doubles_up_to_its_limit(void) {
  CHECK(ct_array_capacity32(0, 1) == CT_ARRAY_FIRST);
  CHECK(ct_array_capacity32(1u << 30, (1u << 30) + 1) == 1u << 31);
  CHECK(ct_array_capacity32(1u << 31, (1u << 31) + 1) == CT_ARRAY_MAX32);
  CHECK(ct_array_capacity32(CT_ARRAY_MAX32, UINT32_MAX) < UINT32_MAX);
}

static const check_test tests[] = {
    {"an_array_keeps_its_items_as_it_grows", an_array_keeps_its_items_as_it_grows},
    {"space_that_is_there_is_not_allocated_again", space_that_is_there_is_not_allocated_again},
    {"more_than_the_address_space_is_refused_and_changes_nothing",
     more_than_the_address_space_is_refused_and_changes_nothing},
    {"a_32_bit_capacity_stays_within_its_type", a_32_bit_capacity_stays_within_its_type},
    {"a_32_bit_capacity_doubles_up_to_its_limit", a_32_bit_capacity_doubles_up_to_its_limit},
};
CHECK_MAIN(tests)
