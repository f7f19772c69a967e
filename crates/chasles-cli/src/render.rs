//! `chasles render`: a still picture of what is shown at a time.

use chasles_viewer::render::{Highlight, RenderOptions, render};

use crate::args::RenderArgs;
use crate::exit::{Failure, Status};
use crate::output::Output;
use crate::shown::{self, WorldsAre};
use crate::stop::Stop;

/// Draws the picture and writes it.
pub(crate) fn run(args: &RenderArgs) -> Result<Status, Failure> {
    let stop = Stop::install()?;
    // Opened now: that it cannot be written should not come to light after a long check.
    let mut output = Output::open(Some(&args.output))?;
    match picture(args, &stop) {
        Ok(png) => {
            output.bytes(&png)?;
            output.finish()?;
            Ok(Status::Fine)
        }
        Err(failure) => Err(output.give_up(failure)),
    }
}

fn picture(args: &RenderArgs, stop: &Stop) -> Result<Vec<u8>, Failure> {
    let playback = shown::read(&args.shown, WorldsAre::Played, stop)?.playback;
    let [begin, _] = playback.span();
    let highlight = if args.highlight { Highlight::Features } else { Highlight::Points };
    let options = RenderOptions { size: args.size, from: args.from, highlight };
    let picture = render(&playback, args.at.unwrap_or(begin), &options);
    let picture = picture.map_err(|error| Failure::Bad(format!("render: {error}")))?;
    picture.to_png().map_err(|error| Failure::Bad(format!("render: {error}")))
}
