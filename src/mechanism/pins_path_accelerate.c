/* Accelerations by the forces of pins that stand one after the other: pins_path.h has the places. */
#include <math.h>
#include <string.h>

#include "base/four.h"
#include "base/sines.h"
#include "mechanism/pins_path.h"

/* As in pins_accelerate.c. */
static const double NEAR = 1e-6;

/* ---- bodies -------------------------------------------------------------------------------------------- */

/* fall of all pins from a: the two bodies of pin j - 2 are in places j - 2 and j. */
static void set_falls(const ki_pins_path *path, ki_pins_work *w) {
    for (int j = 2 + path->lead; j < path->N + 2; j++)
        for (int i = 0; i < 2; i++)
            w->state[j / KI_FOUR].fall[i][j % KI_FOUR] = w->a[j - 2][i] - w->a[j][i];
}

void ki_pins_prepare_path(const ki_pins *pins, ki_arena *arena, ki_pins_work *work) {
    const ki_pins_path *path = pins->path;
    double **const arrays[] = {&work->angle, &work->sine,   &work->cosine,
                               &work->omega, &work->pushed, &work->alpha};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        *arrays[i] = KI_NEW(arena, double, path->parts *KI_FOUR);
    work->state = KI_NEW(arena, ki_path_state, path->parts);
    work->a = ki_arena_alloc(arena, (size_t)path->places, sizeof *work->a);
    if (arena->failed)
        return;
    memcpy(work->a, path->fall, (size_t)path->places * sizeof *work->a);
    set_falls(path, work);
}

/* Angles and angular velocities. Most bodies have the one before for a parent, whose numbers are at hand. */
static void turn_bodies(const ki_pins *pins, ki_pins_work *w, const keel_point *at) {
    const ki_pins_path *path = pins->path;
    double angle = 0, omega = 0;
    for (int b = 0, last = -1; b < pins->body_count - 1; b++) {
        const ki_path_turn *body = &path->turn[b];
        int v = body->v < 0 ? ~body->v + 2 : body->v;
        if (body->parent != last) {
            angle = w->angle[body->parent];
            omega = w->omega[body->parent];
        }
        angle += body->sense * at->q[body->q] + body->turn;
        omega += body->sign * at->v[v];
        last = body->place;
        w->angle[last] = angle;
        w->omega[last] = omega;
    }
    w->angle[path->N + 1] = w->angle[path->N];
    w->omega[path->N + 1] = w->omega[path->N];
    ki_sines_cosines(path->places, w->angle, w->sine, w->cosine);
}

/* The centre of mass of body b, in place j, from the base point, world axes. */
static void find_centre(const ki_pins *pins, const ki_pins_work *w, int b, int j, double r[2]) {
    const double *c = pins->body[b].centre, cosine = w->cosine[j], sine = w->sine[j];
    r[0] = cosine * c[0] - sine * c[1];
    r[1] = sine * c[0] + cosine * c[1];
}

/* Forces other than weight: wrenches (torque, force) about the centre of mass. */
static void push_bodies(const ki_pins *pins, ki_pins_work *w, const double (*wrench)[6]) {
    int N = pins->path->N;
    for (int b = 1; b < pins->body_count; b++) {
        const ki_pinned *body = &pins->body[b];
        const double *F = wrench[b] + 1;
        int j = pins->path->turn[b - 1].place;
        double r[2];
        find_centre(pins, w, b, j, r);
        w->pushed[j] = body->i_I * (wrench[b][0] + (r[0] * F[1] - r[1] * F[0]));
        for (int i = 0; i < 2; i++)
            w->a[j][i] = pins->path->fall[j][i] + body->i_m * F[i];
    }
    w->pushed[N + 1] = w->pushed[N];
    memcpy(w->a[N + 1], w->a[N], sizeof *w->a);
    set_falls(pins->path, w);
}

/* ---- S and -c ------------------------------------------------------------------------------------------ */

/* What a side adds to D and f of its pin: i_I y y, i_I x y, i_I x x, and omega^2 r - alpha J(r). */
typedef struct side_terms {
    ki_four yy, xy, xx, f_x, f_y;
} side_terms;

