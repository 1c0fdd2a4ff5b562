/* Request log: JSON lines in one buffer, which is written when the descriptor is ready. Lines are
 * formatted without printf, which would cost as much as a small query.
 *
 * A pipe or terminal is opened again as non-blocking, because the flags of the inherited descriptor
 * are shared with other processes. */
#include "process/log.h"

#include "process/text.h"

#include <api/api.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Size of the buffer, for some thousand lines; if the reader stalls longer, lines are dropped. */
#define LOG_BYTES (512u * 1024u)
/* Fill level from which on a request's line causes a write; below it, only the timer does. */
#define LOG_HIGH_WATER (64u * 1024u)
/* Longest line: escaping turns a byte of a text into at most six, and the rest is short. */
#define LOG_LINE_MAX 4096u
/* Number of bytes that a pipe accepts without blocking once poll(2) reports it writable. */
#define LOG_PIECE 4096u
#define LOG_PATH_MAX 256u
/* Longest detail of an event: an id and a sentence. */
#define LOG_DETAIL_MAX 480u
#define LOG_LAST_WRITE_MS 200

/* Lowest status of an error of the daemon or its store. */
#define LOG_ERROR_STATUS 500

typedef enum log_sink { SINK_OFF, SINK_FILE, SINK_POLLED, SINK_SOCKET, SINK_NONBLOCKING } log_sink;

struct srv_log {
  srv_log_level level;
  log_sink sink;
  int fd;
  bool own_fd;
  uint64_t dropped; /* number of lines dropped since the last line that reported drops */
  uint64_t dropped_before;
  time_t second; /* second for which `stamp` was formatted */
  char stamp[24];
  size_t start, end; /* unwritten bytes: bytes[start] to bytes[end - 1] */
  char bytes[LOG_BYTES];
};

/* ---- text ----------------------------------------------------------------------------------- */

static size_t append_log_text(char *out, const char *text) {
  size_t n = strlen(text);
  memcpy(out, text, n);
  return n;
}

/* Appends the escape \uXXXX of a code point, or of its surrogate pair. Returns the number of
 * bytes. */
static size_t append_code_unit_escape(char *out, uint32_t code) {
  static const char hex[] = "0123456789abcdef";
  if (code > 0xffff) {
    size_t n = append_code_unit_escape(out, 0xd800 + ((code - 0x10000) >> 10));
    return n + append_code_unit_escape(out + n, 0xdc00 + ((code - 0x10000) & 0x3ff));
  }
  size_t n = append_log_text(out, "\\u");
  for (int shift = 12; shift >= 0; shift -= 4) out[n++] = hex[code >> shift & 15];
  return n;
}

/* Appends the body of a JSON string for the first `most` bytes of the text. Control characters and
 * non-ASCII characters become \uXXXX, bytes that are not UTF-8 become \u00XX, so that log lines
 * cannot be forged and terminals not controlled. Writes at most six bytes per byte of the text;
 * returns their number. */
static size_t append_escaped(char *out, const char *text, size_t most) {
  size_t n = 0, length = strnlen(text, most);
  for (size_t i = 0, bytes; i < length; i += bytes) {
    unsigned char c = (unsigned char)text[i];
    uint32_t code = c;
    bytes = api_utf8_next(text + i, length - i, &code);
    if (bytes == 0) code = c, bytes = 1;
    if (c == '"' || c == '\\') {
      out[n++] = '\\';
      out[n++] = (char)c;
    } else if (c < 0x20 || c > 0x7e) {
      n += append_code_unit_escape(out + n, code);
    } else {
      out[n++] = (char)c;
    }
  }
  return n;
}

static size_t append_time(srv_log *log, char *out) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (now.tv_sec != log->second || !log->stamp[0]) {
    struct tm parts;
    gmtime_r(&now.tv_sec, &parts);
    log->second = now.tv_sec;
    if (strftime(log->stamp, sizeof log->stamp, "%Y-%m-%dT%H:%M:%S", &parts) == 0)
      log->stamp[0] = 0;
  }
  size_t n = append_log_text(out, "{\"time\":\"");
  n += append_log_text(out + n, log->stamp);
  unsigned ms = (unsigned)(now.tv_nsec / 1000000);
  out[n++] = '.';
  out[n++] = (char)('0' + ms / 100);
  out[n++] = (char)('0' + ms / 10 % 10);
  out[n++] = (char)('0' + ms % 10);
  n += append_log_text(out + n, "Z\"");
  return n;
}

static size_t append_number_member(char *out, const char *name, uint64_t value) {
  size_t n = append_log_text(out, name);
  return n + srv_text_unsigned(out + n, value);
}

static size_t append_ms_member(char *out, const char *name, uint64_t ns) {
  size_t n = append_log_text(out, name);
  return n + srv_text_ms(out + n, ns);
}

static size_t append_text_member(char *out, const char *name, const char *text, size_t most) {
  size_t n = append_log_text(out, name);
  n += append_escaped(out + n, text, most);
  out[n++] = '"';
  return n;
}

/* ---- the buffer ----------------------------------------------------------------------------- */

