/* tape_order.c - puts instructions of the same kind next to each other.
 *
 * A run of equal instructions costs one jump of the interpreter. Within a window of instructions, those whose
 * operands are known wait in one queue per kind; always the longest queue is emptied, including what gets
 * ready for it on the way. A window is so small that its values stay in the fastest cache. */
#include <stdlib.h>
#include <string.h>

#include "expr/tape.h"

enum { WINDOW = 512 };

/* Instructions are counted from the first of the window. */
typedef struct scheduler {
    ki_program *p;
    int *maker; /* [cone.count] the instruction of the window that makes a value; KI_NONE: none */
    int *users; /* users[user_start[i]] .. users[user_start[i+1] - 1] need the result of instruction i */
    int user_capacity, user_start[WINDOW + 2];
    int missing[WINDOW]; /* number of operands that are not known yet */
    int next[WINDOW];    /* links of the queues, one queue for each kind */
    int head[KI_CODE_COUNT], tail[KI_CODE_COUNT], length[KI_CODE_COUNT];
    ki_instruction ordered[WINDOW];
} scheduler;

static void enqueue(scheduler *s, const ki_instruction *list, int i) {
    ki_code code = list[i].code;
    if (s->length[code]++)
        s->next[s->tail[code]] = i;
    else
        s->head[code] = i;
    s->tail[code] = i;
}

static int dequeue(scheduler *s, ki_code code) {
    int i = s->head[code];
    s->head[code] = s->next[i];
    s->length[code]--;
    return i;
}

static int maker_of(const scheduler *s, const ki_instruction *n, int k) {
    return s->maker[s->p->operands[n->first + k]];
}

static void find_makers(scheduler *s, const ki_instruction *list, int count) {
    for (int i = 0; i < count; i++) {
        s->maker[list[i].result] = i;
        if (list[i].second != KI_NONE)
            s->maker[list[i].second] = i;
    }
}

static void forget_makers(scheduler *s, const ki_instruction *list, int count) {
    for (int i = 0; i < count; i++) {
        s->maker[list[i].result] = KI_NONE;
        if (list[i].second != KI_NONE)
            s->maker[list[i].second] = KI_NONE;
    }
}

/* For each instruction, which others wait for it: counted first, then listed. */
static bool find_users(scheduler *s, const ki_instruction *list, int count) {
    int *start = s->user_start;
    memset(start, 0, sizeof s->user_start);
    for (int i = 0; i < count; i++) {
        s->missing[i] = 0;
        for (int k = 0; k < list[i].count; k++)
            if (maker_of(s, &list[i], k) != KI_NONE) {
                s->missing[i]++;
                start[maker_of(s, &list[i], k) + 2]++;
            }
    }
    for (int i = 1; i <= count; i++)
        start[i + 1] += start[i];
    if (!ki_expr_reserve(&s->users, &s->user_capacity, start[count + 1], sizeof *s->users))
        return false;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < list[i].count; k++)
            if (maker_of(s, &list[i], k) != KI_NONE)
                s->users[start[maker_of(s, &list[i], k) + 1]++] = i;
    return true;
}

static ki_code longest_queue(const scheduler *s) {
    int longest = 0;
    for (int code = 1; code < KI_CODE_COUNT; code++)
        if (s->length[code] > s->length[longest])
            longest = code;
    return (ki_code)longest;
}

static bool order_window(scheduler *s, ki_instruction *list, int count) {
    find_makers(s, list, count);
    if (!find_users(s, list, count))
        return false;
    for (int i = 0; i < count; i++)
        if (!s->missing[i])
            enqueue(s, list, i);
    for (int done = 0; done < count;)
        for (ki_code code = longest_queue(s); s->length[code];) {
            int i = dequeue(s, code);
            s->ordered[done++] = list[i];
            for (int u = s->user_start[i]; u < s->user_start[i + 1]; u++)
                if (--s->missing[s->users[u]] == 0)
                    enqueue(s, list, s->users[u]);
        }
    forget_makers(s, list, count);
    memcpy(list, s->ordered, (size_t)count * sizeof *list);
    return true;
}

bool ki_tape_order(ki_program *p) {
    scheduler *s = ki_expr_resize(NULL, 1, sizeof *s);
    if (!s)
        return false;
    memset(s, 0, sizeof *s);
    s->p = p;
    s->maker = ki_expr_resize(NULL, (size_t)p->cone.count, sizeof *s->maker);
    bool ok = s->maker != NULL;
    for (int i = 0; ok && i < p->cone.count; i++)
        s->maker[i] = KI_NONE;
    for (int first = 0; ok && first < p->count; first += WINDOW)
        ok = order_window(s, p->list + first, p->count - first < WINDOW ? p->count - first : WINDOW);
    free(s->users);
    free(s->maker);
    free(s);
    return ok;
}
