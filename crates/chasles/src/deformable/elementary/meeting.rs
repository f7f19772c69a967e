//! When two moving features first meet: the filter first, then integer arithmetic.

use crate::deformable::elementary::crossings::{first_crossing, is_never_in_one_plane};
use crate::deformable::elementary::exactly::first_contact;
use crate::deformable::elementary::features::{FeatureContact, FeatureMeeting, MovingFeatures};
use crate::deformable::elementary::place::{FeatureWeights, contact_place};
use crate::deformable::elementary::planes::separation;
use crate::error::{Error, ErrorKind};
use crate::features::contact::FirstContact;
use crate::math::budget::{Budget, OutOfBudget};

impl MovingFeatures {
    /// The first time at which these features come within a distance of each other, in metres; with 0, share a
    /// point. Both are closed: an edge includes its ends, a face its boundary.
    ///
    /// The decision is exact for the numbers as given, whatever their size, without any tolerance. The budget is
    /// counted in steps of some 100 ns, and used only if rounding leaves the answer open.
    ///
    /// # Errors
    /// A coordinate is not finite, or the distance is not a nonnegative number.
    ///
    /// # Example
    /// ```
    /// use chasles::{FeatureMeeting, MovingFeatures, MovingKind};
    /// use glam::DVec3;
    /// // A vertex falls through a face that stands.
    /// let face = [DVec3::new(-1.0, -1.0, 0.0), DVec3::new(2.0, -1.0, 0.0), DVec3::new(-1.0, 2.0, 0.0)];
    /// let [a, b, c] = face;
    /// let features = MovingFeatures { kind: MovingKind::VertexFace, start: [DVec3::Z, a, b, c], end: [-DVec3::Z, a, b, c] };
    /// let FeatureMeeting::Contact(contact) = features.first_contact(0.0, 1_000_000)? else { panic!() };
    /// assert!(contact.time[0] <= 0.5 && 0.5 <= contact.time[1] && contact.normal == -DVec3::Z);
    /// # Ok::<(), chasles::Error>(())
    /// ```
    pub fn first_contact(&self, distance: f64, budget: u64) -> Result<FeatureMeeting, Error> {
        self.validate(distance)?;
        Ok(self.meeting(distance, &mut Budget::new(budget)))
    }

    fn validate(&self, distance: f64) -> Result<(), Error> {
        for (when, points) in [("start", &self.start), ("end", &self.end)] {
            for (i, point) in points.iter().enumerate() {
                if let Some(bad) = point.to_array().into_iter().find(|x| !x.is_finite()) {
                    return Err(Error::new(ErrorKind::NotFinite(bad), format!("{when} {i}")));
                }
            }
        }
        if !(0.0..=f64::MAX).contains(&distance) {
            return Error::out_of_range(distance, "a finite number, at least 0", "distance");
        }
        Ok(())
    }

    /// The same for numbers that have been validated.
    pub(crate) fn meeting(&self, distance: f64, budget: &mut Budget<'_>) -> FeatureMeeting {
        if distance == 0.0 && is_never_in_one_plane(self) {
            return FirstContact::Clear;
        }
        let clear_until = match separation(self, distance) {
            FirstContact::Clear => return FirstContact::Clear,
            FirstContact::Contact(time) => return self.contact(time, distance, true),
            FirstContact::Undecided(clear_until) => clear_until,
        };
        if distance == 0.0 {
            match first_crossing(self, clear_until) {
                FirstContact::Clear => return FirstContact::Clear,
                FirstContact::Contact(time) => return self.contact(time, distance, false),
                FirstContact::Undecided(()) => {}
            }
        }
        match first_contact(self, distance, budget) {
            Ok(None) => FirstContact::Clear,
            Ok(Some(time)) => self.contact(time, distance, true),
            Err(OutOfBudget) => FirstContact::Undecided(clear_until),
        }
    }

    fn contact(&self, time: [f64; 2], distance: f64, touching: bool) -> FeatureMeeting {
        let FeatureWeights { weights, point, normal } = contact_place(self, time, distance);
        FirstContact::Contact(FeatureContact { time, weights, point, normal, touching })
    }
}
