/* main.c - the metamorphic test: what must not matter to the motion of a mechanism. docs/metamorph.md. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "drawing.h"
#include "variants.h"

/* "four_bar.driven"; without a mode: the first one of the family. */
static const family *find_family(const char *name, drive_mode *mode) {
    const char *point = strchr(name, '.');
    size_t length = point ? (size_t)(point - name) : strlen(name);
    for (int i = 0; family_number(i); i++) {
        const family *f = family_number(i);
        if (strlen(f->name) != length || strncmp(f->name, name, length))
            continue;
        for (int m = 0; m < DRIVE_MODES; m++)
            if (f->modes >> m & 1 && (!point || !strcmp(point + 1, MODE_NAME[m]))) {
                *mode = (drive_mode)m;
                return f;
            }
    }
    return NULL;
}

static int emit(const char *name, const char *seed, const char *variant_name) {
    drive_mode mode;
    const family *f = find_family(name, &mode);
    const variant *v = find_variant(variant_name);
    if (!f || !v) {
        fprintf(stderr, "metamorph: no %s '%s'; --list tells all\n", f ? "variant" : "family",
                f ? variant_name : name);
        return 2;
    }
    static drawing d;
    draw(f, mode, strtoull(seed, NULL, 10), &d);
    vary(&d, v, strtoull(seed, NULL, 10));
    char *text = drawing_text(&d);
    fputs(text, stdout);
    free(text);
    return 0;
}

int main(int argc, char **argv) {
    if (argc >= 4 && !strcmp(argv[1], "--emit"))
        return emit(argv[2], argv[3], argc > 4 ? argv[4] : "base");
    for (int i = 0; family_number(i); i++)
        printf("%s\n", family_number(i)->name);
    return 0;
}
