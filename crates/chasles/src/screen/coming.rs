//! TEMPORARY: stand-ins for what is being written elsewhere, so that the program compiles and can be tried. Delete this
//! file with the merge. Nothing here is right: `collisions` are all contacts, without properness, and the rest is empty.

#![allow(missing_docs, reason = "temporary")]
#![allow(clippy::missing_errors_doc, clippy::must_use_candidate, reason = "temporary")]

use glam::DVec3;

use crate::body::Body;
use crate::error::Error;
use crate::features::contact::ContactFeatures;
use crate::motion::Screw;

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
    Ok(PixelCollisions {
        collisions: Vec::new(),
        outcome: PixelOutcome::Complete,
        pixel,
        resolution: options.resolution,
    })
}
