#![allow(clippy::unwrap_used)]
use super::*;
use trace_testkit::Random;

fn remote(text: &str) -> Uri {
    match Location::of(Path::new(text)) {
        Ok(Location::Remote(uri)) => uri,
        other => panic!("{text}: {other:?}"),
    }
}

fn message(text: &str) -> String {
    Location::of(Path::new(text)).unwrap_err().to_string()
}

#[test]
fn addresses_have_a_bucket_and_a_key() {
    for (text, bucket, key, is_folder) in [
        ("s3://bucket", "bucket", "", true),
        ("s3://bucket/", "bucket", "", true),
        ("S3://bucket/run7/rank 0@home.json.gz", "bucket", "run7/rank 0@home.json.gz", false),
        ("gs://b.ucket_1/a/b/", "b.ucket_1", "a/b", true),
        ("az://$web/a%20b", "$web", "a%20b", false),
        ("http://127.0.0.1:8000/a%20b%25.json", "127.0.0.1:8000", "a b%.json", false),
        ("https://[::1]:80/ä.json", "[::1]:80", "ä.json", false),
    ] {
        let uri = remote(text);
        assert_eq!((uri.bucket.as_str(), uri.key.as_str(), uri.is_folder), (bucket, key, is_folder), "{text}");
        assert_eq!(remote(&uri.to_string()), uri, "{text}");
    }
}

#[test]
fn paths_are_local() {
    for text in ["", "a.json", "/a/b", "s3:/b", "C:\\x", "./s3://b/x", "a b://c", "://x", "1s://x"] {
        assert_eq!(Location::of(Path::new(text)).unwrap(), Location::Local(text.into()), "{text}");
    }
    for (text, path) in
        [("file:///a%20b/c", "/a b/c"), ("file://localhost/a", "/a"), ("FILE:///a%zz", "/a%zz"), ("file:////a", "//a")]
    {
        assert_eq!(Location::of(Path::new(text)).unwrap(), Location::Local(path.into()), "{text}");
    }
}

#[test]
fn wrong_addresses_say_why_and_the_fix() {
    for (text, parts) in [
        ("s3a://bucket/run", ["unknown scheme `s3a`", "did you mean s3://bucket/run?"]),
        ("s4://bucket/run", ["unknown scheme `s4`", "did you mean s3://bucket/run?"]),
        ("gcs://bucket/run", ["expected file, s3, gs, az, http or https", "did you mean gs://bucket/run?"]),
        ("hdfs://host/run", ["invalid address hdfs://host/run", "unknown scheme `hdfs`"]),
        ("s3:///run", ["names no bucket", "s3://BUCKET/FOLDER"]),
        ("s3://b!cket/run", ["names no bucket", "s3://b!cket/run"]),
        ("http://host:port/x", ["names no host", "http://HOST/FILE"]),
        ("https://host/x?a=1", ["addresses with `?`", "curl -LO"]),
        ("s3://bucket/a//b", ["an empty part", "remove it"]),
        ("s3://bucket/../b", ["a part `.` or `..`", "remove it"]),
        ("s3://bucket/a\nb", ["a control character", "remove it"]),
        ("file://server/share", ["expected an absolute path", "file:///"]),
    ] {
        let message = message(text);
        assert!(parts.iter().all(|part| message.contains(part)), "{text}: {message}");
    }
}

#[test]
fn secrets_in_addresses_are_refused_and_not_echoed() {
    for text in [
        "https://user:TOPSECRET@host/a.json",
        "https://TOPSECRET@host/a.json",
        "s3://AKIA:TOPSECRET@bucket/run",
        "s3://AKIA:SEC/TOPSECRET@bucket/run",
        "http://user:SEC/TOPSECRET@host/x",
        "https://host/a.json?X-Amz-Signature=TOPSECRET",
        "https://host/a.json?sp=r&sig=TOPSECRET",
        "https://host/a.json?x=TOPSECRET",
        "https://host/a.json#TOPSECRET",
        "s3://bucket/a.json?AWSAccessKeyId=A&Signature=TOPSECRET",
        "ftp://user:TOPSECRET@host/a",
        "ftp://user:SEC/TOPSECRET@host/a",
        "file://user:TOPSECRET@host/a",
    ] {
        assert!(!message(text).contains("TOPSECRET"), "{text}: {}", message(text));
    }
    assert!(message("s3://K:S@b/x").contains("set AWS_ACCESS_KEY_ID"), "{}", message("s3://K:S@b/x"));
}

#[test]
fn any_text_is_parsed_and_read_back() {
    const STARTS: &[&str] = &["s3://", "gs://b", "az://c", "http://h:1", "https://h/", "file://"];
    const PARTS: &[&str] = &[
        "s3",
        "gs",
        "az",
        "http",
        "https",
        "file",
        "://",
        ":",
        "/",
        "//",
        "@",
        "?",
        "#",
        "%",
        "%2",
        "%20",
        "%ff",
        "..",
        ".",
        "a",
        "B-1",
        "[",
        "]",
        "::1",
        "é",
        "\u{202e}",
        "\n",
        "\0",
        " ",
        "*",
        "8000",
        "sig=",
        "localhost",
        "𝄞",
    ];
    let mut random = Random::new(7);
    let mut parsed = 0;
    for round in 0..40_000 {
        let mut text = String::new();
        if round % 2 == 0 {
            text.push_str(STARTS[random.below(STARTS.len())]);
        }
        for _ in 0..random.below(9) {
            text.push_str(PARTS[random.below(PARTS.len())]);
        }
        match Location::of(Path::new(&text)) {
            Ok(Location::Remote(uri)) => {
                parsed += 1;
                let shown = uri.to_string();
                assert_eq!(remote(&shown), uri, "{text:?} → {shown:?}");
                assert!(!shown.chars().any(char::is_control), "{shown:?}");
            }
            Ok(Location::Local(_)) => {}
            Err(error) => assert!(!error.to_string().contains(char::is_control), "{text:?}: {error:?}"),
        }
    }
    assert!(parsed > 2000, "{parsed}");
}
