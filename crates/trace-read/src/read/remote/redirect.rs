//! Allowed targets of redirects: none for requests to object storage; for those to a web server, hosts that are no less safe
//! than the one that the user named.

use super::uri::Scheme;
use crate::error::StorageReason;
use reqwest::Url;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};

/// The most redirects of one request.
pub(super) const MOST_REDIRECTS: usize = 5;

/// What to do about an address that leads elsewhere.
const WEB_FIX: &str = "name the address of the file itself, or download it first (curl -LO URL)";

/// Why a host is not asked that a public one names: what answers there trusts its own network.
pub(super) const PRIVATE: &str = "an address of this machine or of a private network";

/// Returns the reason of a redirect that is not followed.
pub(super) fn not_followed(scheme: Scheme, from: &Url, target: Option<&Url>, why: &'static str) -> StorageReason {
    let fix = match scheme {
        Scheme::S3 => "set AWS_ENDPOINT and AWS_REGION to those of the bucket",
        Scheme::Gs => "check the name of the bucket, and the network (a proxy or a portal may have answered)",
        Scheme::Az => "check AZURE_STORAGE_ACCOUNT_NAME, and the network (a proxy or a portal may have answered)",
        Scheme::Http | Scheme::Https => WEB_FIX,
    };
    let target = target.map_or_else(|| "an invalid address".to_owned(), origin);
    StorageReason::Redirect { host: host_and_port(from), target, why, fix }
}

/// Returns the next address of a redirect of a web server.
///
/// # Errors
/// Why it is not followed: [`StorageReason::Redirect`].
pub(super) fn next(from: &Url, location: Option<&str>, is_public: bool) -> Result<Url, StorageReason> {
    let scheme = if from.scheme() == "https" { Scheme::Https } else { Scheme::Http };
    let target = location.and_then(|location| from.join(location).ok()).filter(|target| target.host_str().is_some());
    let refused = |why| Err(not_followed(scheme, from, target.as_ref(), why));
    let Some(to) = &target else { return refused("which no file can be read from") };
    match (from.scheme(), to.scheme()) {
        ("https", "http") => return refused("which is not encrypted"),
        (_, "http" | "https") => {}
        _ => return refused("which is not an address of a web server"),
    }
    if !to.username().is_empty() || to.password().is_some() {
        return refused("with a user or a password");
    }
    let is_private = || is_local_name(to) || literal(to).is_some_and(|address| !is_of_internet(address));
    if is_public && is_private() {
        return refused(PRIVATE);
    }
    Ok(to.clone())
}

/// Returns host and port, as messages name them.
pub(super) fn host_and_port(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}

/// Returns scheme, host and port.
fn origin(url: &Url) -> String {
    format!("{}://{}", url.scheme(), host_and_port(url))
}

/// Whether two addresses have the same scheme, host and port.
pub(super) fn is_same_origin(a: &Url, b: &Url) -> bool {
    a.scheme() == b.scheme() && a.host_str() == b.host_str() && a.port_or_known_default() == b.port_or_known_default()
}

/// Returns the address that a host is written as.
fn literal(url: &Url) -> Option<IpAddr> {
    url.host_str()?.trim_matches(['[', ']']).parse().ok()
}

/// Whether a name is that of this machine by convention.
fn is_local_name(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_end_matches('.');
    host == "localhost" || host.ends_with(".localhost")
}

/// Whether an address is one of the public internet: not of this machine, a link or a private network.
fn is_of_internet(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_of_internet_v4(address),
        IpAddr::V6(address) => {
            let [a, b, c, d, .., g, h] = address.segments();
            let embedded = |high: u16, low: u16| {
                let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
                is_of_internet_v4(Ipv4Addr::new(a, b, c, d))
            };
            match address.to_ipv4_mapped() {
                Some(address) => is_of_internet_v4(address),
                // IPv4 in IPv6: NAT64 and 6to4.
                None if (a, b) == (0x64, 0xff9b) => embedded(g, h),
                None if a == 0x2002 => embedded(b, c),
                // Those of the internet, without documentation and Teredo.
                None => is_global_v6(a, b, address) && (a, b, c, d) != (0x2001, 0, 0, 0),
            }
        }
    }
}

fn is_global_v6(a: u16, b: u16, address: Ipv6Addr) -> bool {
    a & 0xe000 == 0x2000 && !(a == 0x2001 && matches!(b, 0 | 0xdb8)) && !address.is_multicast()
}

fn is_of_internet_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    !(address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_documentation()
        // This network, shared addresses of providers, protocols, benchmarks, several receivers and what is reserved.
        || a == 0
        || (a == 100 && b & 0xc0 == 64)
        || (a, b, c) == (192, 0, 0)
        || (a == 198 && b & 0xfe == 18)
        || a >= 224)
}

/// Looks up the addresses of hosts, and remembers which were found on the internet.
#[derive(Debug, Default)]
pub(super) struct Names {
    /// Leaves addresses of private networks out: a name that a public server gives may lead there.
    only_public: bool,
    /// Names, and whether any of their addresses was one of the internet.
    seen: Arc<Mutex<BTreeMap<String, bool>>>,
}

impl Names {
    /// Returns a value that finds addresses of the internet only.
    pub(super) fn only_public() -> Self {
        Self { only_public: true, seen: Arc::default() }
    }

    /// Whether an address is on the internet, as far as is known: one that a proxy looks up counts as one.
    pub(super) fn is_public(&self, url: &Url) -> bool {
        if let Some(address) = literal(url) {
            return is_of_internet(address);
        }
        let host = url.host_str().unwrap_or_default();
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        !is_local_name(url) && seen.get(host).copied().unwrap_or(true)
    }

