/* src/base/sine.inc as text of the library: compiled formulas have it in front. */
    .section .rodata
    .global ki_sine_text
    .hidden ki_sine_text
ki_sine_text:
    .incbin KEEL_SINE_TEXT
    .byte 0
    .section .note.GNU-stack, "", %progbits
