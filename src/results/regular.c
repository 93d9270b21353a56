#include "results/regular.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Opening a pipe must not wait for somebody to write. */
FILE *ki_open_regular(const char *path) {
    struct stat facts;
    int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (file < 0)
        return NULL;
    int error = fstat(file, &facts)      ? errno
                : S_ISDIR(facts.st_mode) ? EISDIR
                : S_ISREG(facts.st_mode) ? 0
                                         : ENOTSUP;
    FILE *stream = error ? NULL : fdopen(file, "rb");
    if (stream)
        return stream;
    error = error ? error : errno;
    close(file);
    errno = error;
    return NULL;
}

const char *ki_regular_problem(void) {
    return errno == ENOTSUP ? "it is a pipe or a device; results are read from files" : strerror(errno);
}
