/* One line for every run. */
#include <stdio.h>

#include "table.h"

static void write_point(FILE *file, const curve *c, const point *p) {
    fprintf(file, "%s,%s,%s,%s,%g,%s,", c->problem, c->solver, c->method, c->parameter, p->value,
            p->good ? "ok" : "failed");
    if (p->good)
        fprintf(file, "%.6g,%.3e,%.3e,%.3e,%.3e,%.3e,%ld,%ld,%ld,%.0f,\n", p->cpu, p->error_q, p->error_v,
                p->position, p->velocity, p->energy, p->steps, p->evaluations, p->factorizations,
                p->instructions);
    else
        fprintf(file, ",,,,,,,,,,\"%s\"\n", p->end.why);
}

bool write_csv(const table *t, const char *path) {
    FILE *file = fopen(path, "w");
    if (!file)
        return false;
    fprintf(file, "problem,solver,method,parameter,value,status,cpu_s,error_q,error_v,position_violation,"
                  "velocity_violation,energy,steps,evaluations,factorizations,instructions,why\n");
    for (int i = 0; i < t->count; i++)
        for (int k = 0; t->curves[i].done && k < t->curves[i].count; k++)
            write_point(file, &t->curves[i], &t->curves[i].points[k]);
    bool good = !ferror(file);
    return fclose(file) == 0 && good;
}
