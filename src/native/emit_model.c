/* emit_model.c - the text of a model: which programs are worth compiling, and how their numbers are called.
 */
#include "native/emit_model.h"

#include <stddef.h>

#include "native/emit.h"
#include "native/emit_stages.h"

/* What the compiler is asked to do at most: two to three seconds of its time (gcc 12 takes 0.3 ms for an
 * instruction of a tape, 0.1 ms for an operation of the kernel). */
enum { MOST_INSTRUCTIONS = 6000, MOST_OPERATIONS_DENSE = 4000, MOST_OPERATIONS_SPARSE = 10000 };

/* Larger systems are not even analysed. */
enum { MOST_UNKNOWNS = 400, MOST_UNKNOWNS_DENSE = 40 };

/* For long functions: the allocator of registers that gcc uses otherwise moves values about, which makes a
 * sixth more instructions. */
static const char LONG[] = "#if defined __GNUC__ && !defined __clang__\n"
                           "#pragma GCC optimize(\"ira-algorithm=priority\", \"live-range-shrinkage\")\n"
                           "#endif\n";

/* The structs of system.h, as far as programs use them. */
static const char DECLARATIONS[] =
    "struct point { double t; const double *q, *v, *z, *s, *lambda, *a; };\n"
    "struct terms {\n"
    "    double *M, *J, *Q, *xi, *Phi, *rate, *f, *r, *r_s, *Q_lambda;\n"
    "    double energy, power;\n"
    "    double *tangent, *rate_q, *invariant, *invariant_y;\n"
    "};\n"
    "double sin(double), cos(double), tan(double), asin(double), acos(double), atan(double), sinh(double);\n"
    "double cosh(double), tanh(double), sqrt(double), exp(double), log(double), fabs(double);\n"
    "double pow(double, double), atan2(double, double), hypot(double, double);\n\n";

extern const char ki_sine_text[]; /* src/base/sine.inc: sine_text.S */

_Static_assert(offsetof(keel_terms, energy) == 10 * sizeof(double *) &&
                   offsetof(keel_terms, tangent) == 10 * sizeof(double *) + 2 * sizeof(double) &&
                   sizeof(keel_terms) == 14 * sizeof(double *) + 2 * sizeof(double) &&
                   sizeof(keel_point) == sizeof(double) + 6 * sizeof(double *),
               "the declarations above are those of system.h");

/* Sections as members of the terms; energy and power are numbers. */
static const char *const MEMBER[KI_SECTIONS] = {
    [KI_SECTION_M] = "M",
    [KI_SECTION_J] = "J",
    [KI_SECTION_Q] = "Q",
    [KI_SECTION_XI] = "xi",
    [KI_SECTION_PHI] = "Phi",
    [KI_SECTION_RATE] = "rate",
    [KI_SECTION_F] = "f",
    [KI_SECTION_R] = "r",
    [KI_SECTION_R_S] = "r_s",
    [KI_SECTION_Q_LAMBDA] = "Q_lambda",
    [KI_SECTION_ENERGY] = "energy",
    [KI_SECTION_POWER] = "power",
    [KI_SECTION_TANGENT] = "tangent",
    [KI_SECTION_RATE_Q] = "rate_q",
    [KI_SECTION_INVARIANT] = "invariant",
    [KI_SECTION_INVARIANT_Y] = "invariant_y",
};

typedef struct naming {
    const ki_model *model;
    unsigned what;
    unsigned *reads;
    bool through; /* M, J, Q and xi are needed further on */
    bool stage;   /* all terms are, and nothing is written */
} naming;

/* M, J, Q and xi come first. */
_Static_assert(KI_SECTION_M < KI_SECTION_XI && KI_SECTION_J < KI_SECTION_XI && KI_SECTION_Q < KI_SECTION_XI &&
                   KI_SECTION_XI == 3,
               "order of the sections");

/* The vectors of a point behind t, in the order of the inputs. */
static void write_input(const void *user, int number, ki_text *text) {
    const naming *n = user;
    const ki_inputs *at = &n->model->inputs;
    const struct {
        const char *name;
        int first, count;
        unsigned bit;
    } VECTORS[] = {{"q", at->q, at->n, KI_READS_Q},
                   {"v", at->v, at->n, KI_READS_V},
                   {"z", at->z, at->n_z, KI_READS_Z},
                   {"s", at->s, at->n_s, KI_READS_S},
                   {"lambda", at->lambda, at->m, KI_READS_LAMBDA},
                   {"a", at->a, at->n, KI_READS_A}};
    for (size_t i = 0; i < sizeof VECTORS / sizeof *VECTORS; i++)
        if (number >= VECTORS[i].first && number < VECTORS[i].first + VECTORS[i].count) {
            int index = number - VECTORS[i].first;
            if (n->stage) /* q and v: nothing else has got there */
                ki_text_add(text, "Y[%d]", VECTORS[i].bit == KI_READS_V ? at->n + index : index);
            else
                ki_text_add(text, "at->%s[%d]", VECTORS[i].name, index);
            *n->reads |= VECTORS[i].bit;
            return;
        }
    if (number == 0)
        ki_text_add(text, n->stage ? "t" : "at->t");
    else
        ki_text_add(text, "w[%d]", number - at->w);
}

