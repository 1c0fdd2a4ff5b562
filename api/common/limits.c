/* Defines the table of configurable limits, expanded from API_LIMIT_MAP of api/api.h. */
#include "common/limits.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

static const api_limit table[] = {
#define X(member, name, standard, least, greatest, unit, text)                                     \
  {name, standard, least, greatest, unit, text, offsetof(api_limits, member)},
    API_LIMIT_MAP(X)
#undef X
};

size_t api_limit_count(void) { return sizeof table / sizeof table[0]; }

const api_limit *api_limit_get(size_t index) {
  assert(index < api_limit_count());
  return &table[index];
}

uint64_t api_limit_value(const api_limits *limits, const api_limit *limit) {
  assert(limit->offset + sizeof(uint64_t) <= sizeof *limits);
  uint64_t value;
  memcpy(&value, (const char *)limits + limit->offset, sizeof value);
  return value;
}

void api_limits_default(api_limits *limits) {
#define X(member, name, standard, least, greatest, unit, text) limits->member = standard;
  API_LIMIT_MAP(X)
#undef X
}

static const api_limit *find_limit(const char *name) {
  for (size_t i = 0; i < api_limit_count(); i++)
    if (strcmp(table[i].name, name) == 0) return &table[i];
  return NULL;
}

const api_limit *api_limits_fault(const api_limits *limits) {
  for (size_t i = 0; i < api_limit_count(); i++) {
    uint64_t value = api_limit_value(limits, &table[i]);
    if (value < table[i].least || value > table[i].greatest) return &table[i];
  }
  if (limits->page_max < limits->page) return find_limit("pageMax");
  if (limits->deadline_max_ms < limits->deadline_ms) return find_limit("deadlineMaxMs");
  return NULL;
}
