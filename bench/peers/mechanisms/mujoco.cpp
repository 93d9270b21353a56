// MuJoCo 2.2: joints of the tree in relative coordinates, loops as equality constraints `connect`, which are
// soft: a violation r is pulled back like r'' + 2 r'/T + r/T^2 = (1 - d) times what the rest of the forces
// would make of it, with an impedance d of at most 0.9999. The time constant T goes with the step, so that
// the softness vanishes with h^2. All steps are fixed. The methods:
//     rk4, euler, implicit    the integrators, tree and loops
//     rk4-loose               all bodies free in the plane and all pins by `connect` (for long chains)
#include "cases.hpp"
#include "problems.hpp"

#include "../../driver.h"

#include <cstdlib>
#include <cstring>
#include <memory>
#include <mujoco/mujoco.h>
#include <sstream>

using mech::joint;
using mech::vec;

static std::ostream &operator<<(std::ostream &out, vec a) {
    return out << a.x << ' ' << a.y << ' ' << a.z;
}

// T/h. RK4 is stable from 0.4 on, but below 1 velocities suffer; the others want 2, which MuJoCo itself
// recommends.
static double time_constant(const std::string &method) {
    return method.compare(0, 3, "rk4") == 0 ? 1 : 2;
}

class writer {
  public:
    writer(const mech::mechanism &of, bool is_loose) : m(of), loose(is_loose), children(of.bodies.size()) {
        out.precision(17);
        for (size_t i = 0; i < m.bodies.size(); i++)
            if (int parent = m.bodies[i].joint.first; parent != mech::GROUND && !loose)
                children[static_cast<size_t>(parent)].push_back(i);
    }

    // files of the model, "0.xml" ...; the last is the model itself, which includes the others
    std::vector<std::string> model(const std::string &method, double h) {
        const std::string integrator = method == "euler"      ? "Euler"
                                       : method == "implicit" ? "implicit"
                                                              : "RK4";
        out << "<mujoco><option timestep='" << h << "' gravity='" << m.gravity << "' integrator='"
            << integrator << "' solver='Newton' tolerance='1e-14' iterations='20'>"
            << "<flag contact='disable' refsafe='disable'/></option><size njmax='" << rows() << "' nstack='"
            << stack() << "'/><worldbody>";
        sites(mech::GROUND);
        for (size_t i = 0; i < m.bodies.size(); i++)
            if (m.bodies[i].joint.first == mech::GROUND || loose)
                body(i, 0);
        out << "</worldbody>";
        loops(h * time_constant(method));
        struts();
        out << "</mujoco>";
        files.push_back(out.str());
        return files;
    }

  private:
    // the XML reader takes about 100 levels of nesting: a long chain goes on in a further file
    static const int levels_of_a_file = 80;
    const mech::mechanism &m;
    bool loose;
    std::vector<std::vector<size_t>> children;
    std::ostringstream out;
    std::vector<std::string> files;

    // conditions: three of every `connect`
    size_t rows() const {
        const size_t points = m.loops.size() * (m.planar ? 1 : 2) + (loose ? m.bodies.size() : 0);
        return 3 * points + 10;
    }

    // numbers of scratch: MuJoCo's Newton solver takes square matrices of all freedoms and conditions
    size_t stack() const {
        const size_t size = m.bodies.size() * (loose ? 3 : 1) + rows();
        return 1000000 + 4 * size * size;
    }

    void sites(int b) {
        for (size_t i = 0; i < m.struts.size(); i++) {
            const mech::strut &s = m.struts[i];
            if (s.a == b)
                out << "<site name='a" << i << "' pos='" << s.at_a - mech::origin(m, b) << "'/>";
            if (s.b == b)
                out << "<site name='b" << i << "' pos='" << s.at_b - mech::origin(m, b) << "'/>";
        }
    }

    void freedoms(const mech::connection &c) {
        const vec x{1, 0, 0}, y{0, 1, 0};
        const char *hinge = "<joint type='hinge' axis='", *slide = "<joint type='slide' axis='";
        if (loose)
            out << slide << x << "'/>" << slide << y << "'/>" << hinge << c.axis << "'/>";
        else if (c.type == joint::pin)
            out << hinge << c.axis << "'/>";
        else if (c.type == joint::slide)
            out << slide << c.axis << "' stiffness='" << c.stiffness << "'/>";
        else if (c.type == joint::universal)
            out << hinge << c.axis << "'/>" << hinge << c.side << "'/>";
        else
            out << "<freejoint/>";
    }

