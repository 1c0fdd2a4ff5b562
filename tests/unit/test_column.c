/* The copy-on-write column: isolation of copies, the chunks that a write copies, and ownership of
 * the pointed-to objects. */
#include "tests/support/check.h"

#include "scene/column.h"

typedef struct row {
  uint64_t a, b;
} row;

static const ct_column_type plain = {sizeof(row), 3, NULL, NULL, NULL};

static uint64_t read_row(const ct_column *column, uint32_t at) {
  return ((const row *)ct_column_at(column, at))->a;
}

static void write_row(ct_column *column, uint32_t at, uint64_t value, size_t *copied) {
  row *place = ct_column_write(column, at, copied);
  *place = (row){value, ~value};
}

static void new_rows_are_zero_and_writes_stay(void) {
  ct_column column = ct_column_empty(&plain);
  size_t copied = 0;
  for (uint32_t rows = 1; rows <= 3000; rows++) {
    CHECK(ct_column_extend(&column, rows, &copied));
    CHECK_INT(read_row(&column, rows - 1), 0);
    write_row(&column, rows - 1, rows, &copied);
  }
  for (uint32_t i = 0; i < 3000; i++) CHECK_INT(read_row(&column, i), i + 1);
  CHECK_INT(copied, 0);
  CHECK_INT(column.rows, 3000);
  ct_column_free(&column);
}

static void a_copy_shares_until_written_and_then_only_the_written_chunk_is_copied(void) {
  ct_column column = ct_column_empty(&plain), copy;
  size_t copied = 0;
  CHECK(ct_column_extend(&column, 8000, &copied));
  for (uint32_t i = 0; i < 8000; i++) write_row(&column, i, i, &copied);
  CHECK(ct_column_copy(&column, &copy));
  write_row(&copy, 4000, 99, &copied);
  /* A page of 128 pointers and a chunk of 8 rows, each with a small header. */
  CHECK(copied >= 128 * sizeof(void *) + 8 * sizeof(row));
  CHECK(copied <= 128 * sizeof(void *) + 8 * sizeof(row) + 64);
  size_t before = copied;
  write_row(&copy, 4001, 98, &copied);
  CHECK_INT(copied, before);
  CHECK_INT(read_row(&column, 4000), 4000);
  CHECK_INT(read_row(&copy, 4000), 99);
  CHECK(ct_column_at(&column, 3999) == ct_column_at(&copy, 3999) || 3999 / 8 == 4000 / 8);
  CHECK(ct_column_at(&column, 100) == ct_column_at(&copy, 100));
  ct_column_free(&column);
  CHECK_INT(read_row(&copy, 4000), 99);
  CHECK_INT(read_row(&copy, 7999), 7999);
  before = copied;
  for (uint32_t i = 0; i < 8000; i++) write_row(&copy, i, 5, &copied);
  CHECK_INT(copied, before); /* no longer shared: everything in place */
  ct_column_free(&copy);
}

static void extending_a_copy_leaves_the_original_as_it_was(void) {
  ct_column column = ct_column_empty(&plain), copy;
  size_t copied = 0;
  CHECK(ct_column_extend(&column, 3, &copied));
  for (uint32_t i = 0; i < 3; i++) write_row(&column, i, i + 10, &copied);
  CHECK(ct_column_copy(&column, &copy));
  CHECK(ct_column_extend(&copy, 2000, &copied));
  write_row(&copy, 3, 77, &copied);
  CHECK_INT(column.rows, 3);
  for (uint32_t i = 0; i < 3; i++) CHECK_INT(read_row(&column, i), i + 10);
  for (uint32_t i = 0; i < 3; i++) CHECK_INT(read_row(&copy, i), i + 10);
  CHECK_INT(read_row(&copy, 3), 77);
  CHECK_INT(read_row(&copy, 1999), 0);
  ct_column_free(&copy);
  ct_column_free(&column);
}

