/* Output of --help and --print-config. */
#include "process/address.h"
#include "process/config_table.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

void srv_config_help(void) {
  printf("usage: contactd [options]; -h is --help\nAnswers contact queries on 3-D scenes over HTTP "
         "with JSON.\n\n");
  for (size_t i = 0; i < srv_option_count; i++) {
    const srv_option *row = &srv_options[i];
    char left[64], name[64];
    if (row->kind == SRV_KIND_LIMIT)
      snprintf(left, sizeof left, "--limit %s=%s", row->name, row->value);
    else
      snprintf(left, sizeof left, "--%s%s%s", row->name, row->value ? " " : "",
               row->value ? row->value : "");
    printf("  %-34s %s", left, row->text);
    if (row->kind == SRV_KIND_WORD) printf(": %s", row->words);
    printf("\n");
    if (row->kind >= SRV_KIND_ACTION) continue;
    srv_option_variable(row, name, sizeof name);
    printf("  %-34s %s", "", name);
    if (row->kind == SRV_KIND_LIMIT || row->kind == SRV_KIND_NUMBER) {
      if (row->standard < SRV_STANDARD_MEMORY)
        printf(", default %llu", (unsigned long long)row->standard);
      printf(", %llu to %llu%s%s", (unsigned long long)row->least,
             (unsigned long long)row->greatest, row->unit[0] ? " " : "", row->unit);
    } else if (row->kind == SRV_KIND_WORD) {
      printf(", default %.*s", (int)strcspn(row->words, " "), row->words);
    } else if (row->kind == SRV_KIND_TEXT && row->words) {
      printf(", default %s", row->words);
    } else if (row->kind == SRV_KIND_LIST) {
      printf(", separated by commas");
    } else if (row->kind == SRV_KIND_FLAG) {
      printf(", 0 or 1");
    }
    printf("\n");
  }
}

/* ---- settings ------------------------------------------------------------------------------- */

/* Column at which the comments of --print-config begin. */
#define COMMENT_COLUMN 44

/* Prints a text on one line and returns its length. Control characters, which environment variables
 * may contain, are printed as '?'. */
static int print_text(const char *text) {
  int length = 0;
  for (; *text; text++, length++) putchar(iscntrl((unsigned char)*text) ? '?' : *text);
  return length;
}

/* True if a settings file can represent the value: it is not empty and has neither blanks at its
 * ends, nor a '#' at its start or after a blank, nor control characters. */
static bool is_representable(const char *value) {
  size_t length = strlen(value);
  bool good = length > 0 && !strchr(" \t#", value[0]) && !strchr(" \t", value[length - 1]);
  for (; good && *value; value++)
    good = !iscntrl((unsigned char)*value) && !(*value == ' ' && value[1] == '#');
  return good;
}

static bool are_texts_representable(const srv_config *config) {
  char given[SRV_GIVEN_MAX];
  for (size_t i = 0; i < srv_option_count; i++) {
    const srv_option *row = &srv_options[i];
    const void *member = srv_option_member(config, row);
    const srv_words *words = row->kind == SRV_KIND_LIST ? member : NULL;
    const char *text = NULL;
    if (row->kind == SRV_KIND_TEXT) memcpy(&text, member, sizeof text);
    bool good = !text || is_representable(text);
    for (size_t w = 0; words && w < words->count; w++)
      good = good && is_representable(words->items[w]);
    if (good) continue;
    fprintf(
        stderr,
        "contactd: %s: --print-config cannot print the value in the format of a file of settings: "
        "it begins or ends with a blank, has a '#' at its beginning or after a blank, or contains "
        "a control character.\n",
        srv_config_given(config, row->name, given));
    return false;
  }
  return true;
}

static void print_setting(const srv_option *row, const char *value, const char *origin,
                          const char *note) {
  const char *mark = row->kind == SRV_KIND_FILE || !value ? "# " : "";
  int length = printf(row->kind == SRV_KIND_LIMIT ? "%slimit = %s=" : "%s%s = ", mark, row->name);
  length += print_text(value ? value : "");
  printf("%*s# %s%s\n", length < COMMENT_COLUMN ? COMMENT_COLUMN - length : 1, "", origin, note);
}

static void print_list(const srv_option *row, const srv_words *words, const char *origin) {
  for (size_t i = 0; i < words->count; i++) print_setting(row, words->items[i], origin, "");
  if (words->count == 0) print_setting(row, NULL, origin, ", none");
}

static void print_number(const srv_config *config, const srv_option *row, const char *origin) {
  uint64_t value, requested;
  char text[24], note[64] = "";
  memcpy(&value, srv_option_member(config, row), sizeof value);
  snprintf(text, sizeof text, "%llu", (unsigned long long)value);
  if (row->kind == SRV_KIND_LIMIT) {
    memcpy(&requested,
           (const char *)&config->requested_limits + (row->offset - offsetof(srv_config, limits)),
           sizeof requested);
    if (requested != value)
      snprintf(note, sizeof note, ", lowered from %llu", (unsigned long long)requested);
  }
  print_setting(row, text, origin, note);
}

bool srv_config_print(const srv_config *config) {
  if (!are_texts_representable(config)) return false;
  static const char *const origins[] = {"default", "file", "environment", "flag"};
  printf("# contactd %s\n", CONTACTD_VERSION);
  for (size_t i = 0; i < srv_option_count; i++) {
    const srv_option *row = &srv_options[i];
    const char *origin = origins[config->origins[i]], *text;
    char shown[SRV_ADDRESS_URL_MAX];
    const void *member = srv_option_member(config, row);
    switch (row->kind) {
    case SRV_KIND_NUMBER:
    case SRV_KIND_LIMIT: print_number(config, row, origin); break;
    case SRV_KIND_WORD:
    case SRV_KIND_TEXT:
    case SRV_KIND_FILE:
      memcpy(&text, member, sizeof text);
      if (strcmp(row->name, "store") == 0 && text) text = srv_address_hide_password(text, shown);
      print_setting(row, text, origin, text ? "" : ", none");
      break;
    case SRV_KIND_LIST: print_list(row, member, origin); break;
    case SRV_KIND_FLAG: print_setting(row, *(const bool *)member ? "1" : "0", origin, ""); break;
    default: break;
    }
  }
  return true;
}
