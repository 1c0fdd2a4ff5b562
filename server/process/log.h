/* Log on standard error: one JSON line per request, and lines for events. Lines are buffered and
 * written without blocking; if their reader is too slow, lines are dropped and counted. Loop thread
 * only. */
#ifndef SRV_PROCESS_LOG_H
#define SRV_PROCESS_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct srv_log srv_log;

typedef struct srv_log_entry {
  const char *id, *method, *path, *client;
  const char *route;   /* template of the matched route; NULL: none matched */
  const char *scene;   /* id of the scene, or NULL */
  uint64_t revision;   /* revision of the scene; 0: none */
  int status;          /* 0: no reply was sent, because the client had disconnected */
  const char *problem; /* name of the problem in the reply, or NULL */
  uint64_t bytes_in, bytes_out;
  uint64_t queue_ns, run_ns;
} srv_log_entry;

/* What is written: nothing; events, and requests whose reply has status 500 or above; everything.
 */
typedef enum srv_log_level { SRV_LOG_OFF, SRV_LOG_ERRORS, SRV_LOG_ALL } srv_log_level;

/* NULL: out of memory. */
srv_log *srv_log_create(srv_log_level level);
/* Writes the buffered lines, trying for at most 0.2 s, and frees the log. */
void srv_log_destroy(srv_log *log);
/* Writes a line for a request, if the level includes it. */
void srv_log_request(srv_log *log, const srv_log_entry *entry);
/* Writes a line {"time":...,"event":event,"detail":detail}. */
void srv_log_event(srv_log *log, const char *event, const char *detail);
/* Number of dropped lines since the start. */
uint64_t srv_log_dropped(const srv_log *log);
/* Writes as many buffered lines as possible without blocking. */
void srv_log_flush(srv_log *log);

#endif
