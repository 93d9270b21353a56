/* json_paths FILE - checks strictly that the file is JSON and prints "path value" for every member. */
#include <stdlib.h>

#include "json.h"

static void print(void *user, const char *path, const char *value) {
    (void)user;
    printf("%s %s\n", path, value);
}

int main(int argc, char **argv) {
    static char text[1 << 26];
    FILE *file = argc == 2 ? fopen(argv[1], "r") : NULL;
    if (!file || fread(text, 1, sizeof text - 1, file) == 0 || fclose(file)) {
        fprintf(stderr, "usage: json_paths FILE, a file that is not empty\n");
        return 2;
    }
    const char *wrong = json_read(text, print, NULL);
    if (wrong)
        fprintf(stderr, "%s: not JSON from byte %ld on\n", argv[1], (long)(wrong - text));
    return wrong ? 1 : 0;
}
