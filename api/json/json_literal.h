/* Literals that RFC 8259 allows and jansson refuses: integers beyond 64 bits, numbers beyond the
 * range of a double, lone surrogates, and U+0000. Each is replaced by a literal of the same length,
 * so that offsets in the text stay valid. */
#ifndef API_JSON_JSON_LITERAL_H
#define API_JSON_JSON_LITERAL_H

#include <stdbool.h>
#include <stddef.h>

/* Longest accepted number literal, characters. Every double is exact in fewer: the longest has
 * 1,077. */
#define API_NUMBER_LITERAL_MAX 1100

typedef enum api_literal {
  API_LITERAL_PLAIN,     /* the parser accepts it, or it is not JSON */
  API_LITERAL_WIDE,      /* integer beyond 64 bits, within the range of a double */
  API_LITERAL_BEYOND,    /* number whose nearest double is infinite */
  API_LITERAL_LONG,      /* number of more than API_NUMBER_LITERAL_MAX characters */
  API_LITERAL_SURROGATE, /* lone surrogate: no character */
  API_LITERAL_NUL        /* U+0000 */
} api_literal;

/* Class of the number at bytes[0..length); sets its value if WIDE. O(length). */
api_literal api_literal_number(const char *bytes, size_t length, double *value);
/* Overwrites the number by its value as a real of 17 digits if WIDE, else by 0, padded with
 * spaces. */
void api_literal_replace_number(char *bytes, size_t length, api_literal kind, double value);

/* Length of an escape \uXXXX. */
#define API_ESCAPE_BYTES 6
/* Class of the escape that begins with the backslash at bytes[0]; `length` bytes are left. *taken:
 * its length, 2 of a short escape, 6, or 12 of a surrogate pair. An invalid escape is PLAIN. */
api_literal api_literal_escape(const char *bytes, size_t length, size_t *taken);
/* Overwrites an escape of API_ESCAPE_BYTES by that of U+FFFD. */
void api_literal_replace_escape(char *bytes);

#endif
