# Completion of keel for bash. What there is to complete is asked of the program itself: keel help --words.

# The first field of every line; with a second argument, the second field of the lines that begin with it.
_keel_words() {
    if [ $# -gt 1 ]; then
        "$_keel_program" help --words "$1" 2>/dev/null | awk -F '\t' -v word="$2" '$1 == word {print $2}'
    else
        "$_keel_program" help --words "$1" 2>/dev/null | cut -f 1
    fi
}

# _keel_offer WORDS CURRENT: the words that begin as the current one
_keel_offer() {
    mapfile -t COMPREPLY < <(compgen -W "$1" -- "$2")
}

_keel_files() {
    compopt -o filenames 2>/dev/null
    mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$1")
}

# What a flag takes: its value as the help calls it.
_keel_value() {
    local current=$3
    case $2 in
    METHOD) _keel_offer "$(_keel_words methods)" "$current" ;;
    MODEL) _keel_offer "$(_keel_words models)" "$current" && _keel_files "$current" ;;
    LIST)
        [ "$1" = --methods ] || [ "$1" = -m ] || return
        local before=
        [[ $current != *,* ]] || before=${current%,*},
        _keel_offer "$(_keel_words methods)" "${current##*,}"
        COMPREPLY=("${COMPREPLY[@]/#/$before}")
        ;;
    NAME=VALUE)
        [ "$1" = --option ] || return
        _keel_offer "$(_keel_words options)" "$current"
        COMPREPLY=("${COMPREPLY[@]/%/=}")
        compopt -o nospace 2>/dev/null
        ;;
    *) _keel_files "$current" ;;
    esac
}

_keel() {
    local _keel_program=${COMP_WORDS[0]} current=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]}
    local previous=${COMP_WORDS[COMP_CWORD - 1]} value
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        _keel_offer "$(_keel_words commands) --help --version" "$current"
        return
    fi

    # bash makes a word of its own of '=': --flag = value, and --option name = value
    [ "$current" != = ] || { current= && previous="="; }
    if [ "$previous" = = ]; then
        local at=$COMP_CWORD
        [ "${COMP_WORDS[at]}" = = ] || at=$((at - 1))
        previous=${COMP_WORDS[at - 1]}
        if [ "${COMP_WORDS[at - 2]}" = --option ]; then
            _keel_offer "$(_keel_words options "$previous")" "$current"
            return
        fi
    fi
    value=$(_keel_words "flags:$command" "$previous")
    if [ -n "$value" ]; then
        _keel_value "$previous" "$value" "$current"
    elif [[ $current == -* ]]; then
        _keel_offer "$(_keel_words "flags:$command" | grep '^--')" "$current"
    else
        _keel_offer "$(_keel_words "operands:$command")" "$current"
        case $command in
        run | check | assemble | report | compare) _keel_files "$current" ;;
        esac
    fi
}

complete -F _keel keel
