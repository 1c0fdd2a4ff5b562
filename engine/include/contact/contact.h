/* libcontact: includes all public headers. */
#ifndef CONTACT_CONTACT_H
#define CONTACT_CONTACT_H

#include <contact/advance.h>
#include <contact/arena.h>
#include <contact/base.h>
#include <contact/broad.h>
#include <contact/compliant.h>
#include <contact/contact_state.h>
#include <contact/elements.h>
#include <contact/features.h>
#include <contact/friction.h>
#include <contact/hull.h>
#include <contact/impulse.h>
#include <contact/lcp.h>
#include <contact/limits.h>
#include <contact/manifold.h>
#include <contact/mechanics.h>
#include <contact/mesh.h>
#include <contact/pair.h>
#include <contact/pair_methods.h>
#include <contact/path.h>
#include <contact/probe.h>
#include <contact/query.h>
#include <contact/ray.h>
#include <contact/resting.h>
#include <contact/restore.h>
#include <contact/scene.h>
#include <contact/shape.h>
#include <contact/toi.h>
#include <contact/vec.h>
#include <contact/volume.h>

#endif
