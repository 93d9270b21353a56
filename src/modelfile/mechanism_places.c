/* mechanism_places.c - points and bodies that are named by other parts. */
#include <stdio.h>
#include <string.h>

#include "modelfile/mechanism.h"

/* "rod.tip" -> the body and "tip"; NULL if there is no point in the name or no such body. */
static const char *split(const ki_sketch *s, const char *name, int *body) {
    const char *dot = strrchr(name, '.');
    ki_part_kind kind = dot ? ki_find_part(s->mechanism, name, (int)(dot - name), body) : KI_NO_PART;
    return kind == KI_BODY ? dot + 1 : NULL;
}

static bool take(const keel_mechanism *m, int point, double at[3]) {
    if (point >= 0)
        memcpy(at, m->point[point].at, 3 * sizeof *at);
    return point >= 0;
}

bool ki_sketch_find_place(const ki_sketch *s, const char *name, int body, double at[3]) {
    int length = (int)strlen(name), of = -1;
    for (int i = 0; i < s->own_count; i++)
        if (strcmp(s->own[i].name, name) == 0) {
            memcpy(at, s->own[i].at, sizeof s->own[i].at);
            return true;
        }
    if (body >= 0 && take(s->mechanism, ki_find_point(s->mechanism, body, name, length), at))
        return true;
    if (take(s->drawing, ki_find_point(s->drawing, KEEL_GROUND, name, length), at))
        return true;
    const char *point = split(s, name, &of);
    if (point && take(s->mechanism, ki_find_point(s->mechanism, of, point, (int)strlen(point)), at))
        return true;
    if (point) /* where a place of the drawing is, as a point of this body */
        return take(s->drawing, ki_find_point(s->drawing, KEEL_GROUND, point, (int)strlen(point)), at);
    return take(s->mechanism, ki_find_point(s->mechanism, -1, name, length), at);
}

/* Bodies that have a point of that name: how many, and the first two. */
static int find_owners(const ki_sketch *s, const char *name, const char *owner[2]) {
    int count = 0;
    for (int i = 0; i < s->mechanism->point_count && count < 2; i++)
        if (strcmp(s->mechanism->point[i].name, name) == 0)
            owner[count++] = s->mechanism->body[s->mechanism->point[i].body].name;
    return count;
}

static void report_no_point(ki_sketch *s, const ki_yaml *value, const char *name, const char *owner) {
    char hint[KI_PART_HINT];
    const char *of[2];
    int body;
    if (find_owners(s, name, of) == 2) {
        KI_COMPLAIN(s->loader, value->at, "both '%s' and '%s' have a point '%s': write '%s.%s' or '%s.%s'",
                    of[0], of[1], name, of[0], name, of[1], name);
        return;
    }
    const char *point = split(s, name, &body), *dot = strrchr(name, '.');
    if (point && find_owners(s, point, of) > 0) {
        KI_COMPLAIN(s->loader, value->at, "'%s' has no point '%s', which '%s' names; '%s' has one",
                    s->mechanism->body[body].name, point, owner, of[0]);
    } else if (point) {
        KI_COMPLAIN(s->loader, value->at, "'%s' has no point '%s', which '%s' names%s",
                    s->mechanism->body[body].name, point, owner,
                    ki_hint(s->mechanism, KI_POINT, point, hint));
    } else if (dot) {
        char head[KI_SKETCH_NAME];
        snprintf(head, sizeof head, "%.*s", (int)(dot - name), name);
        KI_COMPLAIN(s->loader, value->at, "there is no body '%s', of which '%s' names a point%s", head, owner,
                    ki_hint(s->mechanism, KI_BODY, head, hint));
    } else {
        KI_COMPLAIN(s->loader, value->at, "there is no point '%s', which '%s' names%s", name, owner,
                    *ki_hint(s->drawing, KI_POINT, name, hint) ? hint
                                                               : ki_hint(s->mechanism, KI_POINT, name, hint));
    }
}

/* A point called by its name; what begins otherwise is a list without its brackets. */
static bool read_point_name(ki_sketch *s, const ki_yaml *value, const char *owner,
                            char name[KI_SKETCH_NAME]) {
    char brief[KI_BRIEF];
    if (strchr("+-.0123456789(", value->text[0])) {
        KI_COMPLAIN(s->loader, value->at, "a place of '%s' is a list in brackets, %s, not '%s'", owner,
                    s->planar ? "[x, y]" : "[x, y, z]", ki_brief(value->text, brief));
        return false;
    }
    return ki_sketch_name(s, value->text, value->formula_at, name);
}

bool ki_sketch_place(ki_sketch *s, const ki_yaml *value, const char *owner, int body, double at[3]) {
    char name[KI_SKETCH_NAME];
    if (value->kind == KI_YAML_LIST) {
        int count = s->planar && value->count != 3 ? 2 : 3;
        at[2] = 0;
        bool good = ki_sketch_numbers(s, value, owner, count, at);
        if (s->planar)
            at[2] = 0;
        return good;
    }
    if (value->kind != KI_YAML_TEXT || !value->text[0]) {
        KI_COMPLAIN(s->loader, value->at,
                    "a place of '%s' must be a list of %s numbers or the name of a point, not %s", owner,
                    s->planar ? "two" : "three", ki_yaml_kind_word(value->kind));
        return false;
    }
    if (!read_point_name(s, value, owner, name))
        return false;
    if (ki_sketch_find_place(s, name, body, at))
        return true;
    report_no_point(s, value, name, owner);
    return false;
}

