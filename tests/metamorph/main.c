/* main.c - the metamorphic test: what must not matter to the motion of a mechanism. docs/metamorph.md. */
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "placements.h"
#include "subject.h"

enum { MOST_FAMILIES = 128, MOST_VARIANTS = 64, PER_MECHANISM = 6, BAD_USAGE = 2 };

typedef struct request {
    uint64_t seed;
    long count;
    const char *family, *variant, *keep;
    double share;    /* of the list of placements; 0: random variants */
    long mechanisms; /* in all systems of units; 0: random variants   */
    bool quiet;
} request;

typedef struct score {
    long right, total;
} score;

typedef struct session {
    request asked;
    score families[MOST_FAMILIES], variants[MOST_VARIANTS], all;
} session;

static void tell_crash(int number) {
    static const char TEXT[] = "\nmetamorph: crashed in ";
    ssize_t written = write(STDERR_FILENO, TEXT, sizeof TEXT - 1);
    written += write(STDERR_FILENO, running, strlen(running));
    written += write(STDERR_FILENO, "\n", 1);
    (void)written;
    signal(number, SIG_DFL);
    raise(number);
}

static int emit(const char *name, const char *seed_text, const char *variant_name) {
    static drawing d;
    drive_mode mode;
    uint64_t seed = strtoull(seed_text, NULL, 10);
    const family *f = find_family(name, &mode);
    variant placed;
    const variant *v = find_variant(variant_name);
    uint64_t vary_seed = seed;
    if (!v && find_placement(variant_name, &placed, &vary_seed))
        v = &placed;
    if (!f || !v) {
        fprintf(stderr, "metamorph: no %s '%s'; --list tells all\n", f ? "variant" : "family",
                f ? variant_name : name);
        return BAD_USAGE;
    }
    draw(f, mode, seed, &d);
    vary(&d, v, vary_seed);
    char *text = drawing_text(&d);
    fputs(text, stdout);
    free(text);
    return 0;
}

static void list(void) {
    printf("families:");
    for (int i = 0; family_number(i); i++) {
        printf("\n  %-24s", family_number(i)->name);
        for (int m = 0; m < DRIVE_MODES; m++)
            if (family_number(i)->modes >> m & 1)
                printf(" %s", MODE_NAME[m]);
    }
    printf("\nvariants:\n");
    for (int i = 0; variant_number(i); i++)
        printf("  %-24s %s\n", variant_number(i)->name, variant_number(i)->help);
}

static void keep_model(const session *s, const subject *on, const drawing *d, const char *variant_name) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s.%s.%llu.%s.yaml", s->asked.keep, on->family->name, MODE_NAME[on->mode],
             (unsigned long long)on->seed, variant_name);
    FILE *file = fopen(path, "w");
    char *text = drawing_text(d);
    if (!file || fputs(text, file) < 0)
        fprintf(stderr, "metamorph: cannot write %s: %s\n", path, strerror(errno));
    if (file)
        fclose(file);
    free(text);
}

static void try_variant(session *s, const subject *on, int number) {
    static drawing d;
    const variant *v = variant_number(number);
    char text[600] = "";
    snprintf(running, sizeof running, "%s.%s %llu %s", on->family->name, MODE_NAME[on->mode],
             (unsigned long long)on->seed, v->name);
    d = on->base;
    vary(&d, v, on->seed);
    bool failed = number == 0 ? base_fails(on, text, sizeof text)
                              : variant_fails(on, v, &d, usual_limits(&d, v), false, text, sizeof text);
    score *scores[] = {&s->all, &s->variants[number], NULL};
    for (int i = 0; family_number(i); i++)
        if (family_number(i) == on->family)
            scores[2] = &s->families[i];
    for (int i = 0; i < 3; i++)
        scores[i]->total++, scores[i]->right += !failed;
    if (!failed)
        return;
    if (!s->asked.quiet)
        printf("FAILED %s: %s\n", running, text);
    if (s->asked.keep) {
        keep_model(s, on, &on->base, "base");
        keep_model(s, on, &d, v->name);
    }
}

