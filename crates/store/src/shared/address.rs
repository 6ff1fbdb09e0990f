//! The address of a shared campaign: `postgres://USER@HOST/DATABASE#NAME`.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::OnceLock;
use tokio_postgres::Config;
use tokio_postgres::config::SslMode;

use super::password;
use crate::{Error, ErrorKind};

/// How a connection is protected; as `sslmode` says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Protection {
    /// No TLS.
    None,
    /// TLS if the server has it, without looking at its certificate.
    Preferred,
    /// TLS; the certificate is checked if a root certificate is named.
    Required,
    /// TLS with a certificate that a known authority signed.
    Authority,
    /// The same, and the certificate is for the host of the address.
    Full,
}

/// Where a shared campaign is. Its texts never have the password.
#[derive(Clone)]
pub struct Address {
    /// Without password, TLS settings and name.
    url: String,
    /// The same with TLS settings, for people.
    shown: String,
    pub(super) name: Option<String>,
    password: Option<String>,
    pub(super) protection: Protection,
    #[cfg_attr(not(feature = "tls"), expect(dead_code))]
    pub(super) root: Option<PathBuf>,
    /// Whether a password may be sent as it is over a connection without TLS.
    pub(super) cleartext: bool,
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown)?;
        self.name.iter().try_for_each(|name| write!(f, "#{name}"))
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

static PASSWORD: OnceLock<String> = OnceLock::new();

/// Keeps the password of `PGPASSWORD`, so that it need not stay where solvers find it.
pub fn keep_password(password: String) {
    let _ = PASSWORD.set(password);
}

/// An argument without the password, if it is an address with one; and the password.
pub fn without_password(argument: &str) -> Option<(String, String)> {
    if !crate::is_shared(Path::new(argument)) {
        return None;
    }
    let (url, password) = split_password(argument);
    Some((url, decoded(&password?)))
}

/// The text of an address without the password, and the password as it is written there.
fn split_password(text: &str) -> (String, Option<String>) {
    let start = text.find("://").map_or(0, |i| i + 3);
    let end = text[start..].find(['/', '?', '#']).map_or(text.len(), |i| start + i);
    let Some(at) = text[start..end].rfind('@').map(|i| start + i) else { return (text.to_owned(), None) };
    match text[start..at].split_once(':') {
        Some((user, password)) => {
            (format!("{}{user}{}", &text[..start], &text[at..]), Some(password.to_owned()))
        }
        None => (text.to_owned(), None),
    }
}

/// Whether a password may stand where we look for none.
fn hides_password(text: &str) -> bool {
    let start = text.find("://").map_or(0, |i| i + 3);
    let end = text[start..].find(['/', '?', '#']).map_or(text.len(), |i| start + i);
    text[end..].contains('@')
}

/// A part of an address without percent escapes.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        let escaped = (*first == b'%').then(|| tail.get(..2)).flatten();
        let byte = escaped.and_then(|hex| u8::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok());
        rest = if byte.is_some() { &tail[2..] } else { tail };
        bytes.push(byte.unwrap_or(*first));
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

impl FromStr for Address {
    type Err = Error;

    fn from_str(text: &str) -> Result<Address, Error> {
        let usage = |message: String| Error::new(ErrorKind::Usage, message);
        // Some take everything up to the last `@` for a password; then it is one that would be shown.
        if hides_password(text) {
            let message = "the URL has an `@` after its first `/`, `?` or `#`: in a password, write these as %2F, %3F and %23";
            return Err(usage(message.into()));
        }
        let (text, password) = split_password(text);
        let (text, name) = match text.split_once('#') {
            Some((text, name)) => (text.to_owned(), Some(name.to_owned())),
            None => (text, None),
        };
        let shown = text.trim_end_matches('?').to_owned();
        let (url, query) = shown.split_once('?').unwrap_or((&shown, ""));
        let mut kept = Vec::new();
        let env = |name: &str| std::env::var(name).ok().filter(|v| !v.is_empty());
        let mut cleartext = false;
        let (mut mode, mut root) = (env("PGSSLMODE"), env("PGSSLROOTCERT").map(PathBuf::from));
        for pair in query.split('&').filter(|p| !p.is_empty()) {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            match decoded(key).as_str() {
                "sslmode" => mode = Some(decoded(value)),
                "cleartext" => cleartext = decoded(value) == "yes",
                "sslrootcert" => root = Some(decoded(value).into()),
                key if key.to_ascii_lowercase().contains("password") => {
                    return Err(usage(
                        "the password must not follow `?`: use PGPASSFILE or PGPASSWORD".into(),
                    ));
                }
                _ => kept.push(pair),
            }
        }
        let protection = match mode.as_deref() {
            Some("disable") => Protection::None,
            None | Some("prefer" | "allow") => Protection::Preferred,
            Some("require") => Protection::Required,
            Some("verify-ca") => Protection::Authority,
            Some("verify-full") => Protection::Full,
            Some(other) => {
                let known = "disable, prefer, require, verify-ca or verify-full";
                return Err(usage(format!("sslmode {other:?} is not known: choose one of {known}")));
            }
        };
        let url = if kept.is_empty() { url.to_owned() } else { format!("{url}?{}", kept.join("&")) };
        let address = Address {
            url,
            shown,
            name: None,
            password: password.map(|p| decoded(&p)),
            protection,
            root,
            cleartext,
        };
        match name {
            Some(name) => address.named(&name),
            None => Ok(address),
        }
    }
}

