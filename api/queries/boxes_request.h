/* Queries over raw boxes: "boxes": [[minX, minY, minZ, maxX, maxY, maxZ], ...], and optional
 * "frames", arrays with the same number of boxes at later times. */
#ifndef API_QUERIES_BOXES_REQUEST_H
#define API_QUERIES_BOXES_REQUEST_H

#include "queries/query_request.h"

typedef struct api_boxes_fields {
  const api_field *boxes, *frames, *include;
} api_boxes_fields;

/* Reads the boxes and their frames into the reader's arena and sets the query's mode. */
bool api_read_boxes(api_reader *reader, const api_boxes_fields *fields, api_query *out);

#endif
