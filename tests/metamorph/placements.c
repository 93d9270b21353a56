/* placements.c - a fixed list of families, each in many placements, counted out: docs/metamorph.md. */
#include "placements.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "subject.h"

enum { D = 1 << DRIVEN, T = 1 << TORQUE, F = 1 << FREE };

/* Each mechanism is run as drawn (if `aligned`) and turned at random so many times, in each of the
 * coordinates, tolerances and digits; what is not listed stays as it is. */
typedef struct placements {
    const char *family;
    unsigned modes;
    int mechanisms, turns;
    bool aligned, coordinates, tolerances, digits;
} placements;

static const placements LIST[] = {
    {"shaft_2", D | F, 500, 1, .aligned = false},
    {"shaft_3", D | F, 500, 1, .aligned = false},
    {"shaft_2_revolutes", D | F, 500, 1, .aligned = false},
    {"door_2", D | F, 500, 1, .aligned = false},
    {"door_3", D | F, 500, 1, .aligned = false},
    {"four_bar", D, 200, 1, .aligned = false},
    {"slider_crank", T, 200, 1, .aligned = false},
    {"jansen", D | F, 200, 1, .aligned = false},
    {"parallelogram_3", D | T, 200, 1, .aligned = false},
    {"parallelogram_3_spread", D | F, 200, 1, .aligned = false},
    {"bennett_turns", D | F, 20, 1, .coordinates = true, .tolerances = true, .digits = true},
    {"goldberg_turns", D | F, 20, 1, .coordinates = true, .tolerances = true, .digits = true},
    {"sarrus", D | F, 20, 1, .coordinates = true, .tolerances = true, .digits = true},
    {"sarrus_3", D | F, 20, 1, .coordinates = true, .tolerances = true, .digits = true},
    {"bricard_ring_turns", F, 20, 1, .coordinates = true, .tolerances = true, .digits = true},
    {"bricard", D | F, 20, 1, .coordinates = true, .tolerances = true, .digits = true},
    {"bricard_line", D | F, 20, 1, .coordinates = true, .tolerances = true, .digits = true},
    {"bricard_plane", D | F, 20, 1, .coordinates = true, .tolerances = true, .digits = true},
    {"carrier_turning", D | F, 4, 50, .aligned = true, .coordinates = true},
    {"carrier_free", D | F, 4, 50, .aligned = true, .coordinates = true},
    {"scissor_ring_6", D | F, 1, 50, .aligned = true, .coordinates = true},
    {"scissor_ring_10", D | F, 1, 50, .aligned = true, .coordinates = true},
    {"scissor_ring_14", D | F, 1, 50, .aligned = true, .coordinates = true},
    {"scissor_ring_18", D | F, 1, 50, .aligned = true, .coordinates = true},
    {"spherical_wrist", D | F, 4, 50, .aligned = true, .coordinates = true},
    {"miura_2", D | F, 2, 50, .aligned = true, .coordinates = true},
    {"miura_3", D | F, 2, 50, .aligned = true, .coordinates = true},
    {"miura_4", D | F, 2, 50, .aligned = true, .coordinates = true},
};
enum { LIST_COUNT = sizeof LIST / sizeof *LIST };

static const double TOLERANCES[] = {1e-4, 1e-6, 1e-8, 1e-10, 1e-12};
static const int DIGITS[] = {0, 9, 6};
static const char *const COORDINATES[] = {"relative", "absolute"};

typedef struct tally {
    long right, total;
    bool quiet;
} tally;

/* Motion and loads agree to 1e-8, and to 100 times the tolerance and 1e4 times the rounding where that is
 * more; loads of a tolerance to 100 times as much, because they come from accelerations. */
static limits most_of(const placements *p, const drawing *d, const variant *v) {
    limits usual = usual_limits(d, v);
    double load = p->tolerances || v->digits ? usual.load : 0;
    return (limits){fmax(1e-8, usual.motion), fmax(1e-8, load)};
}

/* A placement has a name from which it can be made again: "placed:TURN:COORDINATES:TOLERANCE:DIGITS", with
 * the seed of its turn, 0 for none. */
