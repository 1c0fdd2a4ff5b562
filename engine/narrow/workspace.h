/* Scratch memory of one thread for pairs. */
#ifndef NARROW_WORKSPACE_H
#define NARROW_WORKSPACE_H

#include "narrow/epa.h"
#include "narrow/manifold.h"
#include <contact/pair.h>

struct ct_workspace {
  ct_epa epa;
  ct_manifold_memory manifold;
};

#endif
