//! The engine's guarantees, tested from outside. One program links the engine to the tests once, and keeps all cores
//! busy while the longest tests run. Each folder tests one part; `cases`, `exact` and the modules named `*_cases` or
//! `twin` generate test cases and compute the answers independently.

#![allow(unreachable_pub, reason = "a test program")]

mod modules;

mod cases;
mod exact;

mod meshes {
    mod allocation;
    mod chart;
    mod enclosures;
    mod large;
    mod poses;
    mod promises;
    mod queries;
    mod reference;
    mod rigs;
    mod roots_exact;
}

mod scenes {
    pub mod scene_cases;

    mod first_contacts;
    mod flush;
    mod near;
    mod nearest;
    mod at_rest;
    mod report_options;
    mod round_motion;
    mod sampled;
    mod shown;
}

mod robots {
    pub mod robot_cases;

    mod doors;
    mod edges;
    mod paths;
}

mod shapes {
    pub mod convex_cases;
    pub mod figure_cases;
    pub mod high;
    pub mod mass_twin;
    pub mod point_cases;
    pub mod random_solid_cases;
    pub mod solid_cases;

    mod contact_normals;
    mod convex;
    mod drawn;
    mod expressions;
    mod jumps;
    mod mass;
    mod points_on_curves;
    mod random_solids;
    mod solid_limits;
    mod solid_points;
    mod solid_surfaces;
    mod solids;
}

mod bending {
    pub mod bending_cases;
    pub mod moving_cases;

    mod flat_on_flat;
    mod gaps;
    mod moving_features;
    mod moving_surfaces;
    mod rounds;
    mod scenes;
    mod solids;
    mod unfolded_surfaces;
}

mod response {
    pub mod flexible_cases;
    pub mod impulse_cases;
    pub mod setup;

    mod bouncing;
    mod flexible;
    mod flexible_round;
    mod hard_contacts;
    mod heaps;
    mod impulse_workspace;
    mod impulses;
    mod mechanics;
    mod mechanisms;
    mod meshing_gears;
    mod pulling;
    mod random_bounces;
    mod random_heaps;
    mod released;
    mod resumed;
    mod seams;
    mod sleeping;
    mod springs;
    mod suggested;
}

mod screen {
    pub mod screen_plain;
    pub mod screen_samples;

    mod clearance;
    mod collisions;
    mod pixels;
    mod watched;
}
