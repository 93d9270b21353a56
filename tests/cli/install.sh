#!/bin/sh
# What is installed works away from the tree: the program with its models, the libraries of both kinds through
# pkg-config and CMake; and it can be removed again.
. "$(dirname "$0")/common.sh"
: "${BUILD_DIR:?}" "${CC:?}" "${CMAKE:?}"
for tool in pkg-config ninja; do
    command -v $tool >/dev/null || exit 77
done

root=$folder/root
prefix=/opt/keel
top=$root$prefix
DESTDIR=$root "$SOURCE_DIR/scripts/install.sh" "$BUILD_DIR" $prefix >out 2>err || fail "install"
for file in bin/keel lib/libkeel.a lib/libkeel.so lib/libkeel-files.a lib/libkeel-files.so include/keel/keel.h \
    share/keel/models/andrews.yaml share/man/man1/keel.1 share/doc/keel/methods.md \
    share/bash-completion/completions/keel share/zsh/site-functions/_keel; do
    [ -s "$top/$file" ] || fail "$file is not installed"
done

# the program, from another folder, moved to another place as well
run_installed() {
    (cd / && "$1/bin/keel" run andrews --until 0.001 >"$folder/out" 2>"$folder/err") || fail "keel run andrews"
    "$1/bin/keel" models >models_of || fail "keel models"
    says models_of "in $1/share/keel/models."
    "$1/bin/keel" help bdf >help_of || fail "keel help bdf"
    says help_of "$1/share/doc/keel/bdf.md"
}
run_installed "$top"
mkdir moved && cp -a "$top/." moved
run_installed "$folder/moved"
rm -rf moved

# nobody else's folder, nor that of the build, is looked through for libraries
for file in bin/keel lib/libkeel.so lib/libkeel-files.so; do
    readelf -dW "$top/$file" | grep -E 'RPATH|RUNPATH' | grep -v '\[$ORIGIN\]' >out && fail "$file: libraries are looked for elsewhere"
done

# the shared libraries show what the headers declare, and nothing else
for library in keel keel-files; do
    nm -D --defined-only "$top/lib/lib$library.so" | awk '{print $3}' >shown
    [ -s shown ] || fail "lib$library.so shows nothing"
    grep -v '^keel_' shown >out && fail "lib$library.so shows internals"
    while read -r symbol; do
        grep -qrwF "$symbol" "$top/include/keel" || fail "no header declares $symbol"
    done <shown
done
# every function that a header declares is in one of the libraries, of either kind
sed -n 's/.*KEEL_API.*[ *]\(keel_[a-z0-9_]*\)(.*/\1/p' "$top"/include/keel/*.h | sort -u >declared
[ "$(wc -l <declared)" -ge 50 ] || fail "too few declared functions"
nm -D --defined-only "$top/lib/libkeel.so" "$top/lib/libkeel-files.so" | awk 'NF == 3 {print $3}' | sort -u >shared
comm -23 declared shared >out
[ ! -s out ] || fail "declared, but in no shared library"
nm --defined-only "$top/lib/libkeel.a" "$top/lib/libkeel-files.a" | awk 'NF == 3 {print $3}' | sort -u >archived
comm -23 declared archived >out
[ ! -s out ] || fail "declared, but in no static library"

# programs outside the tree: the samples, and one that reads a model
cp "$SOURCE_DIR"/samples/*.c .
cat >file.c <<'PROGRAM'
#include <keel/keel.h>
#include <keel/modelfile.h>
#include <keel/results.h>
#include <math.h>
#include <stdio.h>

int main(int argc, char **argv) {
    keel_diagnostics *messages = keel_diagnostics_new();
    keel_status status = KEEL_OK;
    keel_result result;
    keel_model *model = argc > 1 ? keel_model_read(argv[1], NULL, 0, messages, &status) : NULL;
    if (!model)
        return 2;
    model->settings.until = 2; /* one period: the start again */
    status = keel_run(model->system, model->start, model->velocities_given, &model->settings, NULL, messages, &result);
    printf("x = %.6f at t = %g, keel %s: %s\n", result.final->q[0], result.final->t, keel_version(),
           keel_status_text(status));
    int code = status >= 0 && fabs(result.final->q[0] - 1) < 1e-4 ? 0 : 1;
    keel_result_clear(&result);
    keel_model_free(model);
    keel_diagnostics_free(messages);
    return code;
}
PROGRAM
export PKG_CONFIG_PATH="$top/lib/pkgconfig"
model=$top/share/keel/models/pendulum.yaml

