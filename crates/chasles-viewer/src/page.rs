//! The page: one HTML file without requests to anywhere.

/// The page as it was built into the program, or why there is none.
///
/// # Errors
/// What to install where the program was built without it.
pub fn html() -> Result<&'static str, &'static str> {
    Err("the page is not part of this program: install Node 18 or newer and build it again")
}
