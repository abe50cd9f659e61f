//! Reasons for which an address cannot be read, or object storage refuses.

use super::Error;
use trace_view::format::list;

/// Why an address cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StorageError {
    /// The address is invalid.
    #[error("invalid address {address}: {reason}")]
    WrongAddress {
        /// The address, without credentials.
        address: String,
        /// Why.
        reason: AddressReason,
    },
    /// Object storage, or a web server, did not give what was asked.
    #[error("cannot read {uri}: {reason}")]
    Refused {
        /// The address.
        uri: String,
        /// Why.
        reason: StorageReason,
    },
}

impl Error {
    /// Whether the same call may succeed later, or on another machine: storage was busy, or a transfer broke.
    pub fn is_transient(&self) -> bool {
        matches!(self, Self::Storage(StorageError::Refused { reason, .. }) if reason.is_transient())
    }
}

/// Why a text is not an address of traces.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AddressReason {
    /// The scheme is none of those that can be read.
    #[error("unknown scheme `{scheme}`: expected file, s3, gs, az, http or https{}", did_you_mean(.nearest.as_deref()))]
    UnknownScheme {
        /// The scheme.
        scheme: String,
        /// An address that was probably meant.
        nearest: Option<String>,
    },
    /// It has a user, a password or a signature, which would appear in outputs and files.
    #[error("it contains credentials, which would appear in outputs; {fix}")]
    Credentials {
        /// Where they belong.
        fix: &'static str,
    },
    /// The name of a bucket, container or host is missing or invalid.
    #[error("it names no {what}; expected {expected}")]
    NoBucket {
        /// What is missing: `bucket`, `container`, `host`.
        what: &'static str,
        /// The form of such an address.
        expected: &'static str,
    },
    /// A local address is not that of an absolute path.
    #[error("expected an absolute path, as in file:///shared/run7")]
    NotAbsolute,
    /// It has parameters, which only a web browser or a program for downloads sends.
    #[error("addresses with `?` or `#` are not read; download the file first (curl -LO URL)")]
    Parameters,
    /// The path has an empty part, `.` or `..`, or a control character.
    #[error("its path has {part}, which no file of a listing has; remove it")]
    WrongPath {
        /// What is wrong.
        part: &'static str,
    },
    /// A pattern in an address that cannot be listed.
    #[error("a web server has no listing to match a pattern with; name each file")]
    NoPattern,
}

