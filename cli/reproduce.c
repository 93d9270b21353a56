/* keel reproduce - the experiments of five papers: what they claim, what is measured, the figures. */
#include "papers/reproduce.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"
#include "reproduce.h"
#include "results/page.h"

enum { HELP, OUTPUT, MARKDOWN, PAGES, THREADS };

static const cli_flag FLAGS[] = {
    [HELP] = {"help", 'h', NULL, "this text"},
    [OUTPUT] = {"output", 'o', "DIR", "write PAPER.html and PAPER.json of each paper there"},
    [MARKDOWN] = {"markdown", 0, "FILE.md", "write the table of claims as Markdown; - is standard output"},
    [PAGES] = {"pages", 0, "DIR", "write a Markdown page of each paper there, with its pictures"},
    [THREADS] = {"threads", 0, "N", "runs at the same time; default: one for every processor"},
};
enum { FLAG_COUNT = sizeof FLAGS / sizeof *FLAGS };

typedef struct request {
    unsigned papers; /* bits */
    const char *output, *markdown, *pages;
    int threads;
} request;

static void help(FILE *file) {
    fprintf(file,
            "usage: keel reproduce [all|PAPER ...] [flags]\n\n"
            "Repeats the experiments of papers and compares. A paper is its number or its name; all are the\n"
            "five papers, without the questions that they leave open:\n\n");
    for (int i = 0; i < KEEL_PAPERS; i++) {
        const keel_paper *paper = keel_paper_facts(i);
        bool named = strcmp(paper->number, paper->name) == 0;
        fprintf(file, "  %-3s %-13s %s\n", named ? "" : paper->number, paper->name, paper->title);
    }
    fprintf(
        file,
        "\nShows what each table and figure claims, what Keel finds, and a verdict: agrees, differs, or not\n"
        "comparable. The exit code is 1 if a claim differs that does not depend on details which its\n"
        "paper leaves open.\n\n");
    cli_flags_help(file, FLAGS, FLAG_COUNT);
}

static bool take_paper(request *r, const char *text) {
    if (strcmp(text, "all") == 0) {
        r->papers |= (1u << KEEL_PAPER_QUESTIONS) - 1;
        return true;
    }
    for (int i = 0; i < KEEL_PAPERS; i++) {
        const keel_paper *paper = keel_paper_facts(i);
        if (strcmp(text, paper->number) == 0 || strcmp(text, paper->name) == 0) {
            r->papers |= 1u << i;
            return true;
        }
    }
    cli_error("reproduce", "there is no paper '%s'; there are all, 000, 001, 002, 003, 004 and questions",
              text);
    return false;
}

static bool take_threads(request *r, const char *text) {
    double value;
    if (!cli_number(text, &value) || value < 1 || value > 64 || value != (int)value) {
        cli_error("reproduce", "--threads: '%s' is not a whole number from 1 to 64", text);
        return false;
    }
    r->threads = (int)value;
    return true;
}

static bool take_flag(request *r, int flag, const char *value) {
    if (flag == THREADS)
        return take_threads(r, value);
    if (flag == CLI_OPERAND)
        return take_paper(r, value);
    if (!*value) {
        cli_error("reproduce", "the name after --%s is empty", FLAGS[flag].name);
        return false;
    }
    *(flag == OUTPUT ? &r->output : flag == MARKDOWN ? &r->markdown : &r->pages) = value;
    return true;
}

/* A folder that exists, or is made. */
static bool make_folder(const char *path) {
    struct stat status;
    if (mkdir(path, 0777) == 0 || (errno == EEXIST && stat(path, &status) == 0 && S_ISDIR(status.st_mode)))
        return true;
    cli_error("reproduce", "cannot make the folder %s: %s", path, strerror(errno));
    return false;
}

/* Before the work: folders are made, and what cannot be written is told. */
static bool prepare_places(const request *r) {
    return (!r->output || make_folder(r->output)) && (!r->pages || make_folder(r->pages)) &&
           (!r->output || cli_folder_possible("reproduce", r->output)) &&
           (!r->pages || cli_folder_possible("reproduce", r->pages)) &&
           (!r->markdown || cli_output_possible("reproduce", r->markdown));
}

/* "FOLDER/NAME.SUFFIX"; NULL, after telling the user, if it is too long. */
static const char *join(char path[CLI_PATH], const char *folder, const char *name, const char *suffix) {
    if (snprintf(path, CLI_PATH, "%s/%s%s", folder, name, suffix) < CLI_PATH)
        return path;
    cli_error("reproduce", "the name %s is too long", folder);
    return NULL;
}

static bool open_output(cli_output *output, const char *path) {
    if (path && cli_output_open(output, path))
        return true;
    if (path)
        cli_error("reproduce", "cannot write %s: %s", path, strerror(errno));
    return false;
}

