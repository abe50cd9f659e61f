//! Clients of a bucket or a web server, with the settings of the environment.

use super::failure::{of_request, reason};
use super::guard::Guarded;
use super::uri::{Scheme, Uri};
use crate::domain::without_secrets;
use crate::error::StorageReason;
use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey};
use object_store::azure::{AzureConfigKey, MicrosoftAzureBuilder};
use object_store::client::CredentialProvider;
use object_store::gcp::{GoogleCloudStorageBuilder, GoogleConfigKey};
use object_store::http::HttpBuilder;
use object_store::{BackoffConfig, ClientConfigKey, ClientOptions, ObjectStore, RetryConfig};
use std::sync::Arc;
use std::time::Duration;

/// How long a machine may take to tell its role.
const ROLE: Duration = Duration::from_secs(5);

/// The bound on a whole request. The time of a transfer depends on its size and on how fast the file is parsed: a stalled one
/// is noticed by the reader.
const UNBOUNDED: &str = "7days";

/// Clients of one bucket or web server.
pub(super) struct Clients {
    /// For the first question: it fails soon, so that a wrong address is reported soon.
    pub(super) quick: Arc<dyn ObjectStore>,
    /// For questions after storage was busy.
    pub(super) patient: Arc<dyn ObjectStore>,
    /// For transfers: patient, and without a bound on their time.
    pub(super) transfer: Arc<dyn ObjectStore>,
    /// The address of the service, if it is not the provider's own.
    pub(super) endpoint: Option<String>,
    /// Whether requests are sent with credentials.
    pub(super) sends_credentials: bool,
}

impl Clients {
    /// Returns why a request failed, with what is known of the clients.
    pub(super) fn described(&self, reason: StorageReason, scheme: Scheme) -> StorageReason {
        of_request(reason, scheme, self.endpoint.as_deref(), self.sends_credentials)
    }
}

/// How a client behaves.
#[derive(Clone)]
struct Manner {
    retry: RetryConfig,
    unbounded: bool,
}

/// A client, the address of the service if it is not the provider's own, and whether requests are sent with credentials.
type Built = Result<(Arc<dyn ObjectStore>, Option<String>, bool), StorageReason>;

/// Makes the clients of a bucket, and finds credentials.
///
/// # Errors
/// If the settings are invalid, or there are no credentials.
pub(super) async fn connect(uri: &Uri, timeout: Duration) -> Result<Clients, StorageReason> {
    let backoff = BackoffConfig { init_backoff: Duration::from_millis(100), ..BackoffConfig::default() };
    let soon = RetryConfig { backoff: backoff.clone(), max_retries: 2, retry_timeout: timeout.min(ROLE) };
    let late = RetryConfig { backoff, max_retries: 10, retry_timeout: timeout };
    let (quick, endpoint, sends_credentials) = build(uri, &Manner { retry: soon, unbounded: false }, true).await?;
    let (patient, ..) = build(uri, &Manner { retry: late.clone(), unbounded: false }, false).await?;
    let (transfer, ..) = build(uri, &Manner { retry: late, unbounded: true }, false).await?;
    Ok(Clients { quick, patient, transfer, endpoint, sends_credentials })
}

async fn build(uri: &Uri, manner: &Manner, is_first: bool) -> Built {
    match uri.scheme {
        Scheme::S3 => s3(uri, manner, is_first).await,
        Scheme::Gs => gs(uri, manner, is_first).await,
        Scheme::Az => az(uri, manner, is_first).await,
        Scheme::Http | Scheme::Https => web(uri, manner),
    }
}

async fn s3(uri: &Uri, manner: &Manner, is_first: bool) -> Built {
    let mut builder = AmazonS3Builder::from_env().with_bucket_name(&uri.bucket).with_retry(manner.retry.clone());
    builder = builder.with_http_connector(Guarded(uri.scheme));
    let endpoint = builder.get_config_value(&AmazonS3ConfigKey::Endpoint);
    let allow = AmazonS3ConfigKey::Client(ClientConfigKey::AllowHttp);
    plain_http(endpoint.as_deref(), builder.get_config_value(&allow), "AWS_ALLOW_HTTP")?;
    if manner.unbounded {
        builder = builder.with_config(AmazonS3ConfigKey::Client(ClientConfigKey::Timeout), UNBOUNDED);
    }
    let is_signed = builder.get_config_value(&AmazonS3ConfigKey::SkipSignature).as_deref() != Some("true");
    let store =
        builder.build().map_err(|error| setting(uri, &error, "check the variables AWS_… of the environment"))?;
    if is_first && is_signed {
        credentials(store.credentials().as_ref(), NO_S3).await?;
    }
    Ok((Arc::new(store), endpoint, is_signed))
}