/* Is an entry of a list of two the name of a point? Formulas of parameters look alike. */
static bool names_place(ki_sketch *s, const ki_yaml *entry, int body) {
    char name[KI_SKETCH_NAME];
    double at[3];
    if (entry->kind != KI_YAML_TEXT)
        return entry->kind == KI_YAML_LIST;
    return ki_sketch_is_name(s, entry->text, name) && !ki_sketch_is_number_name(s, name) &&
           ki_sketch_find_place(s, name, body, at);
}

bool ki_sketch_places(ki_sketch *s, const ki_yaml *value, const char *owner, const int body[2],
                      double at[2][3]) {
    bool two = value->kind == KI_YAML_LIST && value->count == 2 &&
               (!s->planar || names_place(s, value->first, body[0]) || names_place(s, value->last, body[1]));
    if (two) {
        bool first = ki_sketch_place(s, value->first, owner, body[0], at[0]);
        return ki_sketch_place(s, value->last, owner, body[1], at[1]) && first;
    }
    if (value->kind != KI_YAML_TEXT) {
        bool good = ki_sketch_place(s, value, owner, -1, at[1]);
        memcpy(at[0], at[1], sizeof at[0]);
        return good;
    }
    /* one name for both: each body may have a point of that name */
    char name[KI_SKETCH_NAME];
    if (!value->text[0] || !read_point_name(s, value, owner, name))
        return value->text[0] ? false : ki_sketch_place(s, value, owner, -1, at[0]);
    bool first = ki_sketch_find_place(s, name, body[0], at[0]);
    bool second = ki_sketch_find_place(s, name, body[1], at[1]);
    if (first != second)
        memcpy(at[first], at[!first], sizeof at[0]);
    if (!first && !second)
        report_no_point(s, value, name, owner);
    return first || second;
}

bool ki_sketch_body(ki_sketch *s, const ki_yaml *value, const char *owner, int *body) {
    char name[KI_SKETCH_NAME], hint[KI_PART_HINT];
    if (!ki_expect_formula(s->loader, value, "a body of", owner) ||
        !ki_sketch_name(s, value->text, value->formula_at, name))
        return false;
    *body = keel_mechanism_find_body(s->mechanism, name);
    if (*body < 0)
        KI_COMPLAIN(s->loader, value->at, "there is no body '%s', which '%s' names%s", name, owner,
                    ki_hint(s->mechanism, KI_BODY, name, hint));
    return *body >= 0;
}

bool ki_sketch_bodies(ki_sketch *s, const ki_yaml *value, const char *owner, int body[2]) {
    if (value->kind != KI_YAML_LIST || value->count != 2) {
        KI_COMPLAIN(s->loader, value->at, "'bodies' of '%s' must be a list of two, such as [ground, rod]",
                    owner);
        return false;
    }
    bool first = ki_sketch_body(s, value->first, owner, &body[0]);
    return ki_sketch_body(s, value->last, owner, &body[1]) && first;
}

bool ki_sketch_body_point(ki_sketch *s, const ki_yaml *value, const char *owner, int *body, double at[3]) {
    char name[KI_SKETCH_NAME];
    if (!ki_expect_formula(s->loader, value, "a point of", owner) ||
        !ki_sketch_name(s, value->text, value->formula_at, name))
        return false;
    if (split(s, name, body) && ki_sketch_find_place(s, name, -1, at))
        return true;
    int point = ki_find_point(s->mechanism, -1, name, (int)strlen(name));
    if (take(s->mechanism, point, at)) {
        *body = s->mechanism->point[point].body;
        return true;
    }
    const char *of[2];
    if (find_owners(s, name, of) == 0 && ki_sketch_find_place(s, name, -1, at))
        KI_COMPLAIN(s->loader, value->at,
                    "'%s' is a place of the drawing, not a point of a body: write 'BODY.%s', such as "
                    "'ground.%s'",
                    name, name, name);
    else
        report_no_point(s, value, name, owner);
    return false;
}

void ki_read_point(ki_sketch *s, const ki_yaml *entry) {
    char name[KI_SKETCH_NAME], brief[KI_BRIEF];
    double at[3] = {0};
    if (entry->kind == KI_YAML_MISSING && strchr("+-.0123456789(", entry->key[0])) {
        KI_COMPLAIN(s->loader, entry->key_at,
                    "'%s' is no point: the numbers of a place stand in brackets, %s",
                    ki_brief(entry->key, brief), s->planar ? "[x, y]" : "[x, y, z]");
        return;
    }
    if (!ki_sketch_name(s, entry->key, entry->key_at, name))
        return;
    if (!ki_sketch_place(s, entry, name, -1, at))
        at[0] += s->drawing->point_count; /* somewhere, so that those who name it are not called wrong */
    int status =
        keel_mechanism_add_point(s->drawing, name, KEEL_GROUND, at, entry->key_at, s->loader->diagnostics);
    if (status < 0)
        ki_loader_fail(s->loader, (keel_status)status);
}