static log_sink get_log_sink(srv_log *log) {
  struct stat status;
  log->fd = STDERR_FILENO;
  if (fstat(log->fd, &status) != 0) return SINK_OFF;
  if (S_ISREG(status.st_mode)) return SINK_FILE;
  if (S_ISSOCK(status.st_mode)) return SINK_SOCKET;
  int fd = open("/proc/self/fd/2", O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
  if (fd < 0) return SINK_POLLED;
  log->fd = fd;
  log->own_fd = true;
  return SINK_NONBLOCKING;
}

srv_log *srv_log_create(srv_log_level level) {
  srv_log *log = malloc(sizeof *log);
  if (!log) return NULL;
  log->level = level;
  log->own_fd = false;
  log->dropped = log->dropped_before = 0;
  log->second = 0;
  log->stamp[0] = 0;
  log->start = log->end = 0;
  log->sink = level != SRV_LOG_OFF ? get_log_sink(log) : SINK_OFF;
  return log;
}

static ssize_t write_piece(srv_log *log, const char *bytes, size_t length) {
  if (log->sink == SINK_SOCKET) return send(log->fd, bytes, length, MSG_DONTWAIT | MSG_NOSIGNAL);
  if (log->sink == SINK_POLLED) {
    struct pollfd p = {.fd = log->fd, .events = POLLOUT};
    if (poll(&p, 1, 0) != 1 || !(p.revents & POLLOUT)) {
      errno = EAGAIN;
      return -1;
    }
    if (length > LOG_PIECE) length = LOG_PIECE;
  }
  return write(log->fd, bytes, length);
}

void srv_log_flush(srv_log *log) {
  while (log->start < log->end) {
    ssize_t n = write_piece(log, log->bytes + log->start, log->end - log->start);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    log->start += (size_t)n;
  }
  if (log->start == log->end) log->start = log->end = 0;
}

/* Returns space for a line of at most LOG_LINE_MAX bytes. NULL: the buffer is full. */
static char *reserve_line(srv_log *log) {
  if (log->end - log->start >= LOG_HIGH_WATER) srv_log_flush(log);
  if (LOG_BYTES - log->end < LOG_LINE_MAX && log->start > 0) {
    memmove(log->bytes, log->bytes + log->start, log->end - log->start);
    log->end -= log->start;
    log->start = 0;
  }
  return LOG_BYTES - log->end < LOG_LINE_MAX ? NULL : log->bytes + log->end;
}

/* As reserve_line; first appends a line that reports dropped lines, if there are any. If there is
 * no space, counts the line as dropped. */
static char *reserve_line_after_drops(srv_log *log) {
  if (log->sink == SINK_OFF) return NULL;
  char *out = reserve_line(log);
  if (out && log->dropped) {
    size_t n = append_time(log, out);
    n += append_number_member(out + n, ",\"event\":\"linesDropped\",\"count\":", log->dropped);
    n += append_log_text(out + n, "}\n");
    log->end += n;
    log->dropped_before += log->dropped;
    log->dropped = 0;
    out = reserve_line(log);
  }
  if (!out) log->dropped++;
  return out;
}

uint64_t srv_log_dropped(const srv_log *log) { return log->dropped_before + log->dropped; }

void srv_log_request(srv_log *log, const srv_log_entry *entry) {
  if (log->level == SRV_LOG_ERRORS && entry->status < LOG_ERROR_STATUS) return;
  char *out = reserve_line_after_drops(log);
  if (!out) return;
  size_t n = append_time(log, out);
  n += append_text_member(out + n, ",\"id\":\"", entry->id, 32);
  n += append_text_member(out + n, ",\"method\":\"", entry->method, 16);
  if (entry->route) n += append_text_member(out + n, ",\"route\":\"", entry->route, 64);
  n += append_text_member(out + n, ",\"path\":\"", entry->path,
                          entry->scene ? LOG_PATH_MAX / 2 : LOG_PATH_MAX);
  n += append_number_member(out + n, ",\"status\":", (uint64_t)entry->status);
  if (entry->problem) n += append_text_member(out + n, ",\"problem\":\"", entry->problem, 32);
  n += append_number_member(out + n, ",\"bytesIn\":", entry->bytes_in);
  n += append_number_member(out + n, ",\"bytesOut\":", entry->bytes_out);
  n += append_ms_member(out + n, ",\"queueMs\":", entry->queue_ns);
  n += append_ms_member(out + n, ",\"runMs\":", entry->run_ns);
  if (entry->scene)
    n += append_text_member(out + n, ",\"scene\":\"", entry->scene, CT_ID_LENGTH_MAX);
  if (entry->revision) n += append_number_member(out + n, ",\"revision\":", entry->revision);
  n += append_text_member(out + n, ",\"client\":\"", entry->client, 64);
  n += append_log_text(out + n, "}\n");
  log->end += n;
}

void srv_log_event(srv_log *log, const char *event, const char *detail) {
  char *out = reserve_line_after_drops(log);
  if (!out) return;
  size_t n = append_time(log, out);
  n += append_text_member(out + n, ",\"event\":\"", event, 64);
  n += append_text_member(out + n, ",\"detail\":\"", detail, LOG_DETAIL_MAX);
  n += append_log_text(out + n, "}\n");
  log->end += n;
}

void srv_log_destroy(srv_log *log) {
  if (!log) return;
  if (log->sink != SINK_OFF) {
    for (int waited = 0; waited < LOG_LAST_WRITE_MS; waited += 20) {
      srv_log_flush(log);
      if (log->start == log->end) break;
      struct pollfd p = {.fd = log->fd, .events = POLLOUT};
      poll(&p, 1, 20);
    }
  }
  if (log->own_fd) close(log->fd);
  free(log);
}
