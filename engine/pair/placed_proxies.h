/* Two bounded convex bodies as proxies, in content order and in the frame of the first: the input
 * of the methods in the folder methods. */
#ifndef PAIR_PLACED_PROXIES_H
#define PAIR_PLACED_PROXIES_H

#include "pair/convex_proxy.h"
#include "pair/pair_order.h"

typedef struct ct_placed_proxies {
  ct_convex_proxy a, b;
  bool swapped;          /* a is the caller's b */
  const ct_frame *frame; /* pose of the pair's frame in the world; owned by the caller */
} ct_placed_proxies;

static inline ct_placed_proxies ct_place_proxies(ct_placed a, ct_placed b) {
  ct_placed_proxies p = {.swapped = ct_pair_is_swapped(a, b)};
  ct_placed first = p.swapped ? b : a, second = p.swapped ? a : b;
  p.frame = first.frame;
  ct_frame relative = {ct_mat_mat(ct_mat_transpose(first.frame->rotation), second.frame->rotation),
                       ct_to_local(*first.frame, second.frame->position)};
  ct_proxy_place(first.shape, NULL, &p.a);
  ct_proxy_place(second.shape, &relative, &p.b);
  return p;
}

static inline bool ct_kind_is_bounded_convex(ct_kind kind) {
  return !ct_kind_is_mesh(kind) && kind != CT_KIND_PLANE;
}

#endif
