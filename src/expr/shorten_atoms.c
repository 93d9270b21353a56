/* shorten_atoms.c - atoms, monomials, residues (shorten_forms.h). */
#include "expr/shorten_forms.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "expr/graph.h"

enum { FIRST_SIZE = 256 };

/* ---- tables */

uint64_t ki_shorten_mix(uint64_t h) {
    h += 0x9e3779b97f4a7c15u;
    h = (h ^ h >> 30) * 0xbf58476d1ce4e5b9u;
    h = (h ^ h >> 27) * 0x94d049bb133111ebu;
    return h ^ h >> 31;
}

void ki_index_put(ki_index *index, uint64_t hash, int item) {
    int step = 0;
    while (ki_index_at(index, hash, step) != KI_NONE)
        step++;
    index->slot[(hash + (uint64_t)step) & ((uint64_t)index->size - 1)] = item;
    index->taken++;
}

bool ki_index_is_full(const ki_index *index) {
    return 2 * (index->taken + 1) > index->size;
}

bool ki_index_enlarge(ki_index *index) {
    int size = index->size ? 2 * index->size : FIRST_SIZE;
    int *slot = ki_expr_resize(index->slot, (size_t)size, sizeof *slot);
    if (!slot)
        return false;
    for (int i = 0; i < size; i++)
        slot[i] = KI_NONE;
    *index = (ki_index){slot, size, 0};
    return true;
}

void ki_forms_free(ki_forms *f) {
    free(f->atom);
    free(f->power);
    free(f->monomial);
    free(f->term);
    free(f->by_atom.slot);
    free(f->by_monomial.slot);
    free(f->place);
    *f = (ki_forms){0};
}

/* ---- residues */

static uint32_t raised(uint32_t a, uint32_t n) {
    uint32_t result = 1;
    for (; n; n >>= 1, a = ki_residue_times(a, a))
        if (n & 1)
            result = ki_residue_times(result, a);
    return result;
}

uint32_t ki_residue_inverse(uint32_t a) {
    return raised(a, KI_PRIME - 2);
}

static uint32_t random_residue(uint64_t seed) {
    return (uint32_t)(ki_shorten_mix(seed) % (KI_PRIME - 1)) + 1;
}

/* Any t gives a point with c^2 + s^2 = 1: c = (1 - t^2)/(1 + t^2), s = 2 t/(1 + t^2). -1 is no square modulo
 * 2^31 - 1. */
static uint32_t turned(uint32_t t, bool sine) {
    uint32_t square = ki_residue_times(t, t), below = ki_residue_inverse(ki_residue_plus(1, square));
    return ki_residue_times(sine ? ki_residue_plus(t, t) : ki_residue_plus(1, ki_residue_minus(square)),
                            below);
}

static uint64_t hash_of_atom(const ki_atom *x) {
    uint64_t h = ki_shorten_mix((uint64_t)x->kind);
    h = ki_shorten_mix(h ^ (uint64_t)x->a);
    h = ki_shorten_mix(h ^ (uint64_t)(uint32_t)x->b);
    return ki_shorten_mix(h ^ (uint64_t)(uint32_t)x->c);
}

/* Numbers are what they are; a sine has the t of its cosine. */
static ki_residue residue_of_atom(ki_atom x) {
    ki_residue r;
    bool sine = x.kind == KI_ATOM_SINE, angle = sine || x.kind == KI_ATOM_COSINE;
    if (sine)
        x.kind = KI_ATOM_COSINE;
    uint64_t h = hash_of_atom(&x);
    for (int k = 0; k < KI_RESIDUES; k++) {
        uint32_t t = random_residue(h + (uint64_t)k);
        r.at[k] = x.kind == KI_ATOM_NUMBER ? (uint32_t)((uint64_t)x.a % KI_PRIME)
                  : angle                  ? turned(t, sine)
                                           : t;
    }
    return r;
}

/* ---- atoms */

static bool same_atom(const ki_atom *x, const ki_atom *y) {
    return x->kind == y->kind && x->a == y->a && x->b == y->b && x->c == y->c;
}

static bool enlarge_atoms(ki_forms *f) {
    if (!ki_index_is_full(&f->by_atom))
        return true;
    if (!ki_index_enlarge(&f->by_atom))
        return false;
    for (int i = 0; i < f->atoms; i++)
        ki_index_put(&f->by_atom, hash_of_atom(&f->atom[i]), i);
    return true;
}

int ki_forms_atom(ki_forms *f, ki_atom x) {
    if (f->failed || !enlarge_atoms(f) ||
        !ki_expr_reserve(&f->atom, &f->atom_capacity, f->atoms + 1, sizeof *f->atom)) {
        f->failed = true;
        return KI_NONE;
    }
    uint64_t hash = hash_of_atom(&x);
    for (int step = 0;; step++) {
        int i = ki_index_at(&f->by_atom, hash, step);
        if (i == KI_NONE)
            break;
        if (same_atom(&f->atom[i], &x))
            return i;
    }
    x.residue = residue_of_atom(x);
    f->atom[f->atoms] = x;
    ki_index_put(&f->by_atom, hash, f->atoms);
    return f->atoms++;
}

