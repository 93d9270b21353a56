/* main.c - the program out of memory: in every command allocations fail, of its own and of its libraries, and
 * the command either does without, with the same output, or ends with a message and an exit code that is not
 * 0.
 *
 *   test_fault_program KEEL ALLOCATOR MODELS [--all] [--only TEXT]
 *
 * A sample of the calls fails; with --all each. Once it is a single call, once that and all that follow. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "allocator.h"

enum { ARGUMENTS = 12, TEXT = 1 << 16, SAMPLES = 16, SECONDS = 20, TOLD = 5 };

/* %M: the folder of models. Files are written to and read from the folder of the test. */
static const char *const COMMANDS[] = {
    "--version",
    "help",
    "help run",
    "help dop853",
    "help --words models",
    "help --words operands:report",
    "help --manual",
    "methods",
    "methods radau5",
    "models",
    "models pendulum",
    "models pendulun",
    "run pendulun",
    "check %M/pendulum.yaml",
    "check %M/four_bar.yaml",
    "assemble %M/four_bar.yaml -o start.csv",
    "run %M/pendulum.yaml --until 0.1 --set L=2 -o rows.csv --summary run.json",
    "run %M/four_bar.yaml --until 0.02 -o rows.h5 --option code=tape",
    "run %M/pendulum.yaml --until 0.1 --method bdf --verify --errors errors.csv",
    "run %M/pendulum.yaml --until 0.1 --method ida/ggl",
    "run %M/pendulum.yaml --until 0.1 --option code=native",
    "run %M/pendulum.yaml --until 0.1 -o rows.csv --checkpoint run.keel",
    "run %M/four_bar.yaml --until 0.02 -o rows.h5 --option code=tape --checkpoint run.keel --every 0",
    "run --resume kept.keel --checkpoint run.keel",
    "run %M/pendulum.yaml --until 0.2 --start kept.csv",
    "run broken.yaml",
    "report %M/four_bar.yaml --until 0.02 -o page.html",
    "report kept.csv -o page.html",
    "report kept.csv --model %M/pendulum.yaml -o page.html",
    "report kept.h5 -o page.html",
    ("compare %M/pendulum.yaml --methods rk4,dopri5 --tols 1e-4 --until 0.1 --threads 1 --json all.json "
     "-o page.html"),
    "compare %M/pendulum.yaml --methods dopri5 --tols 1e-4 --until 0.1 --reference kept.csv --threads 2",
};
enum { COMMAND_COUNT = sizeof COMMANDS / sizeof *COMMANDS };

/* Files that commands write; numbers that differ from run to run stand in none but these. */
static const char *const WRITTEN[] = {"start.csv",  "rows.csv",  "rows.h5",
                                      "errors.csv", "page.html", "run.keel"};
enum { WRITTEN_COUNT = sizeof WRITTEN / sizeof *WRITTEN };

static const char BROKEN[] =
    "keel: 1\nequations:\n  coordinates: {x: 1}\n  kinetic: x'^2/2 + a\n  potential: b\n";

static const char *program, *allocator, *models;
static fault_page *page;
static int failures;

typedef struct outcome {
    int signal, code; /* signal: 0 if it ended by itself */
    bool late;        /* did not end */
    char out[TEXT], err[TEXT];
    bool written[WRITTEN_COUNT];
} outcome;

static void stop(const char *what) {
    perror(what);
    exit(2);
}

/* Splits a command at blanks, with %M replaced. */
static char **words_of(const char *command) {
    static char text[2048], *words[ARGUMENTS + 2];
    int count = 0;
    size_t used = 0;
    for (const char *c = command; *c && used < sizeof text / 2; c++)
        if (c[0] == '%' && c[1] == 'M')
            used += (size_t)snprintf(text + used, sizeof text - used, "%s", models), c++;
        else
            text[used++] = *c;
    text[used] = 0;
    words[count++] = (char *)program;
    for (char *word = strtok(text, " "); word && count <= ARGUMENTS; word = strtok(NULL, " "))
        words[count++] = word;
    words[count] = NULL;
    return words;
}

static void read_text(const char *path, char *text) {
    FILE *file = fopen(path, "r");
    size_t length = file ? fread(text, 1, TEXT - 1, file) : 0;
    text[length] = 0;
    if (file)
        fclose(file);
}

static void redirect(const char *path, int to) {
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (file < 0 || dup2(file, to) < 0)
        _exit(126);
    close(file);
}

static void run(const char *command, long first, long last, outcome *o) {
    *page = (fault_page){.fail_at = first, .fail_last = last};
    for (int i = 0; i < WRITTEN_COUNT; i++)
        remove(WRITTEN[i]);
    pid_t child = fork();
    if (child < 0)
        stop("fork");
    if (child == 0) {
        redirect("out", STDOUT_FILENO);
        redirect("err", STDERR_FILENO);
        setenv("LD_PRELOAD", allocator, 1);
        alarm(SECONDS);
        char **words = words_of(command);
        execv(program, words);
        _exit(127);
    }
    int status;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            stop("waitpid");
    o->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    o->late = o->signal == SIGALRM;
    o->code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    read_text("out", o->out);
    read_text("err", o->err);
    for (int i = 0; i < WRITTEN_COUNT; i++)
        o->written[i] = access(WRITTEN[i], F_OK) == 0;
}

