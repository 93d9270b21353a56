/* keel models - the models that come with Keel; and where a model is that is called by its name.
 *
 * They are installed beside the program, PREFIX/share/keel/models; a program that was not installed takes
 * those of the source tree it was built from.
 */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/names.h"
#include "cli.h"

enum { HELP };

static const cli_flag FLAGS[] = {
    [HELP] = {"help", 'h', NULL, "this text"},
};
enum { FLAG_COUNT = sizeof FLAGS / sizeof *FLAGS };

static void help(FILE *file) {
    fprintf(file,
            "usage: keel models [MODEL]\n\n"
            "Lists the models that come with Keel, or tells where one is and what its file says of it.\n"
            "Every command that takes a model takes these names: keel run andrews.\n\n");
    cli_flags_help(file, FLAGS, FLAG_COUNT);
}

static bool is_folder(const char *path) {
    struct stat facts;
    return stat(path, &facts) == 0 && S_ISDIR(facts.st_mode);
}

static bool is_file(const char *path) {
    struct stat facts;
    return stat(path, &facts) == 0 && !S_ISDIR(facts.st_mode);
}

const char *cli_shipped(const char *beside_program, const char *in_source, char path[CLI_PATH]) {
    char program[CLI_PATH];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length > 0) {
        program[length] = 0;
        char *slash = strrchr(program, '/');
        if (slash)
            *slash = 0;
        int written = snprintf(path, CLI_PATH, "%s/%s", program, beside_program);
        if (written > 0 && written < CLI_PATH && is_folder(path)) {
            // "/usr/bin/../share" is "/usr/share"
            char *resolved = realpath(path, NULL);
            if (resolved && strlen(resolved) < CLI_PATH)
                strcpy(path, resolved);
            free(resolved);
            return path;
        }
    }
    snprintf(path, CLI_PATH, "%s", in_source);
    return is_folder(path) ? path : NULL;
}

static const char *models_folder(char path[CLI_PATH]) {
    return cli_shipped(KEEL_MODELS_BESIDE_PROGRAM, KEEL_MODELS_IN_SOURCE, path);
}

/* The length of a file name without .yaml; 0 if it does not end so. */
static size_t stem(const char *name) {
    size_t length = strlen(name);
    return length > 5 && strcmp(name + length - 5, ".yaml") == 0 ? length - 5 : 0;
}

static int is_model(const struct dirent *entry) {
    return entry->d_name[0] != '.' && stem(entry->d_name) > 0;
}

cli_names cli_model_names(void) {
    char folder[CLI_PATH];
    struct dirent **entries;
    cli_names names = {0};
    int found = models_folder(folder) ? scandir(folder, &entries, is_model, alphasort) : -1;
    if (found < 0) {
        if (errno == ENOMEM)
            cli_no_memory();
        return names;
    }
    names.name = calloc((size_t)found + 1, sizeof *names.name);
    for (int i = 0; i < found; i++) {
        char *name = names.name ? strndup(entries[i]->d_name, stem(entries[i]->d_name)) : NULL;
        if (name)
            names.name[names.count++] = name;
        else
            cli_no_memory();
        free(entries[i]);
    }
    free(entries);
    return names;
}

void cli_names_free(cli_names *names) {
    for (int i = 0; i < names->count; i++)
        free(names->name[i]);
    free(names->name);
    *names = (cli_names){0};
}

/* The file of a shipped model, whether it exists or not. */
static bool shipped_model(const char *name, char path[CLI_PATH]) {
    char folder[CLI_PATH];
    if (strchr(name, '/') || !*name || !models_folder(folder))
        return false;
    int written = snprintf(path, CLI_PATH, "%s/%s%s", folder, name, stem(name) ? "" : ".yaml");
    return written > 0 && written < CLI_PATH && is_file(path);
}

const char *cli_model_path(const char *name) {
    static char path[CLI_PATH];
    if (name == path || is_file(name) || !shipped_model(name, path))
        return name;
    return path;
}

