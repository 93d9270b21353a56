// geometry.hpp - vectors and matrices of three rows, as much as the drivers for mechanisms need.
#ifndef BENCH_GEOMETRY_HPP
#define BENCH_GEOMETRY_HPP

#include <cmath>

namespace mech {

struct vec {
    double x = 0, y = 0, z = 0;
};

inline vec operator+(vec a, vec b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
}
inline vec operator-(vec a, vec b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
}
inline vec operator*(double s, vec a) {
    return {s * a.x, s * a.y, s * a.z};
}
inline double dot(vec a, vec b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
inline vec cross(vec a, vec b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
inline double norm(vec a) {
    return std::sqrt(dot(a, a));
}
inline vec unit(vec a) {
    return (1 / norm(a)) * a;
}

// any direction across `a`
inline vec across(vec a) {
    return unit(std::fabs(a.x) < 0.6 * norm(a) ? cross(a, {1, 0, 0}) : cross(a, {0, 1, 0}));
}

struct mat {
    vec row[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
};

inline vec operator*(const mat &A, vec b) {
    return {dot(A.row[0], b), dot(A.row[1], b), dot(A.row[2], b)};
}
inline mat operator+(const mat &A, const mat &B) {
    return {{A.row[0] + B.row[0], A.row[1] + B.row[1], A.row[2] + B.row[2]}};
}
inline mat transpose(const mat &A) {
    return {{{A.row[0].x, A.row[1].x, A.row[2].x},
             {A.row[0].y, A.row[1].y, A.row[2].y},
             {A.row[0].z, A.row[1].z, A.row[2].z}}};
}
inline mat diagonal(double a, double b, double c) {
    return {{{a, 0, 0}, {0, b, 0}, {0, 0, c}}};
}

// a 1 + b n n^T
inline mat uniaxial(double a, double b, vec n) {
    return diagonal(a, a, a) + mat{{b * n.x * n, b * n.y * n, b * n.z * n}};
}

} // namespace mech

#endif
