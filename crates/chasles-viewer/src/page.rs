//! The page: one HTML file that loads no external resources, built into the program; and files that hold the page
//! and its document.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest as _, Sha256};

use crate::playback::Playback;
use crate::screen::ScreenDocument;

/// The page as it was built; empty if the page was not built.
const PAGE: &str = include_str!(concat!(env!("OUT_DIR"), "/page.html"));

/// The element that holds the page's document. Without the element, the page requests the document from its server.
pub const ELEMENT: &str = "chasles-playback";

/// The element that holds the document of a screen, which the page then shows.
pub const SCREEN_ELEMENT: &str = "chasles-screen";

/// Error: the program was built without the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoPage;

impl fmt::Display for NoPage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "this program was built without its page: install Node 18.18 or newer, with npm, and build it again, \
             or name a page that was built elsewhere with CHASLES_PAGE=DIR"
        )
    }
}

impl std::error::Error for NoPage {}

/// The connections that a page may open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Connections {
    /// To its server.
    Server,
    /// No connections.
    None,
}

/// Returns the HTML of the page.
///
/// # Errors
/// The page was not built.
pub fn html() -> Result<&'static str, NoPage> {
    if PAGE.is_empty() { Err(NoPage) } else { Ok(PAGE) }
}

/// Returns one file that opens from a disk, without a server: the page with the document in it.
///
/// # Errors
/// The page was not built.
pub fn self_contained(playback: &Playback) -> Result<String, NoPage> {
    Ok(with_document(html()?, (ELEMENT, &playback.to_json())))
}

/// Returns one file that opens from a disk, without a server: the page with the document of a screen in it.
///
/// # Errors
/// The page was not built.
pub fn self_contained_screen(document: &ScreenDocument) -> Result<String, NoPage> {
    Ok(with_document(html()?, (SCREEN_ELEMENT, document.to_json())))
}

/// Returns the page's content security policy. The policy allows only the page's own scripts and styles (by their
/// hashes), images that the page creates, and the given connections.
#[must_use]
pub fn policy(page: &str, connections: Connections) -> String {
    let sources = |element: &str| {
        let hashes = contents(page, element).into_iter().map(|text| format!(" 'sha256-{}'", hash(text)));
        let all: String = hashes.collect();
        if all.is_empty() { " 'none'".to_owned() } else { all }
    };
    let connect = match connections {
        Connections::Server => "'self'",
        Connections::None => "'none'",
    };
    format!(
        "default-src 'none'; script-src{}; style-src{}; img-src data: blob:; connect-src {connect}; \
         base-uri 'none'; form-action 'none'",
        sources("script"),
        sources("style")
    )
}

fn with_document(page: &str, (element, json): (&str, &str)) -> String {
    // In JSON, `<` occurs only in strings. With `<` escaped, no string can end the element or start a comment in it.
    let data = json.replace('<', "\\u003c");
    // A browser ignores `frame-ancestors` in a `meta` element.
    let policy = policy(page, Connections::None);
    let inserted = format!(
        "<meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
         <script id=\"{element}\" type=\"application/json\">{data}</script>\n"
    );
    let place = page.find("</head>").unwrap_or(0);
    [&page[..place], &inserted, &page[place..]].concat()
}

/// Returns the contents of all elements of this name, scripts or styles. Tags inside another script or style do not
/// count.
fn contents<'p>(page: &'p str, element: &str) -> Vec<&'p str> {
    let (mut found, mut rest) = (Vec::new(), page);
    loop {
        let first = ["script", "style"]
            .into_iter()
            .filter_map(|name| Some((rest.find(&format!("<{name}"))?, name)))
            .min_by_key(|(at, _)| *at);
        let Some((at, name)) = first else { return found };
        let Some(open) = rest[at..].find('>').map(|end| at + end + 1) else { return found };
        let Some(length) = rest[open..].find(&format!("</{name}>")) else { return found };
        if name == element {
            found.push(&rest[open..open + length]);
        }
        rest = &rest[open + length..];
    }
}

fn hash(text: &str) -> String {
    STANDARD.encode(Sha256::digest(text.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXAMPLE: &str = "<!doctype html><html><head><style>p{}</style></head><body><script type=\"module\">alert(1)</script></body></html>";

    #[test]
    fn the_policy_lists_the_content_of_the_page() {
        // Computed with `printf 'alert(1)' | openssl dgst -sha256 -binary | base64`.
        let script = "'sha256-bhHHL3z2vDgxUt0W3dWQOrprscmda2Y5pLsLg4GF+pI='";
        let found = policy(EXAMPLE, Connections::Server);
        assert!(found.contains(&format!("script-src {script};")), "{found}");
        assert!(found.contains("connect-src 'self'") && found.contains("style-src 'sha256-"), "{found}");
        let nested = "<script>'<style>'</script><style>a</style><script>b</script>";
        assert_eq!(contents(nested, "style"), ["a"]);
        assert_eq!(contents(nested, "script"), ["'<style>'", "b"]);
        assert!(policy("<p>", Connections::None).contains("script-src 'none'; style-src 'none'"));
        assert!(policy("<script", Connections::None).contains("connect-src 'none'"));
    }

    #[test]
    fn texts_cannot_end_their_element() {
        let json = r#"{"name":"</script><script>alert(1)</script><!--"}"#;
        let file = with_document(EXAMPLE, (SCREEN_ELEMENT, json));
        assert_eq!(file.matches("</script>").count(), 2, "{file}");
        assert_eq!(file.matches("<!--").count(), 0, "{file}");
        let start = file.find("application/json\">").unwrap() + 18;
        let data = &file[start..start + file[start..].find("</script>").unwrap()];
        let [read, expected] =
            [data, json].map(|text| serde_json::from_str::<serde_json::Value>(text).unwrap());
        assert_eq!(read, expected);
        assert!(file.find(SCREEN_ELEMENT).unwrap() < file.find("</head>").unwrap());
    }

    #[test]
    fn a_build_without_the_page_says_what_to_install() {
        match html() {
            Ok(page) => assert!(page.contains("</head>") && page.contains("<script"), "no page"),
            Err(missing) => assert!(missing.to_string().contains("install Node 18.18"), "{missing}"),
        }
    }
}
