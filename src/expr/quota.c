#include "expr/quota.h"

static _Thread_local ki_quota *now;

void ki_quota_begin(ki_quota *quota, double size) {
    *quota = (ki_quota){.size = size};
    now = quota;
}

void ki_quota_end(void) {
    now = NULL;
}

ki_quota *ki_quota_now(void) {
    return now;
}

double ki_quota_limit(double usual) {
    return now ? usual * now->size : usual;
}

bool ki_quota_take_node(void) {
    if (!now)
        return true;
    now->too_large = now->too_large || ++now->nodes > KI_QUOTA_NODES * now->size;
    return !now->too_large;
}
