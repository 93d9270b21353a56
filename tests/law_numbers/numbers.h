/* What generated functions are given, over numbers of any type REAL; included once for each of them.
 *
 * KI_LAW(x) is the name of x for that type. */
typedef struct KI_LAW(joint) {
    struct {
        REAL R[9], r[3];
    } frame[2];
    REAL length, pitch, radius, turn;
} KI_LAW(joint);

typedef struct KI_LAW(state) {
    REAL R[9], r[3], angle, twist[6];
} KI_LAW(state);

typedef struct KI_LAW(relative) {
    REAL R[9], r[3], angle;
} KI_LAW(relative);

typedef struct KI_LAW(row) {
    REAL value, w[2][6], gamma;
} KI_LAW(row);

typedef struct KI_LAW(element) {
    REAL r[2][3], stiffness, damping, free, K[36], C[36];
} KI_LAW(element);

typedef struct KI_LAW(load) {
    REAL w[2][6], along, power, potential, x[6];
} KI_LAW(load);

#undef JOINT
#undef STATE
#undef RELATIVE
#undef ROW
#undef ELEMENT
#undef LOAD
#define JOINT    KI_LAW(joint)
#define STATE    KI_LAW(state)
#define RELATIVE KI_LAW(relative)
#define ROW      KI_LAW(row)
#define ELEMENT  KI_LAW(element)
#define LOAD     KI_LAW(load)

/* Everything a function reads and writes. */
typedef struct KI_LAW(arguments) {
    JOINT joint;
    STATE s[2];
    REAL q[7], v[6], r0[3], r1[3], f[3];
    ELEMENT force;
    RELATIVE relative; /* read */
    /* written */
    RELATIVE placed;
    REAL S[36], bias[6], fitted[7];
    ROW rows[6];
    LOAD load;
} KI_LAW(arguments);

/* The number called `name` as in generated code; `written`: as an output. */
static REAL *KI_LAW(named)(KI_LAW(arguments) * x, const char *name, bool written) {
    int a, b, c;
    RELATIVE *relative = written ? &x->placed : &x->relative;
    const struct {
        const char *name;
        REAL *at;
    } whole[] = {{"force->stiffness", &x->force.stiffness},
                 {"force->damping", &x->force.damping},
                 {"force->free", &x->force.free},
                 {"load->along", &x->load.along},
                 {"load->power", &x->load.power},
                 {"load->potential", &x->load.potential},
                 {"joint->length", &x->joint.length},
                 {"joint->turn", &x->joint.turn},
                 {"joint->pitch", &x->joint.pitch},
                 {"joint->radius", &x->joint.radius},
                 {"s0->angle", &x->s[0].angle},
                 {"s1->angle", &x->s[1].angle},
                 {"relative->angle", &relative->angle}};
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
        if (strcmp(name, whole[i].name) == 0)
            return whole[i].at;
    if (sscanf(name, "joint->frame[%d].R[%d]", &a, &b) == 2)
        return &x->joint.frame[a].R[b];
    if (sscanf(name, "joint->frame[%d].r[%d]", &a, &b) == 2)
        return &x->joint.frame[a].r[b];
    if (sscanf(name, "s%d->R[%d]", &a, &b) == 2)
        return &x->s[a].R[b];
    if (sscanf(name, "s%d->r[%d]", &a, &b) == 2)
        return &x->s[a].r[b];
    if (sscanf(name, "s%d->twist[%d]", &a, &b) == 2)
        return &x->s[a].twist[b];
    if (sscanf(name, "relative->R[%d]", &a) == 1)
        return &relative->R[a];
    if (sscanf(name, "relative->r[%d]", &a) == 1)
        return &relative->r[a];
    if (sscanf(name, "rows[%d].w[%d][%d]", &a, &b, &c) == 3)
        return &x->rows[a].w[b][c];
    if (sscanf(name, "rows[%d].", &a) == 1)
        return strstr(name, ".value") ? &x->rows[a].value : &x->rows[a].gamma;
    if (sscanf(name, "q[%d]", &a) == 1)
        return written ? &x->fitted[a] : &x->q[a];
    if (sscanf(name, "v[%d]", &a) == 1)
        return &x->v[a];
    if (sscanf(name, "force->r[%d][%d]", &a, &b) == 2)
        return &x->force.r[a][b];
    if (sscanf(name, "force->K[%d]", &a) == 1)
        return &x->force.K[a];
    if (sscanf(name, "force->C[%d]", &a) == 1)
        return &x->force.C[a];
    if (sscanf(name, "load->w[%d][%d]", &a, &b) == 2)
        return &x->load.w[a][b];
    if (sscanf(name, "load->x[%d]", &a) == 1)
        return &x->load.x[a];
    if (sscanf(name, "f[%d]", &a) == 1)
        return &x->f[a];
    if (sscanf(name, "S[%d]", &a) == 1)
        return &x->S[a];
    if (sscanf(name, "bias[%d]", &a) == 1)
        return &x->bias[a];
    if (sscanf(name, "r0[%d]", &a) == 1)
        return &x->r0[a];
    if (sscanf(name, "r1[%d]", &a) == 1)
        return &x->r1[a];
    return NULL;
}
