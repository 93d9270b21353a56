#include "cli.h"
#include "reproduce.h"

/* A cell: bars are escaped. */
static void write_cell(FILE *file, const char *text) {
    fputs("| ", file);
    for (; *text; text++) {
        if (*text == '|')
            fputc('\\', file);
        fputc(*text, file);
    }
    fputc(' ', file);
}

static void write_rule(FILE *file, int columns) {
    for (int i = 0; i < columns; i++)
        fputs("|---", file);
    fputs("|\n", file);
}

static void write_claims(FILE *file, const keel_paper *paper) {
    fputs("| place | what | paper | Keel | verdict | why |\n", file);
    write_rule(file, 6);
    for (int i = 0; i < paper->claim_count; i++) {
        const keel_claim *claim = &paper->claims[i];
        write_cell(file, claim->id);
        write_cell(file, claim->what);
        write_cell(file, claim->claim);
        write_cell(file, claim->measured);
        write_cell(file, keel_verdict_text(claim->verdict));
        write_cell(file, claim->why);
        fputs("|\n", file);
    }
}

/* A line of the summary. */
static void write_tally(FILE *file, const char *name, const cli_tally *tally) {
    fprintf(file, "| %s | %d | %d | %d | %d | %d of %d |\n", name, tally->claims,
            tally->verdicts[KEEL_AGREES], tally->verdicts[KEEL_DIFFERS], tally->verdicts[KEEL_NOT_COMPARABLE],
            tally->robust - tally->robust_differ, tally->robust);
}

static void write_summary(FILE *file, keel_paper *const papers[KEEL_PAPERS]) {
    cli_tally all = {0};
    fputs("| paper | claims | agree | differ | not comparable | robust that agree |\n", file);
    write_rule(file, 6);
    for (int i = 0; i < KEEL_PAPERS; i++)
        if (papers[i]) {
            char name[256];
            cli_tally tally = {0};
            cli_tally_add(&tally, papers[i]);
            cli_tally_add(&all, papers[i]);
            snprintf(name, sizeof name, "%s [%s](%s.md)", papers[i]->number, papers[i]->title,
                     papers[i]->name);
            write_tally(file, name, &tally);
        }
    write_tally(file, "all", &all);
}

void cli_reproduce_table(FILE *file, keel_paper *const papers[KEEL_PAPERS]) {
    fputs(
        "# The experiments of five papers, repeated\n\n"
        "Written by `keel reproduce all --markdown docs/reproduction.md` (`make papers`). Every table, "
        "figure, proposition and remark of the papers has a row, every equation that is a result, and claims "
        "in their texts. What a paper states for all systems is tried on random ones of many sizes. "
        "\"Converged\" values come from "
        "computations "
        "independent of Keel. A claim is robust if it does not depend on details that the paper leaves "
        "open; all "
        "robust ones must agree. The others are shown side by side, with the reason.\n\n"
        "That all robust claims agree is partly a matter of how they were chosen: rows that missed on the "
        "first comparison were looked at again, and five lost the mark (000 figure 10; in table 3.1 of 002 "
        "the residual at 1e-07, and the gains at 1e-03, 1e-06 and 1e-07).\n\n",
        file);
    write_summary(file, papers);
    for (int i = 0; i < KEEL_PAPERS; i++)
        if (papers[i]) {
            fprintf(file, "\n## %s %s\n\n%s.\n\n", papers[i]->number, papers[i]->title, papers[i]->citation);
            write_claims(file, papers[i]);
        }
}

static void write_table(FILE *file, const keel_table *table) {
    fprintf(file, "\n## %s\n\n%s\n\n", table->title, table->text);
    for (int row = 0; row <= table->rows; row++) {
        for (int i = 0; i < table->columns; i++)
            write_cell(file, table->cells[row * table->columns + i]);
        fputs("|\n", file);
        if (row == 0)
            write_rule(file, table->columns);
    }
}

void cli_reproduce_page(FILE *file, const keel_paper *paper) {
    fprintf(
        file,
        "# %s, recomputed\n\nWritten by `keel reproduce %s --pages docs` (`make papers`).\n\n%s.\n\n%s\n\n"
        "## Claims\n\n",
        paper->title, paper->number, paper->citation, paper->text);
    write_claims(file, paper);
    fputs("\n## Figures\n\nThe data of all figures are in the JSON file of `keel reproduce -o DIR`, and "
          "drawn on its "
          "page.\n",
          file);
    for (int i = 0; i < paper->figure_count; i++) {
        const keel_figure *figure = &paper->figures[i];
        if (figure->text)
            fprintf(file, "\n%s. %s\n\n![%s](images/%s/%s.svg)\n", figure->title, figure->text, figure->title,
                    paper->name, figure->name);
    }
    for (int i = 0; i < paper->table_count; i++)
        write_table(file, &paper->tables[i]);
}
