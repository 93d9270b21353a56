/* pins_path.h - pins one after the other, as in chains and in rows of four-bars: no body has more than two
 * (hubs do not count), and all of them hang together. S of pins.h is then block tridiagonal, and its arrays
 * need no indices.
 *
 * The path is eliminated from both ends towards its middle, which costs nothing and gives two independent
 * streams: the two numbers of a vector. Pin 2 i is the i-th of one stream, 2 i + 1 that of the other, and
 * the pin after pin k is k + 2. There are N of them, N even: if the pins are odd, a made-up pin 0 leads, with
 * S = E, which holds nothing; the others then have a number one higher than that of ki_pins (`lead`).
 *
 *     place j   the body outside of pin j, inside of pin j - 2
 *               r of its outer side  (pin j,     the first of its bodies,  s = -1)
 *               r of its inner side  (pin j - 2, the second of its bodies, s = 1)
 *               column j - 2 of S: D, f, and the block B in row j
 *
 * so that all of a step of the elimination is in one place. The body in the middle is in place N and again,
 * seen from the other stream, in N + 1: there pin N is pin N - 1 told from the other side, with -r and -f,
 * and N + 1 is N - 2. From N + 4 on stand bodies without pins. The ground is behind all others, where nothing
 * is ever written.
 */
#ifndef KI_MECHANISM_PINS_PATH_H
#define KI_MECHANISM_PINS_PATH_H

#include "mechanism/pins.h"

/* Constants of four places. */
typedef struct ki_path_part {
    double outer[2][4], inner[2][4]; /* r, body axes */
    double i_I[4];
    double m_D[4];       /* sum of i_m of the two bodies of pin j - 2 */
    double m_B[4];       /* -i_m of the body; 0 after a made-up pin */
    double weight[2][4]; /* weight alone makes alpha = weight_0 cos + weight_1 sin */
} ki_path_part;

/* How a body turns, in the order of the tree, as in ki_pinned: q is the place of its angle in q and in v,
 * sense is that of both. */
typedef struct ki_path_turn {
    int place, parent, q;
    double sense, turn;
} ki_path_turn;

/* A body with coordinates of its own, beginning with v. */
typedef struct ki_path_own {
    int place, v;
    double i_m, centre[2];
} ki_path_own;

typedef struct ki_pins_path {
    int lead, N;
    int places, parts, ground;
    ki_path_part *part; /* [parts] */
    ki_path_turn *turn; /* [body_count - 1] */
    int own_count;
    ki_path_own *own;
    double (*fall)[2]; /* [places] i_m times weight */
} ki_pins_path;

/* Whether S is one path: then place [count], the number of each pin in the order of elimination, and bodies
 * [count + 1], which stand before, between and behind the pins from end to end. */
bool ki_pins_find_path(const ki_pins *pins, int *place, int *bodies);

/* Turns pins that are numbered in this order so that their first body is the outer one. */
void ki_pins_turn_path(ki_pins *pins, const int *bodies);

/* Fills pins->path. arena->failed tells whether memory was enough. */
void ki_pins_build_path(ki_pins *pins, const int *bodies, const double *gravity, ki_arena *arena);

void ki_pins_prepare_path(const ki_pins *pins, ki_arena *arena, ki_pins_work *work);

/* As those of pins.h. `wrench`: of all forces but weight, NULL if there are none. */
bool ki_path_accelerate(const ki_pins *pins, ki_pins_work *w, const keel_point *at, const double (*wrench)[6],
                        double *v_rate);
void ki_path_solve(const ki_pins *pins, ki_pins_work *w, double (*f)[2]);
void ki_path_constrain(const ki_pins *pins, ki_pins_work *w, const double *s, double *x, double *lambda);

/* Largest (D^-1_xx + D^-1_yy) (S_xx + S_yy) of a pin. */
double ki_path_pivots(const ki_pins *pins, const ki_pins_work *w);

#endif
