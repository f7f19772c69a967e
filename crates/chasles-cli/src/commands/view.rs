//! `chasles view`: a server with the page, for a scene, a robot that can be jogged, or a running simulation.

use std::io;
use std::thread;
use std::time::Duration;

use chasles::{CheckOptions, Session, Simulation};
use chasles_formats::Error;
use chasles_viewer::page::{self, Connections};
use chasles_viewer::{Playback, Server, ServerContent, ServerOptions};

use crate::args::{ShownArgs, ViewArgs};
use crate::exit::{Failure, Status};
use crate::input::scenes::{self, DynamicScene, SimulatedDuration};
use crate::output::{self, complain};
use crate::shown::{self, Contacts, Shown, WorldMode};
use crate::stop::Stop;
use crate::warnings::Warnings;

/// The interval at which Ctrl-C is polled, in case its signal does not wake the thread.
const POLL_INTERVAL: Duration = Duration::from_millis(500);

/// Displays what the arguments name until Ctrl-C.
pub(crate) fn run(args: &ViewArgs, warnings: &Warnings) -> Result<Status, Failure> {
    // Before any long work.
    shown::page()?;
    let options = ServerOptions { listen: args.listen, port: args.port, token: args.token.clone() };
    let server = Server::bind(&options).map_err(|error| cannot_listen(args, &error))?;
    let stop = Stop::install_before_reading()?;
    if args.simulate {
        let offer = simulated(&args.shown, warnings)?;
        return show(server, offer, args, &stop);
    }
    let worlds = if args.jog { WorldMode::Jogged } else { WorldMode::Played };
    let shown = shown::read(&args.shown, worlds, Contacts::Explained(&stop), warnings)?;
    if stop.is_requested() {
        return Err(Failure::Bad("stopped before the check was done: there is nothing to show".into()));
    }
    let offer = offer(shown, args.time)?;
    show(server, offer, args, &stop)
}

/// Prints the address, and serves.
fn show(server: Server, offer: ServerContent, args: &ViewArgs, stop: &Stop) -> Result<Status, Failure> {
    let url = server.url();
    match output::print(format!("{url}\n").as_bytes()) {
        // The reader may close the pipe after it has read the address.
        Ok(()) | Err(Failure::ClosedPipe) => {}
        Err(failure) => return Err(failure),
    }
    serve(server, offer, (!args.no_open).then_some(url.as_str()), stop)?;
    Ok(Status::Fine)
}

/// Displays a checked scene, on this machine only, until Ctrl-C. The address goes to standard error, because
/// standard output has the report.
pub(crate) fn play(playback: Playback, no_open: bool, stop: &Stop) -> Result<(), Failure> {
    let server = Server::bind(&ServerOptions { listen: None, port: 0, token: None })
        .map_err(|error| Failure::Bad(format!("cannot listen at 127.0.0.1: {error}")))?;
    let offer = offer(Shown { playback, cell: None, configurations: Vec::new() }, 0.0)?;
    let url = server.url();
    complain(&format!("the page is at {url} until Ctrl-C"));
    serve(server, offer, (!no_open).then_some(url.as_str()), stop)
}

/// Serves until Ctrl-C. `open` is the address to open in a browser.
fn serve(server: Server, offer: ServerContent, open: Option<&str>, stop: &Stop) -> Result<(), Failure> {
    stop.end_reading();
    let ender = server.ender();
    let serving = thread::Builder::new().name("server".into()).spawn(move || server.run(offer));
    let serving = serving.map_err(|error| Failure::Bad(format!("cannot start threads: {error}")))?;
    if open.is_some_and(|url| open::that_detached(url).is_err()) {
        complain("cannot open a browser: open the address in one yourself");
    }
    while !stop.is_requested() && !serving.is_finished() {
        stop.wait(POLL_INTERVAL);
    }
    ender.end();
    match serving.join() {
        Ok(Ok(())) => Ok(()),
        Ok(Err(error)) => Err(Failure::Bad(format!("the server ended: {error}"))),
        Err(_) => Err(Failure::Bad("the server ended".into())),
    }
}

fn cannot_listen(args: &ViewArgs, error: &io::Error) -> Failure {
    let address = args.listen.map_or_else(|| "127.0.0.1".to_owned(), |address| address.to_string());
    Failure::Bad(format!("cannot listen at {address}, port {}: {error}", args.port))
}

/// The content for the server.
fn offer(shown: Shown, time: f64) -> Result<ServerContent, Failure> {
    let page = shown::page()?;
    let session = |cell| Session::new(cell, time, CheckOptions::default());
    let jog = shown.cell.as_ref().map(session).transpose();
    let jog = jog.map_err(|error| Failure::Bad(format!("--time: {error}")))?;
    let mut playback = shown.playback;
    if let Some(session) = &jog {
        playback = playback.with_jog(session.cell().robot(), &shown.configurations);
    }
    let document = playback.to_json();
    Ok(ServerContent {
        page: page.to_owned(),
        policy: page::policy(page, Connections::Server),
        document,
        frames: playback.frames(),
        gaps: Box::new(move |pair| playback.gap(pair)),
        jog,
        live: None,
    })
}

/// The minimum duration of a simulation without prescribed motion, in seconds: as long as somebody watches.
const LONG: u32 = 3600;

/// The content for the server of a simulation.
fn simulated(args: &ShownArgs, warnings: &Warnings) -> Result<ServerContent, Failure> {
    if let Some(option) = args.robot.first_option() {
        let message = format!("found {option}, which is for robots (.urdf) and worlds (.wrl) only");
        return Err(Error::file(&args.scene, message).into());
    }
    let page = shown::page()?;
    let DynamicScene { definition, .. } =
        scenes::simulation(&args.scene, SimulatedDuration::Minimum(LONG), warnings)?;
    warnings.refuse()?;
    // Errors are reported now, and not after the server has started.
    let simulation = Simulation::new(definition, false);
    let definition =
        simulation.map_err(|error| Error::file(&args.scene, error.to_string()))?.definition().clone();
    let playback = Playback::of_scene(&shown::name(&args.scene), definition.scene.clone(), None)?;
    let playback = playback.with_simulation(&definition);
    Ok(ServerContent {
        page: page.to_owned(),
        policy: page::policy(page, Connections::Server),
        document: playback.to_json(),
        frames: playback.frames(),
        gaps: Box::new(move |pair| playback.gap(pair)),
        jog: None,
        live: Some(definition),
    })
}
