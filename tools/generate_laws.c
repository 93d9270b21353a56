/* generate_laws.c - plain C from the laws of joints (src/laws/).
 *
 *     generate_laws FOLDER
 *
 * writes FOLDER/<joint>.inc, functions of each role over numbers of a type REAL, and FOLDER/joints.c, the
 * table of joints of the mechanism layer with the functions over doubles. The folder is
 * src/mechanism/generated: its files are committed, and a test compares them with what this program makes.
 *
 * In <joint>.inc JOINT, STATE, RELATIVE and ROW are types with the members of ki_joint, ki_state, ki_relative
 * and ki_row over REAL.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "laws/function.h"
#include "native/emit.h"

enum { NAME = KI_LAW_NAME };

static void stop(const char *what, const char *name) {
    fprintf(stderr, "generate_laws: %s %s\n", what, name);
    exit(1);
}

static void write_input(const void *user, int number_of, ki_text *text) {
    ki_text_add(text, "%s", ((const ki_law_function *)user)->input[number_of]);
}

static void write_output(const void *user, int number_of, ki_text *text) {
    ki_text_add(text, "%s", ((const ki_law_function *)user)->output[number_of]);
}

static bool is_wanted(const void *user, int number_of) {
    return !((const ki_law_function *)user)->unwanted[number_of];
}

/* ---- functions ------------------------------------------------------------------------------------------
 */

/* Parameters by letter: j joint, q, v, p relative (read), P relative (written), S, B bias, 0 1 states, a b
 * points, R rows, y coordinates (written). */
static void write_head(FILE *out, const char *name, const char *what, const char *parameters) {
    static const char *const KNOWN[128] = {['j'] = "const JOINT *joint", ['q'] = "const REAL *q",
                                           ['v'] = "const REAL *v",      ['p'] = "const RELATIVE *relative",
                                           ['P'] = "RELATIVE *relative", ['S'] = "REAL *S",
                                           ['B'] = "REAL *bias",         ['0'] = "const STATE *s0",
                                           ['1'] = "const STATE *s1",    ['a'] = "const REAL *r0",
                                           ['b'] = "const REAL *r1",     ['F'] = "const ELEMENT *force",
                                           ['f'] = "const REAL *f",      ['L'] = "LOAD *load",
                                           ['R'] = "ROW *rows",          ['y'] = "REAL *q"};
    fprintf(out, "\nstatic inline void KI_LAW(%s_%s)(", name, what);
    for (const char *c = parameters; *c; c++)
        fprintf(out, "%s%s", c == parameters ? "" : ", ", KNOWN[(unsigned char)*c]);
    fprintf(out, ") {\n   ");
    for (const char *c = parameters; *c; c++) {
        const char *word = strrchr(KNOWN[(unsigned char)*c], ' ') + 1;
        fprintf(out, "%s (void)%s", c == parameters ? "" : ",", *word == '*' ? word + 1 : word);
    }
    fprintf(out, ";\n");
}

static void write_function(FILE *out, ki_law_function *f, const char *name, const char *what,
                           const char *parameters) {
    ki_tape *tape = ki_tape_new(f->g, f->value, f->outputs, f->inputs);
    ki_spelling spelling = {f, write_input, write_output, true, is_wanted};
    ki_text text = {0};
    if (!tape || !ki_emit_tape(tape, &spelling, &text))
        stop("cannot write", name);
    write_head(out, name, what, parameters);
    fprintf(out, "%s}\n", f->outputs ? text.at : "");
    ki_text_clear(&text);
    ki_tape_free(tape);
    ki_law_function_free(f);
}

static bool bends(const ki_joint_law_role *role, bool plane) {
    ki_law_function f;
    bool any = ki_law_bias_function(role, plane, &f);
    if (any)
        ki_law_function_free(&f);
    return any;
}

