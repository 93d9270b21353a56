/* four.h - generated functions over four doubles at a time: four equal joints, or four trajectories.
 *
 * To be included after base/sine.h and before the generated functions. Operations are those of one double,
 * lane by lane, so results are the same bit by bit.
 */
#ifndef KI_LAWS_FOUR_H
#define KI_LAWS_FOUR_H

#include <math.h>

typedef double ki_four __attribute__((vector_size(32)));

/* Constants are the same in all lanes. */
#define KI_FOUR(a)       ((ki_four){0} + (a))
#define KI_FOUR_OF(f, a) ((ki_four){f((a)[0]), f((a)[1]), f((a)[2]), f((a)[3])})
#define KI_FOUR_OF_2(f, a, b)                                                                                \
    ((ki_four){f((a)[0], (b)[0]), f((a)[1], (b)[1]), f((a)[2], (b)[2]), f((a)[3], (b)[3])})

#define KI_FOUR_MAX_1(a, b)      ((b) > (a) || (b) != (b) ? (b) : (a))
#define KI_FOUR_LT_1(a, b)       ((a) < (b))
#define KI_FOUR_IF_1(a, b, c, k) ((a)[k] != 0 ? KI_FOUR(b)[k] : KI_FOUR(c)[k])

#define REAL             ki_four
#define KI_LAW_NUMBER(a) KI_FOUR(a)
#define KI_LAW_MAX(a, b) KI_FOUR_OF_2(KI_FOUR_MAX_1, KI_FOUR(a), KI_FOUR(b))
#define KI_LAW_IF(a, b, c)                                                                                   \
    ((ki_four){KI_FOUR_IF_1(a, b, c, 0), KI_FOUR_IF_1(a, b, c, 1), KI_FOUR_IF_1(a, b, c, 2),                 \
               KI_FOUR_IF_1(a, b, c, 3)})
#define KI_LAW_LT(a, b) KI_FOUR_OF_2(KI_FOUR_LT_1, KI_FOUR(a), KI_FOUR(b))
#define tan(a)          KI_FOUR_OF(tan, a)
#define sqrt(a)         KI_FOUR_OF(sqrt, a)
#define atan2(a, b)     KI_FOUR_OF_2(atan2, KI_FOUR(a), KI_FOUR(b))
#define ki_sine(a)      KI_FOUR_OF(ki_sine, a)
#define ki_cosine(a)    KI_FOUR_OF(ki_cosine, a)
#define ki_sine_cosine(a, sine, cosine)                                                                      \
    do {                                                                                                     \
        double sine_[4], cosine_[4];                                                                         \
        for (int lane_ = 0; lane_ < 4; lane_++)                                                              \
            ki_sine_cosine((a)[lane_], &sine_[lane_], &cosine_[lane_]);                                      \
        *(sine) = (ki_four){sine_[0], sine_[1], sine_[2], sine_[3]};                                         \
        *(cosine) = (ki_four){cosine_[0], cosine_[1], cosine_[2], cosine_[3]};                               \
    } while (0)

#endif
