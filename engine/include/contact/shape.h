/* Shapes: kinds, support function, box, mass properties. Local frames; axes along z; half-space solid below z = 0. */
#ifndef CONTACT_SHAPE_H
#define CONTACT_SHAPE_H

#include <contact/elements.h>
#include <contact/hull.h>
#include <contact/linkage.h>
#include <contact/mesh.h>
#include <contact/status.h>
#include <contact/vec.h>

CT_DECLARATIONS_BEGIN

/* One row per kind: enum name, word on the wire. Numbers stay what they are: records have them. */
#define CT_KIND_MAP(X)                                                                                                             \
  X(SPHERE, "sphere")                                                                                                              \
  X(BOX, "box")                                                                                                                    \
  X(CAPSULE, "capsule")                                                                                                            \
  X(CYLINDER, "cylinder")                                                                                                          \
  X(CONE, "cone")                                                                                                                  \
  X(ELLIPSOID, "ellipsoid")                                                                                                        \
  X(CONVEX, "convex")                                                                                                              \
  X(MESH, "mesh")                                                                                                                  \
  X(TETMESH, "tetmesh")                                                                                                            \
  X(HEXMESH, "hexmesh")                                                                                                            \
  X(PLANE, "plane")                                                                                                                \
  X(ELEMENTMESH, "elementmesh")

typedef enum ct_kind {
#define CT_KIND_ENUM(name, word) CT_KIND_##name,
  CT_KIND_MAP(CT_KIND_ENUM)
#undef CT_KIND_ENUM
      CT_KIND_COUNT
} ct_kind;

/* Does the kind have triangles: is ct_shape.mesh there? */
static inline bool ct_kind_is_mesh(ct_kind kind) {
  return (kind >= CT_KIND_MESH && kind <= CT_KIND_HEXMESH) || kind == CT_KIND_ELEMENTMESH;
}
/* Is ct_shape.elements there? */
static inline bool ct_kind_has_elements(ct_kind kind) {
  return kind == CT_KIND_TETMESH || kind == CT_KIND_HEXMESH || kind == CT_KIND_ELEMENTMESH;
}

/* A shape by value; a convex borrows its hull, a mesh its triangles, a tetmesh, hexmesh or elementmesh its elements (who stores a
 * shape retains it: ct_shape_retain).
 * Lengths in m within CT_SIZE_MIN..CT_SIZE_MAX; a capsule's half_length may be 0 (a sphere, bit for bit), one radius of a cone may
 * be 0 (an apex), rounding and margin are 0 or a size. A sphere of radius 0, as of zeros, is a point for
 * all but bodies, which refuse it.
 *
 * The shape is the sharp one of the kind's parameters with a ball of `rounding` and a ball of `margin` around each of its points.
 * With `inset` the sharp one is first shrunk so that its outer faces stay put; a convex then borrows the hull that is shrunk
 * already. Inset rounding changes no sphere, capsule or plane, and is not for ellipsoids and meshes. */
typedef struct ct_shape {
  ct_kind kind;
  bool inset; /* rounding goes inward */
  bool lent;  /* somebody else keeps the hull, mesh or elements, and counts what they take: it changes nothing but weights */
  /* __extension__: C++ has neither structs without a name nor types declared in a union. */
  __extension__ union {
    struct {
      double radius;
    } sphere;
    struct {
      ct_vec3 half; /* half edge lengths */
    } box;
    struct {
      double half_length;   /* cap centres at z = -half_length (bottom) and +half_length (top) */
      double radius_bottom; /* convex hull of the two balls */
      double radius_top;
    } capsule;
    struct {
      double radius;
      double half_length; /* flat ends at z = -half_length and +half_length */
    } cylinder;
    struct {
      double half_length;   /* flat ends at z = -half_length (bottom) and +half_length (top): the frame is at mid height */
      double radius_bottom; /* 0: an apex, or, with both above 0, a frustum */
      double radius_top;
    } cone;
    struct {
      ct_vec3 radii; /* semi-axes */
    } ellipsoid;
    const ct_hull *hull;
    __extension__ struct {
      const ct_mesh *mesh;         /* of elements the surface, a solid, that `elements` holds */
      const ct_elements *elements; /* of a tetmesh, hexmesh or elementmesh */
    };
  };
  double rounding; /* m */
  double margin;   /* m; counts for contact, not for mass */
  /* What the caller calls the faces of a sphere, box, capsule, cylinder, cone, ellipsoid or half-space:
   * [ct_kind_surface_count], borrowed (a body copies it); NULL: the numbers of the faces. Hulls and
   * elements have ids of their own (ct_hull_view, ct_elements_view); it is not read for other kinds. */
  const uint32_t *surface_ids;
} ct_shape;

#define CT_NO_FACE UINT32_MAX

typedef struct ct_mass_properties {
  double volume;   /* m^3 */
  double mass;     /* kg */
  ct_vec3 center;  /* of mass, in the frame asked for, m */
  ct_mat3 inertia; /* about center, axes of that frame, kg m^2 */
} ct_mass_properties;

/* The shape of elements, which are borrowed: a tetmesh of tetrahedra, a hexmesh of hexahedra, an elementmesh of other types. */
ct_shape ct_shape_of_elements(const ct_elements *elements);

