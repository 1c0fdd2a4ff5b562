/* Spelling suggestions by the optimal string alignment distance (Damerau 1964): insertions,
 * deletions, substitutions and transpositions of adjacent letters, ignoring ASCII case. A candidate
 * is suggested if its distance is at most a third of the longer word's length. */
#include "common/spelling.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* Greatest length of words that are compared, bytes. */
#define WORD_MAX 64

static char lower_ascii(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

static size_t min_of_three(size_t a, size_t b, size_t c) {
  size_t m = a < b ? a : b;
  return m < c ? m : c;
}

/* The minimum of row[from..to]. */
static size_t min_of_row(const size_t *row, size_t from, size_t to) {
  size_t least = row[from];
  for (size_t j = from + 1; j <= to; j++)
    if (row[j] < least) least = row[j];
  return least;
}

/* Returns the edit distance of two words of at most WORD_MAX bytes if it is at most `most`, else
 * any greater value. Only table cells within `most` of the diagonal can contribute (Ukkonen 1985).
 * *cells is increased by the number of evaluated cells. */
static size_t edit_distance(ct_text a, ct_text b, size_t most, size_t *cells) {
  assert(a.length <= WORD_MAX && b.length <= WORD_MAX);
  size_t rows[3][WORD_MAX + 2], above_least = 0;
  for (size_t j = 0; j <= b.length; j++) rows[0][j] = j;
  for (size_t i = 1; i <= a.length; i++) {
    size_t *row = rows[i % 3], *above = rows[(i + 2) % 3], *second = rows[(i + 1) % 3];
    size_t from = i > most ? i - most : 1, to = i + most < b.length ? i + most : b.length;
    if (from > to) return most + 1;
    /* Evaluate the band of this row; the cells beside the band exceed `most`. */
    row[from - 1] = from == 1 ? i : most + 1;
    for (size_t j = from; j <= to; j++) {
      char x = lower_ascii(a.bytes[i - 1]), y = lower_ascii(b.bytes[j - 1]);
      row[j] = min_of_three(above[j] + 1, row[j - 1] + 1, above[j - 1] + (x != y));
      bool swapped =
          i > 1 && j > 1 && x == lower_ascii(b.bytes[j - 2]) && lower_ascii(a.bytes[i - 2]) == y;
      if (swapped && second[j - 2] + 1 < row[j]) row[j] = second[j - 2] + 1;
    }
    row[to + 1] = most + 1;
    *cells += to - from + 1;
    /* A transposition skips a row at cost 1: stop only if the previous row exceeded `most` as
     * well. */
    size_t least = min_of_row(row, from - 1, to);
    if (least > most && above_least >= most) return most + 1;
    above_least = least;
  }
  return rows[a.length % 3][b.length];
}

/* Returns the index of a letter's counter in the histogram; several letters may share a counter. */
static size_t letter_index(char c) { return (unsigned char)lower_ascii(c) % API_SPELLING_LETTERS; }

/* Returns a lower bound of the edit distance (bag distance: Bartolini, Ciaccia, Patella 2002): the
 * length of the longer word minus the number of letters that both words contain. */
static size_t bag_distance(const api_spelling *l, ct_text text) {
  unsigned char left[API_SPELLING_LETTERS];
  size_t shared = 0;
  memcpy(left, l->letters, sizeof left);
  for (size_t i = 0; i < text.length; i++) {
    unsigned char *count = &left[letter_index(text.bytes[i])];
    if (*count == 0) continue;
    --*count;
    shared++;
  }
  assert(shared <= text.length && shared <= l->word.length);
  return (text.length > l->word.length ? text.length : l->word.length) - shared;
}

api_spelling api_spelling_start(const char *word, size_t length) {
  api_spelling l = {.word = {word, length}, .distance = SIZE_MAX};
  for (size_t i = 0; i < length && length <= WORD_MAX; i++) l.letters[letter_index(word[i])]++;
  return l;
}

bool api_spelling_consider(api_spelling *l, const char *candidate, size_t length) {
  if (l->cells > API_SPELLING_CELLS) return false;
  if (++l->considered > API_SPELLING_CANDIDATES) return false;
  if (l->word.length > WORD_MAX || length > WORD_MAX) return true;
  size_t longer = length > l->word.length ? length : l->word.length;
  size_t shorter = length + l->word.length - longer;
  /* Of words with two letters only a transposition is accepted; a substitution would change half of
   * the word. */
  size_t most = longer == 2 ? 1 : longer / 3;
  if (l->distance <= most) most = l->distance ? l->distance - 1 : 0;
  /* Two lower bounds of the distance, from the lengths and from the letters, avoid most
   * evaluations. */
  if (longer - shorter > most || l->distance == 0) return true;
  ct_text text = {candidate, length};
  if (bag_distance(l, text) > (longer == 2 ? 0 : most)) return true;
  size_t distance = edit_distance(l->word, text, most, &l->cells);
  if (distance > most) return true;
  l->distance = distance;
  l->best = text;
  return true;
}

const char *api_spelling_end(const api_spelling *likeness, char out[API_SPELLING_END]) {
  char echo[API_ECHO_MAX + 4];
  if (likeness->best.length > 0)
    snprintf(out, API_SPELLING_END, "; did you mean \"%s\"?", api_echo(likeness->best, echo));
  else snprintf(out, API_SPELLING_END, ".");
  return out;
}

/* ---- words of a scene ----------------------------------------------------------------------- */

api_spelling api_spelling_of_bodies(const ct_scene *scene, ct_text id) {
  api_spelling l = api_spelling_start(id.bytes, id.length);
  for (uint32_t row = 0; row < ct_scene_rows(scene); row++) {
    const ct_body *body = ct_scene_body(scene, row);
    if (body && !api_spelling_consider(&l, ct_body_id(body).bytes, ct_body_id(body).length)) break;
  }
  return l;
}

api_spelling api_spelling_of_draft(const ct_draft *draft, ct_text id) {
  api_spelling l = api_spelling_start(id.bytes, id.length);
  for (uint32_t row = 0; row < ct_draft_rows(draft); row++) {
    const ct_body *body = ct_draft_body(draft, row);
    if (body && !api_spelling_consider(&l, ct_body_id(body).bytes, ct_body_id(body).length)) break;
  }
  return l;
}

/* Compares the groups of a body; body may be NULL. False: the candidate limit is reached. */
static bool consider_groups(api_spelling *l, const ct_body *body) {
  bool more = true;
  for (size_t g = 0; more && body && g < ct_body_group_count(body); g++)
    more = api_spelling_consider(l, ct_body_group(body, g).bytes, ct_body_group(body, g).length);
  return more;
}

api_spelling api_spelling_of_groups(const ct_draft *draft, ct_text name) {
  api_spelling l = api_spelling_start(name.bytes, name.length);
  bool more = true;
  for (uint32_t row = 0; more && row < ct_draft_rows(draft); row++)
    more = consider_groups(&l, ct_draft_body(draft, row));
  return l;
}

api_spelling api_spelling_of_scene_groups(const ct_scene *scene, ct_text name) {
  api_spelling l = api_spelling_start(name.bytes, name.length);
  bool more = true;
  for (uint32_t row = 0; more && row < ct_scene_rows(scene); row++)
    more = consider_groups(&l, ct_scene_body(scene, row));
  return l;
}

/* Returns the length of the longest prefix that ends after a whole character and has at most
 * `length` bytes. */
static size_t prefix_length(ct_text id, size_t length) {
  size_t end = 0;
  uint32_t code;
  while (end < id.length) {
    size_t bytes = api_utf8_next(id.bytes + end, id.length - end, &code);
    if (bytes == 0 || end + bytes > length) break;
    end += bytes;
  }
  return end;
}

api_spelling api_spelling_of_prefixes(const ct_scene *scene, ct_text prefix) {
  api_spelling l = api_spelling_start(prefix.bytes, prefix.length);
  bool more = true;
  for (uint32_t row = 0; more && row < ct_scene_rows(scene); row++) {
    const ct_body *body = ct_scene_body(scene, row);
    /* The unknown prefix may lack a letter or have one too many. */
    for (size_t cut = 0; body && more && cut < 3; cut++) {
      ct_text id = ct_body_id(body);
      more = api_spelling_consider(&l, id.bytes, prefix_length(id, prefix.length + 1 - cut));
    }
  }
  return l;
}

api_spelling api_spelling_of_attachments(const ct_scene *scene, ct_text name) {
  api_spelling l = api_spelling_start(name.bytes, name.length);
  for (size_t i = 0; i < ct_scene_attachment_count(scene); i++)
    api_spelling_consider(&l, ct_scene_attachment(scene, i)->name.bytes,
                          ct_scene_attachment(scene, i)->name.length);
  return l;
}

api_spelling api_spelling_of_materials(const ct_materials *materials, ct_text name) {
  api_spelling l = api_spelling_start(name.bytes, name.length);
  for (size_t i = 0; i < materials->count; i++)
    api_spelling_consider(&l, materials->items[i].name.bytes, materials->items[i].name.length);
  return l;
}