static int held[64];
static void take(const void *element) { held[(const int *)element - held]++; }
static void drop(const void *element) { held[(const int *)element - held]--; }
static const ct_column_type pointers = {sizeof(const int *), 3, take, drop, NULL};

static void set(ct_column *column, uint32_t at, const int *value) {
  size_t copied = 0;
  ct_column_set_pointer(column, ct_column_write(column, at, &copied), value);
}

static void what_pointers_point_to_is_held_once_per_chunk_and_let_go_at_the_end(void) {
  memset(held, 0, sizeof held);
  ct_column a = ct_column_empty(&pointers), b, c;
  size_t copied = 0;
  CHECK(ct_column_extend(&a, 64, &copied));
  for (uint32_t i = 0; i < 64; i++) set(&a, i, &held[i]);
  for (int i = 0; i < 64; i++) CHECK_INT(held[i], 1);
  CHECK(ct_column_copy(&a, &b));
  CHECK(ct_column_copy(&b, &c));
  CHECK_INT(held[5], 1);
  set(&b, 0, &held[63]); /* copies the chunk of rows 0..7 */
  CHECK_INT(held[0], 1);
  CHECK_INT(held[5], 2);
  CHECK_INT(held[8], 1);
  CHECK_INT(held[63], 2);
  set(&b, 1, NULL);
  CHECK_INT(held[1], 1);
  ct_column_free(&a);
  CHECK_INT(held[0], 1);
  CHECK_INT(held[20], 1);
  ct_column_free(&c);
  CHECK_INT(held[0], 0);
  CHECK_INT(held[5], 1);
  ct_column_free(&b);
  for (int i = 0; i < 64; i++) CHECK_INT(held[i], 0);
}

static void random_copies_and_writes_agree_with_arrays(void) {
  enum { COLUMNS = 6, ROWS = 5000 };
  static uint64_t model[COLUMNS][ROWS];
  ct_column column[COLUMNS];
  check_random r = {31};
  size_t copied = 0;
  memset(model, 0, sizeof model);
  for (int k = 0; k < COLUMNS; k++) {
    column[k] = ct_column_empty(&plain);
    CHECK(ct_column_extend(&column[k], ROWS, &copied));
  }
  for (int step = 0; step < 20000; step++) {
    size_t k = check_next(&r) % COLUMNS, from = check_next(&r) % COLUMNS;
    uint32_t at = (uint32_t)(check_next(&r) % ROWS);
    if (step % 100 == 0 && k != from) {
      ct_column_free(&column[k]);
      CHECK(ct_column_copy(&column[from], &column[k]));
      memcpy(model[k], model[from], sizeof model[k]);
    } else {
      model[k][at] = check_next(&r);
      write_row(&column[k], at, model[k][at], &copied);
    }
    if (step % 1000 == 0)
      for (uint32_t i = 0; i < ROWS; i++)
        for (int c = 0; c < COLUMNS; c++)
          if (read_row(&column[c], i) != model[c][i])
            CHECK_FAIL("step %d column %d row %u", step, c, i);
  }
  for (int k = 0; k < COLUMNS; k++) ct_column_free(&column[k]);
}

static const check_test tests[] = {
    {"new_rows_are_zero_and_writes_stay", new_rows_are_zero_and_writes_stay},
    {"a_copy_shares_until_written_and_then_only_the_written_chunk_is_copied",
     a_copy_shares_until_written_and_then_only_the_written_chunk_is_copied},
    {"extending_a_copy_leaves_the_original_as_it_was",
     extending_a_copy_leaves_the_original_as_it_was},
    {"what_pointers_point_to_is_held_once_per_chunk_and_let_go_at_the_end",
     what_pointers_point_to_is_held_once_per_chunk_and_let_go_at_the_end},
    {"random_copies_and_writes_agree_with_arrays", random_copies_and_writes_agree_with_arrays},
};

CHECK_MAIN(tests)
