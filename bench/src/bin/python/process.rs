//! The cost of the package for a process: the time of its import, and memory that stays allocated after calls.

use std::error::Error;
use std::process::Command;
use std::time::Instant;

use chasles_bench::program::table::{Cell, Table};
use chasles_bench::program::timing::median;

use crate::calls::yes_or_no;
use crate::edges;
use crate::questions::Questions;
use crate::settings::{Settings, in_turn, minimum};

/// The maximum import time beyond that of NumPy, in seconds.
const IMPORT_MARK: f64 = 0.15;

/// The maximum growth of resident memory after the calls, in bytes.
const MEMORY_MARK: f64 = 4e6;

/// The number of different queries, which the calls repeat.
const QUESTIONS: usize = 1000;

pub(crate) fn import(settings: &Settings) -> Result<Table, Box<dyn Error>> {
    let mut table = Table::new(
        "Import",
        "`python -c \"...\"` from its start to its end, wall time, in turn. The package imports only NumPy, which the \
            mark leaves out: *more* is the minimum time minus the minimum time of `import numpy`, and can be negative \
            on a busy machine. Compiled files and the pages of the disk are warm.",
        &["", "minimum", "median", "more than NumPy", "mark", "met"],
    );
    let programs = ["pass", "import numpy", "import chasles"];
    let run = |program: usize| -> Result<f64, Box<dyn Error>> {
        let started = Instant::now();
        let command = &mut Command::new(&settings.python);
        let status = command.current_dir(&settings.folder).args(["-c", programs[program]]).status()?;
        let seconds = started.elapsed().as_secs_f64();
        if status.success() { Ok(seconds) } else { Err(format!("{}: {status}", programs[program]).into()) }
    };
    (0..programs.len()).try_for_each(|program| run(program).map(drop))?;
    let times: [Vec<f64>; 3] = in_turn(settings.imports, run)?;
    let numpy = minimum(&times[1]);
    for (name, times) in programs.into_iter().zip(&times) {
        let own = minimum(times);
        let is_ours = name == programs[2];
        table.row(
            &format!("`{name}`"),
            [
                Cell::Time(own),
                Cell::Time(median(times.iter().copied())),
                if is_ours { Cell::Text(format!("{:.2} ms", 1e3 * (own - numpy))) } else { Cell::Empty },
                if is_ours { Cell::Time(IMPORT_MARK) } else { Cell::Empty },
                if is_ours { yes_or_no(own - numpy < IMPORT_MARK) } else { Cell::Empty },
            ],
        );
    }
    Ok(table)
}

pub(crate) fn memory(settings: &Settings) -> Result<Table, Box<dyn Error>> {
    let mut table = Table::new(
        "Memory",
        "Resident memory of a separate process before and after the calls, after garbage collection; a tenth as many \
            calls come first. *Growth* is the difference. The mark: less than 4 MB.",
        &["calls", "how many", "before", "after", "growth", "a call, bytes", "met"],
    );
    let (clear, meeting) = (Questions::clear(QUESTIONS)?, Questions::meeting(QUESTIONS)?);
    clear.write(&settings.folder)?;
    meeting.write(&settings.folder)?;
    edges::prepare(settings)?;
    let robot = ["load", &edges::text(&settings.robot), &edges::text(&settings.world)].map(str::to_owned);
    let prepare =
        |name: &str, form: &str| ["prepare", name, form, &QUESTIONS.to_string()].map(str::to_owned).to_vec();
    let kinds = [
        ("`first_contact`, clear, arrays", prepare("clear", "arrays"), "first_contact"),
        ("`first_contact`, clear, `Pose`", prepare("clear", "objects"), "first_contact"),
        (
            "`first_contact`, contact, `Screw`; point and normal read",
            prepare("meeting", "screws"),
            "first_contact",
        ),
        ("`first_contact_many`, 10 rows", prepare("meeting", "arrays"), "first_contact_many"),
        ("a pose of NaN: ValueError", prepare("clear", "arrays"), "refused"),
        ("`Body`", prepare("clear", "arrays"), "body"),
        ("`check_edges`, one edge", robot.to_vec(), "check_edges"),
    ];
    for (name, prepare, call) in kinds {
        let mut python = settings.start()?;
        python.query(&prepare.iter().map(String::as_str).collect::<Vec<_>>())?;
        let found = python.query(&["memory", call, &settings.memory_calls.to_string()])?;
        let [before, after] = [found.number("before")?, found.number("after")?];
        let growth = after - before;
        let megabytes = |bytes: f64| Cell::Text(format!("{:.2} MB", 1e-6 * bytes));
        table.row(
            name,
            [
                Cell::Count(settings.memory_calls as u64),
                megabytes(before),
                megabytes(after),
                megabytes(growth),
                Cell::Ratio(growth / settings.memory_calls as f64),
                yes_or_no(growth < MEMORY_MARK),
            ],
        );
    }
    Ok(table)
}