/* r, world axes, and i_I r. */
typedef struct side_arm {
    ki_four x, y, I_x, I_y;
} side_arm;

KI_INLINE void turn_arm(const double on_body[2][4], const ki_four *cosine, const ki_four *sine,
                        const ki_four *i_I, side_arm *r) {
    const ki_four x = *ki_const_four_at(on_body[0], 0), y = *ki_const_four_at(on_body[1], 0);
    r->x = *cosine * x - *sine * y;
    r->y = *sine * x + *cosine * y;
    r->I_x = *i_I * r->x;
    r->I_y = *i_I * r->y;
}

KI_INLINE void set_terms(const side_arm *r, const ki_four *curve, const ki_four *alpha, side_terms *side) {
    side->yy = r->I_y * r->y;
    side->xy = r->I_x * r->y;
    side->xx = r->I_x * r->x;
    side->f_x = *curve * r->x + *alpha * r->y;
    side->f_y = *curve * r->y - *alpha * r->x;
}

/* D and f of pins j - 2 .. j + 1, whose inner sides are in places j .. j + 3, the outer ones in j - 2 .. j +
 * 1, that is to say in `before` and `outer`. */
KI_INLINE void set_pins(const ki_path_part *part, const side_terms *before, const side_terms *outer,
                        const side_terms *inner, ki_path_state *s) {
    const ki_four m = *ki_const_four_at(part->m_D, 0);
    ki_four yy, xy, xx, f_x, f_y;
    ki_four_between(&yy, &before->yy, &outer->yy);
    ki_four_between(&xy, &before->xy, &outer->xy);
    ki_four_between(&xx, &before->xx, &outer->xx);
    ki_four_between(&f_x, &before->f_x, &outer->f_x);
    ki_four_between(&f_y, &before->f_y, &outer->f_y);
    *ki_four_at(s->D[0], 0) = m + (yy + inner->yy);
    *ki_four_at(s->D[1], 0) = -(xy + inner->xy);
    *ki_four_at(s->D[2], 0) = m + (xx + inner->xx);
    *ki_four_at(s->f[0], 0) = *ki_four_at(s->fall[0], 0) + (f_x + inner->f_x);
    *ki_four_at(s->f[1], 0) = *ki_four_at(s->fall[1], 0) + (f_y + inner->f_y);
}

/* B, and r for later. */
KI_INLINE void set_blocks(const ki_path_part *part, const side_arm *r, const side_arm *c, ki_path_state *s) {
    const ki_four m = *ki_const_four_at(part->m_B, 0);
    *ki_four_at(s->B[0], 0) = m + r->I_y * c->y;
    *ki_four_at(s->B[1], 0) = -(r->I_y * c->x);
    *ki_four_at(s->B[2], 0) = -(r->I_x * c->y);
    *ki_four_at(s->B[3], 0) = m + r->I_x * c->x;
    *ki_four_at(s->outer[0], 0) = r->x;
    *ki_four_at(s->outer[1], 0) = r->y;
    *ki_four_at(s->inner[0], 0) = c->x;
    *ki_four_at(s->inner[1], 0) = c->y;
}

KI_TWICE static void set_up(const ki_pins_path *path, ki_pins_work *w) {
    const int parts = path->parts;
    double *const alphas = w->alpha, *const omegas = w->omega, *const pushed = w->pushed;
    double *const cosines = w->cosine, *const sines = w->sine;
    side_terms before = {0};
    for (int p = 0; p < parts; p++) {
        const ki_path_part *part = &path->part[p];
        ki_path_state *s = &w->state[p];
        const int j = p * KI_FOUR;
        const ki_four i_I = *ki_const_four_at(part->i_I, 0), omega = *ki_four_at(omegas, j);
        const ki_four cosine = *ki_four_at(cosines, j), sine = *ki_four_at(sines, j);
        const ki_four weight =
            *ki_const_four_at(part->weight[0], 0) * cosine + *ki_const_four_at(part->weight[1], 0) * sine;
        const ki_four curve = omega * omega, alpha = weight + *ki_four_at(pushed, j);
        side_arm r, c;
        side_terms outer, inner;
        turn_arm(part->outer, &cosine, &sine, &i_I, &r);
        turn_arm(part->inner, &cosine, &sine, &i_I, &c);
        *ki_four_at(alphas, j) = alpha;
        set_blocks(part, &r, &c, s);
        set_terms(&r, &curve, &alpha, &outer);
        set_terms(&c, &curve, &alpha, &inner);
        set_pins(part, &before, &outer, &inner, s);
        before = outer;
    }
}

