/* energy.c - the energy of the system, and the power of everything but the constraint forces.
 *
 * Lagrangian form:  H = sum v_j p_j - T + V     dH/dt = sum Q_user_j v_j - dT/dt + dV/dt - lambda^T J v
 * Newton form:      E = v^T M v / 2 + V         dE/dt = sum Q_user_j v_j + D T + dV/dt - lambda^T J v
 *
 * dT/dt and dV/dt are partial derivatives, D is the time derivative with q' = v, t' = 1 and v held. The power
 * is the right-hand side without its last term. (Newton form: T = v^T M v / 2 with M taken as given, so that
 * the gyroscopic forces of a configuration-dependent M stand in the user's forces; D of the kinetic energy
 * cancels theirs.)
 */
#include "equations/builder.h"

static ki_node add(ki_builder *b, ki_node x, ki_node y) {
    return ki_binary(b->graph, KI_ADD, x, y);
}

static ki_node subtract(ki_builder *b, ki_node x, ki_node y) {
    return ki_binary(b->graph, KI_SUB, x, y);
}

/* sum v_j x_j */
static ki_node times_velocities(ki_builder *b, const ki_node *x) {
    ki_node *terms = KI_SCRATCH(b, ki_node, b->inputs.n);
    if (!terms)
        return KI_NONE;
    for (int j = 0; j < b->inputs.n; j++)
        terms[j] = ki_binary(b->graph, KI_MUL, ki_symbol(b->graph, b->inputs.v + j), x[j]);
    return ki_sum(b->graph, terms, b->inputs.n);
}

bool ki_build_energy(ki_builder *b) {
    ki_node power = add(b, times_velocities(b, b->Q_user), b->V_t), energy;
    ki_node *answer = KI_SCRATCH(b, ki_node, 2);
    if (b->p) {
        energy = subtract(b, times_velocities(b, b->p), b->T);
        power = subtract(b, power, b->T_t);
    } else {
        energy = b->T;
        power = add(b, power, ki_total(b->graph, b->T, ki_rate_along_motion, b));
    }
    if (!answer)
        return false;
    answer[0] = add(b, energy, b->V);
    answer[1] = power;
    ki_set_section(b, KI_SECTION_ENERGY, answer, 1);
    ki_set_section(b, KI_SECTION_POWER, answer + 1, 1);
    return !ki_out_of_memory(b);
}
