//! Running programs: Ctrl-C, their output while they run, and their processor time.

#![cfg(target_os = "linux")]

use std::io::{BufRead as _, BufReader, Read};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use crate::support::{Folder, awaited};

/// The running program; killed at the end of the test in any case.
pub(crate) struct Running(pub(crate) Child);

impl Running {
    /// Starts it, with `input` at its standard input.
    pub(crate) fn start(folder: &Folder, args: &[&str], input: Stdio) -> Self {
        Self::of(folder.program(args).stdin(input))
    }

    /// Starts a command.
    pub(crate) fn of(command: &mut Command) -> Self {
        Self(command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap())
    }

    pub(crate) fn interrupt(&self) {
        self.interrupt_times(1);
    }

    /// Sends a number of signals in a row.
    pub(crate) fn interrupt_times(&self, times: usize) {
        let ids = vec![self.0.id().to_string(); times];
        assert!(Command::new("kill").arg("-INT").args(ids).status().unwrap().success());
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It has ended already, unless the test has failed.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The lines of a stream as they come.
pub(crate) fn lines(stream: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, lines) = channel();
    thread::spawn(move || {
        for line in BufReader::new(stream).lines() {
            if sender.send(line.unwrap()).is_err() {
                return;
            }
        }
    });
    lines
}

/// Its exit status, once it has ended by itself.
#[track_caller]
pub(crate) fn ended(child: &mut Child) -> Option<i32> {
    awaited("its end", || child.try_wait().unwrap()).code()
}

/// Waits until a program handles Ctrl-C.
#[track_caller]
pub(crate) fn takes_signals(child: &Child) {
    let status = format!("/proc/{}/status", child.id());
    awaited("that it takes Ctrl-C", || {
        let text = std::fs::read_to_string(&status).unwrap();
        let caught = text.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap().trim();
        // The bit of signal 2, SIGINT.
        (u64::from_str_radix(caught, 16).unwrap() & 2 != 0).then_some(())
    });
}

/// The processor time of a program, in hundredths of a second: independent of the load of the machine.
pub(crate) fn worked(child: &Child) -> u64 {
    let text = std::fs::read_to_string(format!("/proc/{}/stat", child.id())).unwrap();
    // After the name in brackets come the state and ten fields, then the user and system times of the program.
    let fields: Vec<&str> = text.rsplit_once(')').unwrap().1.split_whitespace().collect();
    fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap()
}

/// Waits until a program has used this processor time since it had used `from`.
#[track_caller]
pub(crate) fn works_on(child: &Child, from: u64, hundredths: u64) {
    awaited("that it works", || (worked(child) >= from + hundredths).then_some(()));
}