bool cli_explain_missing_model(const char *command, const char *name) {
    if (strchr(name, '/') || is_file(name) || is_folder(name))
        return false;
    cli_names names = cli_model_names();
    size_t length = stem(name);
    char *word = length ? strndup(name, length) : strdup(name);
    if (!word)
        cli_no_memory();
    const char *closest = word ? ki_closest_name(word, (const char *const *)names.name, names.count) : NULL;
    bool told = closest || !strchr(name, '.');
    if (closest)
        cli_error(command, "there is no file '%s' and no model of that name; did you mean '%s'?", name,
                  closest);
    else if (told)
        cli_error(command,
                  "there is no file '%s' and no model of that name; 'keel models' lists those there are",
                  name);
    free(word);
    cli_names_free(&names);
    return told;
}

/* What a model's file says after `name:`, or its name. */
const char *cli_model_title(const char *name, char title[CLI_TITLE]) {
    char path[CLI_PATH], line[1024];
    snprintf(title, CLI_TITLE, "%s", name);
    errno = 0;
    FILE *file = shipped_model(name, path) ? fopen(path, "r") : NULL;
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, "name:", 5) == 0) {
            char *text = line + 5 + strspn(line + 5, " \"'"), *comment = strstr(text, " #");
            size_t length = comment ? (size_t)(comment - text) : strlen(text);
            while (length > 0 && strchr(" \"'\r\n", text[length - 1]))
                length--;
            snprintf(title, CLI_TITLE, "%.*s", (int)length, text);
            break;
        }
    if (file)
        fclose(file);
    else if (errno == ENOMEM)
        cli_no_memory();
    return title;
}

static int list(void) {
    char folder[CLI_PATH], title[CLI_TITLE];
    cli_names names = cli_model_names();
    if (names.count == 0 && !cli_lacks_memory()) {
        cli_error("models", "the models of Keel are not where they belong: %s beside the program",
                  KEEL_MODELS_BESIDE_PROGRAM);
        cli_names_free(&names);
        return CLI_FAILED;
    }
    int width = 0;
    for (int i = 0; i < names.count; i++)
        width = (int)strlen(names.name[i]) > width ? (int)strlen(names.name[i]) : width;
    for (int i = 0; i < names.count; i++)
        printf("  %-*s  %s\n", width, names.name[i], cli_model_title(names.name[i], title));
    printf("\n%d models in %s. 'keel run NAME' runs one, 'keel models NAME' tells more.\n", names.count,
           models_folder(folder));
    cli_names_free(&names);
    return CLI_OK;
}

/* The comment at the head of a model's file. */
static int describe(const char *name) {
    char path[CLI_PATH], title[CLI_TITLE], line[1024];
    if (!shipped_model(name, path)) {
        if (!cli_explain_missing_model("models", name))
            cli_error("models", "'%s' is not the name of a model that comes with Keel", name);
        return CLI_BAD_INPUT;
    }
    FILE *file = fopen(path, "r");
    if (!file) {
        cli_error("models", "cannot read %s: %s", path, strerror(errno));
        return CLI_FAILED;
    }
    printf("%s\n\n", cli_model_title(name, title));
    while (fgets(line, sizeof line, file) && line[0] == '#')
        printf("%s%s", line[1] == ' ' ? " " : "", line + 1);
    printf("\n  %s\n", path);
    fclose(file);
    return CLI_OK;
}

static int main_models(int argc, char **argv) {
    cli_arguments arguments = {.argc = argc, .argv = argv, .flags = FLAGS, .flag_count = FLAG_COUNT};
    const char *name = NULL;
    int flag;
    while ((flag = cli_next(&arguments)) == CLI_OPERAND && !name)
        name = arguments.value;
    if (flag == HELP) {
        help(stdout);
        return CLI_OK;
    }
    if (flag == CLI_OPERAND)
        cli_error("models", "one model at a time, but got '%s' and '%s'", name, arguments.value);
    if (flag != CLI_END)
        return CLI_BAD_INPUT;
    return name ? describe(name) : list();
}

const cli_command CLI_MODELS = {"models", "list the models that come with Keel", main_models, help};