/* Of those that a seed chooses from. */
static int variant_count(void) {
    int count = 0;
    while (variant_number(count) && !variant_number(count)->asked_for)
        count++;
    return count;
}

/* The base, then other variants in a random order. */
static void order_variants(const subject *on, int *order, int count) {
    rng r = {on->seed * 7919u + (uint64_t)on->mode};
    for (const char *c = on->family->name; *c; c++)
        r.state = r.state * 31 + (uint64_t)*c;
    random_order(&r, count, order);
    for (int i = 0; i < count; i++)
        if (order[i] == 0) {
            order[i] = order[0];
            order[0] = 0;
        }
}

/* The variant that was asked for, or the base and a few others. */
static void try_mechanism(session *s, const family *f, drive_mode mode, uint64_t seed) {
    static subject on;
    int order[MOST_VARIANTS], count = variant_count(), tried = 0;
    const variant *only = s->asked.variant ? find_variant(s->asked.variant) : NULL;
    draw_subject(&on, f, mode, seed);
    if (only && only->asked_for && can_vary(&on.base, only)) {
        try_variant(s, &on, (int)(only - variant_number(0)));
        return;
    }
    order_variants(&on, order, count);
    for (int i = 0; i < count && tried < PER_MECHANISM && s->all.total < s->asked.count; i++) {
        const variant *v = variant_number(order[i]);
        if ((only && v != only) || !can_vary(&on.base, v))
            continue;
        try_variant(s, &on, order[i]);
        tried++;
    }
}

/* The base in m, kg, s, and systems of units of design offices. */
static const char *const UNITS[] = {"base", "mm_t_s", "mm_kg_ms", "centimetres", "inches"};
enum { UNIT_SYSTEMS = sizeof UNITS / sizeof *UNITS };

static void try_units(session *s, const family *f, drive_mode mode, uint64_t seed) {
    static subject on;
    draw_subject(&on, f, mode, seed);
    for (int u = 0; u < UNIT_SYSTEMS; u++)
        for (int i = 0; variant_number(i); i++)
            if (strcmp(variant_number(i)->name, UNITS[u]) == 0)
                try_variant(s, &on, i);
}

static bool is_asked(const request *asked, const family *f, int mode, long round) {
    char name[64];
    if (!(f->modes >> mode & 1))
        return false;
    if (!asked->family)
        return f->weight || round % 4 == 0;
    snprintf(name, sizeof name, "%s.%s", f->name, MODE_NAME[mode]);
    return !strcmp(asked->family, f->name) || !strcmp(asked->family, name);
}

static bool any_asked(const request *asked) {
    for (int i = 0; family_number(i); i++)
        for (int mode = 0; mode < DRIVE_MODES; mode++)
            if (is_asked(asked, family_number(i), mode, 0))
                return true;
    return false;
}

/* Families in turn, each in a mode that changes from round to round. */
static void try_all(session *s) {
    long tried = 0;
    for (long round = 0; s->all.total < s->asked.count; round++)
        for (int i = 0; family_number(i); i++) {
            const family *f = family_number(i);
            int mode = (int)((round + i) % DRIVE_MODES);
            for (int next = 0; next < DRIVE_MODES && !is_asked(&s->asked, f, mode, round); next++)
                mode = (mode + 1) % DRIVE_MODES;
            if (!is_asked(&s->asked, f, mode, round) || s->all.total >= s->asked.count)
                continue;
            if (s->asked.mechanisms && tried++ == s->asked.mechanisms)
                return;
            if (s->asked.mechanisms)
                try_units(s, f, (drive_mode)mode, s->asked.seed + (uint64_t)round);
            else
                try_mechanism(s, f, (drive_mode)mode, s->asked.seed + (uint64_t)round);
            fflush(stdout);
        }
}

