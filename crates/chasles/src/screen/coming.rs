//! TEMPORARY: stand-ins for what is being written elsewhere, so that the program compiles and can be tried. Delete this
//! file with the merge. Nothing here is right: `collisions` are all contacts, without properness, and the rest is empty.

#![allow(missing_docs, reason = "temporary")]
#![allow(clippy::missing_errors_doc, clippy::must_use_candidate, reason = "temporary")]

use glam::DVec3;

use crate::body::Body;
use crate::error::Error;
use crate::features::contact::{Contact, ContactFeatures};
use crate::motion::Screw;
use crate::predict::all_contacts;
use crate::screen::proper::Rating;
use crate::search::query::{Counters, Options, Outcome};

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Collision {
    pub contact: Contact,
    pub properness: f64,
    pub proper: bool,
    pub from: Option<MetAt>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum MetAt {
    VertexVertex,
    VertexEdge,
    EdgeVertex,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Passages {
    pub vertex: u32,
    pub start: Option<bool>,
    pub end: Option<bool>,
    pub entries: u32,
    pub exits: u32,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Collisions {
    pub outcome: Outcome,
    pub collisions: Vec<Collision>,
    pub culled: usize,
    pub doubtful: usize,
    pub inside: [Option<Vec<Passages>>; 2],
    pub tolerance: f64,
    pub counters: Counters,
}

pub fn collisions(a: &Body, b: &Body, screw: &Screw, options: &Options) -> Result<Collisions, Error> {
    let found = all_contacts(a, b, screw, options)?;
    let listed =
        |contact: &Contact| Collision { contact: *contact, properness: 0.0, proper: false, from: None };
    Ok(Collisions {
        collisions: found.contacts.iter().map(listed).collect(),
        outcome: found.outcome,
        culled: 0,
        doubtful: found.doubtful,
        inside: [None, None],
        tolerance: found.tolerance,
        counters: found.counters,
    })
}

pub fn ratings(_a: &Body, _b: &Body, _screw: &Screw, contacts: &[Contact]) -> Vec<Rating> {
    let rating =
        |contact: &Contact| Rating { properness: 0.0, proper: false, kept: true, normal: contact.normal };
    contacts.iter().map(rating).collect()
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScrewFrame {
    pub direction: DVec3,
    pub point: DVec3,
    pub zero: DVec3,
    pub slide: f64,
    pub angle: f64,
}

pub fn screw_frame(_b: &Body, screw: &Screw) -> ScrewFrame {
    let axis = screw.axis();
    let point = axis.point.unwrap_or(DVec3::ZERO);
    let zero = axis.direction.any_orthonormal_vector();
    ScrewFrame { direction: axis.direction, point, zero, slide: axis.slide, angle: axis.angle }
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Clearance {
    pub time: f64,
    pub angle: f64,
    pub metres: f64,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Probe {
    pub screen: [f64; 2],
    pub clearance: Option<Clearance>,
}

pub fn probe(
    _a: &Body,
    _b: &Body,
    _screw: &Screw,
    _point: DVec3,
    _options: &Options,
) -> Result<Probe, Error> {
    Ok(Probe { screen: [0.0; 2], clearance: None })
}

#[derive(Debug, Clone, PartialEq)]
pub struct ClearanceMap {
    pub of_vertices: Vec<Option<Clearance>>,
    pub least: Option<(u32, Clearance)>,
}

pub fn clearance_map(a: &Body, _b: &Body, _screw: &Screw, _options: &Options) -> Result<ClearanceMap, Error> {
    Ok(ClearanceMap { of_vertices: vec![None; a.mesh().vertex_count()], least: None })
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Free {
    Until(Clearance),
    Always,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Play {
    pub forward: Free,
    pub backward: Free,
}

pub fn play(_a: &Body, _b: &Body, _screw: &Screw, _options: &Options) -> Result<Play, Error> {
    Ok(Play { forward: Free::Always, backward: Free::Always })
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PixelOptions {
    pub resolution: u32,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PixelCollision {
    pub time: f64,
    pub features: ContactFeatures,
    pub point: DVec3,
    pub normal: DVec3,
    pub properness: f64,
    pub proper: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub struct PixelCollisions {
    pub collisions: Vec<PixelCollision>,
    pub pixel: f64,
    pub resolution: u32,
}

pub fn pixel_collisions(
    a: &Body,
    b: &Body,
    _screw: &Screw,
    options: &PixelOptions,
) -> Result<PixelCollisions, Error> {
    let pixel = a.mesh().diagonal().min(b.mesh().diagonal()) / f64::from(options.resolution);
    Ok(PixelCollisions { collisions: Vec::new(), pixel, resolution: options.resolution })
}