static int lines(const char *text) {
    int count = 0;
    for (; *text; text++)
        count += *text == '\n';
    return count;
}

/* Times differ from run to run, and last digits where a formula was not shortened for want of memory. */
static bool same_output(const char *a, const char *b) {
    return lines(a) == lines(b);
}

/* What is wrong with the outcome, or NULL. */
static const char *judge(const outcome *plain, const outcome *o) {
    if (o->late)
        return "does not end";
    if (o->signal)
        return "was killed by a signal";
    if (o->code == 127 || o->code == 126)
        return "could not be started";
    if (o->code != 0 && !o->err[0])
        return "says nothing";
    if (o->code != plain->code && !strstr(o->err, "memory") && !strstr(o->err, "Cannot allocate"))
        return "does not say that memory ran out";
    if (o->code == 0 && !plain->err[0] && o->err[0])
        return "ends well, but with messages";
    if (o->code == 0 && !strstr(o->err, "memory") && !same_output(plain->out, o->out))
        return "ends well, but with other output";
    for (int i = 0; o->code == 0 && i < WRITTEN_COUNT; i++)
        if (plain->written[i] && !o->written[i])
            return "ends well without its file";
    return NULL;
}

static void tell(const char *command, long first, long last, const char *what, const outcome *o) {
    failures++;
    printf("FAILED keel %s: allocation %ld%s: %s; signal %d, exit code %d\n  stderr: %.300s\n", command,
           first, last > first ? " and all that follow" : "", what, o->signal, o->code, o->err);
}

static void try_command(const char *command, bool all) {
    static outcome plain, o;
    int told = 0;
    run(command, 0, 0, &plain);
    long total = page->calls;
    if (plain.signal || plain.code > 2)
        tell(command, 0, 0, "fails without any failure", &plain);
    long apart = all || total < SAMPLES ? 1 : total / SAMPLES;
    for (long k = 1; k <= total && told < TOLD; k += apart)
        for (int rest = 0; rest < 2; rest++) {
            long last = rest ? 1L << 60 : k;
            run(command, k, last, &o);
            const char *wrong = judge(&plain, &o);
            if (wrong && told++ < TOLD)
                tell(command, k, last, wrong, &o);
        }
    printf("keel %s: %ld allocations\n", command, total);
    fflush(stdout);
}

static void make_page(void) {
    fault_page none = {0};
    int file = open("page", O_RDWR | O_CREAT | O_TRUNC, 0600);
    if (file < 0 || write(file, &none, sizeof none) != (ssize_t)sizeof none)
        stop("page");
    page = mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    char path[1024];
    if (page == MAP_FAILED || !getcwd(path, sizeof path - 8))
        stop("page");
    strcat(path, "/page");
    setenv(FAULT_VARIABLE, path, 1);
}

/* Results that are read, and a broken model. */
static void prepare(void) {
    static outcome o;
    FILE *file = fopen("broken.yaml", "w");
    if (!file || fputs(BROKEN, file) < 0 || fclose(file))
        stop("broken.yaml");
    run("run %M/pendulum.yaml --until 0.1 -o kept.csv", 0, 0, &o);
    run("run %M/pendulum.yaml --until 0.1 -o rest.csv --checkpoint kept.keel", 0, 0, &o);
    run("run %M/four_bar.yaml --until 0.02 -o kept.h5", 0, 0, &o);
    if (o.code || page->calls == 0) {
        printf("%s\n", o.err[0] ? o.err : "the allocator was not loaded");
        exit(2);
    }
}

/* With what is in it; there are no folders in it but the cache's own. */
static void remove_folder(const char *folder) {
    pid_t child = fork();
    if (child == 0) {
        execlp("rm", "rm", "-rf", folder, (char *)NULL);
        _exit(127);
    }
    if (child > 0)
        waitpid(child, NULL, 0);
}

int main(int argc, char **argv) {
    bool all = false;
    const char *only = "";
    if (argc < 4) {
        fprintf(stderr, "usage: %s KEEL ALLOCATOR MODELS [--all] [--only TEXT]\n", argv[0]);
        return 2;
    }
    program = realpath(argv[1], NULL);
    allocator = realpath(argv[2], NULL);
    models = realpath(argv[3], NULL);
    if (!program || !allocator || !models)
        stop(argv[0]);
    for (int i = 4; i < argc; i++)
        if (strcmp(argv[i], "--all") == 0)
            all = true;
        else if (strcmp(argv[i], "--only") == 0 && i + 1 < argc)
            only = argv[++i];
    char folder[] = "/tmp/keel_fault.XXXXXX";
    if (!mkdtemp(folder) || chdir(folder))
        stop(folder);
    setenv("KEEL_CACHE", folder, 1);
    make_page();
    prepare();
    for (int i = 0; i < COMMAND_COUNT; i++)
        if (strstr(COMMANDS[i], only))
            try_command(COMMANDS[i], all);
    remove_folder(folder);
    return failures ? 1 : 0;
}
