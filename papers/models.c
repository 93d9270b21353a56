#include "papers/models.h"

#include <string.h>

/* The assembler copies the file between two symbols. */
#define EMBED(name)                                                                                          \
    __asm__(".section .rodata\n"                                                                             \
            ".global ki_text_" #name "\n.hidden ki_text_" #name "\n"                                         \
            ".global ki_text_end_" #name "\n.hidden ki_text_end_" #name "\n"                                 \
            "ki_text_" #name ": .incbin \"" KEEL_MODELS_DIR "/" #name ".yaml\"\n"                            \
            "ki_text_end_" #name ": .byte 0\n.previous\n");                                                  \
    extern const char ki_text_##name[], ki_text_end_##name[];

EMBED(andrews)
EMBED(andrews_bodies)
EMBED(car_axis)
EMBED(four_bars)
EMBED(parallelogram)
EMBED(pendulum)
EMBED(slider_crank)
EMBED(snakeboard)
EMBED(two_link)
EMBED(two_particles)
EMBED(wheelset)

const char *ki_model_text(const char *name, size_t *length) {
    const struct {
        const char *name, *begin, *end;
    } MODELS[] = {
#define ROW(name) {#name, ki_text_##name, ki_text_end_##name},
        ROW(andrews) ROW(andrews_bodies) ROW(car_axis) ROW(four_bars) ROW(parallelogram) ROW(pendulum)
            ROW(slider_crank) ROW(snakeboard) ROW(two_link) ROW(two_particles) ROW(wheelset)
#undef ROW
    };
    for (size_t i = 0; i < sizeof MODELS / sizeof *MODELS; i++)
        if (strcmp(MODELS[i].name, name) == 0) {
            *length = (size_t)(MODELS[i].end - MODELS[i].begin);
            return MODELS[i].begin;
        }
    return NULL;
}
