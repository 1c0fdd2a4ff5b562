/* Settings file: lines NAME = VALUE with the names of the options. List options are repeated;
 * limits are written as "limit = NAME=VALUE". A '#' at the beginning of a line or after a blank
 * starts a comment. */
#include "process/config_table.h"
#include "process/file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Longest settings file, B. */
#define FILE_BYTES_MAX 1048576u

static const char blanks[] = " \t\r";

static bool report_file_failure(const char *given, const char *why) {
  fprintf(stderr, "contactd: %s: %s.\n", given, why);
  return false;
}

/* Reads the whole file and appends a zero byte. NULL after one sentence on standard error. */
static char *read_settings_file(const srv_config *config) {
  char given[SRV_GIVEN_MAX], what[SRV_GIVEN_MAX + 408];
  const char *why = NULL;
  snprintf(what, sizeof what, "%s: %.400s", srv_config_given(config, "config", given),
           config->file);
  int fd = srv_file_open(config->file, NULL, NULL, &why);
  char *bytes = fd >= 0 ? malloc(FILE_BYTES_MAX + 1) : NULL;
  size_t length = 0;
  ssize_t n = bytes ? 1 : -1;
  while (n > 0 && length <= FILE_BYTES_MAX) {
    n = read(fd, bytes + length, FILE_BYTES_MAX + 1 - length);
    if (n > 0) length += (size_t)n;
    else if (n < 0 && errno == EINTR) n = 1;
  }
  if (!why) why = n < 0 ? strerror(errno) : length > FILE_BYTES_MAX ? "longer than 1 MiB" : NULL;
  if (!why && memchr(bytes, 0, length)) why = "contains a zero byte";
  if (fd >= 0) close(fd);
  if (why) {
    report_file_failure(what, why);
    free(bytes);
    return NULL;
  }
  bytes[length] = 0;
  return bytes;
}

/* Removes the blanks at both ends of a text, in place. Returns its new start. */
static char *trim_blanks(char *text) {
  text += strspn(text, blanks);
  size_t length = strlen(text);
  while (length > 0 && strchr(blanks, text[length - 1])) length--;
  text[length] = 0;
  return text;
}

static void cut_comment(char *line) {
  for (char *at = line; (at = strchr(at, '#')); at++) {
    if (at > line && !strchr(blanks, at[-1])) continue;
    *at = 0;
    return;
  }
}

/* Finds the option of a line; for a limit, appends its name to `given` and sets *value. NULL after
 * one sentence on standard error. */
static const srv_option *find_line_option(const char *name, const char **value, char *given) {
  if (strcmp(name, "limit") != 0) {
    const srv_option *row = srv_option_find(false, name, strlen(name));
    char nearest[SRV_NEAREST_MAX], why[SRV_NEAREST_MAX + 16];
    if (row) return row;
    bool near = srv_option_nearest(false, name, strlen(name), nearest)[0];
    if (near) nearest[strlen(nearest) - 1] = 0;
    snprintf(why, sizeof why, "is no option%s", near ? nearest : "; --help lists them");
    report_file_failure(given, why);
    return NULL;
  }
  const srv_option *row = srv_option_limit(given, *value, value);
  size_t length = strlen(given);
  if (row) snprintf(given + length, SRV_GIVEN_MAX - length, " %s", row->name);
  return row;
}

static bool set_line(srv_config *config, char *line, unsigned number) {
  char given[SRV_GIVEN_MAX];
  snprintf(given, sizeof given, "%.400s:%u", config->file, number);
  char *sign = strchr(line, '=');
  if (!sign) return report_file_failure(given, "the line is not NAME = VALUE");
  *sign = 0;
  const char *name = trim_blanks(line), *value = trim_blanks(sign + 1);
  if (!*name) return report_file_failure(given, "no option is named before the '='");
  snprintf(given, sizeof given, "%.400s:%u: %.64s", config->file, number, name);
  const srv_option *row = find_line_option(name, &value, given);
  if (!row) return false;
  if (row->kind >= SRV_KIND_FILE)
    return report_file_failure(given, "is accepted on the command line only, not in a file");
  if (row->kind != SRV_KIND_LIST && config->origins[row - srv_options] == SRV_ORIGIN_FILE)
    return report_file_failure(given, "is set twice");
  config->lines[row - srv_options] = number;
  return srv_option_set(config, row, SRV_ORIGIN_FILE, given, value);
}

bool srv_config_read_file(srv_config *config) {
  config->file_text = read_settings_file(config);
  if (!config->file_text) return false;
  char *line = config->file_text;
  for (unsigned number = 1; line; number++) {
    char *end = strchr(line, '\n');
    if (end) *end = 0;
    cut_comment(line);
    if (line[strspn(line, blanks)] && !set_line(config, line, number)) return false;
    line = end ? end + 1 : NULL;
  }
  return true;
}
