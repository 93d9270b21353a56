#include "native/compiler.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

/* No contraction: products are rounded before they are added, as on the tape. pow stays a call: x^2 by pow
 * and by x x may differ in the last digit. */
static const char *const FLAGS[] = {"-x",
                                    "c",
                                    "-std=c11",
                                    "-O2",
#if defined(__x86_64__)
                                    "-march=native", /* three operands: a sixth fewer instructions */
#endif
                                    "-fno-tree-vectorize",
                                    "-fPIC",
                                    "-shared",
                                    "-w",
                                    "-ffp-contract=off",
                                    "-fno-math-errno",
                                    "-fno-builtin-pow",
                                    "-fvisibility=default"};
enum { FLAG_COUNT = sizeof FLAGS / sizeof *FLAGS };

/* ---- which */

static bool is_program(const char *path) {
    struct stat facts;
    return !stat(path, &facts) && S_ISREG(facts.st_mode) && !access(path, X_OK);
}

static bool find_in_path(const char *name, char path[KI_PATH_MAX]) {
    const char *place = getenv("PATH");
    if (strchr(name, '/')) {
        snprintf(path, KI_PATH_MAX, "%s", name);
        return is_program(path);
    }
    for (; place && *place; place += strcspn(place, ":"), place += *place == ':') {
        int length = snprintf(path, KI_PATH_MAX, "%.*s/%s", (int)strcspn(place, ":"), place, name);
        if (length < KI_PATH_MAX && *place == '/' && is_program(path))
            return true;
    }
    return false;
}

bool ki_compiler_find(ki_compiler *compiler, const char *given) {
    const char *command = given ? given : getenv("CC");
    *compiler = (ki_compiler){0};
    if (!command || !command[strspn(command, " ")])
        command = "cc";
    snprintf(compiler->command, sizeof compiler->command, "%s", command);
    bool whole = strlen(command) < sizeof compiler->command;
    char *rest = NULL;
    for (char *word = strtok_r(compiler->command, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        if (compiler->words == KI_WORDS_MAX)
            whole = false;
        else
            compiler->word[compiler->words++] = word;
    }
    return whole && find_in_path(compiler->word[0], compiler->program);
}

/* What -march=native makes of it; the same cache may be seen by several machines. */
static void hash_processor(ki_hash *hash) {
    static const char *const FACTS[] = {"vendor_id", "cpu family", "model", "stepping", "flags"};
    char line[4096];
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file && fgets(line, sizeof line, file) && *line != '\n') /* the first processor */
        for (size_t i = 0; i < sizeof FACTS / sizeof *FACTS; i++)
            if (!strncmp(line, FACTS[i], strlen(FACTS[i])))
                ki_hash_add(hash, line, strlen(line));
    if (file)
        fclose(file);
}

void ki_compiler_hash(const ki_compiler *compiler, ki_hash *hash) {
    struct stat facts = {0};
    stat(compiler->program, &facts);
    ki_hash_add(hash, &facts.st_size, sizeof facts.st_size);
    ki_hash_add(hash, &facts.st_mtime, sizeof facts.st_mtime);
    ki_hash_add(hash, compiler->program, strlen(compiler->program) + 1);
    for (int i = 1; i < compiler->words; i++)
        ki_hash_add(hash, compiler->word[i], strlen(compiler->word[i]) + 1);
    for (int i = 0; i < FLAG_COUNT; i++)
        ki_hash_add(hash, FLAGS[i], strlen(FLAGS[i]) + 1);
    hash_processor(hash);
}

/* ---- start */

static double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Three files of its own: source, code, messages. */
static bool make_files(const ki_cache *cache, const ki_text *text, ki_compilation *c) {
    char *paths[] = {c->source, c->code, c->messages};
    bool ok = true;
    for (int i = 0; i < 3 && ok; i++) {
        int file = ki_cache_scratch(cache, paths[i]);
        if (file < 0)
            *paths[i] = 0;
        ok = file >= 0 && (i > 0 || ki_write_all(file, text->at, text->length));
        if (file >= 0)
            ok = !close(file) && ok;
    }
    return ok;
}

