/* Ids of posted shapes, derived from their content: SHA-256 (FIPS 180-4) of the uploaded bytes. */
#ifndef API_COMMON_DIGEST_H
#define API_COMMON_DIGEST_H

#include <contact/base.h>
#include <stddef.h>
#include <stdint.h>

/* "s-" and 32 hexadecimal digits. */
#define API_SHAPE_ID_LENGTH 34

typedef struct api_digest {
  char id[API_SHAPE_ID_LENGTH + 1];
  uint64_t
      key; /* bits of the digest that are not part of `id`; seeds the hash tables of the import */
} api_digest;

/* Hashes `form`, which contains the media type and the options, and then the bytes, with SHA-256.
 * False: cancelled. Takes approximately 3 ns per byte without SHA instructions. */
bool api_digest_make(const char *form, const char *bytes, size_t length, const ct_cancel *cancel,
                     api_digest *out);

/* Writes the SHA-256 digest of the bytes. */
void api_digest_bytes(const char *bytes, size_t length, uint8_t out[32]);

#endif
