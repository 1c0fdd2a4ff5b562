/* All limits and tolerances of the engine, each with its unit and reason. No tolerance is mutable.
 */
#ifndef CONTACT_LIMITS_H
#define CONTACT_LIMITS_H

/* Unit round-off of a double, 2^-53. */
#define CT_UNIT_ROUNDOFF 0x1p-53
/* Size range of a shape, m: squares and cubes stay far from overflow and underflow. */
#define CT_SIZE_MIN 1e-9
#define CT_SIZE_MAX 1e9
/* Largest absolute coordinate, m. */
#define CT_COORDINATE_MAX 1e9
/* Largest speed, m/s, and angular speed, rad/s, of a moving body. */
#define CT_SPEED_MAX 1e9
/* Mass range of a body, kg. */
#define CT_MASS_MIN 1e-12
#define CT_MASS_MAX 1e15
/* Accuracy of a pair query: with status OK, the bounds are at most CT_ROUNDOFF_FACTOR u
 * (L + |distance|) apart, where L is the size of the larger shape. Placing the shapes, supports and
 * sums lose a few u (L + |distance|) each; 64 covers their sum. Iterative methods stop at a
 * fraction of this round-off, as each states in its file. */
#define CT_ROUNDOFF_FACTOR 64.0
/* GJK terminates on polytopes, in about 20 steps; this cap ends cycles caused by round-off. */
#define CT_GJK_ITERATIONS_MAX 128
/* EPA: insertions before the current bracket is returned with CT_PAIR_ITERATION_LIMIT. */
#define CT_EPA_ITERATIONS_MAX 4096
/* MPR defaults: relative tolerance, and iterations of each phase. */
#define CT_MPR_TOLERANCE 1e-7
#define CT_MPR_ITERATIONS 100
/* Default geometric epsilon, relative to the smallest radius, and the ratio above which it counts
 * as large. Solfec advises 1e-4 to 1e-2 of the smallest feature, because its epsilon merges points;
 * here it only merges contacts. */
#define CT_EPSILON_PART 1e-6
#define CT_EPSILON_LARGE 0.1
/* Longest motion, s, and largest rotation in it, rad: time and angle keep ten digits. */
#define CT_DURATION_MAX 1e6
#define CT_TURN_MAX 1e6
/* Default distance evaluations of one time-of-impact search. At the limit, the search returns the
 * interval that is proven so far. */
#define CT_TOI_ITERATIONS 1000
/* Contact changes of one pair in a timeline. */
#define CT_CHANGES_MAX 10000
/* Default gravity of a scene, along z, m/s^2. */
#define CT_GRAVITY_Z (-9.81)
/* Rows of one linear complementarity problem: direct methods (their dense factors take 8 MiB),
 * enumeration of all bases, and iterative methods. */
#define CT_LCP_DIRECT_MAX 1024
#define CT_LCP_ENUMERATION_MAX 16
#define CT_LCP_ITERATIVE_MAX 300000
/* Relative residuals that count as converged. Direct methods reach round-off, sweeps come near it;
 * friction is measured against the exact cone. */
#define CT_LCP_TOLERANCE 1e-10
#define CT_LCP_PGS_TOLERANCE 1e-8
#define CT_FRICTION_TOLERANCE 1e-8
/* The friction residual is relative to the impulses up to this multiple of the impulse that stops a
 * contact alone. The value covers a hundred layers of a pile and some lever. Beyond it the
 * criterion is stricter: iterates of an infeasible problem grow without bound. */
#define CT_FRICTION_GROWTH 1e3
#define CT_ADVANCE_TOLERANCE 1e-12
/* Steps of one advance. */
#define CT_ADVANCE_STEPS_MAX 1e9
/* Consecutive steps with an impact that no impulses resolve. A few can come from contacts that are
 * apart by the tolerance. */
#define CT_ADVANCE_SQUEEZES_MAX 16u
/* Smallest default velocity tolerance, m/s: without gravity, no length yields a velocity. */
#define CT_VELOCITY_TOLERANCE_MIN 1e-9
/* Contact points of one mechanics query: about 400 MB. */
#define CT_CONTACTS_MAX 1000000
/* Coupled contact pairs of one island; the Delassus matrix stores a block for each: 430 MB. */
#define CT_DELASSUS_BLOCKS_MAX 4000000
/* Elastic law defaults: speeds below which friction is regularised, m/s and rad/s; largest damping,
 * s/m. */
#define CT_ELASTIC_SMALL_VELOCITY 0.01
#define CT_ELASTIC_SMALL_ANGULAR_VELOCITY 0.01
#define CT_ELASTIC_DAMPING_MAX 2000.0
/* Apparent energy growth that counts as round-off, relative to the work of the impulses on the
 * velocities before. */
#define CT_ENERGY_ROUNDOFF 1e-12
/* Candidate pairs of one query. */
#define CT_PAIRS_MAX 10000000
/* Input points of one hull. */
#define CT_HULL_POINTS_MAX 1000000
/* Triangles and vertices of one mesh. */
#define CT_MESH_TRIANGLES_MAX 5000000
#define CT_MESH_VERTICES_MAX 15000000
/* Elements of one volume mesh; their hulls take about 0.4 GiB. */
#define CT_ELEMENTS_MAX 250000
/* Bodies of a scene. Rows, including not yet compacted rows of removed bodies, stay below twice
 * this number. */
#define CT_BODIES_MAX 1000000
/* Frames of boxes in one request, without the first. */
#define CT_FRAMES_MAX 100000
/* Largest hysteresis of a contact state, m: a larger one would report visibly separated bodies as
 * contacts. */
#define CT_CONTACT_EPSILON_MAX 1e-3
/* Values attached to one scene. */
#define CT_ATTACHMENTS_MAX 1000
/* Materials of one scene, and material pairs with values of their own. */
#define CT_MATERIALS_MAX 4096
#define CT_MATERIAL_PAIRS_MAX 65536
/* Groups in the filter rules of one scene. */
#define CT_GROUPS_MAX 4096

#endif
