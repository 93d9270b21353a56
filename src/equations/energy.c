/* energy.c - the energies of the system, and the power of everything but the constraint forces.
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

static ki_node multiply(ki_builder *b, ki_node x, ki_node y) {
    return ki_binary(b->graph, KI_MUL, x, y);
}

/* sum of the formulas of one kind; KI_NONE if one of them has an error */
static ki_node sum_of_kind(ki_builder *b, keel_equation_kind kind) {
    const ki_list *list = &b->of[kind];
    ki_node *terms = KI_SCRATCH(b, ki_node, list->count);
    for (int i = 0; terms && i < list->count; i++)
        terms[i] = list->at[i]->node;
    return terms ? ki_sum(b->graph, terms, list->count) : KI_NONE;
}

ki_node ki_quadratic_form(ki_builder *b, int x) {
    const ki_list *list = &b->of[KEEL_EQ_MASS];
    ki_node *terms = KI_SCRATCH(b, ki_node, list->count), half = ki_number(b->graph, 0.5);
    if (!terms)
        return KI_NONE;
    for (int k = 0; k < list->count; k++) {
        const ki_item *mass = list->at[k], *i = mass->about, *j = mass->second ? mass->about_other : i;
        if (!i || !j)
            return KI_NONE;
        ki_node once = multiply(
            b, mass->node, multiply(b, ki_symbol(b->graph, x + i->index), ki_symbol(b->graph, x + j->index)));
        terms[k] = i == j ? multiply(b, half, once) : once;
    }
    return ki_sum(b->graph, terms, list->count);
}

ki_node ki_kinetic_energy(ki_builder *b) {
    if (b->T == KI_NONE)
        b->T = b->of[KEEL_EQ_KINETIC].count ? sum_of_kind(b, KEEL_EQ_KINETIC)
                                            : ki_quadratic_form(b, b->inputs.v);
    return b->T;
}

ki_node ki_potential_energy(ki_builder *b) {
    if (b->V == KI_NONE)
        b->V = sum_of_kind(b, KEEL_EQ_POTENTIAL);
    return b->V;
}

static bool is_velocity(const ki_builder *b, int id) {
    return id >= b->inputs.v && id < b->inputs.z;
}

static ki_node at_rest(void *user, int id) {
    const ki_builder *b = user;
    return is_velocity(b, id) ? ki_number(b->graph, 0) : ki_symbol(b->graph, id);
}

/* v_j itself, or the acceleration a_j, as the rate of v_j; all else held */
static ki_node rate_v(void *user, int id) {
    const ki_builder *b = user;
    return is_velocity(b, id) ? ki_symbol(b->graph, id) : ki_number(b->graph, 0);
}

static ki_node rate_a(void *user, int id) {
    const ki_builder *b = user;
    return is_velocity(b, id) ? ki_symbol(b->graph, id - b->inputs.v + b->inputs.a) : ki_number(b->graph, 0);
}

static bool vanishes_at_rest(ki_builder *b, ki_node f) {
    return ki_is_zero(b->graph, ki_substitute(b->graph, f, at_rest, b));
}

/* T is homogeneous if T and p^T a vanish at v = 0. */
ki_node ki_energy(ki_builder *b) {
    ki_node T = ki_kinetic_energy(b), V = ki_potential_energy(b);
    if (b->E != KI_NONE || T == KI_NONE || V == KI_NONE)
        return b->E;
    if (!vanishes_at_rest(b, T) || !vanishes_at_rest(b, ki_total(b->graph, T, rate_a, b)))
        T = subtract(b, ki_total(b->graph, T, rate_v, b), T);
    b->E = add(b, T, V);
    return b->E;
}

/* sum v_j x_j */
static ki_node times_velocities(ki_builder *b, const ki_node *x) {
    ki_node *terms = KI_SCRATCH(b, ki_node, b->inputs.n);
    if (!terms)
        return KI_NONE;
    for (int j = 0; j < b->inputs.n; j++)
        terms[j] = multiply(b, ki_symbol(b->graph, b->inputs.v + j), x[j]);
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