static void write_tree(FILE *out, const ki_joint_law_role *role, bool plane, const char *name) {
    ki_law_function f;
    if (ki_law_place_function(role, plane, &f))
        write_function(out, &f, name, "place", "jqP");
    if (ki_law_columns_function(role, plane, &f))
        write_function(out, &f, name, "columns", "jqS");
    if (ki_law_bias_function(role, plane, &f))
        write_function(out, &f, name, "bias", "jqvB");
    if (ki_law_fit_function(role, plane, &f))
        write_function(out, &f, name, "fit", "jpy");
}

static void write_rows(FILE *out, const ki_joint_law_role *role, bool plane, const char *name) {
    ki_law_function f;
    for (int moving = 0; moving < 2; moving++)
        if (ki_law_rows_function(role, plane, moving, &f))
            write_function(out, &f, name, moving ? "rows_moving" : "rows", "j01R");
    for (int k = 0; k < 2 * role->coordinates; k++) {
        char what[NAME];
        snprintf(what, sizeof what, "measure_%d%s", k / 2, k % 2 ? "_moving" : "");
        if (ki_law_measure_function(role, plane, k / 2, k % 2, &f))
            write_function(out, &f, name, what, "j01R");
    }
}

static void write_between(FILE *out, bool plane, int k, bool moving) {
    ki_law_function f;
    char what[NAME];
    ki_law_between_function(plane, k, moving, &f);
    if (k < 0)
        snprintf(what, sizeof what, "length%s", moving ? "_moving" : "");
    else
        snprintf(what, sizeof what, "apart_%d%s", k, moving ? "_moving" : "");
    write_function(out, &f, plane ? "planar" : "spatial", what, "01abR");
}

/* ---- the table ------------------------------------------------------------------------------------------
 */

static void write_quaternion(FILE *out, const char *name, int slides) {
    fprintf(out,
            "\nstatic void %s_kinematics(const double *q, const double *v, double *q_rate) {\n"
            "    for (int i = 0; i < %d; i++)\n        q_rate[i] = v[i];\n"
            "    ki_quaternion_rate(q + %d, v + %d, q_rate + %d);\n}\n"
            "\nstatic void %s_advance(double *q, const double *dv) {\n"
            "    for (int i = 0; i < %d; i++)\n        q[i] += dv[i];\n"
            "    ki_quaternion_advance(q + %d, dv + %d);\n}\n",
            name, slides, slides, slides, slides, name, slides, slides, slides);
    fprintf(out,
            "\nstatic void %s_pull(const double *q, const double *dq, double *dv) {\n"
            "    for (int i = 0; i < %d; i++)\n        dv[i] = dq[i];\n"
            "    ki_quaternion_pull(q + %d, dq + %d, dv + %d);\n}\n",
            name, slides, slides, slides, slides);
}

static void write_tree_calls(FILE *out, const ki_joint_law_role *role, bool plane, const char *name) {
    const char *bias = bends(role, plane) ? "_bias(joint, q, v, bias);" : NULL;
    fprintf(out,
            "\nstatic void %s_columns_at(const ki_joint *joint, const double *q, const double *v, double *S, "
            "double *bias) {\n    %s_columns(joint, q, S);\n    if (v)\n        ",
            name, name);
    if (bias)
        fprintf(out, "%s%s\n}\n", name, bias);
    else
        fprintf(out, "memset(bias, 0, %d * sizeof *bias);\n}\n", plane ? 3 : 6);
    if (role->n_q <= role->n_v)
        return;
    fprintf(out,
            "\nstatic void %s_fit_at(const ki_joint *joint, const ki_relative *relative, double *q) {\n"
            "    %s_fit(joint, relative, q);\n    ki_matrix_quaternion(relative->R, q + %d);\n}\n",
            name, name, role->n_q - 4);
    write_quaternion(out, name, role->n_q - 4);
}

