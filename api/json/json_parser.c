/* Parses JSON text in two passes: a scan bounds depth and memory and replaces literals that jansson
 * refuses, then jansson parses. Also merge patches (RFC 7396). */
#include "json/json_parser.h"

#include <assert.h>
#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json/json_location.h"

/* Memory of jansson 2.14 on a 64-bit machine, bytes, rounded up: blocks of values, and per member
 * or element of a container, with the slack of arrays that double. */
#define OBJECT_BYTES 256
#define ARRAY_BYTES 144
#define NUMBER_BYTES 32
#define STRING_BYTES 80
#define ELEMENT_BYTES 24
#define MEMBER_BYTES 112

/* Bytes between two polls of the cancel flag. */
#define CANCEL_STRIDE 1024

/* Greatest depth of a patch: jsonDepth is at most 512. */
#define MERGE_LEVELS_MAX 513

/* ---- allocation ----------------------------------------------------------------------------- */

/* jansson 2.14 ignores a failed growth of its lexer's token: it drops the byte, and may copy an
 * unterminated string beyond its end. Therefore a reserve as large as any growth is allocated
 * before parsing. The first failed allocation gets the reserve if it fits; the text then ends for
 * the parser, so that no second growth occurs. */
typedef struct parsing {
  char *reserve; /* owned by api_json_parse */
  size_t reserve_bytes;
  bool failed; /* an allocation has failed */
} parsing;

static _Thread_local parsing *current; /* NULL: this thread is not parsing */

static void *guarded_malloc(size_t bytes) {
  void *block = malloc(bytes);
  if (block || !current) return block;
  bool first = !current->failed;
  current->failed = true;
  return first && bytes <= current->reserve_bytes ? current->reserve : NULL;
}

static void guarded_free(void *block) {
  if (!current || block != current->reserve) free(block);
}

void api_json_start(void) {
  json_object_seed(0);
  json_set_alloc_funcs(guarded_malloc, guarded_free);
}

/* ---- literals ------------------------------------------------------------------------------- */

/* Literals that RFC 8259 (sections 6 and 7) allows and jansson refuses: integers beyond 64 bits,
 * numbers beyond the range of a double, lone surrogates, and U+0000. Each is replaced by a literal
 * of the same length, so that offsets in the text stay valid. */

typedef enum literal_class {
  LITERAL_PLAIN,     /* the parser accepts it, or it is not JSON */
  LITERAL_WIDE,      /* integer beyond 64 bits, within the range of a double */
  LITERAL_BEYOND,    /* number whose nearest double is infinite */
  LITERAL_LONG,      /* number of more than API_NUMBER_LITERAL_MAX characters */
  LITERAL_SURROGATE, /* lone surrogate: no character */
  LITERAL_NUL        /* U+0000 */
} literal_class;

/* Length of an escape \uXXXX. */
#define ESCAPE_BYTES 6
/* An integer of this many characters fits 64 bits. */
#define SHORT_INTEGER 18
/* A number of this many characters without exponent fits a double; so does one of SHORT_REAL - 99
 * characters with an exponent of two digits. */
#define SHORT_REAL 300
/* Digits of an exponent for which SHORT_REAL - 99 characters fit a double. */
#define SHORT_EXPONENT 2

static bool is_ascii_digit(char c) { return c >= '0' && c <= '9'; }

static size_t skip_digits(const char *bytes, size_t length, size_t at) {
  while (at < length && is_ascii_digit(bytes[at])) at++;
  return at;
}

/* Splits a number by the grammar of RFC 8259. False: not a number. */
static bool split_number(const char *bytes, size_t length, bool *integer, size_t *exponent_digits) {
  size_t at = length && bytes[0] == '-', whole = at;
  at = skip_digits(bytes, length, at);
  if (at == whole || (bytes[whole] == '0' && at > whole + 1)) return false;
  *integer = at == length;
  *exponent_digits = 0;
  if (at < length && bytes[at] == '.') {
    size_t fraction = ++at;
    at = skip_digits(bytes, length, at);
    if (at == fraction) return false;
  }
  if (at < length && (bytes[at] == 'e' || bytes[at] == 'E')) {
    at++;
    if (at < length && (bytes[at] == '+' || bytes[at] == '-')) at++;
    size_t exponent = at;
    at = skip_digits(bytes, length, at);
    *exponent_digits = at - exponent;
    if (at == exponent) return false;
  }
  return at == length;
}

