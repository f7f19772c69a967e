//! What the engine promises, held from outside: one program, so that the engine is linked to tests once, and no core
//! stands idle while the longest of them run. Each room asks of one part; `cases`, `exact` and what ends in `_cases` or
//! `twin` make questions and work out answers in ways of their own.

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
    mod hard_contacts;
    mod heaps;
    mod impulse_workspace;
    mod impulses;
    mod mechanisms;
    mod meshing_gears;
    mod pulling;
    mod random_bounces;
    mod released;
    mod resumed;
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