/* Angles of coordinates in the tree count turns; those of poses in space are in (-pi, pi]. */
static void write_measure_calls(FILE *out, const ki_joint_law_role *role, bool plane, const char *name) {
    fprintf(out,
            "\nstatic void %s_measure_at(const ki_joint *joint, const ki_state *s0, const ki_state *s1,\n"
            "        const double *q, int k, ki_level level, ki_row *row) {\n    (void)q;\n"
            "    switch (2 * k + (level == KI_AT_VELOCITY)) {\n",
            name);
    for (int k = 0; k < 2 * role->coordinates; k++) {
        if (k < 2 * role->coordinates - 1)
            fprintf(out, "    case %d:\n", k);
        else
            fprintf(out, "    default:\n");
        fprintf(out, "        %s_measure_%d%s(joint, s0, s1, row);\n        break;\n", name, k / 2,
                k % 2 ? "_moving" : "");
    }
    fprintf(out, "    }\n");
    for (int k = 0; k < role->coordinates; k++)
        if (role->turns[k])
            fprintf(out, "    if (k == %d)\n        row->value = q ? q[%d] : %srow->value%s;\n", k, k,
                    plane ? "" : "ki_half_open(", plane ? "" : ")");
    fprintf(out, "}\n");
}

static void write_calls(FILE *out, const ki_joint_law_role *role, bool plane, const char *name) {
    if (role->n_v >= 0)
        write_tree_calls(out, role, plane, name);
    if (role->rows)
        fprintf(out,
                "\nstatic void %s_rows_at(const ki_joint *joint, const ki_state *s0, const ki_state *s1, "
                "ki_level level, ki_row *rows) {\n"
                "    if (level == KI_AT_VELOCITY)\n        %s_rows_moving(joint, s0, s1, rows);\n"
                "    else\n        %s_rows(joint, s0, s1, rows);\n}\n",
                name, name, name);
    if (role->measure)
        write_measure_calls(out, role, plane, name);
}

static void write_words(FILE *out, const char *field, const char *const *word, int count) {
    if (count <= 0)
        return;
    fprintf(out, "    .%s = {", field);
    for (int i = 0; i < count; i++)
        fprintf(out, "%s\"%s\"", i ? ", " : "", word[i]);
    fprintf(out, "},\n");
}

static void write_counts(FILE *out, const ki_joint_law_role *role) {
    const struct {
        const char *field;
        int value;
    } count[] = {{"conditions", role->conditions},
                 {"n_q", role->n_q},
                 {"n_v", role->n_v},
                 {"n_h", role->n_h},
                 {"n_n", role->n_n},
                 {"world_rows", role->world_rows},
                 {"turning_rows", role->turning_rows},
                 {"pressing", role->pressing},
                 {"coordinates", role->coordinates}};
    for (size_t i = 0; i < sizeof count / sizeof *count; i++)
        if (count[i].value)
            fprintf(out, "    .%s = %d,\n", count[i].field, count[i].value);
}

static void write_role(FILE *out, const ki_joint_law_role *role, bool plane, const char *name) {
    bool quaternion = role->n_q > role->n_v && role->n_v >= 0, tree = role->n_v >= 0;
    fprintf(out, "\nstatic const ki_joint_role %s = {\n", name);
    write_counts(out, role);
    write_words(out, "q_name", role->q_name, role->n_q);
    write_words(out, "v_name", role->v_name, role->n_v);
    write_words(out, "row_name", role->row_name, role->n_h + role->n_n);
    write_words(out, "coordinate_name", role->coordinate_name, role->coordinates);
    fprintf(out, "    .turns = {%d, %d, %d},\n", role->turns[0], role->turns[1], role->turns[2]);
    if (tree)
        fprintf(out, "    .place = %s_place,\n    .columns = %s_columns_at,\n    .fit = %s_fit%s,\n", name,
                name, name, quaternion ? "_at" : "");
    if (quaternion)
        fprintf(out, "    .kinematics = %s_kinematics,\n    .advance = %s_advance,\n    .pull = %s_pull,\n",
                name, name, name);
    if (tree && bends(role, plane))
        fprintf(out, "    .bends = true,\n");
    if (role->is_pin)
        fprintf(out, "    .is_pin = true,\n");
    if (role->rows)
        fprintf(out, "    .rows = %s_rows_at,\n", name);
    if (role->measure)
        fprintf(out, "    .measure = %s_measure_at,\n", name);
    fprintf(out, "};\n");
}

