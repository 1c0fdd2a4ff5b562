/* SHA-256 (FIPS 180-4), computed by nettle, as the id of a shape. */
#include "common/digest.h"

#include <assert.h>
#include <nettle/sha2.h>
#include <string.h>

/* Bytes hashed between two polls of the cancel flag: less than a millisecond. */
#define BYTES_PER_POLL 262144u

bool api_digest_make(const char *form, const char *bytes, size_t length, const ct_cancel *cancel,
                     api_digest *out) {
  assert(form && (bytes || length == 0));
  static const char hex[] = "0123456789abcdef";
  uint8_t digest[SHA256_DIGEST_SIZE];
  struct sha256_ctx state;
  sha256_init(&state);
  /* The NUL after `form` separates it from the bytes, so that different pairs hash different
   * input. */
  sha256_update(&state, strlen(form) + 1, (const uint8_t *)form);
  for (size_t at = 0; at < length; at += BYTES_PER_POLL) {
    if (ct_cancel_raised(cancel)) return false;
    sha256_update(&state, length - at < BYTES_PER_POLL ? length - at : BYTES_PER_POLL,
                  (const uint8_t *)bytes + at);
  }
  sha256_digest(&state, sizeof digest, digest);
  memcpy(out->id, "s-", 2);
  for (size_t i = 0; i < (API_SHAPE_ID_LENGTH - 2) / 2; i++) {
    out->id[2 + 2 * i] = hex[digest[i] >> 4];
    out->id[3 + 2 * i] = hex[digest[i] & 15];
  }
  out->id[API_SHAPE_ID_LENGTH] = 0;
  memcpy(&out->key, digest + SHA256_DIGEST_SIZE - sizeof out->key, sizeof out->key);
  return true;
}

void api_digest_bytes(const char *bytes, size_t length, uint8_t out[SHA256_DIGEST_SIZE]) {
  struct sha256_ctx state;
  sha256_init(&state);
  sha256_update(&state, length, (const uint8_t *)bytes);
  sha256_digest(&state, SHA256_DIGEST_SIZE, out);
}
