// First contacts from C++ with Eigen: one, a thousand at a time, a robot on a path, and the edges of a planner.
// Everything that is printed is checked: the program ends with status 1 where an answer is not the known one.

#include <chasles.h>

#include <Eigen/Geometry>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

// Handles that free themselves, and errors as exceptions.

void check(chasles_status status) {
    if (status != CHASLES_STATUS_OK) throw std::runtime_error(chasles_last_error());
}

struct Free {
    void operator()(chasles_body *body) const { chasles_body_free(body); }
    void operator()(chasles_cell *cell) const { chasles_cell_free(cell); }
    void operator()(chasles_edge_checker *checker) const { chasles_edge_checker_free(checker); }
};

using Body = std::unique_ptr<chasles_body, Free>;
using Cell = std::unique_ptr<chasles_cell, Free>;
using EdgeChecker = std::unique_ptr<chasles_edge_checker, Free>;

// One column a vertex, one column a triangle: Eigen has columns one after the other, which is what Chasles reads.
Body mesh(const Eigen::Matrix3Xd &vertices, const Eigen::Matrix<uint32_t, 3, Eigen::Dynamic> &triangles) {
    chasles_body *body = nullptr;
    check(chasles_body_mesh(vertices.data(), vertices.cols(), triangles.data(), triangles.cols(), &body));
    return Body(body);
}

chasles_pose pose(const Eigen::Isometry3d &isometry) {
    chasles_pose pose;
    check(chasles_pose_from_matrix(isometry.data(), &pose));
    return pose;
}

// The program's own checks.
void expect(bool holds, const char *what) {
    if (holds) return;
    std::fprintf(stderr, "not so: %s\n", what);
    std::exit(1);
}

void one_contact() {
    // A triangle one metre above a square moves two metres down and a quarter turn round.
    Eigen::Matrix3Xd blade(3, 3), square(3, 4);
    blade << 0.0, 1.0, 0.5,
             0.0, 0.0, 0.0,
             0.0, 0.0, 1.0;
    square << -2.0, 2.0, 2.0, -2.0,
              -2.0, -2.0, 2.0, 2.0,
               0.0, 0.0, 0.0, 0.0;
    Eigen::Matrix<uint32_t, 3, Eigen::Dynamic> one(3, 1), two(3, 2);
    one << 0, 1, 2;
    two << 0, 0,
           1, 2,
           2, 3;
    const Body knife = mesh(blade, one), table = mesh(square, two);

    Eigen::Isometry3d end = Eigen::Isometry3d::Identity();
    end.translate(-Eigen::Vector3d::UnitZ()).rotate(Eigen::AngleAxisd(1.5, Eigen::Vector3d::UnitZ()));
    const chasles_pose from = pose(Eigen::Isometry3d(Eigen::Translation3d(0.0, 0.0, 1.0))), to = pose(end);

    chasles_prediction found;
    check(chasles_first_contact(knife.get(), table.get(), &from, &to, nullptr, &found));
    expect(found.verdict == CHASLES_VERDICT_CONTACT, "the knife meets the table");
    const Eigen::Map<const Eigen::Vector3d> normal(found.normal), point(found.point);
    std::printf("contact in [%.9f, %.9f] at (%.3f, %.3f, %.3f)\n",
                found.time[0], found.time[1], point.x(), point.y(), point.z());

    expect(found.time[0] <= 0.5 && 0.5 <= found.time[1] && found.time[1] - found.time[0] < 1e-9, "half way");
    expect(found.clear_until <= found.time[0], "proven apart before");
    expect((normal + Eigen::Vector3d::UnitZ()).norm() < 1e-12, "the normal points down, from the knife to the table");
    expect(std::abs(point.z()) < 1e-9, "the point is on the table");
}

void a_thousand_contacts() {
    // Balls of 0.1 m fall from 1 m onto the top of a block, at 0.25 m, 3 m in a unit of time; every second one passes it by.
    chasles_body *ball = nullptr, *block = nullptr;
    check(chasles_body_sphere(0.1, &ball));
    const Body owned_ball(ball);
    check(chasles_body_box(1.0, 1.0, 0.5, &block));
    const Body owned_block(block);

    std::vector<chasles_query> queries;
    for (int i = 0; i < 1000; ++i) {
        const double x = (i % 2 == 0 ? 0.0 : 0.61) + 1e-5 * i, y = 4e-4 * i;
        const Eigen::Isometry3d above(Eigen::Translation3d(x, y, 1.0)), below(Eigen::Translation3d(x, y, -2.0));
        queries.push_back({ball, block, pose(above), pose(below)});
    }
    std::vector<chasles_prediction> found(queries.size());
    check(chasles_first_contacts(queries.data(), queries.size(), nullptr, found.data()));

    const double expected = (1.0 - 0.1 - 0.25) / 3.0;
    int met = 0;
    for (size_t i = 0; i < found.size(); ++i) {
        if (i % 2 == 1) {
            expect(found[i].verdict == CHASLES_VERDICT_CLEAR && found[i].clear_until == 1.0, "the ball passes by");
            continue;
        }
        ++met;
        expect(found[i].verdict == CHASLES_VERDICT_CONTACT, "the ball meets the block");
        expect(found[i].time[0] <= expected && expected <= found[i].time[1], "when it should");
    }
    std::printf("%d of %zu balls meet the block, at %.9f\n", met, found.size(), expected);
    expect(met == 500, "every second ball");
}