/* Is it a mesh that is read as a surface? It has no inside: bodies within it are separated from it. */
static inline bool ct_shape_is_surface(const ct_shape *shape) {
  return shape->kind == CT_KIND_MESH && shape->mesh && !ct_mesh_get(shape->mesh)->solid;
}

/* A shape without a size, hull, mesh or elements, as a zeroed one of its kind (a sphere, a capsule and a plane
 * need none): its convex hull is refused (CT_LIMIT), it has no mass, no bytes, the inset limit 0, the box of
 * nothing, a ball of radius 0 and the support 0. */

/* The convex hull of the sharp shape of a mesh or of elements, of the points that triangles use; *out is a
 * convex that the caller owns, with the rounding and margin of the shape. Other kinds are convex: *out is the
 * shape itself, retained. CT_DEGENERATE_HULL: the points lie in a plane. CT_LIMIT: more than CT_HULL_POINTS_MAX,
 * or a shape without form. CT_OUT_OF_MEMORY, CT_CANCELLED. `cancel` may be NULL. O(n log n) */
ct_status ct_shape_convex_hull(const ct_shape *shape, const ct_cancel *cancel, ct_shape *out);

/* Word of the kind ("sphere"); static storage. */
const char *ct_kind_word(ct_kind kind);

/* Number of faces that surface_ids of the kind has an entry for. Faces of a box are, from 0 on: -x, +x,
 * -y, +y, -z, +z; of a capsule, cylinder or cone the bottom end (-z), the top end (+z) and the side, of
 * which an apex is part, so that a pointed cone has no face 1; spheres, ellipsoids and half-spaces have
 * one face. 0 for hulls, meshes and elements. */
uint32_t ct_kind_surface_count(ct_kind kind);

/* The id of the face that a point of the boundary belongs to. point: in the shape's frame, m; outward:
 * unit, the direction of the contact out of the shape there (a contact's normal for body a, its
 * negative for b; a ray's normal), in the same frame; zero where there is none.
 *
 * The face nearest to the point counts, faces being moved out by rounding and margin. Of faces that are
 * as near within 1e-6 of the shape's radius, as on rims, edges and vertices, it is the one whose
 * outward normal agrees best with `outward`, and of those that agree equally well (cosines within 1e-6)
 * the one with the lowest id. The border of a capsule's side and cap is the side's. Ids are those of
 * surface_ids, of a hull's or the elements' view, else the number of the face; of a mesh, triangles.
 * CT_NO_FACE: the point is not finite, or the shape has no form. O(1), hulls O(faces), meshes as ct_mesh_nearest. */
uint32_t ct_shape_surface_at(const ct_shape *shape, ct_vec3 point, ct_vec3 outward);

/* Takes, and gives back, the reference that a stored shape holds on its hull, mesh or elements. */
void ct_shape_retain(const ct_shape *shape);
void ct_shape_release(const ct_shape *shape);
/* What the hull, mesh or elements take, lent or not; 0 for a shape of numbers. O(1) */
size_t ct_shape_bytes(const ct_shape *shape);

/* The greatest inset rounding that leaves a solid within the sharp shape, m: a little below the radius of the largest ball in it;
 * the radius itself of a sphere or capsule, INFINITY for a plane, 0 for an ellipsoid or a mesh, which are not shrunk. The shape's
 * own rounding does not count; of a convex it is about the hull given. Below 0 without memory. O(1), hulls as ct_hull_inradius. */
double ct_shape_inset_limit(const ct_shape *shape, const ct_cancel *cancel);

/* A point of the shape that maximises direction.p, local frame; ties go to + for boxes, to the top and to the middle of a flat end
 * for cylinders and cones, to the lowest vertex for hulls; of a mesh it is a point of its convex hull. direction must not be zero;
 * not for planes. */
ct_vec3 ct_shape_support(const ct_shape *shape, ct_vec3 direction);

/* (frame: as in ct_placed; a shape without a size, hull, mesh or elements has the box of nothing.)
 * Smallest axis-aligned box of the placed shape, outward-rounded so that it holds the exact shape. A plane's box is infinite
 * but for the side it bounds when its normal is exactly along an axis. O(1), hulls O(vertices), meshes O(triangles). */
ct_aabb ct_shape_aabb(const ct_shape *shape, const ct_frame *frame);

/* Centre and radius of a bounding ball, local frame; a plane has radius infinity. */
void ct_shape_ball(const ct_shape *shape, ct_vec3 *center, double *radius);

/* Volume, centre and inertia at the given density (kg/m^3), local frame, by exact formulas. The margin does not count; inset
 * rounding leaves the mass of the sharp shape. False for what has none: a plane, the surface of a mesh, and rounding that adds to
 * other kinds than sphere, capsule and box. */
bool ct_shape_mass(const ct_shape *shape, double density, ct_mass_properties *out);

/* Mass properties of a part seen from the frame that it is placed in. */
ct_mass_properties ct_mass_place(const ct_mass_properties *part, const ct_frame *frame);
/* Sum of two bodies of mass in one frame (parallel axes); overlaps count twice. */
ct_mass_properties ct_mass_add(const ct_mass_properties *a, const ct_mass_properties *b);
/* Principal moments (descending) and the rotation whose matrix columns are their axes. Jacobi; deterministic. */
void ct_inertia_principal(const ct_mat3 *inertia, ct_vec3 *moments, ct_quat *axes);

CT_DECLARATIONS_END

#endif