/* Nothing to read, all it says into a file, a group of its own so that it can be ended with its children. */
static int spawn(const ki_compiler *compiler, ki_compilation *c, char **arguments) {
    posix_spawn_file_actions_t files;
    posix_spawnattr_t how;
    if (posix_spawn_file_actions_init(&files))
        return ENOMEM;
    if (posix_spawnattr_init(&how)) {
        posix_spawn_file_actions_destroy(&files);
        return ENOMEM;
    }
    int failed =
        posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0) ||
        posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, c->messages, O_WRONLY | O_APPEND, 0) ||
        posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO) ||
        posix_spawnattr_setflags(&how, POSIX_SPAWN_SETPGROUP) || posix_spawnattr_setpgroup(&how, 0);
    int error =
        failed ? ENOMEM : posix_spawn(&c->process, compiler->program, &files, &how, arguments, environ);
    posix_spawnattr_destroy(&how);
    posix_spawn_file_actions_destroy(&files);
    if (error)
        c->process = 0;
    return error;
}

bool ki_compiler_start(const ki_compiler *compiler, const ki_cache *cache, const ki_text *text,
                       double patience, ki_compilation *c, char reason[KI_REASON_MAX]) {
    char *arguments[KI_WORDS_MAX + FLAG_COUNT + 5];
    int count = 0;
    *c = (ki_compilation){.patience = patience, .started = seconds_now()};
    if (!make_files(cache, text, c)) {
        snprintf(reason, KI_REASON_MAX, "cannot write to %.150s: %s", cache->directory, strerror(errno));
        ki_compiler_end(c);
        return false;
    }
    for (int i = 0; i < compiler->words; i++)
        arguments[count++] = compiler->word[i];
    for (int i = 0; i < FLAG_COUNT; i++)
        arguments[count++] = (char *)FLAGS[i]; /* execve takes them without const, and leaves them alone */
    arguments[count++] = "-o";
    arguments[count++] = c->code;
    arguments[count++] = c->source;
    arguments[count++] = "-lm";
    arguments[count] = NULL;
    int error = spawn(compiler, c, arguments);
    if (!error)
        return true;
    snprintf(reason, KI_REASON_MAX, "cannot start %.150s: %s", compiler->program, strerror(error));
    ki_compiler_end(c);
    return false;
}

/* ---- end */

static void first_message(const ki_compilation *c, int how, char reason[KI_REASON_MAX]) {
    char line[160] = "";
    FILE *file = fopen(c->messages, "r");
    if (file && fgets(line, sizeof line, file))
        line[strcspn(line, "\n")] = 0;
    for (char *at = line; *at; at++) /* no codes that a terminal would obey */
        *at = (unsigned char)*at < ' ' || *at == 127 ? '?' : *at;
    if (file)
        fclose(file);
    if (WIFEXITED(how))
        snprintf(reason, KI_REASON_MAX, "it ended with status %d%s%s", WEXITSTATUS(how), *line ? ": " : "",
                 line);
    else
        snprintf(reason, KI_REASON_MAX, "it was ended by signal %d", WIFSIGNALED(how) ? WTERMSIG(how) : 0);
}

/* Whether it has had its time. */
static bool is_late(const ki_compilation *c) {
    return seconds_now() - c->started > c->patience;
}

/* A little while; false: a signal came. */
static bool pause_briefly(void) {
    return nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL) == 0;
}

/* Politely first: compilers then remove their own files. */
static void end_process(pid_t process) {
    enum { PATIENCE = 500 }; /* pauses */
    kill(-process, SIGTERM);
    for (int i = 0; i < PATIENCE; i++) {
        if (waitpid(process, NULL, WNOHANG))
            return;
        pause_briefly();
    }
    kill(-process, SIGKILL);
    waitpid(process, NULL, 0);
}

int ki_compiler_poll(ki_compilation *c, bool wait, char reason[KI_REASON_MAX]) {
    int how = 0;
    pid_t ended;
    do
        ended = waitpid(c->process, &how, WNOHANG);
    while (ended == 0 && wait && !is_late(c) && pause_briefly());
    if (ended == 0 && is_late(c)) {
        end_process(c->process);
        c->process = 0;
        snprintf(reason, KI_REASON_MAX, "it was still at work after %g s", c->patience);
        return -1;
    }
    if (ended == 0 || (ended < 0 && errno == EINTR))
        return 0;
    c->process = 0;
    if (ended > 0 && WIFEXITED(how) && WEXITSTATUS(how) == 0)
        return 1;
    if (ended < 0)
        snprintf(reason, KI_REASON_MAX, "%s", strerror(errno));
    else
        first_message(c, how, reason);
    return -1;
}

void ki_compiler_end(ki_compilation *c) {
    if (c->process)
        end_process(c->process);
    char *paths[] = {c->source, c->code, c->messages};
    for (int i = 0; i < 3; i++)
        if (*paths[i])
            unlink(paths[i]);
    *c = (ki_compilation){0};
}