/// Why object storage, or a web server, did not give what was asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StorageReason {
    /// There is neither an object of this name nor one in a folder of this name.
    #[error("nothing of this name exists{}", instead(.folder, .holds))]
    NotFound {
        /// The address that was searched for other names.
        folder: String,
        /// Names there.
        holds: Vec<String>,
    },
    /// The bucket or container does not exist.
    #[error("there is no {what} `{bucket}`{}; {fix}", at(.endpoint.as_deref()))]
    NoBucket {
        /// What is missing: `bucket`, `container`.
        what: &'static str,
        /// Its name.
        bucket: String,
        /// The address of the service, if it is not the provider's own.
        endpoint: Option<String>,
        /// What to check.
        fix: &'static str,
    },
    /// There are no credentials, neither in the environment nor of the machine.
    #[error("no credentials found; {fix}")]
    NoCredentials {
        /// How to give some.
        fix: &'static str,
    },
    /// The secret does not belong to the key.
    #[error("the signature is wrong ({code}); check the secret key in the environment, and the clock of this machine")]
    WrongSignature {
        /// What the service calls it.
        code: String,
    },
    /// The service does not know the key, or it is no longer valid.
    #[error("the credentials are not accepted ({code}); {fix}")]
    WrongCredentials {
        /// What the service calls it.
        code: String,
        /// How to give others.
        fix: &'static str,
    },
    /// The credentials are valid, and do not permit this.
    #[error("access is denied ({code}); these credentials may not read it, or it does not exist: {fix}")]
    Denied {
        /// What the service calls it.
        code: String,
        /// What to check.
        fix: &'static str,
    },
    /// It may not be read without credentials, and none were sent.
    #[error("access is denied ({code}), and no credentials were sent; {fix}")]
    DeniedToAnyone {
        /// What the service calls it.
        code: String,
        /// How to give some.
        fix: &'static str,
    },
    /// The server names another address, which is not asked.
    #[error("{host} redirects to {target}, {why}; {fix}")]
    Redirect {
        /// The host that answered.
        host: String,
        /// Scheme and host of the other address.
        target: String,
        /// Why it is not asked.
        why: &'static str,
        /// What to do instead.
        fix: &'static str,
    },
    /// The server named another address, which refused.
    #[error("the address leads to {host}, which answered: {reason}")]
    Redirected {
        /// The host that answered.
        host: String,
        /// Why it refused.
        reason: Box<StorageReason>,
    },
    /// The server answered with more than such an answer may have.
    #[error("{answer} is longer than {most}; {fix}")]
    TooLong {
        /// What is too long: `the listing of the folder`.
        answer: &'static str,
        /// The bound.
        most: String,
        /// What to do.
        fix: &'static str,
    },
    /// The answer is not one of such a server.
    #[error("the answer of the server is invalid ({reason}); check the address, and the endpoint if one is set")]
    Invalid {
        /// What is wrong with it.
        reason: String,
    },
    /// The bucket is in another region.
    #[error("the bucket is in another region{}; set AWS_REGION to it", of_region(.region.as_deref()))]
    WrongRegion {
        /// The region, if the service tells.
        region: Option<String>,
    },
    /// The service asks to come again later, and did so until the retries were used up.
    #[error("storage is busy: {reason}; try again later")]
    Busy {
        /// What it answered last.
        reason: String,
    },
    /// The connection ended before the answer, and did so until the retries were used up.
    #[error("the connection ended before the answer ({reason}); try again later")]
    Broken {
        /// What the operating system says.
        reason: String,
    },
    /// The name of the host has no address.
    #[error("{host} is not found; check the name, the network and {variable}")]
    NoHost {
        /// The host, or whose host it is.
        host: String,
        /// The variable that may name it.
        variable: &'static str,
    },
    /// The host does not accept connections.
    #[error("cannot connect to {host}: {reason}; check the address, the network and {variable}")]
    NoConnection {
        /// The host, or whose host it is.
        host: String,
        /// What the operating system says.
        reason: String,
        /// The variable that may name it.
        variable: &'static str,
    },
    /// The certificate of the host is not trusted.
    #[error(
        "the certificate of {host} is not trusted: {reason}; install ca-certificates, or name a file with the certificate of its authority in SSL_CERT_FILE"
    )]
    Untrusted {
        /// The host, or whose host it is.
        host: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The machine has no certificates of authorities.
    #[error(
        "this machine has no certificates of authorities, which https needs; install ca-certificates, or name a file of them in SSL_CERT_FILE"
    )]
    NoCertificates,
    /// The endpoint is not encrypted, and this was not allowed.
    #[error("the endpoint {endpoint} is not encrypted; set {variable}=true to allow that, or use https")]
    PlainHttp {
        /// The endpoint.
        endpoint: String,
        /// The variable that allows it.
        variable: &'static str,
    },
    /// The transfer ended early, and could not be continued.
    #[error(
        "the transfer ended at byte {byte} of {bytes}: {reason}; load it again, and if it ends there again, check the object and the network"
    )]
    CutShort {
        /// Bytes that arrived.
        byte: u64,
        /// Bytes that the object has.
        bytes: u64,
        /// Why.
        reason: String,
    },
    /// The object is not the one that was listed.
    #[error("it has changed since it was listed; load it again")]
    Changed,
    /// The server does not say how large the file is.
    #[error("the server does not tell its size; download the file first (curl -LO URL)")]
    NoSize,
    /// Web servers have no listing.
    #[error("a web server has no listing of folders; name the file, such as https://host/rank0.json.gz")]
    NoListing,
    /// The program was built without it.
    #[error("this build reads local files only; build it with the feature `cloud`")]
    NotBuilt,
    /// The environment has an invalid setting.
    #[error("{reason}; {fix}")]
    Setting {
        /// What is wrong.
        reason: String,
        /// Which variables to check.
        fix: &'static str,
    },
    /// Another answer.
    #[error("{0}")]
    Other(String),
}

impl StorageReason {
    /// Whether it may pass: the same call may succeed later, or on another machine.
    pub fn is_transient(&self) -> bool {
        match self {
            Self::Redirected { reason, .. } => reason.is_transient(),
            reason => matches!(
                reason,
                Self::Busy { .. }
                    | Self::Broken { .. }
                    | Self::CutShort { .. }
                    | Self::NoConnection { .. }
                    | Self::NoHost { .. }
                    | Self::Changed
            ),
        }
    }
}

fn did_you_mean(nearest: Option<&str>) -> String {
    nearest.map(|nearest| format!("; did you mean {nearest}?")).unwrap_or_default()
}

fn at(endpoint: Option<&str>) -> String {
    endpoint.map(|endpoint| format!(" at {endpoint}")).unwrap_or_default()
}

fn of_region(region: Option<&str>) -> String {
    region.map(|region| format!(", {region}")).unwrap_or_default()
}

fn instead(folder: &str, holds: &[String]) -> String {
    if holds.is_empty() {
        return "; check the name, capitals included".to_owned();
    }
    format!("; {folder} has {}", list(holds))
}
