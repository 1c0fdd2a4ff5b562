/* Computes lines, columns and JSON pointers in a second pass over the text, which is made only if a
 * fault needs them. */
#include "json/json_location.h"

#include <assert.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

api_text_location api_text_locate(const char *bytes, size_t offset, size_t first_line) {
  api_text_location place = {.line = first_line ? first_line : 1, .column = 1, .byte = offset + 1};
  for (size_t i = 0; i < offset; i++) {
    if (bytes[i] == '\n') {
      place.line++;
      place.column = 1;
    } else if (((unsigned char)bytes[i + 1] & 0xc0) != 0x80) {
      place.column++;
    }
  }
  return place;
}

/* An object or array that is open at the current position of the pass. */
typedef struct walk_level {
  bool object, in_value; /* object: the container is an object, not an array; in_value: the position
                            is after the colon of a member */
  size_t name,
      name_end; /* OBJECT: the current member's name with its quotes is at bytes [name, name_end) */
  size_t index; /* index of the current element in an array */
  json_t *decoded; /* the decoded name, made when the first pointer needs it; owned */
} walk_level;

struct api_pointer_walk {
  const char *bytes;
  size_t length, at, depth, depth_max;
  const api_pointer *base;
  api_pointer *nodes; /* [depth_max + 1] */
  walk_level levels[];
};

api_pointer_walk *api_pointer_walk_create(const char *bytes, size_t length, size_t depth,
                                          const api_pointer *base) {
  api_pointer_walk *walk = calloc(1, sizeof *walk + depth * sizeof *walk->levels);
  if (!walk) return NULL;
  *walk = (api_pointer_walk){.bytes = bytes, .length = length, .depth_max = depth, .base = base};
  walk->nodes = calloc(depth + 1, sizeof *walk->nodes);
  if (walk->nodes) return walk;
  free(walk);
  return NULL;
}

static void release_name(walk_level *level) {
  json_decref(level->decoded);
  level->decoded = NULL;
}

void api_pointer_walk_destroy(api_pointer_walk *walk) {
  if (!walk) return;
  for (size_t i = 0; i < walk->depth; i++) release_name(&walk->levels[i]);
  free(walk->nodes);
  free(walk);
}

/* Advances over a string, which is a member's name or a value. */
static void advance_over_string(api_pointer_walk *walk, walk_level *top) {
  size_t end = api_text_skip_string(walk->bytes, walk->length, walk->at);
  if (top && top->object && !top->in_value) {
    release_name(top);
    top->name = walk->at;
    top->name_end = end;
  }
  walk->at = end;
}

/* Advances over one token or one blank. */
static void advance_one_token(api_pointer_walk *walk) {
  assert(walk->at < walk->length);
  walk_level *top = walk->depth ? &walk->levels[walk->depth - 1] : NULL;
  char byte = walk->bytes[walk->at];
  if (byte == '"') {
    advance_over_string(walk, top);
    return;
  }
  walk->at++;
  if ((byte == '{' || byte == '[') && walk->depth < walk->depth_max) {
    walk->levels[walk->depth++] = (walk_level){.object = byte == '{'};
  } else if ((byte == '}' || byte == ']') && top) {
    release_name(top);
    walk->depth--;
  } else if (byte == ',' && top) {
    top->in_value = false;
    top->index++;
  } else if (byte == ':' && top) {
    top->in_value = true;
  }
}

/* Decodes the name of the current member, if that has not been done. False: out of memory. */
static bool decode_member_name(const api_pointer_walk *walk, walk_level *level) {
  if (!level->decoded)
    level->decoded =
        json_loadb(walk->bytes + level->name, level->name_end - level->name, JSON_DECODE_ANY, NULL);
  return level->decoded != NULL;
}

const api_pointer *api_pointer_walk_to(api_pointer_walk *walk, size_t offset) {
  assert(offset <= walk->length);
  while (walk->at < offset && walk->at < walk->length) advance_one_token(walk);
  /* If a member's name begins at the offset, read it, so that the pointer is that of the member. */
  walk_level *top = walk->depth ? &walk->levels[walk->depth - 1] : NULL;
  if (top && top->object && !top->in_value && walk->at < walk->length &&
      walk->bytes[walk->at] == '"')
    advance_one_token(walk);
  /* Build the chain of pointer nodes from the open objects and arrays. */
  assert(walk->depth <= walk->depth_max);
  walk->nodes[0] = walk->base ? *walk->base : (api_pointer){.kind = API_POINTER_ROOT};
  for (size_t i = 0; i < walk->depth; i++) {
    walk_level *level = &walk->levels[i];
    if (level->object && !decode_member_name(walk, level)) return NULL;
    const api_pointer *parent = &walk->nodes[i];
    walk->nodes[i + 1] =
        level->object
            ? api_pointer_member_text(parent, (ct_text){json_string_value(level->decoded),
                                                        json_string_length(level->decoded)})
            : api_pointer_index(parent, level->index);
  }
  return &walk->nodes[walk->depth];
}