/* The sections of a program stand one after another in its outputs. What goes on to the linear system gets a
 * name of its own as well. */
static void write_output(const void *user, int number, ki_text *text) {
    const naming *n = user;
    for (int s = 0; s < KI_SECTIONS; s++) {
        if (!(ki_section_bit[s] & n->what))
            continue;
        if (number < n->model->count[s]) {
            bool scalar = s == KI_SECTION_ENERGY || s == KI_SECTION_POWER;
            if (n->stage || (n->through && s <= KI_SECTION_XI))
                ki_text_add(text, "const double %s_%d", MEMBER[s], number);
            if (n->stage)
                return;
            if (n->through && s <= KI_SECTION_XI)
                ki_text_add(text, " = ");
            ki_text_add(text, scalar ? "to->%s" : "to->%s[%d]", MEMBER[s], number);
            return;
        }
        number -= n->model->count[s];
    }
}

/* Rows and outputs ask for these now and then. Steps ask for the energy alone only where there are no
 * constraints, with which it comes otherwise. */
static bool is_rare(const keel_system *system, unsigned what) {
    return (what == KEEL_ENERGY && keel_system_m(system) > 0) || what == KEEL_XI;
}

static void take_back(ki_text *text, size_t length) {
    if (text->failed)
        return;
    text->length = length;
    text->at[length] = 0;
}

static bool emit_program(const ki_model *model, const ki_programs *programs, int i, ki_emitted *emitted,
                         ki_text *text) {
    size_t before = text->length;
    naming names = {model, programs->at[i].what, &emitted->reads[i], false, false};
    ki_spelling spelling = {.user = &names, .input = write_input, .output = write_output};
    ki_text_add(text, "void keel_program_%d(const struct point *at, const double *w, struct terms *to) {\n",
                i);
    ki_text_add(text, "    (void)at, (void)w;\n");
    bool ok = ki_emit_tape(programs->at[i].tape, &spelling, text);
    ki_text_add(text, "}\n\n");
    if (!ok)
        take_back(text, before);
    return ok;
}

/* What ki_rate_by_code (src/formulate/rate.c) asks for. */
static unsigned terms_of_rate(const keel_system *system) {
    return KEEL_MASS | KEEL_JACOBIAN | KEEL_FORCE | KEEL_XI | (system->f_needs_lambda ? 0u : KEEL_STATES) |
           KEEL_POWER | (system->has_drivers ? KEEL_VELOCITY : 0u);
}

/* What explicit steps ask for, then the linearisation of implicit ones; all else comes after these. */
static int by_use(const keel_system *system, unsigned available, unsigned order[]) {
    unsigned rate = terms_of_rate(system), matrices = KEEL_MASS | KEEL_JACOBIAN;
    const unsigned uses[] = {rate,
                             rate & ~matrices,
                             KEEL_POSITION | KEEL_VELOCITY,
                             KEEL_POSITION | KEEL_JACOBIAN,
                             matrices | KEEL_VELOCITY,
                             matrices | KEEL_VELOCITY | KEEL_POSITION,
                             KEEL_POSITION | KEEL_ENERGY,
                             KEEL_VELOCITY | KEEL_ENERGY | (rate & ~matrices),
                             KEEL_VELOCITY | KEEL_ENERGY,
                             KEEL_VELOCITY | KEEL_JACOBIAN,
                             matrices,
                             KEEL_AUXILIARY,
                             KEEL_VELOCITY,
                             KEEL_POSITION,
                             KEEL_TANGENT};
    enum { COUNT = sizeof uses / sizeof *uses };
    for (int i = 0; i < COUNT; i++)
        order[i] = uses[i] & available;
    return COUNT;
}

static void emit_within(const ki_model *model, const ki_programs *programs, int i, long *left,
                        ki_emitted *emitted, ki_text *text) {
    long length = ki_emit_length(programs->at[i].tape);
    if (emitted->has[i] || is_rare(&model->system, programs->at[i].what) || length > *left)
        return;
    emitted->has[i] = emit_program(model, programs, i, emitted, text);
    emitted->programs += emitted->has[i];
    *left -= length;
}