static void name_placement(const variant *v, uint64_t seed, char *text, size_t size) {
    snprintf(text, size, "placed:%llu:%s:%g:%d", (unsigned long long)(v->turn ? seed : 0),
             v->coordinates ? v->coordinates : "auto", v->tolerance, v->digits);
}

bool find_placement(const char *name, variant *v, uint64_t *seed) {
    char word[16];
    unsigned long long turn;
    *v = (variant){.name = name};
    if (sscanf(name, "placed:%llu:%15[a-z]:%lf:%d", &turn, word, &v->tolerance, &v->digits) != 4)
        return false;
    for (int c = 0; c < 2; c++)
        v->coordinates = strcmp(word, COORDINATES[c]) ? v->coordinates : COORDINATES[c];
    v->turn = turn ? 2 : 0;
    *seed = turn;
    return true;
}

static void try_placement(const placements *p, const subject *on, const variant *v, uint64_t seed,
                          tally *to) {
    static drawing d;
    char text[600] = "", name[64];
    name_placement(v, seed, name, sizeof name);
    snprintf(running, sizeof running, "%s.%s %llu %s", on->family->name, MODE_NAME[on->mode],
             (unsigned long long)on->seed, name);
    d = on->base;
    vary(&d, v, seed);
    bool failed = variant_fails(on, v, &d, most_of(p, &d, v), true, text, sizeof text);
    to->total++, to->right += !failed;
    if (failed && !to->quiet)
        printf("FAILED %s: %s\n", running, text);
}

static void try_numbers(const placements *p, const subject *on, variant v, uint64_t seed, tally *to) {
    for (int c = 0; c < (p->coordinates ? 2 : 1); c++)
        for (int t = 0; t < (p->tolerances ? 5 : 1); t++)
            for (int n = 0; n < (p->digits ? 3 : 1); n++) {
                v.coordinates = p->coordinates ? COORDINATES[c] : NULL;
                v.tolerance = p->tolerances ? TOLERANCES[t] : 0;
                v.digits = p->digits ? DIGITS[n] : 0;
                try_placement(p, on, &v, seed, to);
            }
}

static void try_row(const placements *p, double share, tally *to) {
    static subject on;
    drive_mode first;
    const family *f = find_family(p->family, &first);
    int mechanisms = (int)ceil(share * p->mechanisms), turns = (int)ceil(share * p->turns);
    for (int mode = 0; mode < DRIVE_MODES; mode++)
        for (int i = 1; p->modes >> mode & 1 && i <= mechanisms; i++) {
            draw_subject(&on, f, (drive_mode)mode, (uint64_t)i);
            if (p->aligned)
                try_numbers(p, &on, (variant){0}, (uint64_t)i, to);
            for (int turn = 0; turn < turns; turn++)
                try_numbers(p, &on, (variant){.turn = 2}, (uint64_t)(1000 * i + turn), to);
        }
}

static void tell_row(const placements *p, const tally *row, long mechanisms) {
    char modes[32] = "";
    for (int mode = 0; mode < DRIVE_MODES; mode++)
        if (p->modes >> mode & 1)
            snprintf(modes + strlen(modes), sizeof modes - strlen(modes), "%s%s", *modes ? ", " : "",
                     MODE_NAME[mode]);
    printf("| `%s`, %s | %ld | %ld | %ld |\n", p->family, modes, mechanisms, row->total,
           row->total - row->right);
    fflush(stdout);
}

bool has_placements(const char *name) {
    for (int i = 0; i < LIST_COUNT; i++)
        if (!strcmp(LIST[i].family, name))
            return true;
    return false;
}

bool try_placements(double share, const char *only, bool quiet) {
    tally all = {.quiet = quiet};
    printf("| family | mechanisms of each | runs | failures |\n|---|---|---|---|\n");
    for (int i = 0; i < LIST_COUNT; i++) {
        tally row = {.quiet = quiet};
        if (only && strcmp(LIST[i].family, only))
            continue;
        try_row(&LIST[i], share, &row);
        tell_row(&LIST[i], &row, (long)ceil(share * LIST[i].mechanisms));
        all.right += row.right, all.total += row.total;
    }
    printf("\n%ld passed, %ld failed\n", all.right, all.total - all.right);
    return all.right == all.total;
}
