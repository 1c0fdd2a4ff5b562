/* Byte spans: ids and names. */
#ifndef CONTACT_TEXT_H
#define CONTACT_TEXT_H

#include <contact/linkage.h>

#include <stddef.h>

CT_DECLARATIONS_BEGIN

/* A borrowed span of bytes, not terminated. */
typedef struct ct_text {
  const char *bytes;
  size_t length;
} ct_text;

CT_DECLARATIONS_END

#endif
