/* Table of settings, shared by its readers (config.c, config_file.c) and its printer
 * (config_show.c). */
#ifndef SRV_PROCESS_CONFIG_TABLE_H
#define SRV_PROCESS_CONFIG_TABLE_H

#include "process/config.h"

typedef enum srv_option_kind {
  SRV_KIND_NUMBER, /* uint64_t between least and greatest */
  SRV_KIND_WORD,   /* one of `words`, blank-separated */
  SRV_KIND_TEXT,   /* any non-empty text */
  SRV_KIND_LIST,   /* text, may be repeated; in the environment, separated by commas */
  SRV_KIND_FLAG,   /* given or not; in the environment and in a file 0 or 1 */
  SRV_KIND_LIMIT,  /* as NUMBER, but given as --limit NAME=VALUE */
  SRV_KIND_FILE,   /* as TEXT, but not allowed in a file: --config */
  SRV_KIND_ACTION, /* as FLAG, but only on the command line: an action that replaces serving */
  SRV_KIND_HELP,
  SRV_KIND_VERSION
} srv_option_kind;

typedef struct srv_option {
  srv_option_kind kind;
  const char *name;
  const char *value; /* placeholder for the value in --help; NULL: the option has no value */
  size_t offset;     /* offset of the member in srv_config */
  uint64_t standard, least, greatest;
  const char
      *words; /* WORD: the permitted words, the first is the default; TEXT: the default, or NULL */
  const char *unit;
  const char *text;
} srv_option;

/* Special value of `standard`: the default is the number of cores. */
#define SRV_STANDARD_CORES UINT64_MAX
/* Special value of `standard`: the default is a share of the memory of the machine or its control
 * groups (machine.h). */
#define SRV_STANDARD_MEMORY (UINT64_MAX - 1)

extern const srv_option srv_options[];
extern const size_t srv_option_count; /* at most SRV_OPTIONS_MAX */

static inline const void *srv_option_member(const srv_config *config, const srv_option *row) {
  return (const char *)config + row->offset;
}

/* Writes the name of the option's environment variable, such as CONTACTD_JSON_BYTES for "jsonBytes"
 * or "json-bytes". */
void srv_option_variable(const srv_option *row, char *out, size_t capacity);
/* Finds an option by its name without dashes or, if `limits`, a limit by its name. NULL: unknown
 * name. */
const srv_option *srv_option_find(bool limits, const char *name, size_t length);
/* Size of a buffer for the text of srv_option_nearest. */
#define SRV_NEAREST_MAX 96
/* Writes "; did you mean --NAME?" with the most similar option or limit, or "" if none is similar.
 * Returns out. */
const char *srv_option_nearest(bool limits, const char *name, size_t length,
                               char out[SRV_NEAREST_MAX]);
/* Parses NAME=VALUE into a limit and its value. NULL after one sentence on standard error, which
 * begins with `given`. */
const srv_option *srv_option_limit(const char *given, const char *text, const char **value);
/* Sets the option's member in *config. Values of a list are appended to values of the same origin,
 * and replace those of another one. False after one sentence on standard error; given: the option
 * as the user wrote it. The text must outlive *config, except for lists, which copy it. */
bool srv_option_set(srv_config *config, const srv_option *row, srv_origin origin, const char *given,
                    const char *text);

/* ---- config_file.c -------------------------------------------------------------------------- */

/* Applies the settings in config->file. False after one sentence on standard error that names file,
 * line and option. */
bool srv_config_read_file(srv_config *config);

/* ---- config_show.c -------------------------------------------------------------------------- */

void srv_config_help(void);

#endif
