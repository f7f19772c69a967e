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
pub struct PixelOptions {
    pub resolution: u32,
    pub budget: u64,
    pub memory: u64,
}

impl Default for PixelOptions {
    fn default() -> Self {
        Self { resolution: 128, budget: 500_000_000, memory: 1 << 29 }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PixelOutcome {
    Complete,
    OutOfBudget,
    OutOfMemory,
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
    pub outcome: PixelOutcome,
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
    Ok(PixelCollisions { collisions: Vec::new(), outcome: PixelOutcome::Complete, pixel, resolution: options.resolution })
}