static bool commit(cli_output *output, const char *path) {
    if (cli_output_commit(output))
        return true;
    cli_error("reproduce", "cannot write %s: %s", path, strerror(errno));
    return false;
}

static bool write_data(const char *folder, const keel_paper *paper) {
    char path[CLI_PATH];
    size_t length;
    char *json = cli_reproduce_json(paper, &length);
    cli_output output;
    bool good = json && open_output(&output, join(path, folder, paper->number, ".json"));
    if (!json)
        cli_error("reproduce", "%s", keel_status_text(KEEL_ERROR_MEMORY));
    if (good) {
        fwrite(json, 1, length, output.file);
        good = commit(&output, path);
    }
    if (good && (!join(path, folder, paper->number, ".html") || ki_page_write(path, json, length))) {
        cli_error("reproduce", "cannot write %s: %s", path, strerror(errno));
        good = false;
    }
    free(json);
    return good;
}

static bool write_pictures(const char *folder, const keel_paper *paper) {
    char images[CLI_PATH], path[CLI_PATH];
    if (!join(images, folder, "images", "") || !make_folder(images) ||
        !join(images, folder, "images/", paper->name) || !make_folder(images))
        return false;
    for (int i = 0; i < paper->figure_count; i++) {
        cli_output output;
        if (!paper->figures[i].text)
            continue;
        if (!open_output(&output, join(path, images, paper->figures[i].name, ".svg")))
            return false;
        cli_figure_svg(output.file, &paper->figures[i]);
        if (!commit(&output, path))
            return false;
    }
    return true;
}

static bool write_page(const char *folder, const keel_paper *paper) {
    char path[CLI_PATH];
    cli_output output;
    if (!open_output(&output, join(path, folder, paper->name, ".md")))
        return false;
    cli_reproduce_page(output.file, paper);
    return commit(&output, path) && write_pictures(folder, paper);
}

static bool write_table(const char *path, keel_paper *const papers[KEEL_PAPERS]) {
    cli_output output;
    if (!open_output(&output, path))
        return false;
    cli_reproduce_table(output.file, papers);
    return commit(&output, path);
}

static bool write_all(const request *r, keel_paper *const papers[KEEL_PAPERS]) {
    bool good = true;
    for (int i = 0; i < KEEL_PAPERS && good; i++)
        if (papers[i])
            good = (!r->output || write_data(r->output, papers[i])) &&
                   (!r->pages || write_page(r->pages, papers[i]));
    return good && (!r->markdown || write_table(r->markdown, papers));
}

static void show_progress(void *user, int done, int all) {
    (void)user;
    if (done < all)
        fprintf(stderr, "\r\033[K%d of %d runs", done, all);
    else
        fputs("\r\033[K", stderr);
    fflush(stderr);
}

static int work(const request *r) {
    keel_paper *papers[KEEL_PAPERS] = {0};
    bool terminal = isatty(STDERR_FILENO);
    const keel_reproduce_watch watch = {
        .threads = r->threads, .progress = terminal ? show_progress : NULL, .stop = cli_catch_interrupts()};
    keel_status status = keel_reproduce(r->papers, &watch, papers);
    if (status) {
        cli_error("reproduce", "%s", keel_status_text(status));
        return cli_exit_code(status);
    }
    bool on_stdout = r->markdown && strcmp(r->markdown, "-") == 0;
    cli_reproduce_text(on_stdout ? stderr : stdout, papers);
    cli_tally tally = {0};
    for (int i = 0; i < KEEL_PAPERS; i++)
        if (papers[i])
            cli_tally_add(&tally, papers[i]);
    bool good = write_all(r, papers) && tally.robust_differ == 0;
    for (int i = 0; i < KEEL_PAPERS; i++)
        keel_paper_free(papers[i]);
    return good ? CLI_OK : cli_answered(CLI_FAILED);
}

static int main_reproduce(int argc, char **argv) {
    cli_arguments arguments = {.argc = argc, .argv = argv, .flags = FLAGS, .flag_count = FLAG_COUNT};
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    request r = {.threads = processors > 0 && processors <= 64 ? (int)processors : 2};
    for (int flag; (flag = cli_next(&arguments)) != CLI_END;) {
        if (flag == HELP) {
            help(stdout);
            return CLI_OK;
        }
        if (flag == CLI_WRONG || !take_flag(&r, flag, arguments.value))
            return CLI_BAD_INPUT;
    }
    if (!r.papers)
        take_paper(&r, "all");
    return prepare_places(&r) ? work(&r) : CLI_BAD_INPUT;
}

const cli_command CLI_REPRODUCE = {"reproduce", "repeat the experiments of five papers and compare",
                                   main_reproduce, help};
