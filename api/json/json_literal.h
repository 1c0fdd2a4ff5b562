/* Literals that the grammar of JSON allows and jansson refuses: integers beyond 64 bits, numbers beyond the range of a double, and
 * escapes that name no character or U+0000. Each is replaced by another literal of the same length, so that places in the text stay
 * what they were. */
#ifndef API_JSON_JSON_LITERAL_H
#define API_JSON_JSON_LITERAL_H

#include <stdbool.h>
#include <stddef.h>

/* Longest number literal, characters: every double is written exactly in fewer (1,077: the least negative one, all digits). */
#define API_NUMBER_LITERAL_MAX 1100

typedef enum api_literal {
  API_LITERAL_PLAIN,     /* the parser takes it as it is, or it is no JSON */
  API_LITERAL_WIDE,      /* an integer beyond 64 bits, within the range of a double */
  API_LITERAL_BEYOND,    /* a number whose nearest double is infinite */
  API_LITERAL_LONG,      /* a number of more than API_NUMBER_LITERAL_MAX characters */
  API_LITERAL_SURROGATE, /* half of a surrogate pair: names no character */
  API_LITERAL_NUL        /* U+0000 */
} api_literal;

/* Class of the number at bytes[0..length), and its value where it is WIDE. O(length) */
api_literal api_literal_number(const char *bytes, size_t length, double *value);
/* Overwrites the number: the value of a WIDE one as a real of 17 digits, else 0; blanks behind it. */
void api_literal_replace_number(char *bytes, size_t length, api_literal kind, double value);

/* Bytes of an escape \uXXXX. */
#define API_ESCAPE_BYTES 6
/* Class of the escape that begins with the backslash at bytes[0], of which `length` bytes are left, and how many bytes belong to
 * it: 2 of a short one, 6, or 12 of a surrogate pair. One that is no JSON is PLAIN. */
api_literal api_literal_escape(const char *bytes, size_t length, size_t *taken);
/* Overwrites the escape of API_ESCAPE_BYTES by that of U+FFFD. */
void api_literal_replace_escape(char *bytes);

#endif
