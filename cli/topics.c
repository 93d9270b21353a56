/* The words that `keel help` knows, from the tables of commands, methods, joints and options. */
#include <string.h>

#include "cli.h"
#include "mechanism/joint.h"

static keel_word command_word(int i) {
    return (keel_word){CLI_COMMANDS[i]->name, CLI_COMMANDS[i]->summary};
}

static keel_word option_word(int i) {
    int count;
    const keel_option *option = &keel_options(&count)[i];
    return (keel_word){option->name, option->help};
}

static int joint_count(void) {
    int count = 0;
    while (ki_joint_types[count])
        count++;
    return count;
}

int cli_topic_count(cli_topic_kind kind) {
    int count = 0;
    switch (kind) {
    case CLI_TOPIC_COMMAND:
        return CLI_COMMAND_COUNT;
    case CLI_TOPIC_INTEGRATOR:
        return KEEL_INTEGRATORS;
    case CLI_TOPIC_FORMULATION:
        return KEEL_FORMULATIONS;
    case CLI_TOPIC_STABILIZER:
        return KEEL_STABILIZERS;
    case CLI_TOPIC_JOINT:
        return joint_count();
    case CLI_TOPIC_OPTION:
        keel_options(&count);
        return count;
    default:
        return 0;
    }
}

keel_word cli_topic(cli_topic_kind kind, int i) {
    switch (kind) {
    case CLI_TOPIC_COMMAND:
        return command_word(i);
    case CLI_TOPIC_INTEGRATOR:
        return keel_integrator_word((keel_integrator)i);
    case CLI_TOPIC_FORMULATION:
        return keel_formulation_word((keel_formulation)i);
    case CLI_TOPIC_STABILIZER:
        return keel_stabilize_word((keel_stabilize)i);
    case CLI_TOPIC_JOINT:
        return (keel_word){ki_joint_types[i]->word, ki_joint_types[i]->summary};
    default:
        return option_word(i);
    }
}

void cli_write_paragraph(FILE *file, const char *text, int column, int indent) {
    enum { WIDTH = 96 };
    bool fresh = true;
    while (*text) {
        size_t blanks = strspn(text, " "), length = strcspn(text + blanks, " ");
        if (!fresh && column + (int)(blanks + length) > WIDTH) {
            fprintf(file, "\n%*s", indent, "");
            column = indent;
            blanks = 0;
            text += strspn(text, " ");
        }
        fprintf(file, "%.*s", (int)(blanks + length), text);
        column += (int)(blanks + length);
        text += blanks + length;
        fresh = false;
    }
    fputc('\n', file);
}

void cli_write_page(const char *page) {
    char folder[CLI_PATH];
    const char *found = cli_shipped(KEEL_DOCS_BESIDE_PROGRAM, KEEL_DOCS_IN_SOURCE, folder);
    printf("  page       %s/%s\n", found ? found : "docs", page);
}

static void write_names(const char *label, const char *const *names, int count) {
    if (!count)
        return;
    printf("    %-12s ", label);
    for (int i = 0; i < count; i++)
        printf("%s%s", i ? ", " : "", names[i]);
    printf("\n");
}

/* A joint in the plane or in space. Freedoms and conditions add up to `d`, except for couplings, which tie
 * joints and not bodies. */
static void write_role(const ki_joint_type *type, const char *where, const ki_joint_role *role, int d) {
    printf("\n  %s\n", where);
    if (!role) {
        printf("    does not exist there\n");
        return;
    }
    printf("    %-12s %d", "conditions", role->conditions);
    if (role->n_n)
        printf(", %d of them on velocities only", role->n_n);
    printf("\n");
    if (!type->couples)
        printf("    %-12s %d\n", "freedoms", d - role->conditions);
    write_names("coordinates", role->coordinate_name, role->coordinates);
    write_names("rows", role->row_name, role->n_h + role->n_n);
}

void cli_write_joint(int i) {
    const ki_joint_type *type = ki_joint_types[i];
    const char *needs[6];
    int count = 0;
    const struct {
        bool needed;
        const char *name;
    } fields[] = {{type->couples, "joints"},      {type->needs_axis, "axis"},
                  {type->needs_length, "length"}, {type->needs_pitch, "pitch"},
                  {type->needs_radius, "radius"}, {type->needs_ratio, "ratio"}};
    for (unsigned f = 0; f < sizeof fields / sizeof *fields; f++)
        if (fields[f].needed)
            needs[count++] = fields[f].name;
    printf("%s - %s\n\n  joint, NAME: {type: %s, %s, ...}\n", type->word, type->summary, type->word,
           type->couples ? "joints: [A, B]" : "bodies: [A, B]");
    if (count) {
        printf("\n");
        write_names("needs", needs, count);
    }
    if (type->one_way)
        printf("    %-12s the two bodies play different parts\n", "one way");
    write_role(type, "in the plane", type->planar, 3);
    write_role(type, "in space", type->spatial, 6);
    printf("\n");
    cli_write_page("joints.md");
}

void cli_write_option(int i) {
    int count;
    char text[CLI_TITLE];
    const keel_option *o = &keel_options(&count)[i];
    printf("%s - %s\n\n  option, --option %s=VALUE, or a key of 'simulate' in the model file\n\n", o->name,
           o->help, o->name);
    printf("    %-12s %s\n", "type", cli_option_type(o));
    printf("    %-12s %s\n", "default", cli_option_default(o, text));
    printf("    %-12s %s\n", o->type == KEEL_OPTION_WORD ? "words" : "range", cli_option_range(o, text));
    if (o->unit[0])
        printf("    %-12s %s\n", "unit", o->unit);
    printf("\n");
    cli_write_page("command-line.md");
}
