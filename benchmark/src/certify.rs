//! Finds certificates, which the exact arithmetic of `check.py` then checks.

use serde_json::{Map, Value, json};

use crate::body::Body;
use crate::contacts::{crossing, near};
use crate::cover::{Cover, Stuck, cover, first_time};

/// Bodies, and the pairs in question.
#[derive(Debug)]
pub struct Question {
    /// The bodies.
    pub bodies: Vec<Body>,
    /// Pairs, by number.
    pub pairs: Vec<[usize; 2]>,
    /// The features that can collide.
    pub features: FeatureKinds,
    /// A known time of contact or of minimum distance, as a hint.
    pub hint: Option<f64>,
}

/// The features that can collide.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FeatureKinds {
    /// Surfaces: an edge passes through a triangle.
    Surfaces,
    /// A vertex passes through a triangle.
    VertexFace,
    /// Two edges pass through each other.
    EdgeEdge,
}

/// The reason why a problem was rejected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum OmissionReason {
    /// The certificate would be too large.
    TooLarge,
    /// No cover was found until right before the contact, or until the end.
    NoCover,
    /// Neither a crossing nor near points were found.
    NoContact,
    /// The enclosure of the time would be wider than [`WIDEST`].
    TooWide,
}

/// The maximum width of the enclosure of a time of contact, as a fraction of the motion.
pub const WIDEST: f64 = 1e-6;

/// The maximum distance of surfaces that count as touching, in metres.
const TOLERANCE: f64 = 1e-9;

/// Widths of time intervals to try, as fractions of the motion; the first that suffices is used.
fn intervals() -> impl Iterator<Item = f64> {
    std::iter::successors(Some(1e-13), |s| Some(4.0 * s)).take_while(|s| *s < WIDEST)
}

/// Finds a certificate, without its name, with at most `budget` nodes.
///
/// # Errors
/// The reason why there is no certificate.
pub fn certify(question: &Question, budget: usize) -> Result<Map<String, Value>, OmissionReason> {
    let pairs: Vec<[&Body; 2]> = question.pairs.iter().map(|p| p.map(|i| &question.bodies[i])).collect();
    let knots = &pairs[0][0].knots;
    let (start, end) = (knots[0], knots[knots.len() - 1]);
    let mut certificate = Map::new();
    let mut insert = |key: &str, value: Value| certificate.insert(key.into(), value);
    if question.features == FeatureKinds::Surfaces {
        for (i, [a, b]) in pairs.iter().enumerate() {
            if let Some(c) = crossing(a, b, start) {
                insert("verdict", "overlapping".into());
                insert("pair", i.into());
                insert("meet", json!({ "cross": [c.who, c.triangle, c.corner, c.through] }));
                return Ok(certificate);
            }
        }
    }
    let mut first: Option<(f64, usize)> = None;
    for (i, [a, b]) in pairs.iter().enumerate() {
        let end = first.map_or(question.hint.unwrap_or(end), |f| f.0);
        match first_time(a, b, end, 4 * budget) {
            Ok(Some(t)) => first = Some((t, i)),
            Ok(None) => {}
            Err(_) => return Err(OmissionReason::TooLarge),
        }
    }
    let covers = |end: f64| -> Result<Value, Stuck> {
        let covers: Result<Vec<Cover>, Stuck> = pairs.iter().map(|[a, b]| cover(a, b, end, budget)).collect();
        Ok(covers?.into_iter().map(|c| json!({ "tree": c.tree, "planes": c.planes })).collect())
    };
    let Some((t, pair)) = first else {
        insert("verdict", "clear".into());
        insert(
            "apart",
            covers(end).map_err(|s| {
                if s == Stuck::Budget { OmissionReason::TooLarge } else { OmissionReason::NoCover }
            })?,
        );
        return Ok(certificate);
    };
    let [a, b] = pairs[pair];
    let duration = end - start;
    let (mut lo, mut apart) = (t, Err(Stuck::At(t)));
    for interval in [0.0].into_iter().chain(intervals()) {
        lo = (t - interval * duration).max(start);
        apart = covers(lo);
        if apart.is_ok() || apart == Err(Stuck::Budget) {
            break;
        }
    }
    let apart = apart
        .map_err(|s| if s == Stuck::Budget { OmissionReason::TooLarge } else { OmissionReason::NoCover })?;
    let contact = intervals()
        .map(|interval| (t + interval * duration).min(end))
        .find_map(|hi| contact_in(question.features, [a, b], lo, hi));
    let (verdict, hi, meet) = match contact {
        Some((hi, meet)) => ("contact", hi, meet),
        None => {
            let nearest =
                nearest(a, b, [lo, (lo + 1e-3 * duration).min(end)]).ok_or(OmissionReason::NoContact)?;
            if nearest.1 > TOLERANCE {
                return Err(OmissionReason::NoContact);
            }
            ("touching", nearest.0, nearest.2)
        }
    };
    if hi - lo > WIDEST * duration {
        return Err(OmissionReason::TooWide);
    }
    insert("verdict", verdict.into());
    insert("time", json!([lo, hi]));
    insert("apart", apart);
    insert("pair", pair.into());
    insert("meet", meet);
    Ok(certificate)
}

