#include <string.h>

#include "mechanism/joints/joints.h"

const ki_joint_type *ki_joint_type_of(const char *word) {
    for (const ki_joint_type *const *type = ki_joint_types; *type; type++)
        if (strcmp((*type)->word, word) == 0)
            return *type;
    return NULL;
}

const char *const *keel_joint_types(void) {
    return ki_joint_words;
}
