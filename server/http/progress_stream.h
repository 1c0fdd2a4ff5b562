/* Replies in lines: what a call tells of its work while it runs, then its result. Loop thread only.
 *
 * The reply begins with the first line. While there is none to send the connection is suspended, and watched like that of a
 * request that waits: a client that leaves cancels the work. Lines that a client does not take are left out beyond a bound; the
 * last one, the result, is always sent. */
#ifndef SRV_HTTP_PROGRESS_STREAM_H
#define SRV_HTTP_PROGRESS_STREAM_H

#include "state/request.h"

typedef struct srv_progress srv_progress;

/* Takes the lines that the request's call has told since the last time; the first ones begin the reply. */
void srv_progress_feed(srv_request *request);
/* libmicrohttpd has the reply's head. */
void srv_progress_begin(srv_request *request);
/* The request's reply becomes the last line: the state that the request is in then. */
srv_state srv_progress_end(srv_request *request);
/* libmicrohttpd's content reader; cls is the request. */
ssize_t srv_progress_read(void *cls, uint64_t position, char *out, size_t most);
/* Bytes that have been handed out. */
uint64_t srv_progress_bytes(const srv_progress *progress);
void srv_progress_free(srv_progress *progress); /* NULL: nothing */
/* The daemon ends: the work of all is cancelled, and that is their last line. Clients may be behind, so their connections need not
 * wait. */
void srv_progress_shutdown(srv_server *server);

#endif
