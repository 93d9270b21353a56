/* trust.h - which folders and files code may be loaded from.
 *
 * Whoever can write to a file, to its folder or to a folder above it can have their own code run by the user.
 * So each of them must belong to the user or to root, and nobody else may write to it. A folder where
 * everybody may make entries but not change those of others (/tmp: the sticky bit) may stand above. */
#ifndef KI_NATIVE_TRUST_H
#define KI_NATIVE_TRUST_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

enum { KI_PATH_MAX = 1024, KI_REASON_MAX = 256 };

/* Ours, and nobody else can write to it. */
bool ki_is_private(const struct stat *facts);

/* Resolves links of a path in place, and asks for all folders on its way. False with the reason: a sentence.
 */
bool ki_trust_folder(char path[KI_PATH_MAX], char reason[KI_REASON_MAX]);

/* The content of a private file that is no link; NULL: there is none, or it is not to be trusted. */
char *ki_read_private(const char *path, size_t *size);

bool ki_write_all(int file, const char *at, size_t size);

/* Loads a library from bytes in memory, which nobody can change any more. NULL: it is none, or the system
 * cannot.
 * `*file` must be closed after dlclose, not before: the loader knows libraries by the number of their file.
 */
void *ki_load_bytes(const void *bytes, size_t size, int *file);

#endif
