/* Motion from impact to impact makes no energy, however deep bodies overlap at the start and whatever drives them: kinetic and
 * potential energy less the work of kinematic bodies never grow. */
#include "tests/support/advance.h"
#include "tests/support/random.h"

enum { SCENES = 12, BODIES_MAX = 12, STEPS = 120 };