/* ---- S f = -c ------------------------------------------------------------------------------------------ */

/* What pins of the two streams leave to the next ones: D of these minus U, f minus u. */
typedef struct remains {
    ki_two U[3], u[2];
} remains;

/* Pivots of two pins and what follows from them:
 *
 *     D -= U,  f -= u          of the pins before
 *     L = B D^-1,  U = L B^T,  u = L f
 *     D, f <- D^-1, D^-1 f
 *
 * One pair waits for the U of the one before; to be short, U is B adj(D) B^T / det D, whose products are done
 * while the processor divides. Both numbers of the result are -1 if no pivot is too small. */
KI_INLINE ki_two_bits take_out(ki_path_state *s, int lane, remains *from) {
    ki_two *const D[3] = {ki_two_at(s->D[0], lane), ki_two_at(s->D[1], lane), ki_two_at(s->D[2], lane)};
    ki_two *const B[4] = {ki_two_at(s->B[0], lane), ki_two_at(s->B[1], lane), ki_two_at(s->B[2], lane),
                          ki_two_at(s->B[3], lane)};
    ki_two *const f[2] = {ki_two_at(s->f[0], lane), ki_two_at(s->f[1], lane)};
    const ki_two S_xx = *D[0], S_yy = *D[2];
    const ki_two xx = S_xx - from->U[0], xy = *D[1] - from->U[1], yy = S_yy - from->U[2];
    const ki_two f_x = *f[0] - from->u[0], f_y = *f[1] - from->u[1];
    const ki_two determinant = xx * yy - xy * xy, i = 1 / determinant;
    const ki_two B_0 = *B[0], B_1 = *B[1], B_2 = *B[2], B_3 = *B[3];
    const ki_two A_0 = B_0 * yy - B_1 * xy, A_1 = B_1 * xx - B_0 * xy;
    const ki_two A_2 = B_2 * yy - B_3 * xy, A_3 = B_3 * xx - B_2 * xy;
    const ki_two L_0 = A_0 * i, L_1 = A_1 * i, L_2 = A_2 * i, L_3 = A_3 * i;
    const ki_two D_0 = yy * i, D_1 = -(xy * i), D_2 = xx * i;
    from->U[0] = (A_0 * B_0 + A_1 * B_1) * i;
    from->U[1] = (A_2 * B_0 + A_3 * B_1) * i;
    from->U[2] = (A_2 * B_2 + A_3 * B_3) * i;
    from->u[0] = L_0 * f_x + L_1 * f_y;
    from->u[1] = L_2 * f_x + L_3 * f_y;
    *D[0] = D_0, *D[1] = D_1, *D[2] = D_2;
    *B[0] = L_0, *B[1] = L_1, *B[2] = L_2, *B[3] = L_3;
    *f[0] = D_0 * f_x + D_1 * f_y;
    *f[1] = D_1 * f_x + D_2 * f_y;
    return (xx > NEAR * S_xx) & (determinant > NEAR * S_yy * xx);
}

/* Pin N - 1, when pin N - 2 is taken out of it, too; it is pin N with the sign of f reversed. D, f: without
 * what came before in its stream. */
