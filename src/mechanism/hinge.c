/* Constants of the hinges, for the recursions.
 *
 * In the plane the columns of a joint are constant in its frame 0, hence on the parent. A pin in space turns
 * by the angle q about the axis z of frame 0: with its frames F_0 on the parent and F_1 on the body
 *
 *     R_b = R_p F_0 R_z(q) F_1^T,      R_z(q) = z z^T + cos q (1 - z z^T) + sin q [z].
 */
#include "mechanism/joint.h"
#include "mechanism/skeleton.h"

static void planar_columns(const ki_body *body, double columns[3][3]) {
    double S[KI_JOINT_VELOCITIES * KI_PLANAR], q[3] = {0};
    const double *F = body->hinge.frame[0].R;
    body->hinge.type->planar->columns(&body->hinge, q, NULL, S, NULL);
    for (int j = 0; j < body->n_v; j++) {
        const double *column = S + KI_PLANAR * j;
        columns[j][0] = body->sign * column[0];
        columns[j][1] = body->sign * (F[0] * column[1] + F[1] * column[2]);
        columns[j][2] = body->sign * (F[3] * column[1] + F[4] * column[2]);
    }
}

static void spatial_pin(const ki_body *body, ki_hinge_constants *pin) {
    static const double PARTS[3][9] = {
        {0, 0, 0, 0, 0, 0, 0, 0, 1}, {1, 0, 0, 0, 1, 0, 0, 0, 0}, {0, -1, 0, 1, 0, 0, 0, 0, 0}};
    const double *F_0 = body->hinge.frame[0].R, *F_1 = body->hinge.frame[1].R;
    for (int k = 0; k < 3; k++) {
        double turned[9];
        ki_multiply(F_0, PARTS[k], turned);
        ki_multiply_transposed(turned, F_1, pin->turn[k]);
        pin->axis[k] = body->sign * F_0[3 * k + 2];
    }
}

static void prepare(ki_mech *mech, ki_body *body) {
    const ki_joint *hinge = &body->hinge;
    const ki_joint_role *role = ki_role(hinge, mech->d);
    body->q = hinge->q;
    body->sign = ki_tree_sign(hinge, role);
    body->kind = hinge->made_up ? KI_HINGE_OWN : role->is_pin ? KI_HINGE_PIN : KI_HINGE_ANY;
    for (int k = 0; k < 2; k++)
        ki_copy3(hinge->frame[k].r, body->place[k]);
    for (int i = 0; i < role->n_q; i++) {
        mech->q_sense[hinge->q + i] = 1;
        if (i < ki_readings(hinge, role)) {
            mech->q_sense[hinge->q + i] = hinge->reversed ? -1 : 1;
            mech->q_reading[hinge->q + i] = hinge->reading[i];
        }
    }
    if (body->kind != (mech->d == KI_PLANAR ? KI_HINGE_ANY : KI_HINGE_PIN))
        return;
    ki_hinge_constants *constants = KI_NEW(&mech->arena, ki_hinge_constants, 1);
    body->constants = constants;
    if (constants && mech->d == KI_PLANAR)
        planar_columns(body, constants->columns);
    else if (constants)
        spatial_pin(body, constants);
}

void ki_hinges_prepare(ki_mech *mech) {
    mech->q_sense = KI_NEW(&mech->arena, double, mech->system.n_q);
    mech->q_reading = KI_NEW(&mech->arena, double, mech->system.n_q);
    for (int b = 1; b < mech->body_count && !mech->arena.failed; b++)
        prepare(mech, &mech->body[b]);
}
