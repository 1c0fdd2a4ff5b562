/* All limits and tolerances of the engine, each with its unit and reason. No tolerance is mutable.
 */
#ifndef CONTACT_LIMITS_H
#define CONTACT_LIMITS_H

/* Unit round-off of a double, 2^-53. */
#define CT_UNIT_ROUNDOFF 0x1p-53
/* Range of the lengths of a shape, m: their squares and cubes stay far from overflow and
 * underflow. */
#define CT_SIZE_MIN 1e-9
#define CT_SIZE_MAX 1e9
/* Largest absolute coordinate, m. */
#define CT_COORDINATE_MAX 1e9
/* Largest speed, m/s, and angular speed, rad/s, of a moving body. */
#define CT_SPEED_MAX 1e9
/* Mass range of a body, kg. */
#define CT_MASS_MIN 1e-12
#define CT_MASS_MAX 1e15
/* Accuracy of a pair query: with status OK, the lower and upper bound of the distance differ by at
 * most CT_ROUNDOFF_FACTOR u (L + |distance|), where L is the size of the larger shape and u the
 * unit round-off. Placing the shapes, evaluating supports and summing each lose a few u (L +
 * |distance|); the factor covers the sum. Iterative methods stop at a fraction of this bound, which
 * each states in its file. */
#define CT_ROUNDOFF_FACTOR 64.0
/* Largest number of GJK iterations. GJK terminates on polytopes, after about 20 iterations; the
 * limit ends cycles caused by round-off. */
#define CT_GJK_ITERATIONS_MAX 128
/* Largest number of support points that EPA inserts. At the limit, EPA returns its current bounds
 * of the depth, with CT_PAIR_ITERATION_LIMIT. */
#define CT_EPA_ITERATIONS_MAX 4096
/* Defaults of MPR: relative tolerance, and largest number of iterations of each phase. */
#define CT_MPR_TOLERANCE 1e-7
#define CT_MPR_ITERATIONS 100
/* Geometric epsilon of a scene, relative to the smallest bounding radius of its colliders: the
 * default, and the ratio above which an epsilon counts as large. Solfec advises 1e-4 to 1e-2 of the
 * smallest feature, because its epsilon merges points; here the epsilon only merges contacts. */
#define CT_EPSILON_PART 1e-6
#define CT_EPSILON_LARGE 0.1
/* Longest duration of a motion, s, and largest angle of a rotation during it, rad. A double
 * resolves times and angles of that magnitude to about 1e-10. */
#define CT_DURATION_MAX 1e6
#define CT_TURN_MAX 1e6
/* Default of the largest number of distance evaluations in one time-of-impact search. At the limit,
 * the search returns the interval that is proven free of contact so far. */
#define CT_TOI_ITERATIONS 1000
/* Largest number of contact changes in the timeline of one pair. */
#define CT_CHANGES_MAX 10000
/* Default gravity of a scene, along z, m/s^2. */
#define CT_GRAVITY_Z (-9.81)
/* Largest number of rows of one linear complementarity problem: for direct methods (their dense
 * factors take 8 MiB), for the enumeration of all bases, and for iterative methods. */
#define CT_LCP_DIRECT_MAX 1024
#define CT_LCP_ENUMERATION_MAX 16
#define CT_LCP_ITERATIVE_MAX 300000
/* Largest relative residuals at which a result counts as converged: of direct LCP methods, which
 * reach round-off; of iterative LCP methods, which come near it; and of friction, whose residual
 * refers to the exact cone. */
#define CT_LCP_TOLERANCE 1e-10
#define CT_LCP_PGS_TOLERANCE 1e-8
#define CT_FRICTION_TOLERANCE 1e-8
/* The friction residual is divided by the greatest impulse, but by at most this multiple of the
 * impulse that would stop one contact alone. The value allows for the load of a hundred layers of a
 * pile and for some lever. The limit is needed because the iterates of an infeasible problem grow
 * without bound: divided by them, any residual would seem to converge. */
#define CT_FRICTION_GROWTH 1e3
#define CT_ADVANCE_TOLERANCE 1e-12
/* Largest number of steps of one advance. */
#define CT_ADVANCE_STEPS_MAX 1e9
/* Largest number of consecutive steps with an impact that no impulses resolve (kinematic squeeze).
 * A few such steps may occur because contacts count that are still apart by the contact
 * tolerance. */
#define CT_ADVANCE_SQUEEZES_MAX 16u
/* Smallest default velocity tolerance, m/s. Without gravity, the default (the speed of a fall
 * through the contact tolerance) would be 0. */
#define CT_VELOCITY_TOLERANCE_MIN 1e-9
/* Largest number of contact points of one mechanics query: about 400 MB. */
#define CT_CONTACTS_MAX 1000000
/* Largest number of coupled pairs of contacts in one island. The Delassus matrix stores a block for
 * each: 430 MB. */
#define CT_DELASSUS_BLOCKS_MAX 4000000
/* Defaults of the elastic law: speed, m/s, and angular speed, rad/s, below which friction is
 * regularised; largest damping, s/m. */
#define CT_ELASTIC_SMALL_VELOCITY 0.01
#define CT_ELASTIC_SMALL_ANGULAR_VELOCITY 0.01
#define CT_ELASTIC_DAMPING_MAX 2000.0
/* An apparent growth of energy up to this fraction of the work that the impulses do on the
 * velocities before the impact counts as round-off. */
#define CT_ENERGY_ROUNDOFF 1e-12
/* Largest number of candidate pairs of one query. */
#define CT_PAIRS_MAX 10000000
/* Largest number of input points of one hull. */
#define CT_HULL_POINTS_MAX 1000000
/* Largest numbers of triangles and of vertices of one mesh. */
#define CT_MESH_TRIANGLES_MAX 5000000
#define CT_MESH_VERTICES_MAX 15000000
/* Largest number of elements of one volume mesh; their hulls take about 0.4 GiB. */
#define CT_ELEMENTS_MAX 250000
/* Largest number of bodies of a scene. The number of rows, which includes rows of removed bodies
 * until they are compacted, stays below twice this number. */
#define CT_BODIES_MAX 1000000
/* Largest number of frames of boxes in one request, the first frame not counted. */
#define CT_FRAMES_MAX 100000
/* Largest hysteresis of a contact state, m. With a larger one, bodies that are visibly separated
 * would be reported as contacts. */
#define CT_CONTACT_EPSILON_MAX 1e-3
/* Largest number of values attached to one scene. */
#define CT_ATTACHMENTS_MAX 1000
/* Largest numbers of materials of one scene, and of material pairs with properties of their own. */
#define CT_MATERIALS_MAX 4096
#define CT_MATERIAL_PAIRS_MAX 65536
/* Largest number of groups in the filter rules of one scene. */
#define CT_GROUPS_MAX 4096

#endif
