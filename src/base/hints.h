/* hints.h - how the compiler should treat what takes most of the time of large systems. */
#ifndef KI_HINTS_H
#define KI_HINTS_H

/* A static function (others would be seen from outside) that is compiled twice: for any processor, and for
 * those with AVX2, which is chosen when the program is loaded. Its instructions name a place for the result
 * and take four numbers at a time; products and sums stay separate (no FMA), so that both give the same bits.
 * To be measured: the small panels of panels.h lose by it.
 */
#if defined __x86_64__ && defined __gnu_linux__ && defined __GNUC__ && !defined __clang__ &&                 \
    !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__ && !defined KEEL_COVERAGE
#define KI_TWICE __attribute__((target_clones("avx2", "default")))
#else
#define KI_TWICE
#endif

/* What such a function calls must be part of it to be compiled with it. Counters of coverage count a branch
 * of the source once, not once for each of its copies. */
#ifdef KEEL_COVERAGE
#define KI_INLINE static inline
#else
#define KI_INLINE static inline __attribute__((always_inline))
#endif

/* Before a loop whose turns are short, or a constant number of them: several of them in one. */
#if defined __GNUC__ && !defined __clang__
#define KI_UNROLL _Pragma("GCC unroll 8")
#else
#define KI_UNROLL
#endif

#endif
