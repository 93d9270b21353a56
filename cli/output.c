#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"

bool cli_same_file(const char *a, const char *b) {
    struct stat x, y;
    bool a_exists = stat(a, &x) == 0, b_exists = stat(b, &y) == 0;
    if (!a_exists || !b_exists)
        return strcmp(a, b) == 0;
    return S_ISREG(x.st_mode) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

static const char SUFFIX[] = ".XXXXXX";

/* A temporary file with the given permissions in the folder of `target`. */
static bool open_beside(cli_output *output, const char *target, mode_t mode) {
    size_t length = strlen(target);
    output->temporary = malloc(length + sizeof SUFFIX);
    if (!output->temporary)
        return false;
    memcpy(output->temporary, target, length);
    memcpy(output->temporary + length, SUFFIX, sizeof SUFFIX);
    int descriptor = mkstemp(output->temporary);
    if (descriptor >= 0) {
        output->file = fchmod(descriptor, mode) == 0 ? fdopen(descriptor, "w") : NULL;
        if (output->file)
            return true;
        close(descriptor);
        unlink(output->temporary);
    }
    int error = errno;
    free(output->temporary);
    output->temporary = NULL;
    errno = error;
    return false;
}

/* Permissions of a new file. */
static mode_t new_file_mode(void) {
    mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

bool cli_output_open(cli_output *output, const char *path) {
    *output = (cli_output){.file = NULL};
    if (strcmp(path, "-") == 0) {
        output->file = stdout;
        return true;
    }
    struct stat status;
    bool exists = stat(path, &status) == 0;
    if (exists && !S_ISREG(status.st_mode)) {
        output->file = fopen(path, "w");
        return output->file != NULL;
    }
    // a read-only file stays as it is, and a symbolic link stays one: what it points to is replaced
    if (exists && access(path, W_OK))
        return false;
    char *target = exists ? realpath(path, NULL) : NULL;
    bool opened =
        open_beside(output, target ? target : path, exists ? status.st_mode & 0777 : new_file_mode());
    free(target);
    return opened;
}

/* errno of writing a file there, 0 if nothing is in the way. */
static int obstacle(const char *path) {
    struct stat status;
    if (strcmp(path, "-") == 0)
        return 0;
    if (stat(path, &status) == 0)
        return S_ISDIR(status.st_mode) ? EISDIR : access(path, W_OK) ? errno : 0;
    if (errno != ENOENT)
        return errno;
    const char *slash = strrchr(path, '/');
    char *folder = slash ? strndup(path, slash == path ? 1 : (size_t)(slash - path)) : strdup(".");
    int error = !folder ? ENOMEM : slash && !slash[1] ? EISDIR : access(folder, W_OK | X_OK) ? errno : 0;
    free(folder);
    return error;
}

bool cli_output_possible(const char *command, const char *path) {
    int error = obstacle(path);
    if (error)
        cli_error(command, "cannot write %s: %s", path, strerror(error));
    return error == 0;
}

bool cli_folder_possible(const char *command, const char *path) {
    if (access(path, W_OK | X_OK) == 0)
        return true;
    cli_error(command, "cannot write into the folder %s: %s", path, strerror(errno));
    return false;
}

/* Closes the file; false if something written to it is lost. */
static bool finish(cli_output *output) {
    FILE *file = output->file;
    output->file = NULL;
    bool good = fflush(file) == 0 && !ferror(file);
    if (file == stdout)
        return good;
    return fclose(file) == 0 && good;
}

bool cli_output_commit(cli_output *output) {
    if (!finish(output)) {
        int error = errno;
        cli_output_discard(output);
        errno = error;
        return false;
    }
    if (!output->temporary)
        return true;
    size_t length = strlen(output->temporary) + 1 - sizeof SUFFIX;
    char *target = calloc(1, length + 1);
    bool renamed = target && rename(output->temporary, memcpy(target, output->temporary, length)) == 0;
    int error = errno;
    free(target);
    if (renamed) {
        free(output->temporary);
        output->temporary = NULL;
    }
    cli_output_discard(output);
    errno = error;
    return renamed;
}

void cli_output_discard(cli_output *output) {
    if (output->file)
        finish(output);
    if (output->temporary)
        unlink(output->temporary);
    free(output->temporary);
    output->temporary = NULL;
}
