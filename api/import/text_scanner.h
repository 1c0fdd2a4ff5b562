/* Scans text files of geometry for words, lines and numbers, independently of the locale. */
#ifndef API_IMPORT_TEXT_SCANNER_H
#define API_IMPORT_TEXT_SCANNER_H

#include <contact/scene.h>

/* Position of a scan. The caller initialises at, end and line (1). */
typedef struct api_scanner {
  const char *at, *end;
  size_t line;
} api_scanner;

/* Reads the next word on the current line: a sequence of bytes without blanks. A backslash at the
 * end of a line continues it with the next line. False: the line has no more words. */
bool api_scanner_word_on_line(api_scanner *scan, ct_text *out);
/* Reads the next word on this or any later line. False: end of the file. */
bool api_scanner_next_word(api_scanner *scan, ct_text *out);
/* Advances to the start of the next line. False: end of the file. */
bool api_scanner_next_line(api_scanner *scan);

/* True if the word equals `plain` except for letter case; `plain` is in lower case. */
bool api_word_equals(ct_text word, const char *plain);

/* Result of reading a number. NOT_FINITE: the word is nan or inf, or its value is beyond the range
 * of doubles. */
typedef enum api_word_number {
  API_WORD_NUMBER,
  API_WORD_NO_NUMBER,
  API_WORD_NOT_FINITE
} api_word_number;
/* Reads [+-]digits[.digits][e[+-]digits], rounded to the nearest double. -0 becomes 0, and a value
 * below the least double becomes 0 or subnormal. *out is set only if API_WORD_NUMBER is
 * returned. */
api_word_number api_word_read(ct_text word, double *out);
/* Reads an integer [+-]digits. False: the word has another form, or its value is beyond int64_t. */
bool api_word_integer(ct_text word, int64_t *out);

#endif
