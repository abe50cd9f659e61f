//! The token of a cluster: where Ray itself looks for it, and never on a command line, in an output or in a log.

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;

/// A secret. Its debug form does not show it.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Token(String);

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}

impl Token {
    /// Returns the token of the environment: `RAY_AUTH_TOKEN`, else the file `RAY_AUTH_TOKEN_PATH`, else `~/.ray/auth_token`.
    pub(super) fn find() -> Option<Self> {
        Self::of(|name| std::env::var_os(name), dirs::home_dir())
    }

    pub(super) fn of(variable: impl Fn(&str) -> Option<OsString>, home: Option<PathBuf>) -> Option<Self> {
        let whole = |text: String| Some(Self(text.trim().to_owned())).filter(|token| !token.0.is_empty());
        if let Some(token) = variable("RAY_AUTH_TOKEN").and_then(|text| text.into_string().ok()).and_then(whole) {
            return Some(token);
        }
        let named = variable("RAY_AUTH_TOKEN_PATH").filter(|path| !path.is_empty()).map(PathBuf::from);
        let file = named.or_else(|| home.map(|home| home.join(".ray").join("auth_token")))?;
        std::fs::read_to_string(file).ok().and_then(whole)
    }

    /// Returns the value of the header `Authorization`.
    pub(super) fn header(&self) -> String {
        format!("Bearer {}", self.0)
    }

    /// Returns a text without the token.
    pub(super) fn hidden_in(&self, text: String) -> String {
        if text.contains(&self.0) { text.replace(&self.0, "…") } else { text }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn token_is_looked_for_where_ray_looks_and_not_shown() {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join("named");
        std::fs::write(&file, "named\n").unwrap();
        std::fs::create_dir(home.path().join(".ray")).unwrap();
        std::fs::write(home.path().join(".ray/auth_token"), " own ").unwrap();
        let find = |token: Option<&str>, path: Option<&PathBuf>| {
            let variable = |name: &str| match name {
                "RAY_AUTH_TOKEN" => token.map(OsString::from),
                _ => path.map(|path| path.clone().into_os_string()),
            };
            Token::of(variable, Some(home.path().to_owned())).map(|token| token.header())
        };
        assert_eq!(find(Some("first"), Some(&file)).unwrap(), "Bearer first");
        assert_eq!(find(None, Some(&file)).unwrap(), "Bearer named");
        assert_eq!(find(Some(""), None).unwrap(), "Bearer own");
        assert_eq!(Token::of(|_| None, None), None);
        assert_eq!(format!("{:?}", Token("secret".to_owned())), "Token(…)");
        assert_eq!(Token("secret".to_owned()).hidden_in("a secret token".to_owned()), "a … token");
    }
}
