//! The arguments of `chasles completions`.

use clap_complete::Shell;

/// Print a script that completes the arguments of chasles in a shell.
///
/// The script goes to standard output; the examples show where each shell expects it.
#[derive(Debug, clap::Args)]
#[command(after_long_help = COMPLETIONS_HELP)]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_name = "SHELL")]
    pub(crate) shell: Shell,
}

const COMPLETIONS_HELP: &str = "\
EXAMPLES
  bash:        chasles completions bash > ~/.local/share/bash-completion/completions/chasles
  zsh:         chasles completions zsh > ~/.zfunc/_chasles     (with ~/.zfunc in fpath)
  fish:        chasles completions fish > ~/.config/fish/completions/chasles.fish
  elvish:      chasles completions elvish >> ~/.config/elvish/rc.elv
  powershell:  chasles completions powershell >> $PROFILE

EXIT STATUS
  0  the script was printed
  2  the shell is unknown";
