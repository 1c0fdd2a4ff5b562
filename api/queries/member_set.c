/* Reads the members that a query accepts, by their bits. */
#include "queries/member_set.h"

#include <assert.h>

/* Any list of member names fits a detail. */
#define MEMBER_LISTED(name, word) ", " word
_Static_assert(sizeof("" API_MEMBER_MAP(MEMBER_LISTED)) <= API_NAMES_MAX,
               "the names of all members");

static const char *const member_names[API_MEMBER_COUNT] = {
#define MEMBER_NAME(name, word) [API_MEMBER_##name] = word,
    API_MEMBER_MAP(MEMBER_NAME)
#undef MEMBER_NAME
};

static bool is_member_allowed(int m, uint64_t allowed, uint32_t of_forces) {
  return m < API_MEMBER_FORCE ? allowed >> m & 1 : of_forces >> (m - API_MEMBER_FORCE) & 1;
}

bool api_read_members(api_reader *reader, const api_field *field, uint64_t allowed,
                      uint32_t of_forces, api_member_set *set) {
  set->whole = &field->path;
  set->count = 0;
  for (int m = 0; m < API_MEMBERS_ALL; m++) {
    if (!is_member_allowed(m, allowed, of_forces)) continue;
    set->place[m] = (uint8_t)set->count;
    set->list[set->count++] =
        (api_field){.name = m < API_MEMBER_FORCE ? member_names[m]
                                                 : api_force_member_word(m - API_MEMBER_FORCE)};
  }
  set->list[set->count] = (api_field){0};
  for (int m = 0; m < API_MEMBERS_ALL; m++)
    if (!is_member_allowed(m, allowed, of_forces)) set->place[m] = (uint8_t)set->count;
  assert(set->count <= API_MEMBERS_ALL);
  return api_read_object(reader, field, set->list, set->count);
}

const api_field *api_member(const api_member_set *set, int which) {
  assert(which >= 0 && which < API_MEMBERS_ALL && set->place[which] <= set->count);
  return &set->list[set->place[which]];
}

bool api_refuse_other_members(api_reader *reader, const api_member_set *set, uint64_t meant,
                              const char *with) {
  bool good = true;
  for (int m = 0; m < API_MEMBER_COUNT; m++) {
    good =
        api_reject_combination(reader, api_member(set, m), !(meant & (UINT64_C(1) << m)), with) &&
        good;
  }
  return good;
}
