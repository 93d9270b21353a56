/* foreign.h - calls of libraries that do not look whether their memory was allocated.
 *
 * libfyaml and HDF5 run into a null pointer then. Nothing but a signal handler can tell that, and it has to
 * know where the fault happened: calls of theirs stand between ki_foreign_begin and ki_foreign_end.
 */
#ifndef KI_FOREIGN_H
#define KI_FOREIGN_H

void ki_foreign_begin(const char *library);
void ki_foreign_end(void);

/* The library that this thread is in, or NULL. May be called by signal handlers. */
const char *ki_foreign_library(void);

#endif
