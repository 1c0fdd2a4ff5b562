/* BLAKE2b with 256-bit output (RFC 7693, Saarinen, Aumasson 2015) on 64-bit words, which stand
 * for little-endian bytes. No key. */
#include "base/digest.h"

#include <assert.h>
#include <string.h>

#define DIGEST_BYTES 32u
#define BLOCK_WORDS 16u
/* Words between two polls of the cancel flag: about 100 us. */
#define WORDS_PER_POLL 8192u

static const uint64_t initial[8] = {0x6a09e667f3bcc908u, 0xbb67ae8584caa73bu, 0x3c6ef372fe94f82bu,
                                    0xa54ff53a5f1d36f1u, 0x510e527fade682d1u, 0x9b05688c2b3e6c1fu,
                                    0x1f83d9abfb41bd6bu, 0x5be0cd19137e2179u};

/* Order in which each round uses the words of the block; rounds 10 and 11 repeat those of rounds 0
 * and 1. */
static const uint8_t message_schedule[10][16] = {
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
    {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
    {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4},
    {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
    {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13},
    {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
    {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11},
    {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
    {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5},
    {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0}};

static uint64_t rotate_right_64(uint64_t x, int bits) { return (x >> bits) | (x << (64 - bits)); }

static void mix_quarter(uint64_t *a, uint64_t *b, uint64_t *c, uint64_t *d,
                        const uint64_t word[2]) {
  *a += *b + word[0];
  *d = rotate_right_64(*d ^ *a, 32);
  *c += *d;
  *b = rotate_right_64(*b ^ *c, 24);
  *a += *b + word[1];
  *d = rotate_right_64(*d ^ *a, 16);
  *c += *d;
  *b = rotate_right_64(*b ^ *c, 63);
}

static void compress_block(ct_digest_state *s, int last) {
  uint64_t v[16];
  memcpy(v, s->chain, sizeof s->chain);
  memcpy(v + 8, initial, sizeof initial);
  /* number of bytes so far; the upper half of this 128-bit number is always 0 */
  v[12] ^= 8 * s->words;
  if (last) v[14] = ~v[14];
  for (int round = 0; round < 12; round++) {
    const uint8_t *order = message_schedule[round % 10];
    for (int k = 0; k < 8; k++) {
      int shift = k / 4, column = k % 4;
      const uint64_t word[2] = {s->block[order[2 * k]], s->block[order[2 * k + 1]]};
      mix_quarter(&v[column], &v[4 + (column + shift) % 4], &v[8 + (column + 2 * shift) % 4],
                  &v[12 + (column + 3 * shift) % 4], word);
    }
  }
  for (int i = 0; i < 8; i++) s->chain[i] ^= v[i] ^ v[i + 8];
}

static void add_word(ct_digest_state *s, uint64_t word) {
  assert(s->used <= BLOCK_WORDS);
  if (s->used == BLOCK_WORDS) {
    compress_block(s, 0);
    s->used = 0;
  }
  s->block[s->used++] = word;
  s->words++;
}

void ct_digest_open(ct_digest_state *state, const ct_cancel *cancel) {
  *state = (ct_digest_state){.poll = ct_poll_start_later(cancel, WORDS_PER_POLL)};
  memcpy(state->chain, initial, sizeof initial);
  state->chain[0] ^= 0x01010000u ^ DIGEST_BYTES;
}

bool ct_digest_doubles(ct_digest_state *state, const double *values, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (ct_poll_cancelled_at(&state->poll, state->words)) return false;
    double value = values[i] + 0.0;
    uint64_t word;
    memcpy(&word, &value, sizeof word);
    add_word(state, word);
  }
  return true;
}

bool ct_digest_indices(ct_digest_state *state, const uint32_t *values, size_t count) {
  for (size_t i = 0; i < count; i += 2) {
    if (ct_poll_cancelled_at(&state->poll, state->words)) return false;
    add_word(state, values[i] | (i + 1 < count ? (uint64_t)values[i + 1] << 32 : 0));
  }
  return true;
}

ct_digest ct_digest_close(ct_digest_state *state) {
  assert(state->used <= BLOCK_WORDS);
  ct_digest digest;
  memset(state->block + state->used, 0, (BLOCK_WORDS - state->used) * sizeof *state->block);
  compress_block(state, 1);
  memcpy(digest.word, state->chain, sizeof digest.word);
  return digest;
}

int ct_digest_compare(const ct_digest *a, const ct_digest *b) {
  for (int i = 0; i < 4; i++)
    if (a->word[i] != b->word[i]) return a->word[i] < b->word[i] ? -1 : 1;
  return 0;
}
