/* The OpenAPI document, embedded by the build from api/openapi.json. */
#ifndef API_HANDLERS_OPENAPI_BYTES_H
#define API_HANDLERS_OPENAPI_BYTES_H

#include <stddef.h>

extern const unsigned char api_openapi_bytes[];
extern const size_t api_openapi_length;

#endif
