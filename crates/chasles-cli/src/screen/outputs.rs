//! Where the report, the picture and the map go.

use chasles::clearance_map;
use chasles_formats::Error;
use chasles_formats::report::clearance_map::to_ply;
use chasles_formats::report::screen::{ScreenReport, doubt};
use chasles_viewer::screen::{ScreenShown, draw_screen};

use super::ask::{Reporter, Subject};
use super::table;
use crate::args::ScreenArgs;
use crate::exit::Failure;
use crate::output::{Output, complain, same};

/// What is to be written, opened: that it cannot be should not come to light after long work.
pub(super) struct Outputs {
    report: Option<Output>,
    picture: Option<Output>,
    map: Option<Output>,
}

/// What is written.
pub(super) struct Texts {
    report: String,
    picture: Option<Vec<u8>>,
    map: Option<String>,
}

/// Width and height of the picture, in pixels.
const SIZE: [u32; 2] = [960, 720];

/// The option that is for one problem only, where one is given.
pub(super) fn option(args: &ScreenArgs) -> Option<&'static str> {
    let asked = [(args.output.is_some(), "--output"), (args.map.is_some(), "--map")];
    asked.into_iter().find_map(|(asked, option)| asked.then_some(option))
}

impl Outputs {
    /// Opens the files that the arguments name. `-` is standard output, in place of the report.
    pub(super) fn open(args: &ScreenArgs) -> Result<Self, Failure> {
        let files = [args.output.as_deref(), args.map.as_deref()];
        if let [Some(picture), Some(map)] = files
            && same(picture, map)
        {
            return Err(Error::file(map, "found it as --output and as --map, expected two files").into());
        }
        if let Some(file) = files.into_iter().flatten().find(|file| same(file, &args.file)) {
            return Err(Error::file(file, "is a file that is read, which stays").into());
        }
        let picture = args.output.as_deref().map(|file| Output::open(Some(file))).transpose()?;
        let map = match args.map.as_deref().map(|file| Output::open(Some(file))).transpose() {
            Ok(map) => map,
            Err(failure) => return Err(Self { report: None, picture, map: None }.give_up(failure)),
        };
        let taken = [&picture, &map].into_iter().flatten().any(Output::is_stdout);
        let report = if taken { None } else { Some(Output::open(None)?) };
        Ok(Self { report, picture, map })
    }

    /// Writes all: the files first, so that they are there when the report says what is in them.
    pub(super) fn write(self, texts: &Texts) -> Result<(), Failure> {
        let picture = self.picture.zip(texts.picture.as_deref());
        let map = self.map.zip(texts.map.as_deref().map(str::as_bytes));
        let report = self.report.map(|output| (output, texts.report.as_bytes()));
        for (mut output, bytes) in [picture, map, report].into_iter().flatten() {
            output.bytes(bytes)?;
            output.finish()?;
        }
        Ok(())
    }

    /// Leaves nothing behind.
    pub(super) fn give_up(self, failure: Failure) -> Failure {
        let outputs = [self.picture, self.map].into_iter().flatten();
        outputs.fold(failure, |failure, output| output.give_up(failure))
    }
}

/// What is to be written about a subject.
pub(super) fn texts(
    args: &ScreenArgs,
    reporter: &Reporter,
    subject: &Subject,
    report: &ScreenReport,
) -> Result<Texts, Failure> {
    let options = reporter.options(subject);
    let [a, b] = &subject.posed.bodies;
    let screw = &subject.posed.screw;
    let bad = |error: chasles::Error| Failure::Bad(format!("{}: {error}", subject.place));
    let map = match args.map {
        None => None,
        Some(_) => {
            let map = clearance_map(a, b, screw, &options).map_err(bad)?;
            if let Some(why) = map.why {
                complain(&format!(
                    "warning: --map: {} vertices were not found out: {}",
                    map.undecided,
                    doubt(why)
                ));
            }
            Some(to_ply(a.mesh(), &screw.start(), &map))
        }
    };
    let picture = match args.output {
        None => None,
        Some(_) => {
            let shown = ScreenShown {
                a,
                b,
                screw,
                duration: (subject.duration(), if subject.scene.is_some() { "s" } else { "" }),
                collisions: report.collisions.iter().map(|collision| subject.mark(collision)).collect(),
            };
            let bad = |error: String| Failure::Bad(format!("{}: {error}", subject.place));
            let picture = draw_screen(&shown, args.size.unwrap_or(SIZE), &options);
            let picture = picture.map_err(|error| bad(error.to_string()))?;
            Some(picture.to_png().map_err(|error| bad(error.to_string()))?)
        }
    };
    let told = match args.json {
        true => report.to_line(),
        false => table::table(&args.file, report),
    };
    Ok(Texts { report: told, picture, map })
}
