//! Access control, and the headers of every response.
//!
//! A page of another site can make a browser send requests to this server, even under the site's own name (DNS
//! rebinding). So Host must be a numeric address of this server or localhost, and Origin must be this server. If
//! only this machine can reach the server, that is enough by default. Otherwise the client needs the token: once as
//! `?token=`, which is then kept in a cookie, or as `Authorization: Bearer`.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};

use super::metered::Meter;
use crate::token::Token;

/// The criteria for access.
pub(super) struct Guard {
    address: SocketAddr,
    token: Option<Token>,
    /// The name of the cookie. It contains the port, because browsers share cookies between the ports of a machine.
    cookie: String,
    policy: HeaderValue,
}

/// The default port of HTTP.
const HTTP: u16 = 80;

/// The reason for a refusal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Refused {
    Host,
    Origin,
    Token,
    Method,
}

impl Guard {
    pub(super) fn new(address: SocketAddr, token: Option<Token>, policy: &str) -> Self {
        let policy = HeaderValue::from_str(&format!("{policy}; frame-ancestors 'none'"));
        let policy = policy.unwrap_or(HeaderValue::from_static("default-src 'none'"));
        Self { address, token, cookie: format!("chasles-{}", address.port()), policy }
    }

    fn check(&self, request: &Request) -> Result<(), Refused> {
        let headers = request.headers();
        let host = only(headers, &header::HOST).filter(|host| self.is_ours(host)).ok_or(Refused::Host)?;
        if headers.contains_key(header::ORIGIN) {
            let origin = only(headers, &header::ORIGIN).and_then(|origin| origin.strip_prefix("http://"));
            if origin.and_then(|origin| self.name_in(origin)) != self.name_in(host) {
                return Err(Refused::Origin);
            }
        }
        // Links from other sites to the page itself are allowed.
        if is_cross_origin(headers) && request.uri().path() != "/" {
            return Err(Refused::Origin);
        }
        if !self.is_known(headers) {
            return Err(Refused::Token);
        }
        if request.method() != Method::GET && request.method() != Method::HEAD {
            return Err(Refused::Method);
        }
        Ok(())
    }

    /// Whether a Host with our port is localhost or a numeric address of this server.
    fn is_ours(&self, host: &str) -> bool {
        let Some(name) = self.name_in(host) else { return false };
        if name == "localhost" {
            return true;
        }
        let host_without_port = name.strip_prefix('[').and_then(|name| name.strip_suffix(']'));
        let Ok(ip) = host_without_port.unwrap_or(name).parse::<IpAddr>() else { return false };
        if ip.is_ipv6() != host_without_port.is_some() {
            return false;
        }
        let server_ip = self.address.ip();
        // A numeric address cannot be redirected by DNS. If we listen on all addresses, every address of this machine is
        // valid.
        server_ip == ip || server_ip.is_unspecified() || server_ip.is_loopback() && ip.is_loopback()
    }

    /// The name in a Host or Origin that has our port. Browsers omit the default port of HTTP.
    fn name_in<'h>(&self, host: &'h str) -> Option<&'h str> {
        let port = self.address.port();
        host.strip_suffix(&format!(":{port}")).or((port == HTTP).then_some(host))
    }

    fn is_known(&self, headers: &HeaderMap) -> bool {
        let Some(token) = &self.token else { return true };
        let bearer = only(headers, &header::AUTHORIZATION).and_then(|value| value.strip_prefix("Bearer "));
        let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
        let mut cookies = cookies.flat_map(|all| all.split(';')).filter_map(|one| one.trim().split_once('='));
        bearer.is_some_and(|found| token.is(found.as_bytes()))
            || cookies.any(|(name, found)| name == self.cookie && token.is(found.as_bytes()))
    }

    /// The cookie for a request with the token in its URL.
    fn cookie_for(&self, request: &Request) -> Option<HeaderValue> {
        let token = self.token.as_ref()?;
        let found = request.uri().query()?.strip_prefix("token=")?;
        if request.uri().path() != "/" || request.method() != Method::GET || !token.is(found.as_bytes()) {
            return None;
        }
        let cookie = format!("{}={}; HttpOnly; SameSite=Strict; Path=/", self.cookie, token.as_str());
        HeaderValue::from_str(&cookie).ok()
    }
}