KI_INLINE bool meet(ki_path_state *s, int lane, const double S[3], const double D[3], const double f[2],
                    const remains *from) {
    const double xx = D[0] - from->U[0][0], xy = D[1] - from->U[1][0], yy = D[2] - from->U[2][0];
    const double f_x = f[0] + from->u[0][0], f_y = f[1] + from->u[1][0];
    const double determinant = xx * yy - xy * xy, i = 1 / determinant;
    const double D_0 = yy * i, D_1 = -(xy * i), D_2 = xx * i;
    s->D[0][lane] = D_0, s->D[1][lane] = D_1, s->D[2][lane] = D_2;
    s->f[0][lane] = D_0 * f_x + D_1 * f_y;
    s->f[1][lane] = D_1 * f_x + D_2 * f_y;
    return xx > NEAR * S[0] && determinant > NEAR * S[2] * xx;
}

/* False if a pivot is too small. */
KI_TWICE static bool eliminate(const ki_pins_path *path, ki_pins_work *w) {
    const int N = path->N, lane = N % KI_FOUR;
    ki_path_state *middle = &w->state[N / KI_FOUR];
    remains from = {0};
    ki_two_bits sound = {-1, -1};
    double S[3], D[3], f[2];
    for (int j = 2; j < N; j += 2)
        sound &= take_out(&w->state[j / KI_FOUR], j % KI_FOUR, &from);
    for (int i = 0; i < 3; i++) {
        S[i] = middle->D[i][lane + 1];
        D[i] = S[i] - from.U[i][1];
    }
    for (int i = 0; i < 2; i++)
        f[i] = middle->f[i][lane + 1] - from.u[i][1];
    sound &= take_out(middle, lane, &from);
    return meet(middle, lane + 1, S, D, f, &from) && (sound[0] & sound[1]);
}

/* f <- f - L^T next, f being D^-1 f of two pins and next the forces of the ones after them */
KI_INLINE void put_in(ki_path_state *s, int lane, const ki_two next[2], ki_two f[2]) {
    const ki_two x = *ki_two_at(s->f[0], lane), y = *ki_two_at(s->f[1], lane);
    f[0] = (x - *ki_two_at(s->B[0], lane) * next[0]) - *ki_two_at(s->B[2], lane) * next[1];
    f[1] = (y - *ki_two_at(s->B[1], lane) * next[0]) - *ki_two_at(s->B[3], lane) * next[1];
    *ki_two_at(s->f[0], lane) = f[0];
    *ki_two_at(s->f[1], lane) = f[1];
}

/* Forces of the two pins in the middle, and as they are in the places after these. */
static void begin_in_the_middle(const ki_pins_path *path, ki_pins_work *w, ki_two f[2], ki_two next[2]) {
    const int N = path->N, lane = N % KI_FOUR;
    ki_path_state *s = &w->state[N / KI_FOUR], *after = &w->state[(N + 2) / KI_FOUR];
    const double x = -s->f[0][lane + 1], y = -s->f[1][lane + 1];
    s->f[0][lane] = (s->f[0][lane] - s->B[0][lane] * x) - s->B[2][lane] * y;
    s->f[1][lane] = (s->f[1][lane] - s->B[1][lane] * x) - s->B[3][lane] * y;
    for (int i = 0; i < 2; i++) {
        f[i] = *ki_two_at(s->f[i], lane);
        next[i] = (ki_two){-f[i][1], -f[i][0]};
        *ki_two_at(after->f[i], (N + 2) % KI_FOUR) = next[i];
    }
}

/* Adds the torques of pins to the angular accelerations of the bodies in two places. */
KI_INLINE void add_torques(const ki_path_part *part, ki_path_state *s, int lane, const ki_two outer[2],
                           const ki_two inner[2], double *alpha) {
    const ki_two T = *ki_two_at(s->outer[0], lane) * outer[1] - *ki_two_at(s->outer[1], lane) * outer[0];
    const ki_two R = *ki_two_at(s->inner[0], lane) * inner[1] - *ki_two_at(s->inner[1], lane) * inner[0];
    *ki_two_at(alpha, 0) += *(const ki_two *)(part->i_I + lane) * (T + R);
}

