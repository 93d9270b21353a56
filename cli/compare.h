/* compare.h - the parts of `keel compare`. */
#ifndef CLI_COMPARE_H
#define CLI_COMPARE_H

#include "cli.h"
#include "keel/compare.h"

/* compare_lists.c: the values of flags that take a list, separated by commas. All return false after telling
 * the user what is wrong. */

/* "1e-4,1e-6". The caller frees. */
bool cli_compare_numbers(const char *flag, const char *text, double **values, int *count);

/* "x,y'": pieces of `text`, which is changed. Commas within brackets belong to a name: "q[1,2]". */
bool cli_compare_names(const char *flag, char *text, const char ***names, int *count);

/* Methods and patterns: "rk4,bdf*,dop853/index?/none". In the order of the table of methods, each once. */
bool cli_compare_methods(char *text, keel_method **methods, int *count);

/* compare_reference.c: reads the rows of a CSV file with a header and a column t. */
keel_status cli_read_samples(const char *path, keel_samples *trajectory, keel_diagnostics *diagnostics);

/* compare_table.c, compare_json.c */
void cli_compare_table(FILE *file, const char *title, const keel_comparison *comparison);
void cli_compare_json(FILE *file, const char *title, const keel_comparison *comparison);

#endif
