#include "base/names.h"

#include <ctype.h>
#include <string.h>

enum { MAX_LENGTH = 48 }; /* longer names get no suggestion: keeps the table on the stack */

static int smaller(int a, int b) {
    return a < b ? a : b;
}

static int replace_cost(char a, char b) {
    if (a == b)
        return 0;
    return tolower((unsigned char)a) == tolower((unsigned char)b) ? 1 : 2;
}

/* edit distance in half edits: d[i][j] is the distance of the first i characters of a to the first j of b */
static int distance(const char *a, const char *b) {
    int la = (int)strlen(a), lb = (int)strlen(b);
    static const int EDIT = 2;
    int d[MAX_LENGTH + 1][MAX_LENGTH + 1];
    if (la > MAX_LENGTH || lb > MAX_LENGTH)
        return EDIT * MAX_LENGTH;
    for (int i = 0; i <= la; i++)
        d[i][0] = i * EDIT;
    for (int j = 0; j <= lb; j++)
        d[0][j] = j * EDIT;
    for (int i = 1; i <= la; i++)
        for (int j = 1; j <= lb; j++) {
            int best = smaller(d[i - 1][j], d[i][j - 1]) + EDIT;
            best = smaller(best, d[i - 1][j - 1] + replace_cost(a[i - 1], b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                best = smaller(best, d[i - 2][j - 2] + EDIT);
            d[i][j] = best;
        }
    return d[la][lb];
}

const char *ki_closest_name(const char *name, const char *const *candidates, int count) {
    const char *closest = NULL;
    /* one edit in short names, up to a third of the letters in longer ones */
    int length = (int)strlen(name), best = length < 6 ? 2 : 2 * (length / 3);
    for (int i = 0; i < count; i++) {
        /* each letter that one of them has more is an edit: most of many names need no table */
        int other = (int)strlen(candidates[i]),
            least = 2 * (other > length ? other - length : length - other);
        int d = least > best ? least : distance(name, candidates[i]);
        if (d <= best && d < 2 * (int)strlen(candidates[i])) {
            best = d - 1;
            closest = candidates[i];
        }
    }
    return closest;
}