/* As in docs/scales.md. */
static void tell_units(const session *s) {
    printf("| units | mechanisms | same motion |\n|---|---|---|\n");
    for (int u = 0; u < UNIT_SYSTEMS; u++)
        for (int i = 0; variant_number(i); i++)
            if (strcmp(variant_number(i)->name, UNITS[u]) == 0)
                printf("| %s | %ld | %ld |\n", i ? variant_number(i)->help : "as drawn: in m, kg, s",
                       s->variants[i].total, s->variants[i].right);
}

static void tell_scores(const session *s) {
    for (int i = 0; family_number(i); i++)
        if (s->families[i].total)
            printf("%-24s %5ld/%ld\n", family_number(i)->name, s->families[i].right, s->families[i].total);
    printf("\n");
    for (int i = 0; variant_number(i); i++)
        if (s->variants[i].total)
            printf("%-24s %5ld/%ld\n", variant_number(i)->name, s->variants[i].right, s->variants[i].total);
    printf("\n%ld passed, %ld failed\n", s->all.right, s->all.total - s->all.right);
}

static void usage(FILE *file) {
    fprintf(file, "usage: metamorph [--seed N] [--count N] [--family NAME[.MODE]] [--variant NAME] [--keep "
                  "DIR] [--quiet]\n"
                  "       metamorph --units MECHANISMS [--seed N] [--family NAME] [--quiet]\n"
                  "       metamorph --placements SHARE [--family NAME] [--quiet]\n"
                  "       metamorph --list\n"
                  "       metamorph --emit FAMILY[.MODE] SEED [VARIANT]\n");
}

static bool parse(request *asked, int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (!strcmp(argv[i], "--quiet")) {
            asked->quiet = true;
            continue;
        }
        if (!value)
            return false;
        if (!strcmp(argv[i], "--seed"))
            asked->seed = strtoull(value, NULL, 10);
        else if (!strcmp(argv[i], "--count"))
            asked->count = strtol(value, NULL, 10);
        else if (!strcmp(argv[i], "--family"))
            asked->family = value;
        else if (!strcmp(argv[i], "--variant"))
            asked->variant = value;
        else if (!strcmp(argv[i], "--placements"))
            asked->share = fmin(fmax(strtod(value, NULL), 1e-9), 1);
        else if (!strcmp(argv[i], "--units"))
            asked->mechanisms = strtol(value, NULL, 10);
        else if (!strcmp(argv[i], "--keep"))
            asked->keep = value;
        else
            return false;
        i++;
    }
    if (asked->share > 0)
        return !asked->family || has_placements(asked->family);
    return any_asked(asked) && (!asked->variant || find_variant(asked->variant));
}

int main(int argc, char **argv) {
    static session s;
    if (argc >= 4 && !strcmp(argv[1], "--emit"))
        return emit(argv[2], argv[3], argc > 4 ? argv[4] : "base");
    if (argc == 2 && (!strcmp(argv[1], "--list") || !strcmp(argv[1], "--help"))) {
        strcmp(argv[1], "--list") ? usage(stdout) : list();
        return 0;
    }
    s.asked = (request){.seed = 1, .count = 500};
    if (!parse(&s.asked, argc, argv)) {
        usage(stderr);
        return BAD_USAGE;
    }
    if (s.asked.mechanisms)
        s.asked.count = s.asked.mechanisms * UNIT_SYSTEMS;
    signal(SIGSEGV, tell_crash);
    signal(SIGABRT, tell_crash);
    signal(SIGFPE, tell_crash);
    if (s.asked.share > 0)
        return !try_placements(s.asked.share, s.asked.family, s.asked.quiet);
    try_all(&s);
    if (s.asked.mechanisms)
        tell_units(&s);
    else
        tell_scores(&s);
    return s.all.right < s.all.total;
}
