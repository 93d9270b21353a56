#define _GNU_SOURCE    /* memfd_create; NOLINT(bugprone-reserved-identifier,cert-dcl*): the name is the C    \
                          library's */
#include "native/trust.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* The group that has the user alone in it, as many systems give to every user. */
static bool is_group_of_one(gid_t gid) {
    char user_text[2048], group_text[2048];
    struct passwd user, *me = NULL;
    struct group group, *found = NULL;
    if (getpwuid_r(geteuid(), &user, user_text, sizeof user_text, &me) || !me || me->pw_gid != gid ||
        getgrgid_r(gid, &group, group_text, sizeof group_text, &found) || !found ||
        strcmp(group.gr_name, user.pw_name) != 0)
        return false;
    for (char **member = group.gr_mem; *member; member++)
        if (strcmp(*member, user.pw_name) != 0)
            return false;
    return true;
}

static bool others_may_write(const struct stat *facts) {
    return facts->st_mode & S_IWOTH || (facts->st_mode & S_IWGRP && !is_group_of_one(facts->st_gid));
}

bool ki_is_private(const struct stat *facts) {
    return facts->st_uid == geteuid() && !others_may_write(facts);
}

/* A folder above: root's or ours, and entries of others cannot be exchanged in it. */
static bool may_stand_above(const struct stat *facts) {
    bool known = facts->st_uid == 0 || facts->st_uid == geteuid();
    return known && (!others_may_write(facts) || facts->st_mode & S_ISVTX);
}

static bool say(char reason[KI_REASON_MAX], const char *format, const char *path, const char *more) {
    snprintf(reason, KI_REASON_MAX, format, path, more);
    return false;
}

bool ki_trust_folder(char path[KI_PATH_MAX], char reason[KI_REASON_MAX]) {
    struct stat facts;
    char *real = realpath(path, NULL);
    if (!real || strlen(real) >= KI_PATH_MAX) {
        free(real);
        return say(reason, "cannot open %.150s: %s", path, strerror(errno ? errno : ENAMETOOLONG));
    }
    strcpy(path, real);
    free(real);
    for (char *slash = path; slash; slash = strchr(slash + 1, '/')) {
        char part[KI_PATH_MAX] = "/";
        if (slash > path)
            snprintf(part, sizeof part, "%.*s", (int)(slash - path), path);
        if (lstat(part, &facts))
            return say(reason, "cannot open %.150s: %s", part, strerror(errno));
        if (!may_stand_above(&facts))
            return say(reason, "others may write to %.150s: %s", part,
                       "code in folders below it is not used");
    }
    if (lstat(path, &facts) || !S_ISDIR(facts.st_mode))
        return say(reason, "%.150s is not a directory%s", path, "");
    if (!ki_is_private(&facts))
        return say(reason, "others may write to %.150s: %s", path, "code in there is not used");
    return true;
}

static char *read_all(int file, size_t size) {
    char *content = malloc(size);
    for (size_t done = 0; content && done < size;) {
        ssize_t got = read(file, content + done, size - done);
        if (got > 0) {
            done += (size_t)got;
        } else if (!got || errno != EINTR) {
            free(content);
            content = NULL;
        }
    }
    return content;
}

char *ki_read_private(const char *path, size_t *size) {
    struct stat facts;
    int file = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0)
        return NULL;
    bool good = !fstat(file, &facts) && S_ISREG(facts.st_mode) && ki_is_private(&facts) && facts.st_size > 0;
    *size = good ? (size_t)facts.st_size : 0;
    char *content = good ? read_all(file, *size) : NULL;
    close(file);
    return content;
}

bool ki_write_all(int file, const char *at, size_t size) {
    while (size) {
        ssize_t written = write(file, at, size);
        if (written < 0 && errno != EINTR)
            return false;
        at += written > 0 ? written : 0;
        size -= written > 0 ? (size_t)written : 0;
    }
    return true;
}

void *ki_load_bytes(const void *bytes, size_t size, int *file) {
    char path[64];
    void *library = NULL;
    *file = memfd_create("keel-code", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (*file < 0)
        return NULL;
    snprintf(path, sizeof path, "/proc/self/fd/%d", *file);
    if (ki_write_all(*file, bytes, size) &&
        !fcntl(*file, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL))
        library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        close(*file);
        *file = -1;
    }
    return library;
}
