#include "laws/force.h"

const ki_force_law *const ki_force_laws[] = {
    &ki_law_resistance, &ki_law_push, &ki_law_push_in_body, &ki_law_twist, &ki_law_twist_in_body,
    &ki_law_bushing,    NULL};

void ki_force_law_load(const ki_force_law *law, const ki_force_inputs *in, ki_law_load *out) {
    vec none = vec_zero(in->g);
    *out = (ki_law_load){.arm = {none, none}, .force = {none, none}, .torque = {none, none}};
    out->along = out->power = out->potential = number(in->g, 0);
    for (int i = 0; i < 6; i++)
        out->x[i] = out->along;
    law->load(in, out);
}
