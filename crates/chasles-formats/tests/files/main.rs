//! Tests of files in and out, from outside: one program, so that the readers are linked to tests once.

mod cut_off;
mod deforming;
mod flexible;
mod gltf;
mod joint_path;
mod mesh_hostile;
mod mesh_polygons;
mod modules;
mod motion_keys;
mod problems_rules;
mod recordings;
mod robot_reports;
mod robots;
mod scene_mutations;
mod scene_rules;
mod scene_shapes;
mod scene_simulation;
mod scene_units;
mod vrml;
mod wrong_kind;