/* ---- monomials */

static uint64_t hash_of_powers(const ki_power *p, int count) {
    uint64_t h = ki_shorten_mix((uint64_t)count);
    for (int i = 0; i < count; i++)
        h = ki_shorten_mix(h ^ ((uint64_t)(uint32_t)p[i].atom << 32 | (uint32_t)p[i].power));
    return h;
}

static uint64_t hash_of_monomial(const ki_forms *f, int m) {
    return hash_of_powers(f->power + f->monomial[m].first, f->monomial[m].count);
}

static bool enlarge_monomials(ki_forms *f) {
    int need = f->monomials + 1, before = f->place_capacity;
    if (!ki_expr_reserve(&f->monomial, &f->monomial_capacity, need, sizeof *f->monomial) ||
        !ki_expr_reserve(&f->place, &f->place_capacity, need, sizeof *f->place))
        return false;
    for (int i = before; i < f->place_capacity; i++)
        f->place[i] = KI_NONE;
    if (!ki_index_is_full(&f->by_monomial))
        return true;
    if (!ki_index_enlarge(&f->by_monomial))
        return false;
    for (int i = 0; i < f->monomials; i++)
        ki_index_put(&f->by_monomial, hash_of_monomial(f, i), i);
    return true;
}

static ki_residue residue_of_powers(const ki_forms *f, const ki_power *p, int count) {
    ki_residue r = {{1, 1}};
    for (int i = 0; i < count; i++)
        for (int k = 0; k < KI_RESIDUES; k++)
            r.at[k] =
                ki_residue_times(r.at[k], raised(f->atom[p[i].atom].residue.at[k], (uint32_t)p[i].power));
    return r;
}

/* The monomial of the last `count` powers of the table, which stay only if it is a new one. */
static int close_monomial(ki_forms *f, int count) {
    if (f->failed || !enlarge_monomials(f)) {
        f->failed = true;
        return KI_NONE;
    }
    int first = f->powers - count;
    const ki_power *p = count ? f->power + first : NULL;
    uint64_t hash = hash_of_powers(p, count);
    for (int step = 0;; step++) {
        int i = ki_index_at(&f->by_monomial, hash, step);
        if (i == KI_NONE)
            break;
        const ki_monomial *m = &f->monomial[i];
        if (m->count == count && (!count || !memcmp(f->power + m->first, p, (size_t)count * sizeof *p))) {
            f->powers = first;
            return i;
        }
    }
    f->monomial[f->monomials] = (ki_monomial){first, count, residue_of_powers(f, p, count)};
    ki_index_put(&f->by_monomial, hash, f->monomials);
    return f->monomials++;
}

static bool reserve_powers(ki_forms *f, int more) {
    f->failed =
        f->failed || !ki_expr_reserve(&f->power, &f->power_capacity, f->powers + more, sizeof *f->power);
    return !f->failed;
}

int ki_forms_one(ki_forms *f) {
    return f->monomials ? 0 : close_monomial(f, 0);
}

int ki_forms_power(ki_forms *f, int atom, int power) {
    if (ki_forms_one(f) == KI_NONE || atom == KI_NONE || !reserve_powers(f, 1))
        return KI_NONE;
    f->power[f->powers++] = (ki_power){atom, power};
    return close_monomial(f, 1);
}

/* One more power of the monomial that is being made. The square of a sine is left to the caller, as its
 * cosine in squared[]. */
static void add_power(ki_forms *f, ki_power p, int squared[KI_MOST_SQUARED], int *squares) {
    if (p.power == 2 && f->atom[p.atom].kind == KI_ATOM_SINE) {
        squared[*squares < KI_MOST_SQUARED ? *squares : 0] = p.atom - 1;
        ++*squares;
    } else {
        f->power[f->powers++] = p;
    }
}

int ki_forms_times(ki_forms *f, int m, int n, int squared[KI_MOST_SQUARED], int *squares) {
    ki_monomial a = f->monomial[m], b = f->monomial[n];
    int start = f->powers, i = 0, j = 0;
    *squares = 0;
    if (!a.count || !b.count)
        return a.count ? m : n;
    if (!reserve_powers(f, a.count + b.count))
        return KI_NONE;
    while (i < a.count || j < b.count) {
        const ki_power *p = f->power + a.first + i, *q = f->power + b.first + j;
        if (j == b.count || (i < a.count && p->atom < q->atom)) {
            f->power[f->powers++] = *p;
            i++;
        } else if (i == a.count || q->atom < p->atom) {
            f->power[f->powers++] = *q;
            j++;
        } else {
            add_power(f, (ki_power){p->atom, p->power + q->power}, squared, squares);
            i++, j++;
        }
    }
    return close_monomial(f, f->powers - start);
}