fn contact_in(features: FeatureKinds, [a, b]: [&Body; 2], lo: f64, hi: f64) -> Option<(f64, Value)> {
    match features {
        FeatureKinds::Surfaces => {
            let c = crossing(a, b, hi)?;
            Some((hi, json!({ "cross": [c.who, c.triangle, c.corner, c.through] })))
        }
        FeatureKinds::VertexFace | FeatureKinds::EdgeEdge => {
            let volume = |t: f64| {
                let [p, q] = [a, b].map(|body| {
                    let numbers = body.triangles[0].map(|v| body.point(v)).concat();
                    body.places(&numbers, t)
                });
                let n = if features == FeatureKinds::VertexFace {
                    (q[1] - q[0]).cross(q[2] - q[0])
                } else {
                    (p[1] - p[0]).cross(q[1] - q[0])
                };
                n.normalize_or_zero().dot(p[0] - q[0])
            };
            let [x, y] = [volume(lo), volume(hi)];
            let clear = a.rounding(&a.map(lo, hi)) + b.rounding(&b.map(lo, hi));
            let kind = if features == FeatureKinds::VertexFace { "pass" } else { "swap" };
            (x * y < 0.0 && x.abs().min(y.abs()) > clear).then(|| (hi, json!({ kind: ["a", 0, 0, 0] })))
        }
    }
}

/// Adds a proven bound of the distance to the certificate of a near miss, searched within `interval` of a known time.
pub fn add_near_miss_bound(
    question: &Question,
    answer: &mut Result<Map<String, Value>, OmissionReason>,
    time: f64,
    interval: f64,
) {
    let Ok(certificate) = answer else { return };
    if certificate["verdict"] != "clear" {
        return;
    }
    let [a, b] = question.pairs[0].map(|i| &question.bodies[i]);
    if let Some((t, _, meet)) = nearest(a, b, [(time - interval).max(0.0), (time + interval).min(1.0)]) {
        certificate.insert("near_at".into(), t.into());
        certificate.insert("meet".into(), meet);
    }
}

/// Bisects between a position where bodies collide (0) and a position where they do not (`free`), to the limit of
/// rounding. Returns the last colliding position, the first free one, and the time of the last collision. `None`
/// unless they collide at 0.
pub fn boundary_of_contact(free: f64, meets: impl Fn(f64) -> Option<f64>) -> Option<([f64; 2], f64)> {
    let (mut hit, mut free) = (0.0, free);
    let mut time = meets(hit).filter(|t| *t > 0.0)?;
    for _ in 0..52 {
        let middle = 0.5 * (hit + free);
        match meets(middle) {
            Some(t) => (hit, time) = (middle, t),
            None => free = middle,
        }
    }
    Some(([hit, free], time))
}

/// The approximate time in an interval at which two bodies are nearest, an upper bound of their distance, and its
/// proof.
fn nearest(a: &Body, b: &Body, [mut lo, mut hi]: [f64; 2]) -> Option<(f64, f64, Value)> {
    let distance = |t: f64| near(a, b, t, 1e-2).map_or(f64::MAX, |n| n.gap);
    let golden = 0.5 * (5.0_f64.sqrt() - 1.0);
    let mut inner = [hi - golden * (hi - lo), lo + golden * (hi - lo)];
    let mut gaps = inner.map(distance);
    for _ in 0..60 {
        if gaps[0] <= gaps[1] {
            (hi, inner[1], gaps[1]) = (inner[1], inner[0], gaps[0]);
            inner[0] = hi - golden * (hi - lo);
            gaps[0] = distance(inner[0]);
        } else {
            (lo, inner[0], gaps[0]) = (inner[0], inner[1], gaps[1]);
            inner[1] = lo + golden * (hi - lo);
            gaps[1] = distance(inner[1]);
        }
    }
    let t = inner[0];
    let n = near(a, b, t, 1e-2)?;
    let within = n.gap * 1.01 + 4.0 * (a.rounding(&a.map(t, t)) + b.rounding(&b.map(t, t)));
    Some((t, within, json!({ "near": [n.triangles[0], n.weights[0], n.triangles[1], n.weights[1], within] })))
}
