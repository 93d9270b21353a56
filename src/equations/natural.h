/* natural.h - systems with one coordinate u and its natural speed w in place of u'.
 *
 * With the kinetic energy m(u) u'^2 / 2 and the force F along u, w = sqrt(m) u' changes by (w^2/2)' = F u':
 *
 *     u' = w / M,     M w' = F,     M = sqrt(m).
 *
 * There is no term with m': where m varies along the way u' has peaks, which steps have to follow, and w has
 * none. M is the matrix of the system, so that its kinematics ask for nothing else. */
#ifndef KI_EQUATIONS_NATURAL_H
#define KI_EQUATIONS_NATURAL_H

#include <stdbool.h>

#include "equations/model.h"

/* Gives a model with one coordinate, whose sections are M and F as above, its kinematics. False: M takes more
 * scratch than there is without a workspace. */
bool ki_make_natural(ki_model *model);

#endif