    // MuJoCo wants moments above zero: those of slender rods and point masses become 1e-12 kg m^2
    void inertia(const mech::body &b) {
        const vec *r = b.inertia.row;
        out << "<inertial pos='" << b.centre - b.joint.at << "' mass='" << b.mass << "' fullinertia='"
            << r[0].x + 1e-12 << ' ' << r[1].y + 1e-12 << ' ' << r[2].z + 1e-12 << ' ' << r[0].y << ' '
            << r[0].z << ' ' << r[1].z << "'/>";
    }

    // the frame of a body has its origin at its joint and world axes in the drawn pose
    void body(size_t i, int level) {
        const mech::body &b = m.bodies[i];
        vec from = loose ? vec{} : mech::origin(m, b.joint.first);
        out << "<body name='" << i << "' pos='" << b.joint.at - from << "'>";
        freedoms(b.joint);
        inertia(b);
        sites(static_cast<int>(i));
        for (size_t child : children[i])
            if (level < levels_of_a_file)
                body(child, level + 1);
            else
                out << "<include file='" << file(child) << "'/>";
        out << "</body>";
    }

    std::string file(size_t i) {
        std::ostringstream before;
        before.precision(17);
        before.swap(out);
        out << "<mujoco>";
        body(i, 0);
        out << "</mujoco>";
        files.push_back(out.str());
        before.swap(out);
        return std::to_string(files.size() - 1) + ".xml";
    }

    void connect(int first, int second, vec at, double T) {
        out << "<connect body1='" << second << "'";
        if (first != mech::GROUND)
            out << " body2='" << first << "'";
        out << " anchor='" << at - mech::origin(m, second) << "' solref='" << T
            << " 0.5' solimp='0.9999 0.9999 1 0.5 1'/>";
    }

    // a pin in space is two points on its axis
    void loops(double T) {
        out << "<equality>";
        for (const mech::connection &c : m.loops) {
            connect(c.first, c.second, c.at, T);
            if (c.type == joint::pin && !m.planar)
                connect(c.first, c.second, c.at + c.axis, T);
        }
        for (size_t i = 0; i < m.bodies.size() && loose; i++)
            connect(m.bodies[i].joint.first, static_cast<int>(i), m.bodies[i].joint.at, T);
        out << "</equality>";
    }

    void struts() {
        out << "<tendon>";
        for (size_t i = 0; i < m.struts.size(); i++)
            out << "<spatial stiffness='" << m.struts[i].stiffness << "' damping='" << m.struts[i].damping
                << "' springlength='" << m.struts[i].free << "'><site site='a" << i << "'/><site site='b" << i
                << "'/></spatial>";
        out << "</tendon>";
    }
};

struct engine {
    mjModel *model = nullptr;
    mjData *data = nullptr;
    ~engine() {
        if (data)
            mj_deleteData(data);
        if (model)
            mj_deleteModel(model);
    }
};

static bool load(engine &e, const std::vector<std::string> &texts, bench_result *result) {
    auto files = std::make_unique<mjVFS>();
    mj_defaultVFS(files.get());
    std::string name;
    for (size_t i = 0; i < texts.size(); i++) {
        name = std::to_string(i) + ".xml";
        mj_makeEmptyFileVFS(files.get(), name.c_str(), static_cast<int>(texts[i].size()));
        std::memcpy(files->filedata[i], texts[i].data(), texts[i].size());
    }
    char why[200] = "";
    e.model = mj_loadXML(name.c_str(), files.get(), why, sizeof why);
    mj_deleteVFS(files.get());
    if (!e.model) {
        mech::failed(result, why);
        return false;
    }
    e.data = mj_makeData(e.model);
    return true;
}

// world is body 0 of MuJoCo; our body i has the name "i"
static int index_of(const engine &e, size_t i) {
    return mj_name2id(e.model, mjOBJ_BODY, std::to_string(i).c_str());
}

