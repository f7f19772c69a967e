//! The page that a check shows beside its reports.

use chasles_formats::report::reported::{self, ReportFile};
use chasles_viewer::{Playback, page};

use crate::args::CheckArgs;
use crate::commands::view;
use crate::exit::Failure;
use crate::shown;
use crate::stop::Stop;

/// A page: in a file, or served by a server.
pub(super) struct Extras {
    playback: Option<Playback>,
    /// The text of the file; empty if no file is requested.
    pub(super) html: String,
}

impl Extras {
    /// `json` is the report; `make` creates the displayed scene from it.
    pub(super) fn of(
        args: &CheckArgs,
        json: &str,
        make: impl FnOnce(&ReportFile) -> chasles_formats::Result<Playback>,
    ) -> Result<Self, Failure> {
        if args.shows().is_none() {
            return Ok(Self { playback: None, html: String::new() });
        }
        let mut playback = make(&reported::parse(json, &args.scene)?)?;
        let mut html = String::new();
        if args.html.is_some() {
            playback = playback.with_gaps();
            let complete = shown::with_frames(&playback)?;
            html = page::self_contained(&complete).map_err(|missing| Failure::Bad(missing.to_string()))?;
        }
        Ok(Self { playback: args.view.then_some(playback), html })
    }

    /// Serves the page until Ctrl-C, if requested.
    pub(super) fn view(self, args: &CheckArgs, stop: &Stop) -> Result<(), Failure> {
        match self.playback {
            Some(playback) if !stop.is_requested() => view::play(playback, args.no_open, stop),
            _ => Ok(()),
        }
    }
}
