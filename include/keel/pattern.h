/* pattern.h - where a sparse matrix has entries: compressed rows. */
#ifndef KEEL_PATTERN_H
#define KEEL_PATTERN_H

/* Row i has the columns index[start[i] .. start[i+1]-1], strictly increasing; its values stand at the same
 * places of a value array of length start[rows]. A symmetric matrix stores its lower triangle (column <=
 * row), diagonal included. */
typedef struct keel_pattern {
    int rows, cols;
    const int *start; /* [rows + 1]     */
    const int *index; /* [start[rows]]  */
} keel_pattern;

/* Number of entries; a pattern without rows has none. */
static inline int keel_pattern_count(keel_pattern p) {
    return p.rows ? p.start[p.rows] : 0;
}

#endif
