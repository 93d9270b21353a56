/* compiler.h - the system's C compiler, in a process of its own. */
#ifndef KI_NATIVE_COMPILER_H
#define KI_NATIVE_COMPILER_H

#include <sys/types.h>

#include "native/cache.h"
#include "native/hash.h"
#include "native/text.h"

enum { KI_WORDS_MAX = 128 };

typedef struct ki_compiler {
    char command[KI_PATH_MAX]; /* as given, cut into words */
    char *word[KI_WORDS_MAX];  /* [words] */
    int words;
    char program[KI_PATH_MAX]; /* word[0] with its path */
} ki_compiler;

typedef struct ki_compilation {
    double started, patience; /* seconds */
    pid_t process;            /* 0: none is running; its children belong to its group */
    char source[KI_PATH_MAX], code[KI_PATH_MAX], messages[KI_PATH_MAX];
} ki_compilation;

/* Looks for `given`, or $CC, or cc. False: there is none, or it has too many words; command and program tell
 * what was looked for. */
bool ki_compiler_find(ki_compiler *compiler, const char *given);

/* What the result depends on besides the text: program, its date and size, arguments, flags,
 * the processor. */
void ki_compiler_hash(const ki_compiler *compiler, ki_hash *hash);

/* Starts the compiler with files in the directory of the cache; after `patience` seconds it is ended. False
 * with the reason. */
bool ki_compiler_start(const ki_compiler *compiler, const ki_cache *cache, const ki_text *text,
                       double patience, ki_compilation *compilation, char reason[KI_REASON_MAX]);

/* 0: still at work, 1: done, -1: failed, with the first line of what the compiler said. Waiting ends when a
 * signal comes. */
int ki_compiler_poll(ki_compilation *compilation, bool wait, char reason[KI_REASON_MAX]);

/* Ends the compiler if it runs, and removes its files. */
void ki_compiler_end(ki_compilation *compilation);

#endif
