//! The envelope of a partial result: what it answers, its version and a checksum.

use crate::{Error, Result};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Begin of every partial result.
const MAGIC: &[u8] = b"TBSTATE";

/// Version of the format. It changes with the encoding, and with the fields of any partial result.
const VERSION: u8 = 5;

/// Length of the checksum, in bytes.
const CHECKSUM: usize = 8;

/// Encodes the partial result of a question with these parameters, given as text.
///
/// # Errors
/// [`Error::WrongState`] if a value has no encoding, which no partial result of this library has.
pub fn sealed<S: Serialize>(question: &str, parameters: &str, state: &S) -> Result<Vec<u8>> {
    let mut bytes = MAGIC.to_vec();
    bytes.push(VERSION);
    let mut bytes = postcard::to_extend(&(question, parameters, state), bytes)
        .map_err(|error| wrong(question, error.to_string()))?;
    let sum = checksum(&bytes);
    bytes.extend(sum);
    Ok(bytes)
}

/// Decodes the partial result of a question with these parameters.
///
/// # Errors
/// [`Error::WrongState`] if the bytes are damaged, of another version, or answer something else.
pub fn opened<S: DeserializeOwned>(question: &str, parameters: &str, bytes: &[u8]) -> Result<S> {
    let damaged = || wrong(question, "the bytes are damaged".to_owned());
    let body = bytes.strip_prefix(MAGIC).ok_or_else(|| wrong(question, "the bytes are something else".to_owned()))?;
    let (version, _) = body.split_first().ok_or_else(damaged)?;
    if *version != VERSION {
        return Err(wrong(question, format!("it has version {version} of the format, not {VERSION}")));
    }
    let (signed, sum) = bytes.split_at_checked(bytes.len().saturating_sub(CHECKSUM)).ok_or_else(damaged)?;
    if signed.len() <= MAGIC.len() || checksum(signed) != sum {
        return Err(damaged());
    }
    let ((of_question, of_parameters), rest) =
        postcard::take_from_bytes::<(String, String)>(&signed[MAGIC.len() + 1..]).map_err(|_| damaged())?;
    if of_question != question {
        return Err(wrong(question, format!("it is one of {of_question}")));
    }
    if of_parameters != parameters {
        return Err(wrong(question, format!("it was computed with the parameters {of_parameters}, not {parameters}")));
    }
    let (state, rest) = postcard::take_from_bytes(rest).map_err(|error| wrong(question, error.to_string()))?;
    if rest.is_empty() { Ok(state) } else { Err(damaged()) }
}

fn wrong(question: &str, reason: String) -> Error {
    Error::WrongState { question: question.to_owned(), reason }
}

/// Returns the checksum of the bytes (FNV-1a).
fn checksum(bytes: &[u8]) -> [u8; CHECKSUM] {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, step).to_le_bytes()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use serde::Deserialize;
    use std::collections::{BTreeMap, BTreeSet};
    use std::path::PathBuf;

    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    enum Kind {
        Unit,
        Newtype(i64),
        Tuple(u8, String),
        Struct { share: f64 },
    }

    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    struct Everything {
        flag: bool,
        small: i8,
        squares: i128,
        largest: u64,
        text: String,
        path: PathBuf,
        absent: Option<i64>,
        kinds: Vec<Kind>,
        by_rank: BTreeMap<i64, BTreeMap<String, Vec<f64>>>,
        pair: (i64, Option<[i64; 3]>),
        set: BTreeSet<i64>,
        unit: (),
        letter: char,
    }

    fn everything() -> Everything {
        Everything {
            flag: true,
            small: -128,
            squares: i128::MIN,
            largest: u64::MAX,
            text: "größer".to_owned(),
            path: "a/b".into(),
            absent: None,
            kinds: vec![
                Kind::Unit,
                Kind::Newtype(i64::MIN),
                Kind::Tuple(7, String::new()),
                Kind::Struct { share: 0.1 },
            ],
            by_rank: [(-1, [("x".to_owned(), vec![f64::MIN_POSITIVE, f64::INFINITY, -0.0])].into())].into(),
            pair: (i64::MAX, Some([1, -2, 3])),
            set: [1, 2, i64::MAX].into(),
            unit: (),
            letter: 'ß',
        }
    }

    #[test]
    fn every_kind_of_value_is_exact() {
        let bytes = sealed("all", "{}", &everything()).unwrap();
        assert_eq!(opened::<Everything>("all", "{}", &bytes).unwrap(), everything());
        let float = |value: f64| opened::<f64>("f", "", &sealed("f", "", &value).unwrap()).unwrap().to_bits();
        for value in [f64::NAN, -0.0, 0.1 + 0.2, f64::NEG_INFINITY] {
            assert_eq!(float(value), value.to_bits());
        }
    }

    #[test]
    fn damaged_and_foreign_bytes_are_refused() {
        let bytes = sealed("all", "{}", &everything()).unwrap();
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 0x11;
            assert!(opened::<Everything>("all", "{}", &changed).is_err(), "byte {at}");
            assert!(opened::<Everything>("all", "{}", &bytes[..at]).is_err(), "{at} bytes");
        }
        let error = |question: &str, parameters: &str| {
            opened::<Everything>(question, parameters, &bytes).unwrap_err().to_string()
        };
        assert!(error("other", "{}").contains("it is one of all"), "{}", error("other", "{}"));
        assert!(error("all", "{\"a\":1}").contains("computed with the parameters {}"));
        // Long lengths in bytes that carry a valid checksum allocate nothing.
        let mut forged = MAGIC.to_vec();
        forged.extend([VERSION, 3, b'a', b'l', b'l', 2, b'{', b'}']);
        forged.extend([0xff; 9]);
        forged.push(1);
        let sum = checksum(&forged);
        forged.extend(sum);
        assert!(opened::<Vec<i64>>("all", "{}", &forged).is_err());
    }
}
