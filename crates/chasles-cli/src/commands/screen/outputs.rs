//! The files for the report, the picture, the map and the page.

use std::path::Path;

use chasles::clearance_map;
use chasles_formats::Error;
use chasles_formats::report::clearance_map::to_ply;
use chasles_formats::report::screen::{ScreenReport, undecided_reason};
use chasles_viewer::page;
use chasles_viewer::screen::{ScreenDocument, ScreenShown, draw_screen};

use super::query::{Reporter, Subject};
use super::table;
use crate::args::ScreenArgs;
use crate::exit::Failure;
use crate::output::{Output, complain, same};

/// The outputs, opened in advance, so that a file that cannot be written is an error before long work.
pub(super) struct ScreenOutputs {
    report: Option<Output>,
    /// In the order of [`files`].
    files: [Option<Output>; 3],
}

/// The contents of the outputs.
pub(super) struct Texts {
    report: String,
    /// In the order of [`files`].
    files: [Option<Vec<u8>>; 3],
}

/// Width and height of the picture, in pixels.
const SIZE: [u32; 2] = [960, 720];

/// The files that the arguments name: picture, map and page, each with its option.
fn files(args: &ScreenArgs) -> [(Option<&Path>, &'static str); 3] {
    [(args.output.as_deref(), "--output"), (args.map.as_deref(), "--map"), (args.html.as_deref(), "--html")]
}

/// A given option that is valid for a single problem only.
pub(super) fn option(args: &ScreenArgs) -> Option<&'static str> {
    files(args).into_iter().find_map(|(file, option)| file.map(|_| option))
}

impl ScreenOutputs {
    /// Opens the files that the arguments name. `-` is standard output, in place of the report.
    pub(super) fn open(args: &ScreenArgs) -> Result<Self, Failure> {
        let requested_files = files(args);
        let named: Vec<_> =
            requested_files.iter().filter_map(|(file, option)| Some(((*file)?, *option))).collect();
        for (index, (file, option)) in named.iter().enumerate() {
            if let Some((_, first)) = named[..index].iter().find(|(other, _)| same(file, other)) {
                let found = format!("found it as {first} and as {option}, expected two files");
                return Err(Error::file(file, found).into());
            }
            if same(file, &args.file) {
                return Err(Error::file(file, "is an input file, which is never overwritten").into());
            }
        }
        let mut outputs = Self { report: None, files: [None, None, None] };
        for ((file, _), place) in requested_files.into_iter().zip(0..) {
            match file.map(|file| Output::open(Some(file))).transpose() {
                Ok(output) => outputs.files[place] = output,
                Err(failure) => return Err(outputs.give_up(failure)),
            }
        }
        if !outputs.files.iter().flatten().any(Output::is_stdout) {
            outputs.report = Some(Output::open(None)?);
        }
        Ok(outputs)
    }

    /// Writes all outputs. Files come first, so that they exist when the report refers to them.
    pub(super) fn write(self, texts: &Texts) -> Result<(), Failure> {
        let files = self.files.into_iter().zip(&texts.files);
        let files = files.filter_map(|(output, text)| Some((output?, text.as_deref()?)));
        let report = self.report.map(|output| (output, texts.report.as_bytes()));
        for (mut output, bytes) in files.chain(report) {
            output.bytes(bytes)?;
            output.finish()?;
        }
        Ok(())
    }

    /// Removes all partial files.
    pub(super) fn give_up(self, failure: Failure) -> Failure {
        let outputs = self.files.into_iter().flatten();
        outputs.fold(failure, |failure, output| output.give_up(failure))
    }
}

/// The contents of the outputs for a subject.
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
            if let Some(reason) = map.reason {
                complain(&format!(
                    "warning: --map: {} vertices are undecided: {}",
                    map.undecided,
                    undecided_reason(reason)
                ));
            }
            Some(to_ply(a.mesh(), &screw.start(), &map))
        }
    };
    let shown = ScreenShown {
        a,
        b,
        screw,
        duration: (subject.duration(), if subject.scene.is_some() { "s" } else { "" }),
        collisions: report.collisions.iter().map(|collision| subject.mark(collision)).collect(),
    };
    let bad = |error: String| Failure::Bad(format!("{}: {error}", subject.place));
    let picture = match args.output {
        None => None,
        Some(_) => {
            let picture = draw_screen(&shown, args.size.unwrap_or(SIZE), &options);
            let picture = picture.map_err(|error| bad(error.to_string()))?;
            Some(picture.to_png().map_err(|error| bad(error.to_string()))?)
        }
    };
    let page = match args.html {
        None => None,
        Some(_) => {
            let document = ScreenDocument::new(&shown, report, &options);
            let document = document.map_err(|error| bad(error.to_string()))?;
            let page = page::self_contained_screen(&document);
            Some(page.map_err(|missing| Failure::Bad(missing.to_string()))?)
        }
    };
    let report_text = match args.json {
        true => report.to_line(),
        false => table::table(&args.file, report),
    };
    Ok(Texts {
        report: report_text,
        files: [picture, map.map(String::into_bytes), page.map(String::into_bytes)],
    })
}