/* Class of the number at bytes[0..length); sets its value if WIDE. O(length). */
static literal_class classify_number(const char *bytes, size_t length, double *value) {
  bool integer;
  size_t exponent_digits;
  *value = 0.0;
  if (length <= SHORT_EXPONENT + 1 || !split_number(bytes, length, &integer, &exponent_digits))
    return LITERAL_PLAIN;
  if (integer ? length <= SHORT_INTEGER
              : exponent_digits <= SHORT_EXPONENT && length <= SHORT_REAL - 99)
    return LITERAL_PLAIN;
  if (length > API_NUMBER_LITERAL_MAX) return LITERAL_LONG;
  char text[API_NUMBER_LITERAL_MAX + 1];
  memcpy(text, bytes, length);
  text[length] = 0;
  *value = strtod(text, NULL);
  if (!isfinite(*value)) return LITERAL_BEYOND;
  if (!integer) return LITERAL_PLAIN;
  errno = 0;
  (void)strtoll(text, NULL, 10);
  return errno == ERANGE ? LITERAL_WIDE : LITERAL_PLAIN;
}

/* Overwrites the number by its value as a real of 17 digits if WIDE, else by 0, padded with spaces.
 * An integer beyond 64 bits has at least 19 digits. 17 digits with an exponent are not longer and
 * read back to the same double. */
static void replace_number(char *bytes, size_t length, literal_class kind, double value) {
  char digits[32], text[32];
  size_t used = 1;
  if (kind == LITERAL_WIDE) {
    snprintf(digits, sizeof digits, "%.16e", fabs(value)); /* d.dddddddddddddddde+xx */
    long exponent = strtol(digits + 19, NULL, 10);
    used = (size_t)snprintf(text, sizeof text, "%s%c%.16se%ld", value < 0.0 ? "-" : "", digits[0],
                            digits + 2, exponent - 16);
  } else {
    text[0] = '0';
  }
  if (used > length) return;
  memcpy(bytes, text, used);
  memset(bytes + used, ' ', length - used);
}

