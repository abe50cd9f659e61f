//! The address of a Ray dashboard.

use std::net::IpAddr;
use trace_core::without_secrets;

/// `http://127.0.0.1:8265`, checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::cluster) struct Address {
    scheme: &'static str,
    /// Host and port, as given.
    authority: String,
    is_loopback: bool,
}

/// The port of the dashboard.
const PORT: u16 = 8265;

impl Address {
    /// Reads an address.
    ///
    /// # Errors
    /// What was expected, with the address that was probably meant.
    pub(in crate::cluster) fn of(text: &str) -> Result<Self, String> {
        let Some((scheme, authority)) = text.trim().split_once("://") else {
            let host = after_user(text.trim()).split([':', '/']).next().unwrap_or_default();
            return Err(format!("http:// or https://, and the dashboard of a Ray head, such as {}", likely(host)));
        };
        let authority = authority.trim_end_matches('/');
        let host = host_of(after_user(authority));
        let scheme = match scheme {
            "http" => "http",
            "https" => "https",
            "ray" => {
                return Err(format!(
                    "the dashboard of the Ray head, not Ray's own protocol: {}",
                    likely(host.unwrap_or_default())
                ));
            }
            _ => return Err(format!("http:// or https://, such as {}", likely(host.unwrap_or_default()))),
        };
        let is_safe = |c: char| c.is_ascii_alphanumeric() || ".-_:[]".contains(c);
        let Some(host) = host.filter(|host| !host.is_empty()).filter(|_| authority.chars().all(is_safe)) else {
            return Err(format!("a host and a port, such as {}", likely("127.0.0.1")));
        };
        let is_loopback = host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
        Ok(Self { scheme, authority: authority.to_owned(), is_loopback })
    }

    /// Returns a text that is no address as messages show it: without user, password and parameters.
    pub(in crate::cluster) fn shown(text: &str) -> String {
        let text = text.split(['?', '#']).next().unwrap_or_default();
        match (text.split_once("://"), text.rsplit_once('@')) {
            (Some((scheme, _)), Some((_, host))) => without_secrets(&format!("{scheme}://…@{host}")),
            (None, Some((_, host))) => without_secrets(&format!("…@{host}")),
            (_, None) => without_secrets(text),
        }
    }

    /// Returns `http://127.0.0.1:8265`.
    pub(super) fn url(&self) -> String {
        format!("{}://{}", self.scheme, self.authority)
    }

    /// Returns host and port.
    pub(super) fn authority(&self) -> &str {
        &self.authority
    }

    /// Whether it is this machine.
    pub(super) fn is_loopback(&self) -> bool {
        self.is_loopback
    }

    /// Whether a token may be sent there: nobody on the way can read it.
    pub(super) fn is_private(&self) -> bool {
        self.is_loopback || self.scheme == "https"
    }
}

/// Returns what follows the user and the password.
fn after_user(authority: &str) -> &str {
    authority.rsplit_once('@').map_or(authority, |(_, host)| host)
}

/// Returns the host of `host:port` or `[::1]:port`.
fn host_of(authority: &str) -> Option<&str> {
    match authority.strip_prefix('[') {
        Some(rest) => rest.split_once(']').map(|(host, _)| host),
        None => authority.split(':').next(),
    }
}

fn likely(host: &str) -> String {
    let is_host = |c: char| c.is_ascii_alphanumeric() || ".-_".contains(c);
    let host = if !host.is_empty() && host.chars().all(is_host) { host } else { "127.0.0.1" };
    format!("http://{host}:{PORT}")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn addresses_are_checked_and_the_likely_one_is_named() {
        let of = |text: &str| Address::of(text).map(|address| (address.url(), address.is_private()));
        assert_eq!(of("http://127.0.0.1:8265/").unwrap(), ("http://127.0.0.1:8265".to_owned(), true));
        assert!(of("http://127.0.0.3:28265").unwrap().1);
        assert!(of("http://[::1]:8265").unwrap().1);
        assert!(of("http://localhost:8265").unwrap().1);
        assert!(!of("http://ray.cluster:8265").unwrap().1);
        assert!(!of("http://localhost.evil.example:8265").unwrap().1);
        assert!(of("https://ray.cluster").unwrap().1);
        for (input, meant) in [
            ("ray://head.example:10001", "http://head.example:8265"),
            ("head:8265", "http://head:8265"),
            ("auto", "http://auto:8265"),
            ("ftp://head", "http://head:8265"),
            ("http://", "http://127.0.0.1:8265"),
            ("http://user:secret@head", "http://127.0.0.1:8265"),
            ("http://head/path?x", "http://127.0.0.1:8265"),
        ] {
            let message = of(input).unwrap_err();
            assert!(message.contains(meant), "{input}: {message}");
        }
    }

    #[test]
    fn address_with_a_secret_is_shown_without_it() {
        for (input, shown) in [
            ("http://me:SECRET@head:8265", "http://…@head:8265"),
            ("ray://SECRET:x@head:10001", "ray://…@head:10001"),
            ("me:SEC/RET@head", "…@head"),
            ("SECRET@head", "…@head"),
            ("http://head/?token=SECRET", "http://head/"),
            ("head:8265", "head:8265"),
        ] {
            assert_eq!(Address::shown(input), shown);
            let message = Address::of(input).unwrap_err();
            assert!(!message.contains("SECRET") && !message.contains("RET"), "{input}: {message}");
        }
    }
}
