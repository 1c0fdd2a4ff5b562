/* Shapes: kinds, support function, AABB, mass properties, face ids. Coordinates in the shape's
 * frame, m. The axis of round kinds is z; a half-space is solid below z = 0. */
#ifndef CONTACT_SHAPE_H
#define CONTACT_SHAPE_H

#include <contact/base.h>
#include <contact/elements.h>
#include <contact/hull.h>
#include <contact/mesh.h>
#include <contact/vec.h>

CT_DECLARATIONS_BEGIN

/* One row per kind: enum name, word in JSON. The numbers are stored in records and never change. */
#define CT_KIND_MAP(X)                                                                             \
  X(SPHERE, "sphere")                                                                              \
  X(BOX, "box")                                                                                    \
  X(CAPSULE, "capsule")                                                                            \
  X(CYLINDER, "cylinder")                                                                          \
  X(CONE, "cone")                                                                                  \
  X(ELLIPSOID, "ellipsoid")                                                                        \
  X(CONVEX, "convex")                                                                              \
  X(MESH, "mesh")                                                                                  \
  X(TETMESH, "tetmesh")                                                                            \
  X(HEXMESH, "hexmesh")                                                                            \
  X(PLANE, "plane")                                                                                \
  X(ELEMENTMESH, "elementmesh")

typedef enum ct_kind {
#define CT_KIND_ENUM(name, word) CT_KIND_##name,
  CT_KIND_MAP(CT_KIND_ENUM)
#undef CT_KIND_ENUM
      CT_KIND_COUNT
} ct_kind;

/* True if shapes of the kind use ct_shape.mesh. */
static inline bool ct_kind_is_mesh(ct_kind kind) {
  return (kind >= CT_KIND_MESH && kind <= CT_KIND_HEXMESH) || kind == CT_KIND_ELEMENTMESH;
}
/* True if shapes of the kind use ct_shape.elements. */
static inline bool ct_kind_has_elements(ct_kind kind) {
  return kind == CT_KIND_TETMESH || kind == CT_KIND_HEXMESH || kind == CT_KIND_ELEMENTMESH;
}

/* A shape by value. A convex borrows its hull, a mesh its triangles, a tetmesh, hexmesh or
 * elementmesh its elements; code that stores a shape calls ct_shape_retain. Lengths are in m,
 * within CT_SIZE_MIN..CT_SIZE_MAX. Exceptions: rounding radius and margin may be 0; so may a
 * capsule's half_length (a sphere, bit for bit), and one radius of a cone (an apex). A sphere of
 * radius 0, as in a zeroed shape, is a point; only bodies refuse it.
 *
 * The shape is the Minkowski sum of the sharp shape that the members below define and two balls
 * with the radii `rounding` and `margin`. With `inset` the sharp shape is shrunk first, so that its
 * faces stay in place; a convex then borrows the hull that is already shrunk. Inset rounding does
 * not change spheres, capsules and half-spaces; ellipsoids and meshes do not support it. */
typedef struct ct_shape {
  ct_kind kind;
  /* true: rounding keeps the outer dimensions, because the sharp shape is shrunk first */
  bool inset;
  /* true: the memory of the hull, mesh or elements is accounted to another owner; nothing else
   * depends on it */
  bool lent;
  /* __extension__: C++ has neither anonymous structs nor types declared in a union. */
  __extension__ union {
    struct {
      double radius;
    } sphere;
    struct {
      ct_vec3 half; /* half edge lengths */
    } box;
    struct {
      /* centres of the two end balls: z = -half_length (bottom), +half_length (top) */
      double half_length;
      double radius_bottom; /* radii of the end balls; the capsule is the convex hull of both */
      double radius_top;
    } capsule;
    struct {
      double radius;
      double half_length; /* flat ends: z = -half_length, +half_length */
    } cylinder;
    struct {
      /* flat ends: z = -half_length (bottom), +half_length (top); so the origin is at mid height */
      double half_length;
      double radius_bottom; /* radius of the bottom end; 0: an apex; both radii > 0: a frustum */
      double radius_top;
    } cone;
    struct {
      ct_vec3 radii; /* semi-axes */
    } ellipsoid;
    const ct_hull *hull;
    __extension__ struct {
      /* kind MESH: the triangles; kinds of elements: the solid surface of the elements, owned by
       * `elements` */
      const ct_mesh *mesh;
      const ct_elements *elements; /* kinds TETMESH, HEXMESH and ELEMENTMESH: the elements */
    };
  };
  double rounding; /* rounding radius, m */
  double margin;   /* radius of a ball added to the shape, m; counts for distances and contacts, not
                      for mass */
  /* Caller's ids of the faces of a sphere, box, capsule, cylinder, cone, ellipsoid or half-space:
   * [ct_kind_surface_count], borrowed (a body copies them). NULL: the ids are the face numbers.
   * Ignored for other kinds: hulls and elements have their own ids (ct_hull_view,
   * ct_elements_view). */
  const uint32_t *surface_ids;
} ct_shape;

#define CT_NO_FACE UINT32_MAX

typedef struct ct_mass_properties {
  double volume;   /* m^3 */
  double mass;     /* kg */
  ct_vec3 center;  /* centre of mass in the requested frame, m */
  ct_mat3 inertia; /* inertia tensor about center, in the axes of that frame, kg m^2 */
} ct_mass_properties;

/* Shape of the borrowed elements: tetmesh for tetrahedra, hexmesh for hexahedra, elementmesh for
 * other types. */
ct_shape ct_shape_of_elements(const ct_elements *elements);

/* True for a surface mesh. It has no interior, so a body enclosed by it counts as separated from
 * it. */
