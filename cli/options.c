#include "cli.h"

const char *cli_option_type(const keel_option *o) {
    return o->type == KEEL_OPTION_WORD ? "word" : o->type == KEEL_OPTION_GAIN ? "gain" : "number";
}

const char *cli_option_range(const keel_option *o, char buffer[CLI_TITLE]) {
    size_t used = 0, size = CLI_TITLE;
    buffer[0] = 0;
    if (o->type == KEEL_OPTION_WORD)
        for (int i = 0; o->words[i] && used < size; i++)
            used += (size_t)snprintf(buffer + used, size - used, "%s%s", i ? ", " : "", o->words[i]);
    else if (o->most < 1e300)
        snprintf(buffer, size, "%g .. %g", o->least, o->most);
    else if (o->least > -1e300)
        snprintf(buffer, size, ">= %g", o->least);
    else
        snprintf(buffer, size, "any");
    return buffer;
}

const char *cli_option_default(const keel_option *o, char buffer[CLI_TITLE]) {
    if (o->type == KEEL_OPTION_WORD)
        return o->words[(int)o->initial];
    if (o->type == KEEL_OPTION_GAIN)
        return "automatic";
    snprintf(buffer, CLI_TITLE, "%g", o->initial);
    return buffer;
}
