/* Queries over raw boxes: "boxes": [[minX, minY, minZ, maxX, maxY, maxZ], ...], and "frames",
 * arrays of as many boxes. */
#ifndef API_QUERIES_BOXES_REQUEST_H
#define API_QUERIES_BOXES_REQUEST_H

#include "queries/query_request.h"

typedef struct api_boxes_fields {
  const api_field *boxes, *frames, *include;
} api_boxes_fields;

/* Sets the mode, the boxes and their frames; arrays are in the reader's arena. */
bool api_read_boxes(api_reader *reader, const api_boxes_fields *fields, api_query *out);

#endif