static inline bool ct_shape_is_surface(const ct_shape *shape) {
  return shape->kind == CT_KIND_MESH && shape->mesh && !ct_mesh_get(shape->mesh)->solid;
}

/* Empty shapes, without size, hull, mesh or elements, such as zeroed shapes of most kinds. (A
 * sphere, a capsule and a plane need none.) ct_shape_convex_hull refuses them with CT_LIMIT. They
 * have no mass, 0 bytes, inset limit 0, an empty AABB, a bounding radius of 0 and support point 0.
 */

/* Convex hull of a mesh's or elements' sharp shape, over the vertices that triangles use. *out is a
 * convex owned by the caller, with the shape's rounding radius and margin. Other kinds are convex:
 * *out is the shape itself, retained. `cancel` may be NULL. O(n log n). CT_DEGENERATE_HULL:
 * coplanar points. CT_LIMIT: more than CT_HULL_POINTS_MAX points, or an empty shape.
 * CT_OUT_OF_MEMORY, CT_CANCELLED. */
ct_status ct_shape_convex_hull(const ct_shape *shape, const ct_cancel *cancel, ct_shape *out);

/* JSON word of the kind ("sphere"); static storage. */
const char *ct_kind_word(ct_kind kind);

/* Number of faces of the kind, which is the length of surface_ids. Face numbers of a box from 0:
 * -x, +x, -y, +y, -z, +z. Of a capsule, cylinder or cone: bottom end (-z), top end (+z), side; an
 * apex belongs to the side, so a pointed cone has no face 1. Sphere, ellipsoid and half-space have
 * one face. Hulls, meshes, elements: 0. */
uint32_t ct_kind_surface_count(ct_kind kind);

/* Returns the id of the face that contains a boundary point. point: in the shape's frame, m.
 * outward: unit, in the same frame, the direction of the contact out of the shape (a contact's
 * normal for body a, its negative for b, or a ray's normal); zero if there is none.
 *
 * The face nearest to the point is selected, where faces are offset by rounding radius and margin.
 * On rims, edges and vertices several faces are near (within 1e-6 of the shape's radius): the one
 * whose outward normal is closest to `outward` is selected, and of equal cosines (within 1e-6) the
 * one of lowest id. The border between a capsule's side and cap belongs to the side. The id is from
 * surface_ids, the hull's view or the elements' view; else the face number, or the triangle of a
 * mesh. CT_NO_FACE: the point is not finite, or the shape is empty. O(1), hulls O(faces), meshes as
 * ct_mesh_nearest. */
uint32_t ct_shape_surface_at(const ct_shape *shape, ct_vec3 point, ct_vec3 outward);

/* Adds a reference to the hull, mesh or elements of a shape that is stored. */
void ct_shape_retain(const ct_shape *shape);
/* Drops the reference that ct_shape_retain added. */
void ct_shape_release(const ct_shape *shape);
/* Memory of the hull, mesh or elements, bytes, `lent` or not; 0 for other kinds. O(1). */
size_t ct_shape_bytes(const ct_shape *shape);

/* Largest inset rounding that leaves a solid, m: slightly less than the radius of the largest
 * inscribed ball. Sphere, capsule: the radius; half-space: INFINITY; ellipsoid, mesh: 0, because
 * they cannot be shrunk. The shape's own rounding is ignored; for a convex, its hull before any
 * shrinking is used. Negative: out of memory. O(1), hulls as ct_hull_inradius. */
double ct_shape_inset_limit(const ct_shape *shape, const ct_cancel *cancel);

/* Support point: the point of the shape that maximises direction . p, in the local frame. direction
 * is not zero; half-spaces are not supported. A mesh has the support point of its convex hull. Of
 * several such points: the + side of a box; the top end, and the middle of a flat end, of cylinders
 * and cones; the lowest vertex of hulls. */
ct_vec3 ct_shape_support(const ct_shape *shape, ct_vec3 direction);

/* Smallest AABB of the placed shape, rounded outward so that it contains the exact shape. frame: as
 * in ct_placed. An empty shape has an empty AABB. The AABB of a half-space is infinite, except that
 * it ends at the boundary plane if the normal is exactly along an axis. O(1), hulls O(vertices),
 * meshes O(triangles). */
ct_aabb ct_shape_aabb(const ct_shape *shape, const ct_frame *frame);

/* Computes a ball that contains the shape: centre in the local frame, and radius, m; the radius of
 * a half-space is INFINITY. */
void ct_shape_ball(const ct_shape *shape, ct_vec3 *center, double *radius);

/* Computes volume, centre and inertia at the given density (kg/m^3) in the local frame, by exact
 * formulas. The margin does not count; with inset rounding, the mass is that of the sharp shape
 * before shrinking. False if the shape has no mass here: half-spaces, surface meshes, and outward
 * rounding of kinds other than sphere, capsule and box. */
bool ct_shape_mass(const ct_shape *shape, double density, ct_mass_properties *out);

/* Transforms the mass properties of a part from its own frame to that frame's parent. */
ct_mass_properties ct_mass_place(const ct_mass_properties *part, const ct_frame *frame);
/* Sum of two parts' mass properties in one frame (parallel axis theorem); overlapping volume counts
 * twice. */
ct_mass_properties ct_mass_add(const ct_mass_properties *a, const ct_mass_properties *b);
/* Computes the principal moments (descending), kg m^2, and the rotation whose matrix has the
 * principal axes as columns. Jacobi iteration; deterministic. */
void ct_inertia_principal(const ct_mat3 *inertia, ct_vec3 *moments, ct_quat *axes);

CT_DECLARATIONS_END

#endif