/* ---- files ----------------------------------------------------------------------------------------------
 */

static void identifier(const char *word, char *name) {
    snprintf(name, NAME, "%s", word);
    for (char *c = name; *c; c++)
        *c = *c == '-' ? '_' : *c;
}

/* The first law with the same role: wheel and disc are one. */
static const ki_joint_law *first_with(const ki_joint_law_role *role, bool plane) {
    const ki_joint_law *const *law = ki_joint_laws;
    while (ki_joint_law_in(*law, plane) != role)
        law++;
    return *law;
}

static void role_name(const ki_joint_law *law, bool plane, char *name) {
    char word[NAME];
    identifier(first_with(ki_joint_law_in(law, plane), plane)->word, word);
    snprintf(name, 2 * NAME, "%s_%s", word, plane ? "planar" : "spatial");
}

static bool is_first(const ki_joint_law *law, bool plane) {
    const ki_joint_law_role *role = ki_joint_law_in(law, plane);
    return role && first_with(role, plane) == law;
}

static FILE *begin(const char *folder, const char *name, const char *suffix) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s%s", folder, name, suffix);
    FILE *out = fopen(path, "w");
    if (!out)
        stop(strerror(errno), path);
    fprintf(out, "/* Made by tools/generate_laws.c from src/laws/: do not edit. */\n");
    return out;
}

static bool has_functions(const ki_joint_law *law) {
    for (int plane = 0; plane < 2; plane++)
        if (is_first(law, plane) && !law->couples)
            return true;
    return false;
}

static void write_types(FILE *out, const ki_joint_law *law) {
    char word[NAME], name[2 * NAME];
    const struct {
        const char *field;
        bool value;
    } flag[] = {{"needs_axis", law->needs_axis},   {"needs_length", law->needs_length},
                {"needs_pitch", law->needs_pitch}, {"needs_radius", law->needs_radius},
                {"needs_ratio", law->needs_ratio}, {"one_way", law->one_way},
                {"couples", law->couples}};
    identifier(law->word, word);
    fprintf(out, "\nconst ki_joint_type ki_joint_%s = {\n    .word = \"%s\",\n    .summary = \"%s\",\n", word,
            law->word, law->summary);
    for (int plane = 1; plane >= 0; plane--)
        if (ki_joint_law_in(law, plane)) {
            role_name(law, plane, name);
            fprintf(out, "    .%s = &%s,\n", plane ? "planar" : "spatial", name);
        }
    for (size_t i = 0; i < sizeof flag / sizeof *flag; i++)
        if (flag[i].value)
            fprintf(out, "    .%s = true,\n", flag[i].field);
    fprintf(out, "};\n");
}

static void write_list(FILE *out) {
    char word[NAME];
    fprintf(out, "\nconst ki_joint_type *const ki_joint_types[] = {\n");
    for (const ki_joint_law *const *law = ki_joint_laws; *law; law++) {
        identifier((*law)->word, word);
        fprintf(out, "    &ki_joint_%s,\n", word);
    }
    fprintf(out, "    NULL};\n\n/* They are no constants to a compiler where they stand in the types. */\n"
                 "const char *const ki_joint_words[] = {\n");
    for (const ki_joint_law *const *law = ki_joint_laws; *law; law++)
        fprintf(out, "    \"%s\",\n", (*law)->word);
    fprintf(out, "    NULL};\n");
}

static void finish(FILE *out) {
    if (ferror(out) || fclose(out))
        stop("cannot write", "a file");
}