# a sample needs the core only
sample=$(basename "$(echo ./*.c | tr ' ' '\n' | grep pendulum | head -n 1)")
[ -f "$sample" ] || fail "no sample pendulum"
# shellcheck disable=SC2046  # lists of flags
{
    $CC -std=c17 -Wall -Wextra -Werror "$sample" $(pkg-config --cflags --libs keel) -lm -o sample_shared &&
        $CC -std=c17 -Wall -Wextra -Werror file.c $(pkg-config --cflags --libs keel-files) -lm -o file_shared
} >out 2>err || fail "pkg-config"
# static: a folder that has no other kind comes first in the search
mkdir archives
cp "$top"/lib/*.a archives
# shellcheck disable=SC2046
{
    $CC -std=c17 "$sample" -Larchives $(pkg-config --cflags --static --libs keel) -o sample_static &&
        $CC -std=c17 file.c -Larchives $(pkg-config --cflags --static --libs keel-files) -o file_static
} >out 2>err || fail "pkg-config --static"
for program in sample_shared sample_static "file_shared $model" "file_static $model"; do
    # shellcheck disable=SC2086  # a program and its argument
    LD_LIBRARY_PATH=$top/lib ./$program >out 2>err || fail "$program"
done
ldd sample_static file_static | grep libkeel >out && fail "not linked statically"
LD_LIBRARY_PATH=$top/lib ldd file_shared | grep -q libkeel-files.so || fail "not linked to the shared library"
[ "$(pkg-config --modversion keel)" = "$("$top/bin/keel" --version | sed 's/keel //')" ] || fail "version of keel.pc"

# CMake
cat >CMakeLists.txt <<CMAKE
cmake_minimum_required(VERSION 3.20)
project(outside C)
find_package(keel 0.1 REQUIRED)
add_executable(core $sample)
target_link_libraries(core PRIVATE keel::keel m)
add_executable(core_static $sample)
target_link_libraries(core_static PRIVATE keel::keel_static)
add_executable(files file.c)
target_link_libraries(files PRIVATE keel::keel_files m)
add_executable(files_static file.c)
target_link_libraries(files_static PRIVATE keel::keel_files_static)
CMAKE
{ "$CMAKE" -S . -B outside -G Ninja -DCMAKE_C_COMPILER="$CC" -DCMAKE_PREFIX_PATH="$top" &&
    "$CMAKE" --build outside; } >out 2>err || fail "CMake"
for program in core core_static "files $model" "files_static $model"; do
    # shellcheck disable=SC2086
    outside/$program >out 2>err || fail "$program, made by CMake"
done
sed 's/find_package(keel 0.1/find_package(keel 99/' CMakeLists.txt >wrong.txt && mkdir wrong && mv wrong.txt wrong/CMakeLists.txt
"$CMAKE" -S wrong -B wrong/build -G Ninja -DCMAKE_PREFIX_PATH="$top" >out 2>err && fail "find_package(keel 99) is content"

# removed without a trace, and only once
touch "$top/lib/mine"
DESTDIR=$root "$SOURCE_DIR/scripts/install.sh" --uninstall $prefix >out 2>err || fail "uninstall"
[ "$(cd "$root" && find . -type f -o -type l)" = "./opt/keel/lib/mine" ] || fail "left: $(find "$root" -type f)"
[ "$(cd "$root" && find . -type d | wc -l)" -eq 4 ] || fail "folders left: $(find "$root" -type d)"
DESTDIR=$root "$SOURCE_DIR/scripts/install.sh" --uninstall $prefix >out 2>err && fail "removed twice"
says err "is not installed"
"$SOURCE_DIR/scripts/install.sh" "$BUILD_DIR" relative >out 2>err && fail "a relative prefix"
says err "must begin with /"

# the targets of the Makefile lead here
make -n -C "$SOURCE_DIR" install DESTDIR=/a PREFIX=/b >out
says out 'DESTDIR="/a" scripts/install.sh build "/b"'
