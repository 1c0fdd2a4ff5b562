/* A look into a JSON text without parsing it: the value of one member of its top object. For what must be known before the API has
 * read the text; what is wrong with the text is found there. */
#ifndef SRV_PEEK_H
#define SRV_PEEK_H

#include <stddef.h>

/* First byte of the value of the member `name`, and in *left the bytes from there to the end; NULL: not found. A name written with
 * escapes is not found. O(length). */
const char *srv_peek_member(const char *text, size_t length, const char *name, size_t *left);

#endif
