/* reproduce.h - the ways in which keel reproduce writes a paper. */
#ifndef CLI_REPRODUCE_H
#define CLI_REPRODUCE_H

#include <stdio.h>

#include "papers/reproduce.h"

/* How many claims there are of each verdict; of the robust ones, how many differ. */
typedef struct cli_tally {
    int claims, verdicts[3];
    int robust, robust_differ;
} cli_tally;

void cli_tally_add(cli_tally *tally, const keel_paper *paper);

/* reproduce_text.c: the table for a terminal, and what differs, with the reasons. */
void cli_reproduce_text(FILE *file, keel_paper *const papers[KEEL_PAPERS]);

/* reproduce_json.c: docs/command-line.md lists the keys. The text is the caller's to free; NULL: no memory.
 */
char *cli_reproduce_json(const keel_paper *paper, size_t *length);

/* reproduce_markdown.c: the table of all papers; one page of a paper, with pictures from images/NAME. */
void cli_reproduce_table(FILE *file, keel_paper *const papers[KEEL_PAPERS]);
void cli_reproduce_page(FILE *file, const keel_paper *paper);

/* figure_svg.c: a line plot as a small SVG file. */
void cli_figure_svg(FILE *file, const keel_figure *figure);

#endif