static int parse_hex_digit(char c) {
  if (is_ascii_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

/* The code unit of an escape \uXXXX, or -1. */
static long read_code_unit(const char *bytes, size_t length) {
  if (length < ESCAPE_BYTES || bytes[0] != '\\' || bytes[1] != 'u') return -1;
  long code = 0;
  for (size_t i = 2; i < ESCAPE_BYTES; i++) {
    int digit = parse_hex_digit(bytes[i]);
    if (digit < 0) return -1;
    code = code * 16 + digit;
  }
  return code;
}

/* Class of the escape that begins with the backslash at bytes[0]; `length` bytes are left. *taken:
 * its length, 2 of a short escape, 6, or 12 of a surrogate pair. An invalid escape is PLAIN. */
static literal_class classify_escape(const char *bytes, size_t length, size_t *taken) {
  long code = read_code_unit(bytes, length);
  *taken = code < 0 ? 2 : ESCAPE_BYTES;
  if (code == 0) return LITERAL_NUL;
  if (code < 0xd800 || code > 0xdfff) return LITERAL_PLAIN;
  if (code >= 0xdc00) return LITERAL_SURROGATE;
  long low = read_code_unit(bytes + ESCAPE_BYTES, length - ESCAPE_BYTES);
  if (low < 0xdc00 || low > 0xdfff) return LITERAL_SURROGATE;
  *taken = 2 * ESCAPE_BYTES;
  return LITERAL_PLAIN;
}

/* Overwrites an escape by that of U+FFFD. */
static void replace_escape(char *bytes) { memcpy(bytes, "\\ufffd", ESCAPE_BYTES); }

/* ---- the scan ------------------------------------------------------------------------------- */

/* A valid literal that cannot be represented, in a value or a name. */
typedef struct odd_literal {
  literal_class kind;
  size_t at, length; /* offset and length in the text of the refused literal, a number or a
                        string */
  size_t escape;     /* if the literal is a string: offset of the escape that cannot be
                        represented */
} odd_literal;

typedef struct scan {
  const char *bytes;
  size_t length;
  const api_json_options *options;
  api_faults *faults;
  uint64_t memory;      /* estimated memory of the tree so far, bytes */
  size_t longest_token; /* upper bound of the length of a token of the parser, bytes */
  size_t depth;
  char *replaced; /* copy of the text in which refused literals are replaced by valid ones, so that
                     jansson parses the rest; owned; NULL: no literal was refused */
  odd_literal odd[API_FAULTS_MAX]; /* the first API_FAULTS_MAX refused literals, in the order of the
                                      text */
  size_t odd_count;
} scan;

/* The copy of the text for replacements, made at the first call. NULL after a fault. */
static char *get_writable_text(scan *s) {
  if (s->replaced) return s->replaced;
  s->replaced = malloc(s->length);
  if (!s->replaced) api_fault_memory(s->faults);
  else memcpy(s->replaced, s->bytes, s->length);
  s->memory += s->length;
  return s->replaced;
}

/* Records a literal; at most one per string. */
static void record_odd_literal(scan *s, const odd_literal *odd) {
  if (s->odd_count && s->odd[s->odd_count - 1].at == odd->at) return;
  if (s->odd_count < API_FAULTS_MAX) s->odd[s->odd_count++] = *odd;
}

/* Offset after the string with its opening quote at `at`, or 0 after a fault. */
static size_t scan_string(scan *s, size_t at) {
  assert(at < s->length && s->bytes[at] == '"');
  /* Replace each escape that jansson refuses. */
  size_t end = api_text_skip_string(s->bytes, s->length, at), taken;
  const char *escape = s->bytes + at;
  while ((escape = memchr(escape, '\\', (size_t)(s->bytes + end - escape)))) {
    literal_class kind = classify_escape(escape, (size_t)(s->bytes + end - escape), &taken);
    size_t offset = (size_t)(escape - s->bytes);
    if (kind != LITERAL_PLAIN) {
      if (!get_writable_text(s)) return 0;
      replace_escape(s->replaced + offset);
      record_odd_literal(s, &(odd_literal){kind, at, end - at, offset});
    }
    if (offset + taken >= end) break;
    escape += taken;
  }
  return end;
}

static bool is_number_byte(char byte) {
  return (byte >= '0' && byte <= '9') || byte == '+' || byte == '-' || byte == '.' || byte == 'e' ||
         byte == 'E';
}

static bool is_letter(char byte) {
  return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
}

/* Offset after the letters at `at`: true, false, null, or invalid text. */
static size_t skip_word(const char *bytes, size_t length, size_t at) {
  while (at < length && is_letter(bytes[at])) at++;
  return at;
}

/* Offset after the number at `at`, or 0 after a fault. */
static size_t scan_number(scan *s, size_t at) {
  size_t end = at;
  double value;
  while (end < s->length && is_number_byte(s->bytes[end])) end++;
  assert(end > at);
  literal_class kind = classify_number(s->bytes + at, end - at, &value);
  if (kind == LITERAL_PLAIN) return end;
  if (!get_writable_text(s)) return 0;
  replace_number(s->replaced + at, end - at, kind, value);
  if (kind != LITERAL_WIDE) record_odd_literal(s, &(odd_literal){kind, at, end - at, 0});
  return end;
}

static bool open_container(scan *s, size_t at) {
  s->memory += s->bytes[at] == '{' ? OBJECT_BYTES : ARRAY_BYTES;
  if (++s->depth <= s->options->depth) return true;
  api_text_location place = api_text_locate(s->bytes, at, s->options->line);
  api_fault *fault = api_fault_at(s->faults, API_PROBLEM_TOO_DEEP, s->options->at,
                                  "Line %zu, column %zu (byte %zu): nested beyond %zu levels.",
                                  place.line, place.column, place.byte, s->options->depth);
  api_fault_limit(fault, (double)s->options->depth, (double)s->depth);
  return false;
}

/* Refuses a zero byte, which jansson would ignore after a number or a word. */
static bool refuse_zero_byte(scan *s, size_t at) {
  api_text_location place = api_text_locate(s->bytes, at, s->options->line);
  api_fault_at(s->faults, API_PROBLEM_MALFORMED_JSON, s->options->at,
               "Line %zu, column %zu (byte %zu): a zero byte.", place.line, place.column,
               place.byte);
  return false;
}

/* Scans the tokens of the text. False after a fault. The scan does not check the grammar; its
 * counts are exact for any text that the parser accepts. */
static bool scan_text(scan *s) {
  size_t i = 0;
  while (i < s->length) {
    char byte = s->bytes[i];
    size_t next = i + 1;
    switch (byte) {
    case '"':
      next = scan_string(s, i);
      if (!next) return false;
      s->memory += STRING_BYTES + (next - i);
      break;
    case '{':
    case '[':
      if (!open_container(s, i)) return false;
      break;
    case '}':
    case ']':
      if (s->depth) s->depth--;
      break;
    case 0:
      if (!s->options->zeros) return refuse_zero_byte(s, i);
      break;
    case ',': s->memory += ELEMENT_BYTES; break;
    case ':': s->memory += MEMBER_BYTES; break;
    default:
      if (is_letter(byte)) {
        next = skip_word(s->bytes, s->length, i);
      } else if (is_number_byte(byte)) {
        next = scan_number(s, i);
        if (!next) return false;
        s->memory += NUMBER_BYTES;
      }
    }
    if (s->longest_token < next - i) s->longest_token = next - i;
    i = next;
  }
  if (s->memory <= s->options->memory) return true;
  api_fault *fault = api_fault_at(s->faults, API_PROBLEM_BODY_TOO_LARGE, s->options->at,
                                  "The values of this JSON text would take about %llu bytes of "
                                  "memory, more than requestMemoryBytes.",
                                  (unsigned long long)s->memory);
  api_fault_limit(fault, (double)s->options->memory, (double)s->memory);
  return false;
}

/* ---- the parser ----------------------------------------------------------------------------- */

typedef struct feed {
  const char *bytes;
  size_t length, at;
  const ct_cancel *cancel;
  bool cancelled;
} feed;

/* Feeds the text byte by byte, so that it ends right after a failed allocation or a
 * cancellation. */
static size_t feed_next_byte(void *buffer, size_t size, void *context) {
  feed *f = context;
  (void)size;
  assert(size > 0 && current && f->at <= f->length);
  if (f->at == f->length || current->failed) return 0;
  *(char *)buffer = f->bytes[f->at++];
  if (f->at % CANCEL_STRIDE == 0) f->cancelled = ct_cancel_raised(f->cancel);
  return !f->cancelled;
}

/* Offset of the string that ends at offset `end`; `end`: none. */
static size_t find_string_before(const char *bytes, size_t length, size_t end) {
  for (size_t i = 0; i < end; i++) {
    if (bytes[i] != '"') continue;
    size_t after = api_text_skip_string(bytes, length, i);
    if (after == end) return i;
    i = after - 1;
  }
  return end;
}

/* The parser's message; replaced where it refers to the parser's options. */
static const char *describe_syntax_error(const json_error_t *error, bool lines,
                                         char echo[API_ECHO_MAX + 4]) {
  if (json_error_code(error) != json_error_end_of_input_expected)
    return api_echo(api_text(error->text), echo);
  return lines ? "NDJSON has one value on each line (curl keeps the line ends with --data-binary, "
                 "not with -d)"
               : "more text follows the value";
}

/* Offset after the last byte that the parser read. */
static size_t find_error_end(const scan *s, const json_error_t *error) {
  size_t end = error->position > 0 ? (size_t)error->position : 0;
  return end < s->length ? end : s->length;
}

static void report_syntax_error(const scan *s, const json_error_t *error) {
  size_t end = find_error_end(s, error);
  api_text_location place = api_text_locate(s->bytes, end ? end - 1 : 0, s->options->line);
  char echo[API_ECHO_MAX + 4];
  api_fault_at(s->faults, API_PROBLEM_MALFORMED_JSON, s->options->at,
               "Line %zu, column %zu (byte %zu): %s.", place.line, place.column, place.byte,
               describe_syntax_error(error, s->options->line > 0, echo));
}

static void report_odd_literal(const scan *s, const odd_literal *odd, const api_pointer *path) {
  bool string = odd->kind == LITERAL_SURROGATE || odd->kind == LITERAL_NUL;
  size_t at = string ? odd->escape : odd->at;
  api_text_location place = api_text_locate(s->bytes, at, s->options->line);
  char where[96], echo[API_ECHO_MAX + 4];
  snprintf(where, sizeof where, "Line %zu, column %zu (byte %zu)", place.line, place.column,
           place.byte);
  api_echo((ct_text){s->bytes + at, string ? ESCAPE_BYTES : odd->length}, echo);
  api_fault *fault;
  switch (odd->kind) {
  case LITERAL_LONG:
    fault = api_fault_at(s->faults, API_PROBLEM_LIMIT_EXCEEDED, path,
                         "%s: the number has %zu characters, the limit is %d.", where, odd->length,
                         API_NUMBER_LITERAL_MAX);
    api_fault_limit(fault, API_NUMBER_LITERAL_MAX, (double)odd->length);
    return;
  case LITERAL_BEYOND:
    fault = api_fault_at(s->faults, API_PROBLEM_OUT_OF_RANGE, path,
                         "%s: %s is beyond the range of a double, +-1.7976931348623157e308.", where,
                         echo);
    api_fault_limit(fault, s->bytes[odd->at] == '-' ? -DBL_MAX : DBL_MAX, HUGE_VAL);
    return;
  case LITERAL_NUL:
    api_fault_at(s->faults, API_PROBLEM_BAD_VALUE, path,
                 "%s: the string contains %s; U+0000 is not allowed.", where, echo);
    return;
  default:
    api_fault_at(s->faults, API_PROBLEM_BAD_VALUE, path,
                 "%s: %s is half of a surrogate pair and names no character.", where, echo);
  }
}

/* Reports each unrepresentable literal at its pointer. False: out of memory. */
static bool report_odd_literals(const scan *s) {
  assert(s->replaced && s->odd_count > 0);
  api_pointer_walk *walk =
      api_pointer_walk_create(s->replaced, s->length, s->options->depth, s->options->at);
  bool good = walk != NULL;
  for (size_t i = 0; good && i < s->odd_count; i++) {
    const api_pointer *path = api_pointer_walk_to(walk, s->odd[i].at);
    if (path) report_odd_literal(s, &s->odd[i], path);
    good = path != NULL;
  }
  api_pointer_walk_destroy(walk);
  return good;
}

/* Reports the repeated name whose string ends at offset `end`. False: out of memory. */
static bool report_repeated_name(const scan *s, size_t end) {
  size_t at = find_string_before(s->bytes, s->length, end);
  api_text_location place = api_text_locate(s->bytes, end ? end - 1 : 0, s->options->line);
  const char *text = s->replaced ? s->replaced : s->bytes;
  api_pointer_walk *walk =
      api_pointer_walk_create(text, s->length, s->options->depth, s->options->at);
  const api_pointer *path = walk ? api_pointer_walk_to(walk, at) : NULL;
  char echo[API_ECHO_MAX + 4];
  if (path)
    api_fault_at(s->faults, API_PROBLEM_DUPLICATE_MEMBER, path,
                 "Line %zu, column %zu (byte %zu): the name \"%s\" occurs twice.", place.line,
                 place.column, place.byte,
                 api_echo((ct_text){s->bytes + at + 1, end > at + 2 ? end - at - 2 : 0}, echo));
  bool good = path != NULL;
  api_pointer_walk_destroy(walk);
  return good;
}

/* Runs the parser once. Returns NULL with a fault. If a member's name is repeated, returns NULL
 * without a fault and sets *duplicate: the rest of the text may be valid. */
static json_t *run_parser(const scan *s, parsing *state, size_t flags, size_t *duplicate) {
  feed f = {.bytes = s->replaced ? s->replaced : s->bytes,
            .length = s->length,
            .cancel = s->options->cancel};
  assert(!current);
  json_error_t error = {0};
  current = state;
  json_t *value = json_load_callback(feed_next_byte, &f, flags | JSON_DECODE_ANY, &error);
  /* If a cancellation or a failed allocation ended the text early, the tree built so far must not
   * be used. */
  bool memory =
      state->failed ||
      (!value && (error.text[0] == 0 || json_error_code(&error) == json_error_out_of_memory));
  if (f.cancelled || memory) {
    json_decref(value);
    value = NULL;
  }
  current = NULL;
  if (value) return value;
  if (f.cancelled) api_fault_cancelled(s->faults);
  else if (memory) api_fault_memory(s->faults);
  else if (json_error_code(&error) == json_error_duplicate_key)
    *duplicate = find_error_end(s, &error);
  else report_syntax_error(s, &error);
  return NULL;
}

/* Parses a scanned text. NULL with a fault: of the grammar first, then unrepresentable literals,
 * then repeated names. */
static json_t *parse_with_checks(const scan *s, parsing *state) {
  size_t duplicate = 0;
  json_t *value = run_parser(s, state, s->odd_count ? 0 : JSON_REJECT_DUPLICATES, &duplicate);
  if (!value && !duplicate) return NULL;
  if (value && !s->odd_count) return value;
  if (!value) value = run_parser(s, state, 0, &duplicate);
  if (!value) return NULL;
  current = state;
  json_decref(value);
  current = NULL;
  if (!(s->odd_count ? report_odd_literals(s) : report_repeated_name(s, duplicate)))
    api_fault_memory(s->faults);
  return NULL;
}

json_t *api_json_parse(const char *bytes, size_t length, const api_json_options *options,
                       api_faults *faults) {
  scan s = {.bytes = bytes, .length = length, .options = options, .faults = faults};
  if (length == 0) {
    api_fault_at(faults, API_PROBLEM_MALFORMED_JSON, options->at,
                 "Line 1, column 1 (byte 1): the text is empty.");
    return NULL;
  }
  json_t *value = NULL;
  /* The lexer's token buffer doubles and has a terminator. */
  parsing state = {0};
  if (scan_text(&s)) {
    state.reserve_bytes = 2 * (s.longest_token + 2) + 64;
    state.reserve = malloc(state.reserve_bytes);
    if (state.reserve) value = parse_with_checks(&s, &state);
    else api_fault_memory(faults);
  }
  free(state.reserve);
  free(s.replaced);
  return value;
}

/* ---- merge patch ---------------------------------------------------------------------------- */

typedef struct merge_level {
  json_t *target, *patch; /* objects */
  void *member;           /* next member of patch to apply */
} merge_level;

/* Applies one member. *deeper: the object to descend into, or NULL. False: out of memory. */
static bool merge_member(json_t *target, const char *name, json_t *value, json_t **deeper) {
  *deeper = NULL;
  if (json_is_null(value)) {
    json_object_del(target, name);
    return true;
  }
  if (!json_is_object(value)) return json_object_set(target, name, value) == 0;
  json_t *old = json_object_get(target, name);
  if (!json_is_object(old) && json_object_set_new(target, name, json_object()) != 0) return false;
  *deeper = json_object_get(target, name);
  return *deeper != NULL;
}

bool api_json_merge(json_t **target, json_t *patch) {
  assert(*target && patch);
  if (!json_is_object(patch)) {
    json_decref(*target);
    *target = json_incref(patch);
    return true;
  }
  if (!json_is_object(*target)) {
    json_t *empty = json_object();
    if (!empty) return false;
    json_decref(*target);
    *target = empty;
  }
  merge_level levels[MERGE_LEVELS_MAX];
  size_t depth = 1;
  levels[0] = (merge_level){*target, patch, json_object_iter(patch)};
  while (depth) {
    merge_level *top = &levels[depth - 1];
    if (!top->member) {
      depth--;
      continue;
    }
    const char *name = json_object_iter_key(top->member);
    json_t *value = json_object_iter_value(top->member), *deeper;
    top->member = json_object_iter_next(top->patch, top->member);
    if (!merge_member(top->target, name, value, &deeper)) return false;
    if (!deeper) continue;
    if (depth == MERGE_LEVELS_MAX) return false;
    levels[depth++] = (merge_level){deeper, value, json_object_iter(value)};
  }
  return true;
}