    fn note(seen: &Mutex<BTreeMap<String, bool>>, name: &str, found: &[SocketAddr]) {
        let is_public = found.iter().any(|address| is_of_internet(address.ip()));
        let mut seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
        // Once public, always public: a name may change its addresses between two requests.
        *seen.entry(name.to_owned()).or_default() |= is_public;
    }
}

impl Resolve for Names {
    fn resolve(&self, name: Name) -> Resolving {
        let (seen, only_public) = (Arc::clone(&self.seen), self.only_public);
        Box::pin(async move {
            let mut found: Vec<SocketAddr> = tokio::net::lookup_host((name.as_str(), 0)).await?.collect();
            Self::note(&seen, name.as_str(), &found);
            if only_public {
                found.retain(|address| is_of_internet(address.ip()));
                if found.is_empty() {
                    return Err(PRIVATE.into());
                }
            }
            // Several connections use several machines of a service.
            let turn = std::time::UNIX_EPOCH.elapsed().map_or(0, |time| time.subsec_nanos() as usize);
            let middle = turn % found.len().max(1);
            found.rotate_left(middle);
            Ok(Box::new(found.into_iter()) as Addrs)
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn url(text: &str) -> Url {
        text.parse().unwrap()
    }

    #[test]
    fn addresses_of_private_networks_are_known() {
        for text in [
            "127.0.0.1",
            "10.1.2.3",
            "172.16.0.1",
            "192.168.1.1",
            "169.254.169.254",
            "100.64.0.1",
            "0.0.0.0",
            "224.0.0.1",
            "::1",
            "::",
            "fe80::1",
            "fd00::1",
            "::ffff:10.0.0.1",
            "64:ff9b::7f00:1",
            "2002:a00:1::",
            "2001:db8::1",
            "255.255.255.255",
        ] {
            assert!(!is_of_internet(text.parse().unwrap()), "{text}");
        }
        for text in ["1.1.1.1", "52.216.1.1", "2606:4700::1111", "::ffff:1.1.1.1", "64:ff9b::101:101", "172.32.0.1"] {
            assert!(is_of_internet(text.parse().unwrap()), "{text}");
        }
    }

    #[test]
    fn redirect_is_followed_unless_it_is_less_safe() {
        let after = |from: &str, to: Option<&str>, is_public| {
            next(&url(from), to, is_public).map(|url| url.to_string()).map_err(|reason| reason.to_string())
        };
        assert_eq!(after("http://a.org/x/y", Some("z?sig=1"), true).unwrap(), "http://a.org/x/z?sig=1");
        assert_eq!(after("http://a.org/x", Some("https://b.org/y"), true).unwrap(), "https://b.org/y");
        assert_eq!(after("https://10.0.0.1/x", Some("https://10.0.0.2/y"), false).unwrap(), "https://10.0.0.2/y");
        for (from, to, part) in [
            ("https://a.org/x", Some("http://a.org/y"), "a.org redirects to http://a.org, which is not encrypted"),
            ("https://a.org/x", Some("ftp://b.org/y"), "not an address of a web server"),
            ("http://a.org/x", Some("file:///etc/passwd"), "invalid address"),
            ("http://a.org/x", None, "an invalid address"),
            ("http://a.org/x", Some("http://me:pw@b.org/"), "http://b.org, with a user or a password"),
            ("http://a.org/x", Some("http://127.0.0.1:8265/api"), "http://127.0.0.1:8265, an address of this machine"),
            ("http://a.org/x", Some("http://2130706433/"), "private network"),
            ("https://a.org/x", Some("https://169.254.169.254/latest"), "private network"),
            ("https://a.org/x", Some("https://[::1]/y"), "private network"),
            ("https://a.org/x", Some("https://localhost/y"), "private network"),
            ("https://a.org/x", Some("//192.168.0.1/y"), "private network"),
        ] {
            let message = after(from, to, true).unwrap_err();
            assert!(message.contains(part) && message.contains("curl -LO"), "{message}");
            assert!(!message.contains("pw"), "{message}");
        }
    }

    #[test]
    fn name_that_was_public_once_stays_public() {
        let names = Names::default();
        assert!(names.is_public(&url("https://unknown.org/")), "a proxy looked it up");
        assert!(!names.is_public(&url("https://10.0.0.1/")) && !names.is_public(&url("https://localhost/")));
        let note = |text: &str| Names::note(&names.seen, "a.org", &[SocketAddr::new(text.parse().unwrap(), 0)]);
        note("10.0.0.1");
        assert!(!names.is_public(&url("https://a.org/")));
        note("1.1.1.1");
        note("10.0.0.1");
        assert!(names.is_public(&url("https://a.org/")));
    }

    #[test]
    fn public_lookup_finds_no_private_address() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let found =
            |names: Names| runtime.block_on(names.resolve("localhost".parse().unwrap())).map(|found| found.count());
        assert!(found(Names::default()).unwrap() > 0);
        let error = found(Names::only_public()).map_err(|error| error.to_string()).unwrap_err();
        assert!(error.contains("private network"), "{error}");
    }

    #[test]
    fn origin_is_scheme_host_and_port() {
        let same = |a: &str, b: &str| is_same_origin(&url(a), &url(b));
        assert!(same("https://a.org/x", "https://A.org:443/y"));
        assert!(!same("https://a.org", "http://a.org") && !same("http://a.org", "http://a.org:8080"));
        assert!(!same("http://a.org", "http://b.a.org"));
    }
}
