#!/bin/sh
# Machine code for formulas: the option 'code', the cache, and what happens when there is no compiler.
. "$(dirname "$0")/common.sh"
model=$models/pendulum.yaml
export KEEL_CACHE="$folder/cache"
unset CC

# nothing that a compiler says is obeyed by the terminal
printf '#!/bin/sh\nprintf "\\033[31mred\\n" >&2\nexit 1\n' >red-cc
chmod +x red-cc
(
    export CC="$folder/red-cc"
    exits 0 run "$model" --option code=native
    says err 'it ended with status 1: ?[31mred'
)
# without a compiler the warning names what was looked for, and the tape runs
(
    export CC=no-such-compiler
    exits 0 run "$model" --option code=native --summary tape.json
    says err "there is no compiler 'no-such-compiler'"
    # who did not ask for it hears nothing
    exits 0 run "$model" --option code=auto
    silent err
)
[ "$(member tape.json code)" = '"tape"' ] || fail "the tape should have run"
(
    PATH=/nowhere
    export PATH
    code=0
    "$KEEL" run "$model" --option code=native >out 2>err </dev/null || code=$?
    PATH=/usr/bin:/bin
    [ $code -eq 0 ] || fail "without PATH: exit code $code"
    says err "there is no compiler 'cc'"
)
# a compiler that fails is told of with what it said
printf '#!/bin/sh\necho the disk is full >&2\nexit 3\n' >broken-cc
chmod +x broken-cc
(
    export CC="$folder/broken-cc -x"
    exits 0 run "$model" --option code=native
    says err "it ended with status 3: the disk is full"
)
ls "$KEEL_CACHE" >left
silent left

command -v cc >/dev/null || { echo "no compiler here: the rest is skipped" && exit 77; }

# the same rows, and the summary tells the difference
exits 0 run "$model" --option code=tape -o tape.csv --summary tape.json
exits 0 run "$model" --option code=native -o native.csv --summary native.json
silent err
says out "native, compiled from the formulas"
cmp tape.csv native.csv || fail "machine code gives other rows than the tape"
[ "$(member native.json code)" = '"native"' ] || fail "machine code should have run"
[ "$(ls "$KEEL_CACHE" | wc -l)" -eq 1 ] || fail "one file in the cache, and no scratch: $(ls "$KEEL_CACHE")"
[ "$(stat -c %a "$KEEL_CACHE")" = 700 ] || fail "the cache should be private"

# found again without asking, and without the compiler being started, by a run that is long enough to shorten
# its formulas
long="--method rk4/index1/none --step 0.001 --until 60 --option output=60"
exits 0 run "$model" --until 1 --summary short.json
[ "$(member short.json code)" = '"tape"' ] || fail "a short run is done before code is looked for"
exits 0 run "$model" $long --summary again.json
[ "$(member again.json code)" = '"native"' ] || fail "code in the cache should be used"

# a file that is damaged, cut short, or not ours is not loaded but made again
kept=$(echo "$KEEL_CACHE"/*.so)
cp "$kept" good.so
for damage in flip cut empty text; do
    case $damage in
    flip) dd if=/dev/zero of="$kept" bs=1 count=8 seek=4096 conv=notrunc 2>/dev/null ;;
    cut) head -c 3000 good.so >"$kept" ;;
    empty) : >"$kept" ;;
    text) echo "not code" >"$kept" ;;
    esac
    exits 0 run "$model" $long --summary damaged.json
    [ "$(member damaged.json code)" = '"tape"' ] || fail "$damage: a damaged file was used"
    exits 0 run "$model" --option code=native --summary mended.json
    [ "$(member mended.json code)" = '"native"' ] || fail "$damage: it should have been made again"
    silent err
done
chmod 722 "$kept"
exits 0 run "$model" $long --summary open.json
[ "$(member open.json code)" = '"tape"' ] || fail "a file that others may write was used"
chmod 700 "$kept"

# nor anything in a directory that others may write to; the code is then made for this run only
chmod 777 "$KEEL_CACHE"
exits 0 run "$model" $long --summary open.json
[ "$(member open.json code)" = '"tape"' ] || fail "a directory that others may write to was used"
mkdir tmp
(
    export TMPDIR="$folder/tmp"
    exits 0 run "$model" --option code=native --summary private.json
    says err "others may write to $KEEL_CACHE"
)
[ "$(member private.json code)" = '"native"' ] || fail "a compiler does not need a cache"
ls tmp >left
silent left
chmod 700 "$KEEL_CACHE"

# nor in one below a directory where others could exchange it
mkdir -p shared/mine && chmod 777 shared
(
    unset KEEL_CACHE
    export XDG_CACHE_HOME="$folder/shared/mine" TMPDIR="$folder/tmp"
    exits 0 run "$model" --option code=native --summary private.json
    says err "others may write to $(realpath "$folder")/shared: code in folders below it is not used"
    # the same through a link that stands in a safe place
    ln -s "$folder/shared/mine" link
    export XDG_CACHE_HOME="$folder/link"
    exits 0 run "$model" --option code=native
    says err "others may write to"
)

# a cache that cannot be written
printf 'a file' >in-the-way
(
    export KEEL_CACHE="$folder/in-the-way/keel" TMPDIR="$folder/tmp"
    exits 0 run "$model" --option code=native --summary readonly.json
    says err "cannot make $KEEL_CACHE"
)
[ "$(member readonly.json code)" = '"native"' ] || fail "a compiler does not need a cache"
ls tmp >left
silent left

# two runs at once make the same file
rm -f "$KEEL_CACHE"/*
"$KEEL" run "$model" --option code=native -o first.csv >/dev/null 2>first_err &
first=$!
"$KEEL" run "$model" --option code=native -o second.csv >/dev/null 2>second_err || fail "the second of two runs"
wait $first || fail "the first of two runs"
silent first_err
silent second_err
cmp first.csv tape.csv && cmp second.csv tape.csv || fail "runs at the same time differ"
[ "$(ls "$KEEL_CACHE" | wc -l)" -eq 1 ] || fail "scratch files were left: $(ls "$KEEL_CACHE")"

# a compiler that hangs in the background is ended with the run, with its children and files
printf '#!/bin/sh\necho $$ >%s/hanging\nexec sleep 1000\n' "$folder" >slow-cc
chmod +x slow-cc
(
    export CC="$folder/slow-cc"
    exits 0 run "$models/andrews.yaml" --tol 1e-13 --until 0.2 --summary slow.json
)
if [ -e hanging ]; then # on a fast machine the run is over before it pays
    ! kill -0 "$(cat hanging)" 2>/dev/null || fail "the compiler outlived the run"
fi
[ "$(ls "$KEEL_CACHE" | wc -l)" -eq 1 ] || fail "scratch files were left: $(ls "$KEEL_CACHE")"

# small mechanisms are written as formulas, which can be compiled; others are not
exits 0 run "$models/four_bar.yaml" --until 0.1 --option code=native --summary bodies.json
[ "$(member bodies.json code)" = '"native"' ] || fail "a small mechanism has machine code"
exits 0 run "$models/four_bar.yaml" --until 0.1 --option code=tape --summary bodies.json
[ "$(member bodies.json code)" = '"tape"' ] || fail "a small mechanism has a tape"
exits 0 run "$models/rolling_coin.yaml" --until 0.1 --option code=native --summary bodies.json
[ "$(member bodies.json code)" = null ] || fail "a coin that rolls in space, with a quaternion, has no formulas"