impl Address {
    /// The address of a path that is one.
    pub fn of(path: &Path) -> Option<Result<Address, Error>> {
        crate::is_shared(path).then(|| path.to_string_lossy().parse())
    }

    /// The same database with a campaign of this name.
    pub fn named(mut self, name: &str) -> Result<Address, Error> {
        let is_fine = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
        if name.is_empty() || name.len() > 48 || !name.chars().all(is_fine) {
            let message = "a campaign name has 1 to 48 letters, digits, dots, hyphens and underscores";
            return Err(Error::new(ErrorKind::Usage, message));
        }
        self.name = Some(name.to_owned());
        Ok(self)
    }

    /// The name of the campaign, which must be given.
    pub fn name(&self) -> Result<&str, Error> {
        self.name.as_deref().ok_or_else(|| {
            let message = format!("name the campaign: {self}#NAME");
            Error::new(ErrorKind::Usage, message)
        })
    }

    /// The settings of a connection, with the password from where it is.
    pub(super) fn config(&self) -> Result<Config, Error> {
        let wrong = |e: tokio_postgres::Error| {
            let cause = std::error::Error::source(&e).map(|s| format!(": {s}")).unwrap_or_default();
            Error::new(
                ErrorKind::Usage,
                format!("{self} is not a database URL such as postgres://USER@HOST/DB{cause}"),
            )
        };
        let mut config = Config::from_str(&self.url).map_err(wrong)?;
        let env = |name: &str| std::env::var(name).ok().filter(|v| !v.is_empty());
        if config.get_hosts().is_empty() && config.get_hostaddrs().is_empty() {
            config.host(env("PGHOST").unwrap_or_else(|| "/var/run/postgresql".to_owned()));
        }
        if config.get_ports().is_empty()
            && let Some(port) = env("PGPORT").and_then(|port| port.parse().ok())
        {
            config.port(port);
        }
        if config.get_user().is_none()
            && let Some(user) = env("PGUSER").or_else(|| env("USER"))
        {
            config.user(&user);
        }
        let given = || PASSWORD.get().cloned().or_else(|| env("PGPASSWORD"));
        let password = match self.password.clone().or_else(given) {
            Some(password) => Some(password),
            None => password::from_file(&config)?,
        };
        if let Some(password) = password {
            config.password(password);
        }
        config.ssl_mode(match self.protection {
            Protection::None => SslMode::Disable,
            Protection::Preferred => SslMode::Prefer,
            _ => SslMode::Require,
        });
        Ok(config)
    }

    /// The folder of this machine for files of the campaign: scripts to be read, and deliveries that wait.
    pub(super) fn shelf(&self) -> Result<PathBuf, Error> {
        let env = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|p| p.is_absolute());
        let cache = env("XDG_CACHE_HOME").or_else(|| Some(env("HOME")?.join(".cache")));
        let root = cache.unwrap_or_else(std::env::temp_dir).join("smelt/shared");
        let hash = smelt_core::SeedHash::of(self.url.as_bytes());
        Ok(root.join(format!("{}-{hash}", self.name()?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_never_shows_its_password() {
        let text = "postgres://me:s%23cret@host:5433/db?sslmode=verify-full&sslrootcert=/a#night";
        let address: Address = text.parse().unwrap();
        assert_eq!(address.password.as_deref(), Some("s#cret"));
        assert_eq!(
            address.to_string(),
            "postgres://me@host:5433/db?sslmode=verify-full&sslrootcert=/a#night"
        );
        assert!(!format!("{address:?}").contains("cret"));
        assert_eq!(address.protection, Protection::Full);
        assert_eq!(address.config().unwrap().get_user(), Some("me"));
        let (url, password) = without_password(text).unwrap();
        assert_eq!((url, password), (address.to_string(), "s#cret".to_owned()));
        assert_eq!(without_password("postgres://me@host/db"), None);
        assert_eq!(without_password("folder:x@y"), None);
    }

    #[test]
    fn names_that_could_be_more_than_a_name_are_refused() {
        for name in ["", "a b", "a\"b", "a;b", "a'b", "\u{e9}", &"x".repeat(49)] {
            assert!(format!("postgres://h/db#{name}").parse::<Address>().is_err(), "{name:?}");
        }
        for bad in ["postgres://h/db?sslmode=maybe", "postgres://h/db?password=x"] {
            assert!(bad.parse::<Address>().is_err(), "{bad}");
        }
        assert!("postgres://h/db#A-1_b.c".parse::<Address>().is_ok());
    }
}
