/* Every constant of the engine that is a limit or a tolerance, with unit and reason. There is no mutable epsilon. */
#ifndef CONTACT_LIMITS_H
#define CONTACT_LIMITS_H

/* Unit round-off of a double, 2^-53. */
#define CT_UNIT_ROUNDOFF 0x1p-53
/* Smallest and largest size of a shape, m: squares and cubes of these stay far from overflow and underflow. */
#define CT_SIZE_MIN 1e-9
#define CT_SIZE_MAX 1e9
/* Largest absolute coordinate, m. */
#define CT_COORDINATE_MAX 1e9
/* Largest speed, m/s, and angular speed, rad/s, of a body in motion. */
#define CT_SPEED_MAX 1e9
/* Mass, kg. */
#define CT_MASS_MIN 1e-12
#define CT_MASS_MAX 1e15
/* Iterations end when the bracket is at CT_ROUNDOFF_FACTOR u (L + |distance|), L the larger shape. */
#define CT_ROUNDOFF_FACTOR 64.0
/* GJK: polytopes end in a finite number of steps, about 20; the cap only bounds a cycle at round-off. */
#define CT_GJK_ITERATIONS_MAX 128
/* EPA: insertions before the bracket found so far is returned with CT_PAIR_ITERATION_LIMIT. */
#define CT_EPA_ITERATIONS_MAX 4096
/* Portal refinement: tolerance, relative, and iterations of each phase, where the caller asks for nothing else. */
#define CT_MPR_TOLERANCE 1e-7
#define CT_MPR_ITERATIONS 100
/* Geometric epsilon where none is set, part of the smallest radius (Solfec advises 1e-4 to 1e-2 of the smallest feature for its
 * own, which merges points; ours merges contacts alone), and the part above which it is no longer small. */
#define CT_EPSILON_PART 1e-6
#define CT_EPSILON_LARGE 0.1
/* Longest motion, s, and the largest angle turned in it, rad: time and angle keep ten digits. */
#define CT_DURATION_MAX 1e6
#define CT_TURN_MAX 1e6
/* Distances in the search for one time of impact; where it ends, what is certain so far is told. */
#define CT_TOI_ITERATIONS 1000
/* Changes of one pair in a timeline. */
#define CT_CHANGES_MAX 10000
/* Gravity where a scene sets none, along z, m/s^2. */
#define CT_GRAVITY_Z (-9.81)
/* Rows of one linear complementarity problem: for direct methods, whose dense factors of it take 8 MiB, for all bases looked at one
 * by one, and for iterative methods. */
#define CT_LCP_DIRECT_MAX 1024
#define CT_LCP_ENUMERATION_MAX 16
#define CT_LCP_ITERATIVE_MAX 300000
/* Residuals that are called solved, relative: direct methods come to round-off, sweeps near it; friction by its exact cone. */
#define CT_LCP_TOLERANCE 1e-10
#define CT_LCP_PGS_TOLERANCE 1e-8
#define CT_FRICTION_TOLERANCE 1e-8
/* Impulses of a contact, in parts of what stops it alone, up to which a residual is relative to them: a hundred layers of a pile
 * and some lever; larger ones are looked at more strictly, since a problem without a solution has them as large as one likes. */
#define CT_FRICTION_GROWTH 1e3
#define CT_ADVANCE_TOLERANCE 1e-12
/* Steps of one advance. */
#define CT_ADVANCE_STEPS_MAX 1e9
/* Steps in succession with an impact that no impulses are right for: a few may come of contacts that are apart by the tolerance. */
#define CT_ADVANCE_SQUEEZES_MAX 16u
/* Velocities that are called zero where nothing else is said, m/s, at least: without gravity no length gives one. */
#define CT_VELOCITY_TOLERANCE_MIN 1e-9
/* Contact points of one question to mechanics: some 400 MB of them. */
#define CT_CONTACTS_MAX 1000000
/* Pairs of contacts of one island that answer to each other, of which a matrix keeps a block each: 430 MB of them. */
#define CT_DELASSUS_BLOCKS_MAX 4000000
/* Elastic law, where nothing else is set: speeds below which friction is regularised, m/s and rad/s; largest damping, s/m. */
#define CT_ELASTIC_SMALL_VELOCITY 0.01
#define CT_ELASTIC_SMALL_ANGULAR_VELOCITY 0.01
#define CT_ELASTIC_DAMPING_MAX 2000.0
/* Energy that round-off may seem to add, relative to the work that impulses do on the velocities before. */
#define CT_ENERGY_ROUNDOFF 1e-12
/* Candidate pairs that one query may look at. */
#define CT_PAIRS_MAX 10000000
/* Points of one hull. */
#define CT_HULL_POINTS_MAX 1000000
/* Triangles of one mesh, and vertices. */
#define CT_MESH_TRIANGLES_MAX 5000000
#define CT_MESH_VERTICES_MAX 15000000
/* Elements of one tetmesh or hexmesh: with their hulls some 0.4 GiB. */
#define CT_ELEMENTS_MAX 250000
/* Bodies of a scene; rows, with those of removed bodies not yet compacted, stay below twice this. */
#define CT_BODIES_MAX 1000000
/* Frames of boxes in one request, after the first. */
#define CT_FRAMES_MAX 100000
/* Hysteresis of a contact state, m: more would call contacts what is visibly apart. */
#define CT_CONTACT_EPSILON_MAX 1e-3
/* Values attached to one scene. */
#define CT_ATTACHMENTS_MAX 1000
/* Materials of one scene, and pairs of them with values of their own. */
#define CT_MATERIALS_MAX 4096
#define CT_MATERIAL_PAIRS_MAX 65536
/* Groups that take part in a scene's filter rules. */
#define CT_GROUPS_MAX 4096

#endif