async fn gs(uri: &Uri, manner: &Manner, is_first: bool) -> Built {
    let mut builder =
        GoogleCloudStorageBuilder::from_env().with_bucket_name(&uri.bucket).with_retry(manner.retry.clone());
    builder = builder.with_http_connector(Guarded(uri.scheme));
    if manner.unbounded {
        builder = builder.with_config(GoogleConfigKey::Client(ClientConfigKey::Timeout), UNBOUNDED);
    }
    let is_signed = builder.get_config_value(&GoogleConfigKey::SkipSignature).as_deref() != Some("true");
    let fix = "check GOOGLE_APPLICATION_CREDENTIALS and the other variables GOOGLE_… of the environment";
    let store = builder.build().map_err(|error| setting(uri, &error, fix))?;
    if is_first && is_signed {
        credentials(store.credentials().as_ref(), NO_GS).await?;
    }
    Ok((Arc::new(store), None, is_signed))
}

async fn az(uri: &Uri, manner: &Manner, is_first: bool) -> Built {
    let mut builder =
        MicrosoftAzureBuilder::from_env().with_container_name(&uri.bucket).with_retry(manner.retry.clone());
    builder = builder.with_http_connector(Guarded(uri.scheme));
    let endpoint = builder.get_config_value(&AzureConfigKey::Endpoint);
    let allow = AzureConfigKey::Client(ClientConfigKey::AllowHttp);
    plain_http(endpoint.as_deref(), builder.get_config_value(&allow), "AZURE_ALLOW_HTTP")?;
    if manner.unbounded {
        builder = builder.with_config(AzureConfigKey::Client(ClientConfigKey::Timeout), UNBOUNDED);
    }
    let is_signed = builder.get_config_value(&AzureConfigKey::SkipSignature).as_deref() != Some("true");
    let fix = "set AZURE_STORAGE_ACCOUNT_NAME, and check the other variables AZURE_… of the environment";
    let store = builder.build().map_err(|error| setting(uri, &error, fix))?;
    if is_first && is_signed {
        credentials(store.credentials().as_ref(), NO_AZ).await?;
    }
    Ok((Arc::new(store), endpoint, is_signed))
}

fn web(uri: &Uri, manner: &Manner) -> Built {
    let mut options = ClientOptions::new().with_allow_http(uri.scheme == Scheme::Http);
    if manner.unbounded {
        options = options.with_timeout_disabled();
    }
    let url = format!("{}://{}/", uri.scheme.name(), uri.bucket);
    let builder = HttpBuilder::new().with_url(url).with_client_options(options).with_retry(manner.retry.clone());
    let builder = builder.with_http_connector(Guarded(uri.scheme));
    let store = builder.build().map_err(|error| setting(uri, &error, "check the address"))?;
    Ok((Arc::new(store), None, false))
}

const NO_S3: &str = "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY (`aws configure export-credentials --format env` \
                     prints those of a profile), or AWS_SKIP_SIGNATURE=true for a public bucket";
const NO_GS: &str = "name a file of credentials in GOOGLE_APPLICATION_CREDENTIALS, run `gcloud auth application-default \
                     login`, or set GOOGLE_SKIP_SIGNATURE=true for a public bucket";
const NO_AZ: &str = "set AZURE_STORAGE_ACCOUNT_KEY or AZURE_STORAGE_SAS_KEY, or AZURE_SKIP_SIGNATURE=true for a public \
                     container";

/// Finds out whether there are credentials, at the latest from the machine's role.
async fn credentials<T>(
    provider: &dyn CredentialProvider<Credential = T>,
    fix: &'static str,
) -> Result<(), StorageReason> {
    match tokio::time::timeout(ROLE, provider.get_credential()).await {
        Ok(Ok(_)) => Ok(()),
        _ => Err(StorageReason::NoCredentials { fix }),
    }
}

/// Refuses an endpoint without encryption that was not allowed.
fn plain_http(endpoint: Option<&str>, allowed: Option<String>, variable: &'static str) -> Result<(), StorageReason> {
    match endpoint {
        Some(endpoint) if endpoint.starts_with("http://") && allowed.as_deref() != Some("true") => {
            Err(StorageReason::PlainHttp { endpoint: without_secrets(endpoint), variable })
        }
        _ => Ok(()),
    }
}

/// Returns why a client cannot be made.
fn setting(uri: &Uri, error: &object_store::Error, fix: &'static str) -> StorageReason {
    match reason(error, uri) {
        StorageReason::Other(reason) => StorageReason::Setting { reason, fix },
        known => known,
    }
}
