/* Accelerations by the forces of pins that stand one after the other: pins_path.h has the places. */
#include <math.h>
#include <string.h>

#include "base/four.h"
#include "base/sines.h"
#include "mechanism/pins_path.h"

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
        *arrays[i] = KI_NEW(arena, double, path->ground + 1);
    work->state = KI_NEW(arena, ki_path_state, path->parts + 1); /* bodies look at the next place but one */
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
        if (body->parent != last) {
            angle = w->angle[body->parent];
            omega = w->omega[body->parent];
        }
        angle += body->sense * at->q[body->q] + body->turn;
        omega += body->sense * at->v[body->q];
        last = body->place;
        w->angle[last] = angle;
        w->omega[last] = omega;
    }
    w->angle[path->N + 1] = w->angle[path->N];
    w->omega[path->N + 1] = w->omega[path->N];
    ki_sines_cosines(path->parts * KI_FOUR, w->angle, w->sine, w->cosine);
}

/* A centre of mass in place j, from the base point, world axes. */
static void find_centre(const double c[2], const ki_pins_work *w, int j, double r[2]) {
    const double cosine = w->cosine[j], sine = w->sine[j];
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
        find_centre(body->centre, w, j, r);
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

/* D and f of four pins from j - 2 on, whose inner sides are in the places from j on, the outer ones in those
 * from j - 2 on, that is to say half in `before`, half in `outer`. */
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
    const ki_path_part *part = path->part;
    ki_path_state *s = w->state;
    side_terms before = {0};
    for (int p = 0, j = 0; p < parts; p++, j += KI_FOUR, part++, s++) {
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
 *     D <- D^-1
 *
 * One pair waits for the U of the one before; to be short, U is B adj(D) B^T / det D, whose products are done
 * while the processor divides. The numbers of `sound` are 0 from where a pivot is too small. */
KI_INLINE void take_out(ki_path_state *s, int lane, remains *from, ki_two_bits *sound) {
    const ki_two S_xx = *ki_two_at(s->D[0], lane), S_yy = *ki_two_at(s->D[2], lane);
    const ki_two xx = S_xx - from->U[0], yy = S_yy - from->U[2];
    const ki_two xy = *ki_two_at(s->D[1], lane) - from->U[1];
    const ki_two determinant = xx * yy - xy * xy, i = 1 / determinant;
    *sound &= (xx > KI_PINS_NEAR * S_xx) & (determinant > KI_PINS_NEAR * S_yy * xx);
    const ki_two B_0 = *ki_two_at(s->B[0], lane), B_1 = *ki_two_at(s->B[1], lane);
    const ki_two A_0 = B_0 * yy - B_1 * xy, A_1 = B_1 * xx - B_0 * xy;
    const ki_two B_2 = *ki_two_at(s->B[2], lane), B_3 = *ki_two_at(s->B[3], lane);
    const ki_two A_2 = B_2 * yy - B_3 * xy, A_3 = B_3 * xx - B_2 * xy;
    from->U[0] = (A_0 * B_0 + A_1 * B_1) * i;
    from->U[1] = (A_2 * B_0 + A_3 * B_1) * i;
    from->U[2] = (A_2 * B_2 + A_3 * B_3) * i;
    const ki_two f_x = *ki_two_at(s->f[0], lane) - from->u[0], f_y = *ki_two_at(s->f[1], lane) - from->u[1];
    *ki_two_at(s->f[0], lane) = f_x;
    *ki_two_at(s->f[1], lane) = f_y;
    const ki_two L_0 = A_0 * i, L_1 = A_1 * i;
    *ki_two_at(s->B[0], lane) = L_0;
    *ki_two_at(s->B[1], lane) = L_1;
    from->u[0] = L_0 * f_x + L_1 * f_y;
    const ki_two L_2 = A_2 * i, L_3 = A_3 * i;
    *ki_two_at(s->B[2], lane) = L_2;
    *ki_two_at(s->B[3], lane) = L_3;
    from->u[1] = L_2 * f_x + L_3 * f_y;
    *ki_two_at(s->D[0], lane) = yy * i;
    *ki_two_at(s->D[1], lane) = -xy * i;
    *ki_two_at(s->D[2], lane) = xx * i;
}

/* The pins in the middle, N - 2 and N - 1: the first one is taken out of the second, too, which is pin N with
 * the sign of f reversed. */
KI_INLINE bool meet(ki_path_state *s, int lane, remains *from, ki_two_bits *sound) {
    const int other = lane + 1;
    const double S_xx = s->D[0][other], S_xy = s->D[1][other], S_yy = s->D[2][other];
    const double D_xx = S_xx - from->U[0][1], D_xy = S_xy - from->U[1][1], D_yy = S_yy - from->U[2][1];
    const double b_x = s->f[0][other] - from->u[0][1], b_y = s->f[1][other] - from->u[1][1];
    take_out(s, lane, from, sound);
    const double xx = D_xx - from->U[0][0], xy = D_xy - from->U[1][0], yy = D_yy - from->U[2][0];
    const double f_x = b_x + from->u[0][0], f_y = b_y + from->u[1][0];
    const double determinant = xx * yy - xy * xy, i = 1 / determinant;
    const double D_0 = yy * i, D_1 = -xy * i, D_2 = xx * i;
    s->D[0][other] = D_0, s->D[1][other] = D_1, s->D[2][other] = D_2;
    s->f[0][other] = D_0 * f_x + D_1 * f_y;
    s->f[1][other] = D_1 * f_x + D_2 * f_y;
    return xx > KI_PINS_NEAR * S_xx && determinant > KI_PINS_NEAR * S_yy * xx && ((*sound)[0] & (*sound)[1]);
}

/* False if a pivot is too small. */
KI_TWICE static bool eliminate(const ki_pins_path *path, ki_pins_work *w) {
    const int N = path->N;
    ki_path_state *s = w->state;
    remains from = {0};
    ki_two_bits sound = {-1, -1};
    for (int j = 0; j < N; j += KI_FOUR, s++) {
        if (j > 0)
            take_out(s, 0, &from, &sound);
        if (j + 2 < N)
            take_out(s, 2, &from, &sound);
    }
    return meet(&w->state[N / KI_FOUR], N % KI_FOUR, &from, &sound);
}

/* Forces of two pins, and of the ones after them. */
typedef struct forces {
    ki_two x, y, next_x, next_y;
} forces;

/* f <- D^-1 f - L^T next */
KI_INLINE void put_in(ki_path_state *s, int lane, forces *f) {
    const ki_two x = *ki_two_at(s->f[0], lane), y = *ki_two_at(s->f[1], lane);
    const ki_two D_0 = *ki_two_at(s->D[0], lane), D_1 = *ki_two_at(s->D[1], lane);
    const ki_two z_x = D_0 * x + D_1 * y, z_y = D_1 * x + *ki_two_at(s->D[2], lane) * y;
    f->next_x = f->x;
    f->next_y = f->y;
    f->x = (z_x - *ki_two_at(s->B[0], lane) * f->next_x) - *ki_two_at(s->B[2], lane) * f->next_y;
    f->y = (z_y - *ki_two_at(s->B[1], lane) * f->next_x) - *ki_two_at(s->B[3], lane) * f->next_y;
    *ki_two_at(s->f[0], lane) = f->x;
    *ki_two_at(s->f[1], lane) = f->y;
}

/* Forces of the two pins in the middle, and as they are in the places after these. */
KI_INLINE void part_again(ki_path_state *state, int N, forces *f) {
    const int lane = N % KI_FOUR;
    ki_path_state *s = &state[N / KI_FOUR], *after = &state[(N + 2) / KI_FOUR];
    const double x = s->f[0][lane + 1], y = s->f[1][lane + 1];
    const double z_x = s->D[0][lane] * s->f[0][lane] + s->D[1][lane] * s->f[1][lane];
    const double z_y = s->D[1][lane] * s->f[0][lane] + s->D[2][lane] * s->f[1][lane];
    f->x = (ki_two){(z_x + s->B[0][lane] * x) + s->B[2][lane] * y, x};
    f->y = (ki_two){(z_y + s->B[1][lane] * x) + s->B[3][lane] * y, y};
    f->next_x = (ki_two){-x, -f->x[0]};
    f->next_y = (ki_two){-y, -f->y[0]};
    *ki_two_at(s->f[0], lane) = f->x;
    *ki_two_at(s->f[1], lane) = f->y;
    *ki_two_at(after->f[0], (N + 2) % KI_FOUR) = f->next_x;
    *ki_two_at(after->f[1], (N + 2) % KI_FOUR) = f->next_y;
}

/* Adds the torques of pins to the angular accelerations of the bodies in two places, with `next` outside, f
 * inside. */
KI_INLINE void add_torques(const ki_path_part *part, ki_path_state *s, int lane, const forces *f,
                           double *alpha) {
    const ki_two outer =
        *ki_two_at(s->outer[0], lane) * f->next_y - *ki_two_at(s->outer[1], lane) * f->next_x;
    const ki_two inner = *ki_two_at(s->inner[0], lane) * f->y - *ki_two_at(s->inner[1], lane) * f->x;
    *ki_two_at(alpha, lane) += *(const ki_two *)(part->i_I + lane) * (outer + inner);
}

/* Forces from the middle to the ends, and what they do to the bodies between them. */
KI_TWICE static void substitute(const ki_pins_path *path, ki_pins_work *w) {
    const int N = path->N, last = (N - 2) / KI_FOUR * KI_FOUR;
    const ki_path_part *part = path->part;
    ki_path_state *state = w->state;
    double *const alpha = w->alpha;
    forces f;
    part_again(state, N, &f);
    add_torques(&part[N / KI_FOUR], &state[N / KI_FOUR], N % KI_FOUR, &f, alpha + N / KI_FOUR * KI_FOUR);
    for (int j = last, p = last / KI_FOUR; p >= 0; j -= KI_FOUR, p--) {
        if (j + 2 < N) {
            put_in(&state[p], 2, &f);
            add_torques(&part[p], &state[p], 2, &f, alpha + j);
        }
        if (p > 0) {
            put_in(&state[p], 0, &f);
            add_torques(&part[p], &state[p], 0, &f, alpha + j);
        }
    }
    f.next_x = f.x;
    f.next_y = f.y;
    add_torques(part, state, 0, &f, alpha); /* nothing inside */
}

/* ---- accelerations ------------------------------------------------------------------------------------- */

/* x'', y'' of the centre of mass */
static void own_rates(const ki_path_own *own, const ki_pins_work *w, double *v_rate) {
    const unsigned j = (unsigned)own->place, k = j + 2;
    const ki_path_state *s = &w->state[j / KI_FOUR], *after = &w->state[k / KI_FOUR];
    const double alpha = w->alpha[j], curve = w->omega[j] * w->omega[j];
    double r[2];
    if (own->i_m > 0) {
        v_rate[0] = w->a[j][0] + own->i_m * (s->f[0][j % KI_FOUR] - after->f[0][k % KI_FOUR]);
        v_rate[1] = w->a[j][1] + own->i_m * (s->f[1][j % KI_FOUR] - after->f[1][k % KI_FOUR]);
        return;
    }
    find_centre(own->centre, w, own->place, r); /* a hub */
    v_rate[0] = -alpha * r[1] - curve * r[0];
    v_rate[1] = alpha * r[0] - curve * r[1];
}

/* The same of forces of pins alone; its base point is its centre of mass: a body with a hub has no
 * coordinates of its own where pins answer for rows. */
static void own_response(const ki_path_own *body, const ki_pins_work *w, double *x) {
    const int j = body->place;
    const ki_path_state *s = &w->state[j / KI_FOUR], *after = &w->state[(j + 2) / KI_FOUR];
    for (int i = 0; i < 2; i++)
        x[i] = body->i_m * (s->f[i][j % KI_FOUR] - after->f[i][(j + 2) % KI_FOUR]);
}

/* Differences of angular accelerations, or of what stands for them. */
static void turning_rates(const ki_pins *pins, const ki_pins_work *w, double *v_rate) {
    for (int b = 0; b < pins->body_count - 1; b++) {
        const ki_path_turn *body = &pins->path->turn[b];
        v_rate[body->q] = body->sense * (w->alpha[body->place] - w->alpha[body->parent]);
    }
}

static void rates(const ki_pins *pins, const ki_pins_work *w, double *v_rate) {
    const ki_pins_path *path = pins->path;
    turning_rates(pins, w, v_rate);
    for (int k = 0; k < path->own_count; k++)
        own_rates(&path->own[k], w, v_rate + path->own[k].v);
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

/* f of the next two minus L f */
KI_INLINE void take_out_again(ki_path_state *s, int lane, ki_two u[2]) {
    const ki_two x = *ki_two_at(s->f[0], lane) - u[0], y = *ki_two_at(s->f[1], lane) - u[1];
    u[0] = *ki_two_at(s->B[0], lane) * x + *ki_two_at(s->B[1], lane) * y;
    u[1] = *ki_two_at(s->B[2], lane) * x + *ki_two_at(s->B[3], lane) * y;
    *ki_two_at(s->f[0], lane) = x;
    *ki_two_at(s->f[1], lane) = y;
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
    forces f;
    eliminate_again(path, w);
    part_again(w->state, path->N, &f);
    for (int j = path->N - 2; j >= 2; j -= 2)
        put_in(&w->state[j / KI_FOUR], j % KI_FOUR, &f);
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
    turning_rates(pins, w, x);
    for (int k = 0; k < path->own_count; k++)
        own_response(&path->own[k], w, x + path->own[k].v);
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
