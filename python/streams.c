/* streams.c - the standard streams for the archives inside of libkeel_python.so (cmake/python.cmake). */
#include <stdio.h>

extern FILE *ki_foreign_stdin, *ki_foreign_stdout, *ki_foreign_stderr;
FILE *ki_foreign_stdin, *ki_foreign_stdout, *ki_foreign_stderr;

__attribute__((constructor)) static void open_streams(void) {
    ki_foreign_stdin = stdin;
    ki_foreign_stdout = stdout;
    ki_foreign_stderr = stderr;
}
