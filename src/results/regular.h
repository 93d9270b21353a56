/* regular.h - results are read from regular files: a pipe may keep its reader waiting for ever, a device
 * never ends. */
#ifndef KI_REGULAR_H
#define KI_REGULAR_H

#include <stdio.h>

/* Opens a file for reading; NULL: it cannot be, ki_regular_problem() tells why. */
FILE *ki_open_regular(const char *path);
const char *ki_regular_problem(void);

#endif
