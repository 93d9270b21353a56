#!/bin/sh
# The core neither prints, exits nor touches files or the environment: looks through the symbols that its
# archives need.
#
#   tests/check_silence.sh BUILD_TYPE ARCHIVE...
set -eu
build_type=$1
shift

forbidden='printf|fprintf|vprintf|vfprintf|dprintf|vdprintf|puts|fputs|putc|putchar|fputc|fwrite|perror|psignal
exit|_exit|_Exit|quick_exit|abort|atexit|raise|kill|signal|sigaction|longjmp|system|popen|fork|execve?
getenv|secure_getenv|setenv|putenv|environ|setlocale|rand|srand|random|strtok
fopen|fdopen|freopen|tmpfile|open|openat|creat|close|read|write|fread|fgets|fgetc|getc|getline|scanf|fscanf
remove|unlink|rename|mkdir|stdin|stdout|stderr'
# an assertion prints and aborts: only builds for developers have them
[ "$build_type" != Release ] || forbidden="$forbidden|__assert_fail"
pattern="^(__)?($(printf %s "$forbidden" | tr '\n' '|'))(_chk|64|_unlocked)?(@.*)?\$"

[ $# -gt 0 ] || { echo "no archives to look at" >&2; exit 2; }
symbols=0
loud=0
for archive in "$@"; do
    needed=$(nm -A -u "$archive" | awk '$(NF-1) == "U" {print $1, $NF}')
    symbols=$((symbols + $(echo "$needed" | wc -l)))
    found=$(echo "$needed" | awk -v pattern="$pattern" '$2 ~ pattern {print $1 " needs " $2}')
    if [ -n "$found" ]; then
        echo "$found"
        loud=1
    fi
done
[ $symbols -gt 20 ] || { echo "only $symbols symbols found: is this the right place?"; exit 1; }
[ $loud -eq 0 ] || exit 1
echo "$symbols symbols in $# archives: silent"