void edges(const chasles_cell *cell) {
    chasles_edge_checker *made = nullptr;
    check(chasles_edge_checker_make(cell, nullptr, &made));
    const EdgeChecker checker(made);

    // One column a configuration. The arm turns on, from one of 24 places to the next; the wire is passed once.
    const int count = 24;
    Eigen::Matrix4Xd from = Eigen::Matrix4Xd::Zero(4, count), to = from;
    from.row(0) = Eigen::RowVectorXd::LinSpaced(count, -1.2, 1.1);
    to.row(0) = from.row(0).array() + 0.1;
    std::vector<chasles_edge> answers(count);
    check(chasles_edge_checker_check_edges(made, from.data(), to.data(), count, nullptr, answers.data()));

    int free = 0;
    for (const chasles_edge &answer : answers) free += answer.verdict == CHASLES_VERDICT_CLEAR;
    const chasles_edge &blocked = answers[12];
    std::printf("%d of %d edges are free, and not those through the %s\n", free, count,
                blocked.b < 0 ? "?" : chasles_cell_body_name(cell, blocked.b));
    expect(free == 22, "all but two: each of the fingers strikes the wire");
    expect(blocked.verdict == CHASLES_VERDICT_CONTACT, "the edge from 0 to 0.1 is blocked");
    expect(std::string(chasles_cell_body_name(cell, blocked.b)) == "wire", "by the wire");

    // How far that one is free.
    chasles_edge_reach reach;
    check(chasles_edge_checker_reach(made, from.col(12).data(), to.col(12).data(), &reach));
    std::printf("which is free up to %.6f of its way\n", reach.free_until);
    expect(reach.free_until > 0.6 && reach.free_until < reach.at[1], "proven free before the contact");
}

void a_robot(const std::string &scenes) {
    const std::string robot = scenes + "/robots/arm.urdf", world = scenes + "/robots/wire.toml";
    chasles_cell_source source = chasles_cell_source_default();
    source.urdf = robot.c_str();
    source.world = world.c_str();
    chasles_cell *read = nullptr;
    check(chasles_cell_read(&source, &read));
    const Cell cell(read);
    expect(chasles_cell_joint_count(read) == 4, "four joints can be set");

    // The arm turns, stretched out, past a wire of 3 mm: one column a waypoint.
    Eigen::Matrix<double, 4, 2> configurations = Eigen::Matrix<double, 4, 2>::Zero();
    configurations.row(0) << -1.2, 1.2;
    const Eigen::Vector2d times(0.0, 2.0);
    chasles_path_answer found;
    check(chasles_cell_check_path(read, times.data(), configurations.data(), times.size(), nullptr, &found));
    expect(found.verdict == CHASLES_VERDICT_CONTACT, "the arm meets the wire");
    const std::string a = chasles_cell_body_name(read, found.a), b = chasles_cell_body_name(read, found.b);
    std::printf("%s meets %s at %.8f s\n", a.c_str(), b.c_str(), found.time[0]);
    expect(a == "left" && b == "wire" && std::abs(found.time[0] - 1.05088218) < 1e-7, "the left finger, when it should");
    edges(read);
}

void an_error() {
    chasles_body *body = nullptr;
    expect(chasles_body_sphere(-1.0, &body) == CHASLES_STATUS_ARGUMENT && body == nullptr, "refused");
    std::printf("refused: %s\n", chasles_last_error());
    expect(std::string(chasles_last_error()) == "primitive: sphere radius: found -1, expected greater than 0", "why");
}

}  // namespace

int main(int count, char **arguments) {
    if (count != 2) {
        std::fprintf(stderr, "usage: %s FOLDER_OF_SCENES\n", arguments[0]);
        return 2;
    }
    if (chasles_interface_version() != CHASLES_INTERFACE_VERSION) {
        std::fprintf(stderr, "the library and the header do not belong together\n");
        return 2;
    }
    try {
        one_contact();
        a_thousand_contacts();
        a_robot(arguments[1]);
        an_error();
    } catch (const std::exception &error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
