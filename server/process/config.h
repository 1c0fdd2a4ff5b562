/* Settings of the daemon. One table (config.c) defines options, environment variables, defaults,
 * help texts and ranges. Precedence: option, environment, file, default. */
#ifndef SRV_PROCESS_CONFIG_H
#define SRV_PROCESS_CONFIG_H

#include <api/api.h>

/* Most worker threads; each allocates memory at start. */
#define SRV_WORKERS_MAX 256

/* Values of a repeatable option. The texts are owned by the list. */
typedef struct srv_words {
  char **items;
  size_t count;
} srv_words;

/* Origin of a setting, in ascending precedence. */
typedef enum srv_origin {
  SRV_ORIGIN_DEFAULT,
  SRV_ORIGIN_FILE,
  SRV_ORIGIN_ENVIRONMENT,
  SRV_ORIGIN_FLAG
} srv_origin;

/* Size of an option as the user spelled it. */
#define SRV_GIVEN_MAX 512

/* Most options of the table. */
#define SRV_OPTIONS_MAX 96

typedef struct srv_config {
  const char *file;    /* of settings; NULL: none */
  uint64_t port;       /* 0: a free port */
  const char *address; /* numeric IPv4 or IPv6, or "localhost" */
  uint64_t workers;
  const char *durability; /* "memory" or "disk" */
  const char *data;       /* folder of the store; NULL: none */
  bool data_idle;    /* `data` is unused, although durability memory was not requested explicitly */
  const char *store; /* redis://... in place of durability and data; NULL: none */
  const char *store_password_file;
  bool stale_reads;       /* reads do not query a shared store first */
  uint64_t shape_seconds; /* lifetime of unused shapes in the store, s */
  uint64_t scene_memory;  /* bound of scenes in memory with a store, B */
  const char *token_file; /* NULL: no token is required */
  srv_words allow_hosts;
  bool insecure;
  srv_words scenes; /* files */
  const char *log;  /* "stderr" or "off" */
  bool healthcheck; /* query a running daemon instead of serving */
  bool print;       /* show the settings instead of serving */
  api_limits limits;
  /* For --print-config: */
  api_limits
      requested_limits; /* limits before they were lowered to fit each other and the machine */
  unsigned char origins[SRV_OPTIONS_MAX];
  unsigned lines[SRV_OPTIONS_MAX]; /* line in the file, if the file is the origin */
  char *file_text;                 /* owned; settings of the file point into it */
} srv_config;

typedef enum srv_config_outcome {
  SRV_CONFIG_RUN,   /* *config is set; end with srv_config_free */
  SRV_CONFIG_SHOWN, /* --help or --version has been answered: exit 0 */
  SRV_CONFIG_BAD    /* one sentence on standard error: exit 2 */
} srv_config_outcome;

/* Reads all settings. Texts are borrowed from argv and the environment, except for lists and texts
 * of the file. */
srv_config_outcome srv_config_read(srv_config *config, int argc, char **argv);
/* Prints the settings and their origins on standard output, as a file for --config. Prints names of
 * files with secrets, never their content. False after one sentence on standard error: a value
 * cannot be written in such a file. */
bool srv_config_print(const srv_config *config);
/* Writes the origin of the option's value to out: "--data", "CONTACTD_DATA" or "FILE:LINE: data".
 */
const char *srv_config_given(const srv_config *config, const char *option, char out[SRV_GIVEN_MAX]);
void srv_config_free(srv_config *config);

#endif