static void set_start(const mech::mechanism &m, const engine &e, bool loose) {
    for (size_t i = 0; i < m.bodies.size() && !loose; i++) {
        const mech::connection &c = m.bodies[i].joint;
        const int dof = e.model->body_dofadr[index_of(e, i)];
        mjtNum *v = e.data->qvel + dof;
        const vec rates[2] = {c.velocity, c.spin};
        if (c.type == joint::free)
            std::memcpy(v, rates, sizeof rates);
        else
            std::memcpy(v, c.rate, (c.type == joint::universal ? 2 : 1) * sizeof *v);
        e.data->qfrc_applied[dof] = c.effort;
    }
}

static std::vector<mech::motion> motions(const mech::mechanism &m, const engine &e) {
    std::vector<mech::motion> all;
    for (size_t i = 0; i < m.bodies.size(); i++) {
        const int b = index_of(e, i);
        const mjtNum *R = e.data->xmat + 9 * b, *c = e.data->xipos + 3 * b;
        mjtNum twist[6];
        mj_objectVelocity(e.model, e.data, mjOBJ_BODY, b, twist, 0);
        mech::motion now;
        for (int k = 0; k < 3; k++)
            now.R.row[k] = {R[3 * k], R[3 * k + 1], R[3 * k + 2]};
        now.centre = {c[0], c[1], c[2]};
        now.spin = {twist[0], twist[1], twist[2]};
        now.velocity = {twist[3], twist[4], twist[5]};
        now.angle = e.data->qpos[e.model->jnt_qposadr[e.model->body_jntadr[b]]];
        all.push_back(now);
    }
    return all;
}

static int run(const char *problem, const char *method, double value, bench_result *result) {
    const mech::mechanism m = mech::problem(problem);
    const bool loose = std::strcmp(method, "rk4-loose") == 0;
    const long steps = std::lround(m.until / value);
    engine e;
    if (!load(e, writer(m, loose).model(method, m.until / static_cast<double>(steps)), result))
        return 1;
    set_start(m, e, loose);
    bench_start_clock();
    for (long i = 0; i < steps; i++)
        mj_step(e.model, e.data);
    bench_stop_clock();
    mj_forward(e.model, e.data);
    if (e.data->warning[mjWARN_CNSTRFULL].number > 0)
        return mech::failed(result, "the buffer of constraints was full");
    // MuJoCo goes back to the start after a state that is not finite
    for (int w : {mjWARN_BADQPOS, mjWARN_BADQVEL, mjWARN_BADQACC})
        if (e.data->warning[w].number > 0)
            return mech::failed(result, "the state was not finite");
    mech::observe(m, motions(m, e), result);
    result->steps = steps;
    result->evaluations = steps * (e.model->opt.integrator == mjINT_RK4 ? 4 : 1);
    return 0;
}

// MuJoCo's own handlers write a file and wait for a key
static void on_error(const char *text) {
    std::printf("status=failed why=%s\n", text);
    std::exit(1);
}

static void on_warning(const char *) {}

int main(int argc, char **argv) {
    mju_user_error = on_error;
    mju_user_warning = on_warning;
    // to the step where a run takes about five seconds
    struct {
        const char *problem;
        double largest, least;
    } table[] = {{"a03", 1e-4, 4e-7},        {"fourbar-1", 0.1, 1e-4},      {"fourbar-2", 0.1, 1e-4},
                 {"fourbar-10", 0.1, 3e-4},  {"fourbar-40", 0.1, 1e-3},     {"fourbar-100", 0.1, 2e-3},
                 {"fourbar-400", 0.1, 6e-3}, {"fourbar-1000", 0.1, 1.2e-2}, {"bricard", 0.1, 1e-4},
                 {"governor", 1e-4, 2.5e-5}, {"slidercrank", 4e-3, 3e-5},   {"chain-10", 0.05, 1e-4},
                 {"chain-100", 0.02, 3e-4},  {"stewart", 0.02, 4e-5},       {"pendulum-10", 0.2, 1e-4},
                 {"pendulum-100", 0.2, 4e-4}};
    mech::case_list cases;
    for (const auto &row : table)
        for (const char *method : {"rk4", "implicit", "euler"})
            cases.steps(row.problem, method, row.largest, row.least);
    cases.steps("chain-1000", "rk4-loose", 0.02, 2.5e-3);
    return cases.main(argc, argv, run);
}