static void write_joint(const char *folder, const ki_joint_law *law) {
    char word[NAME], name[2 * NAME];
    identifier(law->word, word);
    FILE *out = begin(folder, word, ".inc");
    for (int plane = 1; plane >= 0; plane--)
        if (is_first(law, plane)) {
            role_name(law, plane, name);
            write_tree(out, ki_joint_law_in(law, plane), plane, name);
            write_rows(out, ki_joint_law_in(law, plane), plane, name);
        }
    finish(out);
}

static void write_table(const char *folder) {
    char word[NAME], name[2 * NAME];
    FILE *out = begin(folder, "joints", ".c");
    fprintf(out,
            "/* clang-format off */\n#include <string.h>\n\n#include \"mechanism/joints/law_numbers.h\"\n");
    for (const ki_joint_law *const *law = ki_joint_laws; *law; law++)
        if (has_functions(*law)) {
            identifier((*law)->word, word);
            fprintf(out, "#include \"mechanism/generated/%s.inc\"\n", word);
        }
    for (const ki_joint_law *const *law = ki_joint_laws; *law; law++) {
        for (int plane = 1; plane >= 0; plane--)
            if (is_first(*law, plane)) {
                role_name(*law, plane, name);
                write_calls(out, ki_joint_law_in(*law, plane), plane, name);
                write_role(out, ki_joint_law_in(*law, plane), plane, name);
            }
        write_types(out, *law);
    }
    write_list(out);
    finish(out);
}

/* TREE, BENDS and ROWS(name) of what each role has, and MEASURE(name, k). */
static void write_roles(const char *folder) {
    char name[2 * NAME];
    FILE *out = begin(folder, "roles", ".inc");
    for (const ki_joint_law *const *law = ki_joint_laws; *law; law++)
        for (int plane = 1; plane >= 0; plane--) {
            const ki_joint_law_role *role = ki_joint_law_in(*law, plane);
            if (!is_first(*law, plane))
                continue;
            role_name(*law, plane, name);
            if (role->n_v >= 0)
                fprintf(out, "TREE(%s)\n", name);
            if (bends(role, plane))
                fprintf(out, "BENDS(%s)\n", name);
            if (role->rows)
                fprintf(out, "ROWS(%s)\n", name);
            for (int k = 0; k < role->coordinates; k++)
                fprintf(out, "MEASURE(%s, %d)\n", name, k);
        }
    finish(out);
}

/* A resistance knows no bodies, and is the same in the plane and in space. */
static void write_forces(const char *folder) {
    FILE *out = begin(folder, "forces", ".inc"), *list = begin(folder, "force_roles", ".inc");
    for (const ki_force_law *const *law = ki_force_laws; *law; law++)
        for (int plane = (*law)->scalar ? 0 : 1; plane >= 0; plane--) {
            ki_law_function f;
            const char *space = (*law)->scalar ? "scalar" : plane ? "planar" : "spatial";
            ki_law_force_function(*law, plane, &f);
            write_function(out, &f, space, (*law)->word, "01FfL");
            fprintf(list, "FORCE(%s_%s)\n", space, (*law)->word);
        }
    finish(out);
    finish(list);
}

static void write_points(const char *folder) {
    FILE *out = begin(folder, "points", ".inc");
    for (int plane = 1; plane >= 0; plane--)
        for (int k = -1; k < (plane ? 2 : 3); k++)
            for (int moving = 0; moving < 2; moving++)
                write_between(out, plane, k, moving);
    finish(out);
}

int main(int count, char **argument) {
    if (count != 2)
        stop("usage: generate_laws", "FOLDER");
    for (const ki_joint_law *const *law = ki_joint_laws; *law; law++)
        if (has_functions(*law))
            write_joint(argument[1], *law);
    write_points(argument[1]);
    write_forces(argument[1]);
    write_table(argument[1]);
    write_roles(argument[1]);
    return 0;
}
