/* shapes.h - shapes of a description become those of a compiled mechanism. */
#ifndef KI_MECHANISM_SHAPES_H
#define KI_MECHANISM_SHAPES_H

#include "mechanism/description.h"
#include "mechanism/model.h"

keel_status ki_shapes_compile(const keel_mechanism *mechanism, ki_mech *mech);

#endif
