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
  /* 64 doubled four times: each item is copied at most once on average. */
  CHECK(capacity == 1024);
  free(items);
}

static void space_that_is_there_is_not_allocated_again(void) {
  double *numbers = NULL;
  size_t capacity = 0;
  CHECK(ct_array_reserve(&numbers, &capacity, 200, sizeof *numbers));
  CHECK(capacity == 256);
  double *before = numbers;
  CHECK(ct_array_reserve(&numbers, &capacity, 256, sizeof *numbers));
  CHECK(numbers == before);
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
  CHECK(capacity == 64);
  free(items);
}

static void a_32_bit_capacity_stays_within_its_type(void) {
  unsigned char *bytes = NULL;
  uint32_t capacity = 0;
  CHECK(ct_array_reserve32(&bytes, &capacity, 65, 1));
  CHECK(capacity == 128);
  CHECK(!ct_array_reserve32(&bytes, &capacity, UINT32_MAX, SIZE_MAX / 8));
  CHECK(capacity == 128);
  free(bytes);
}

static const check_test tests[] = {
    {"an_array_keeps_its_items_as_it_grows", an_array_keeps_its_items_as_it_grows},
    {"space_that_is_there_is_not_allocated_again", space_that_is_there_is_not_allocated_again},
    {"more_than_the_address_space_is_refused_and_changes_nothing",
     more_than_the_address_space_is_refused_and_changes_nothing},
    {"a_32_bit_capacity_stays_within_its_type", a_32_bit_capacity_stays_within_its_type},
};
CHECK_MAIN(tests)