/* Forces from the middle to the ends, and what they do to the bodies between them. */
KI_TWICE static void substitute(const ki_pins_path *path, ki_pins_work *w) {
    ki_two f[2], next[2];
    begin_in_the_middle(path, w, f, next);
    for (int j = path->N; j >= 2; j -= 2) {
        ki_path_state *s = &w->state[j / KI_FOUR];
        const int lane = j % KI_FOUR;
        if (j < path->N)
            put_in(s, lane, next, f);
        add_torques(&path->part[j / KI_FOUR], s, lane, next, f, w->alpha + j);
        next[0] = f[0], next[1] = f[1];
    }
    f[0] = f[1] = (ki_two){0, 0};
    add_torques(path->part, w->state, 0, next, f, w->alpha);
}

/* ---- accelerations ------------------------------------------------------------------------------------- */

/* x'', y'' of the centre of mass of body b, angle'' */
static void own_rates(const ki_pins *pins, const ki_pins_work *w, int b, double *v_rate) {
    const int j = pins->path->turn[b - 1].place;
    const ki_path_state *s = &w->state[j / KI_FOUR], *after = &w->state[(j + 2) / KI_FOUR];
    const double alpha = w->alpha[j], curve = w->omega[j] * w->omega[j], i_m = pins->body[b].i_m;
    double r[2], a[2];
    find_centre(pins, w, b, j, r);
    for (int i = 0; i < 2; i++)
        a[i] = w->a[j][i] + i_m * (s->f[i][j % KI_FOUR] - after->f[i][(j + 2) % KI_FOUR]);
    v_rate[0] = a[0] - alpha * r[1] - curve * r[0];
    v_rate[1] = a[1] + alpha * r[0] - curve * r[1];
    v_rate[2] = alpha;
}

/* The same of forces of pins alone; its base point is its centre of mass: a body with a hub has no
 * coordinates of its own where pins answer for rows. */
static void own_response(const ki_pins *pins, const ki_pins_work *w, int b, double *x) {
    const int j = pins->path->turn[b - 1].place;
    const ki_path_state *s = &w->state[j / KI_FOUR], *after = &w->state[(j + 2) / KI_FOUR];
    for (int i = 0; i < 2; i++)
        x[i] = pins->body[b].i_m * (s->f[i][j % KI_FOUR] - after->f[i][(j + 2) % KI_FOUR]);
    x[2] = w->alpha[j];
}

static void rates(const ki_pins *pins, const ki_pins_work *w, double *v_rate) {
    for (int b = 1; b < pins->body_count; b++) {
        const ki_path_turn *body = &pins->path->turn[b - 1];
        if (body->v >= 0)
            v_rate[body->v] = body->sign * (w->alpha[body->place] - w->alpha[body->parent]);
        else
            own_rates(pins, w, b, v_rate + ~body->v);
    }
}

bool ki_path_accelerate(const ki_pins *pins, ki_pins_work *w, const keel_point *at, const double (*wrench)[6],
                        double *v_rate) {
    turn_bodies(pins, w, at);
    if (wrench)
        push_bodies(pins, w, wrench);
    set_up(pins->path, w);
    if (!eliminate(pins->path, w))
        return false;
    substitute(pins->path, w);
    rates(pins, w, v_rate);
    return true;
}

/* ---- other right-hand sides ---------------------------------------------------------------------------- */

/* f of the next two minus L f; f <- D^-1 f */
KI_INLINE void take_out_again(ki_path_state *s, int lane, ki_two u[2]) {
    const ki_two x = *ki_two_at(s->f[0], lane) - u[0], y = *ki_two_at(s->f[1], lane) - u[1];
    const ki_two D_1 = *ki_two_at(s->D[1], lane);
    u[0] = *ki_two_at(s->B[0], lane) * x + *ki_two_at(s->B[1], lane) * y;
    u[1] = *ki_two_at(s->B[2], lane) * x + *ki_two_at(s->B[3], lane) * y;
    *ki_two_at(s->f[0], lane) = *ki_two_at(s->D[0], lane) * x + D_1 * y;
    *ki_two_at(s->f[1], lane) = D_1 * x + *ki_two_at(s->D[2], lane) * y;
}

