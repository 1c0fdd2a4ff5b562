/* Linkage macros: make one header serve C17 and C++17 (C linkage, exported symbols, struct values).
 *
 * Every public header has its declarations between CT_DECLARATIONS_BEGIN and CT_DECLARATIONS_END.
 * The library is compiled with hidden visibility; libcontact.so exports exactly the functions
 * declared there. */
#ifndef CONTACT_LINKAGE_H
#define CONTACT_LINKAGE_H

#ifdef __cplusplus
#define CT_DECLARATIONS_BEGIN _Pragma("GCC visibility push(default)") extern "C" {
#define CT_DECLARATIONS_END                                                                        \
  }                                                                                                \
  _Pragma("GCC visibility pop")
/* A struct by value, CT_VALUE(ct_vec3){x, y, z}: compound literal in C, list initialisation in C++.
 */
#define CT_VALUE(type) type
#else
#define CT_DECLARATIONS_BEGIN _Pragma("GCC visibility push(default)")
#define CT_DECLARATIONS_END _Pragma("GCC visibility pop")
#define CT_VALUE(type) (type)
#endif

#endif