/// Rejects unauthorized requests and sets the headers of every response.
pub(super) async fn check_request(State(guard): State<Arc<Guard>>, request: Request, next: Next) -> Response {
    let cookie = guard.cookie_for(&request);
    let found = guard.check(&request);
    let is_welcome = found.is_ok() || found == Err(Refused::Token) && cookie.is_some();
    if let Some(meter) = request.extensions().get::<Meter>().filter(|_| is_welcome) {
        meter.set_authorized();
    }
    let mut response = match (found, cookie) {
        (Ok(()) | Err(Refused::Token), Some(cookie)) => set_cookie(request, next, cookie).await,
        (Ok(()), None) => next.run(request).await,
        (Err(refused), _) => refused.into_response(&guard),
    };
    let headers = response.headers_mut();
    if !is_welcome {
        // No further request on this connection is answered.
        headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    headers.insert(header::CONTENT_SECURITY_POLICY, guard.policy.clone());
    for (name, value) in [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-store"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

/// Answers a request with the token in its URL: the token moves into a cookie, so that it is not shown or shared
/// with the URL.
async fn set_cookie(request: Request, next: Next, cookie: HeaderValue) -> Response {
    let mut response = if is_cross_origin(request.headers()) {
        // After a link from another site, such as a web mail, browsers would not send the cookie on a redirect.
        next.run(request).await
    } else {
        (StatusCode::SEE_OTHER, [(header::LOCATION, HeaderValue::from_static("/"))]).into_response()
    };
    response.headers_mut().insert(header::SET_COOKIE, cookie);
    response
}

/// Browsers mark requests that come from another site.
fn is_cross_origin(headers: &HeaderMap) -> bool {
    only(headers, &HeaderName::from_static("sec-fetch-site")) == Some("cross-site")
}

impl Refused {
    fn into_response(self, guard: &Guard) -> Response {
        match self {
            Self::Host => {
                let port = guard.address.port();
                let message =
                    format!("found another Host, expected an address by number, or localhost:{port}\n");
                (StatusCode::FORBIDDEN, message).into_response()
            }
            Self::Origin => {
                (StatusCode::FORBIDDEN, "found a request of another site, expected none\n").into_response()
            }
            Self::Token => {
                let challenge = [(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"))];
                let message =
                    "found no token or a wrong one, expected the address that the program printed\n";
                (StatusCode::UNAUTHORIZED, challenge, message).into_response()
            }
            Self::Method => {
                let allowed = [(header::ALLOW, HeaderValue::from_static("GET, HEAD"))];
                (StatusCode::METHOD_NOT_ALLOWED, allowed, "expected GET\n").into_response()
            }
        }
    }
}

/// A header that occurs exactly once, as text.
fn only<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Option<&'h str> {
    let mut all = headers.get_all(name).iter();
    let first = all.next()?;
    if all.next().is_some() { None } else { first.to_str().ok() }
}

#[cfg(test)]
mod tests {
    use axum::body::Body;

    use super::*;

    fn guard(address: &str, token: Option<&str>) -> Guard {
        let token = token.map(|token| Token::from_text(token).unwrap());
        Guard::new(address.parse().unwrap(), token, "default-src 'none'")
    }

    fn request(path: &str, headers: &[(&str, &str)]) -> Request {
        let mut request = Request::builder().uri(path);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        request.body(Body::empty()).unwrap()
    }

    fn check(guard: &Guard, headers: &[(&str, &str)]) -> Result<(), Refused> {
        guard.check(&request("/playback", headers))
    }

    #[test]
    fn hosts_are_addresses_of_this_machine() {
        let local = guard("127.0.0.1:80", None);
        for valid in
            ["127.0.0.1:80", "localhost:80", "127.9.9.9:80", "[::1]:80", "127.0.0.1", "localhost", "[::1]"]
        {
            assert_eq!(check(&local, &[("host", valid)]), Ok(()), "{valid}");
            // The port may be omitted only if it is the default port of HTTP.
            let with = valid.strip_suffix(":80").map(|name| format!("{name}:8080"));
            let found = check(&guard("127.0.0.1:8080", None), &[("host", with.as_deref().unwrap_or(valid))]);
            assert_eq!(found, if with.is_some() { Ok(()) } else { Err(Refused::Host) }, "{valid}");
        }
        for invalid in [
            "evil.example:80", "evil.example", "::1", "127.0.0.1:81", "localhost:", "localhost:80:80",
            "localhost.evil.example:80", "127.0.0.1.evil.example:80", "10.0.0.1:80", "0.0.0.0:80", "::1:80",
            "[127.0.0.1]:80", "127.0.0.1:80@evil.example:80", "",
        ] {
            assert_eq!(check(&local, &[("host", invalid)]), Err(Refused::Host), "{invalid}");
        }
        assert_eq!(check(&local, &[]), Err(Refused::Host));
        let twice = [("host", "localhost:80"), ("host", "localhost:80")];
        assert_eq!(check(&local, &twice), Err(Refused::Host));
        let one = guard("10.0.0.1:80", None);
        assert_eq!(check(&one, &[("host", "10.0.0.1:80")]), Ok(()));
        assert_eq!(check(&one, &[("host", "10.0.0.2:80")]), Err(Refused::Host));
        let all = guard("0.0.0.0:80", None);
        assert_eq!(check(&all, &[("host", "10.0.0.2:80")]), Ok(()));
        assert_eq!(check(&all, &[("host", "my-machine:80")]), Err(Refused::Host));
    }

    #[test]
    fn only_our_own_origins_are_accepted() {
        let guard = guard("127.0.0.1:80", None);
        let from = |origin| check(&guard, &[("host", "localhost:80"), ("origin", origin)]);
        for valid in ["http://localhost:80", "http://localhost"] {
            assert_eq!(from(valid), Ok(()), "{valid}");
            let plain = [("host", "localhost"), ("origin", valid)];
            assert_eq!(check(&guard, &plain), Ok(()), "{valid}");
        }
        for invalid in
            ["http://evil.example", "null", "http://127.0.0.1:80", "https://localhost:80", "localhost:80", ""]
        {
            assert_eq!(from(invalid), Err(Refused::Origin), "{invalid}");
        }
        // Another server on this machine is another site.
        let other = self::guard("127.0.0.1:8080", None);
        let host = ("host", "localhost:8080");
        assert_eq!(check(&other, &[host, ("origin", "http://localhost:8080")]), Ok(()));
        for invalid in ["http://localhost", "http://localhost:80"] {
            assert_eq!(check(&other, &[host, ("origin", invalid)]), Err(Refused::Origin), "{invalid}");
        }
        let site = [("host", "localhost:80"), ("sec-fetch-site", "cross-site")];
        assert_eq!(check(&guard, &site), Err(Refused::Origin));
        // A link to the page is allowed.
        assert_eq!(guard.check(&request("/", &site)), Ok(()));
    }

    #[test]
    fn the_token_is_required_of_every_request() {
        let token = "0123456789abcdef";
        let guard = guard("127.0.0.1:80", Some(token));
        let host = ("host", "localhost:80");
        let bearer = |value: &str| check(&guard, &[host, ("authorization", value)]);
        assert_eq!(bearer("Bearer 0123456789abcdef"), Ok(()));
        let cookie = |value: &str| check(&guard, &[host, ("cookie", value)]);
        assert_eq!(cookie("a=b; chasles-80=0123456789abcdef; c=d"), Ok(()));
        for invalid in ["Bearer 0123456789abcdeF", "Bearer ", "Basic 0123456789abcdef", "0123456789abcdef"] {
            assert_eq!(bearer(invalid), Err(Refused::Token), "{invalid}");
        }
        for invalid in ["chasles-80=0123456789abcde", "chasles-81=0123456789abcdef", "chasles-80", ""] {
            assert_eq!(cookie(invalid), Err(Refused::Token), "{invalid}");
        }
        assert_eq!(check(&guard, &[host]), Err(Refused::Token));
        let cookie = |path: &str| guard.cookie_for(&request(path, &[host]));
        let set = cookie("/?token=0123456789abcdef").unwrap();
        assert_eq!(set, "chasles-80=0123456789abcdef; HttpOnly; SameSite=Strict; Path=/");
        for invalid in ["/", "/?token=", "/?token=0123456789abcdeg", "/playback?token=0123456789abcdef"] {
            assert_eq!(cookie(invalid), None, "{invalid}");
        }
    }
}