KI_TWICE static void eliminate_again(const ki_pins_path *path, ki_pins_work *w) {
    const int N = path->N, lane = N % KI_FOUR;
    ki_path_state *middle = &w->state[N / KI_FOUR];
    ki_two u[2] = {{0, 0}, {0, 0}};
    for (int j = 2; j < N; j += 2)
        take_out_again(&w->state[j / KI_FOUR], j % KI_FOUR, u);
    const double x = middle->f[0][lane + 1] - u[0][1], y = middle->f[1][lane + 1] - u[1][1];
    take_out_again(middle, lane, u);
    const double f_x = x + u[0][0], f_y = y + u[1][0], D_1 = middle->D[1][lane + 1];
    middle->f[0][lane + 1] = middle->D[0][lane + 1] * f_x + D_1 * f_y;
    middle->f[1][lane + 1] = D_1 * f_x + middle->D[2][lane + 1] * f_y;
}

KI_TWICE static void solve(const ki_pins_path *path, ki_pins_work *w) {
    ki_two f[2], next[2];
    eliminate_again(path, w);
    begin_in_the_middle(path, w, f, next);
    for (int j = path->N - 2; j >= 2; j -= 2) {
        next[0] = f[0], next[1] = f[1];
        put_in(&w->state[j / KI_FOUR], j % KI_FOUR, next, f);
    }
}

void ki_path_solve(const ki_pins *pins, ki_pins_work *w, double (*f)[2]) {
    const int first = 2 + pins->path->lead;
    for (int i = 0; i < 2; i++) {
        w->state[0].f[i][2] = 0; /* where it is made up */
        for (int k = 0, j = first; k < pins->count; k++, j++)
            w->state[j / KI_FOUR].f[i][j % KI_FOUR] = f[k][i];
    }
    solve(pins->path, w);
    for (int i = 0; i < 2; i++)
        for (int k = 0, j = first; k < pins->count; k++, j++)
            f[k][i] = w->state[j / KI_FOUR].f[i][j % KI_FOUR];
}

void ki_path_constrain(const ki_pins *pins, ki_pins_work *w, const double *s, double *x, double *lambda) {
    const ki_pins_path *path = pins->path;
    const int first = 2 + path->lead;
    for (int p = 0; p < path->parts; p++)
        memset(w->state[p].f, 0, sizeof w->state[p].f);
    memset(w->alpha, 0, (size_t)path->parts * KI_FOUR * sizeof *w->alpha);
    for (int c = 0; c < pins->cut_count; c++) {
        const int j = first + pins->cut[c], row = pins->pin[pins->cut[c]].row;
        const double sign = pins->pin[pins->cut[c]].sign;
        w->state[j / KI_FOUR].f[0][j % KI_FOUR] = sign * s[row];
        w->state[j / KI_FOUR].f[1][j % KI_FOUR] = sign * s[row + 1];
    }
    eliminate_again(path, w);
    substitute(path, w);
    for (int c = 0; c < pins->cut_count; c++) {
        const int j = first + pins->cut[c], row = pins->pin[pins->cut[c]].row;
        const double sign = pins->pin[pins->cut[c]].sign;
        lambda[row] = -sign * w->state[j / KI_FOUR].f[0][j % KI_FOUR];
        lambda[row + 1] = -sign * w->state[j / KI_FOUR].f[1][j % KI_FOUR];
    }
    for (int b = 1; b < pins->body_count; b++) {
        const ki_path_turn *body = &path->turn[b - 1];
        if (body->v >= 0)
            x[body->v] = body->sign * (w->alpha[body->place] - w->alpha[body->parent]);
        else
            own_response(pins, w, b, x + ~body->v);
    }
}

double ki_path_pivots(const ki_pins *pins, const ki_pins_work *w) {
    const int first = 2 + pins->path->lead;
    double most = 0;
    for (int k = 0, j = first; k < pins->count; k++, j++) {
        const ki_path_state *s = &w->state[j / KI_FOUR];
        double share = fabs(s->D[0][j % KI_FOUR] + s->D[2][j % KI_FOUR]) * pins->pin[k].size;
        most = share <= most ? most : share; /* a NaN, too */
        if (isnan(most))
            break;
    }
    return most;
}
