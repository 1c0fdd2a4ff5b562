/* Names of shapes by their content. */
#ifndef API_COMMON_DIGEST_H
#define API_COMMON_DIGEST_H

#include <contact/cancel.h>
#include <stddef.h>
#include <stdint.h>

/* "s-" and 32 hexadecimal digits. */
#define API_SHAPE_ID_LENGTH 34

typedef struct api_digest {
  char id[API_SHAPE_ID_LENGTH + 1];
  uint64_t key; /* other bits of the digest, for tables over the content */
} api_digest;

/* SHA-256 (FIPS 180-4) over what the bytes are to be read as, a text, and over the bytes. False: cancelled. Some 3 ns a byte
 * without the processor's help. */
bool api_digest_make(const char *form, const char *bytes, size_t length, const ct_cancel *cancel, api_digest *out);

/* SHA-256 of the bytes. */
void api_digest_bytes(const char *bytes, size_t length, uint8_t out[32]);

#endif