static void emit_programs(const ki_model *model, const ki_programs *programs, ki_emitted *emitted,
                          ki_text *text) {
    unsigned order[16];
    int count = by_use(&model->system, model->available, order);
    long left = MOST_INSTRUCTIONS;
    for (int k = 0; k < count; k++)
        for (int i = 0; i < programs->count; i++)
            if (programs->at[i].what == order[k])
                emit_within(model, programs, i, &left, emitted, text);
    for (int i = 0; i < programs->count; i++)
        emit_within(model, programs, i, &left, emitted, text);
}

static void emit_kernel(const keel_saddle *K, int unknowns, ki_emitted *emitted, ki_text *text) {
    size_t before = text->length;
    emitted->path = keel_saddle_path_taken(K);
    bool sparse = emitted->path == KEEL_SADDLE_SPARSE;
    long most = sparse ? MOST_OPERATIONS_SPARSE : MOST_OPERATIONS_DENSE;
    emitted->kernel =
        (sparse ? 2 * keel_saddle_factor_work(K) <= (double)most : unknowns <= MOST_UNKNOWNS_DENSE) &&
        ki_emit_saddle(K, most, text);
    if (!emitted->kernel)
        take_back(text, before);
}

/* A rate from the point to accelerations in one function. On the dense path equal entries of J are then one
 * variable to the compiler, and what is made of them is computed once. The systems of the sparse path are too
 * long for that: values do not stay in registers from one part to the next. */
static bool emit_rate(const ki_model *model, const ki_programs *programs, const keel_saddle *K, int i,
                      ki_text *text) {
    unsigned reads = 0;
    naming names = {model, programs->at[i].what, &reads, true, false};
    ki_spelling spelling = {.user = &names, .input = write_input, .output = write_output};
    ki_text_add(text,
                "int keel_accelerate(const struct places *k, const struct point *at, struct terms *to,\n"
                "                    double *x, double *y) {\n");
    if (keel_saddle_path_taken(K) == KEEL_SADDLE_DENSE)
        return ki_emit_tape(programs->at[i].tape, &spelling, text) && ki_emit_through(K, text);
    ki_text_add(text,
                "    keel_program_%d(at, 0, to);\n"
                "    return keel_factor(k, to->M, to->J) == 1 && keel_solve(k, to->Q, to->xi, x, y);\n}\n\n",
                i);
    return true;
}

/* Rates of which only v' and W' are asked for, one after another. */
static bool emit_stages(const ki_model *model, const ki_programs *programs, const keel_saddle *K, int i,
                        ki_text *text) {
    unsigned reads = 0;
    naming names = {model, programs->at[i].what, &reads, true, true};
    ki_spelling spelling = {.user = &names, .input = write_input, .output = write_output};
    if (keel_saddle_path_taken(K) != KEEL_SADDLE_DENSE || model->system.n_z)
        return false;
    ki_emit_stages_begin(&model->system, text);
    bool ok = ki_emit_tape(programs->at[i].tape, &spelling, text) && ki_emit_stage(K, text);
    ki_emit_stages_end(&model->system, text);
    return ok;
}

static void emit_through(const ki_model *model, const ki_programs *programs, const keel_saddle *K,
                         ki_emitted *emitted, ki_text *text) {
    const keel_system *system = &model->system;
    size_t before = text->length;
    emitted->what = terms_of_rate(system);
    if (!emitted->kernel || model->coupling || system->n_s || system->Q_lambda.rows)
        return;
    int i = 0;
    while (i < programs->count &&
           !(programs->at[i].what == (emitted->what & model->available) && emitted->has[i]))
        i++;
    if (i == programs->count)
        return;
    emitted->through = emit_rate(model, programs, K, i, text);
    if (!emitted->through)
        take_back(text, before);
    before = text->length;
    emitted->stages = emit_stages(model, programs, K, i, text);
    if (!emitted->stages)
        take_back(text, before);
}

bool ki_emit_model(const ki_model *model, const ki_programs *programs, ki_emitted *emitted, ki_text *text) {
    const keel_system *system = &model->system;
    int unknowns = system->n_v + keel_system_m(system);
    keel_saddle *K = unknowns <= MOST_UNKNOWNS ? keel_saddle_new(system->M, system->J, NULL) : NULL;
    *emitted = (ki_emitted){0};
    const char *pragma = K && keel_saddle_path_taken(K) == KEEL_SADDLE_DENSE ? "" : LONG;
    ki_text_add(text, "%s%s%s\n", pragma, DECLARATIONS, ki_sine_text);
    emit_programs(model, programs, emitted, text);
    if (K) {
        emit_kernel(K, unknowns, emitted, text);
        emit_through(model, programs, K, emitted, text);
        keel_saddle_free(K);
    }
    return (K || unknowns > MOST_UNKNOWNS) && !text->failed;
}
