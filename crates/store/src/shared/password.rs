//! The password file, `PGPASSFILE` or `~/.pgpass`, in PostgreSQL's format.

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use tokio_postgres::Config;
use tokio_postgres::config::Host;

use crate::{Error, ErrorKind};

/// The password of a connection, if the file has one.
pub(super) fn from_file(config: &Config) -> Result<Option<String>, Error> {
    let named = std::env::var_os("PGPASSFILE").filter(|v| !v.is_empty()).map(PathBuf::from);
    let home = || Some(PathBuf::from(std::env::var_os("HOME")?).join(".pgpass"));
    let Some(path) = named.or_else(home) else { return Ok(None) };
    let Ok(about) = std::fs::metadata(&path) else { return Ok(None) };
    if !about.is_file() {
        return Ok(None);
    }
    if about.permissions().mode() & 0o077 != 0 {
        let message = format!("other users can read {}: run `chmod 600` on it", path.display());
        return Err(Error::new(ErrorKind::Usage, message));
    }
    let text = std::fs::read(&path).map_err(|e| Error::io(format!("cannot read {}", path.display()), e))?;
    let host = match config.get_hosts().first() {
        Some(Host::Tcp(host)) => host.clone(),
        // A socket in the usual folder goes by this name.
        _ => "localhost".to_owned(),
    };
    let user = config.get_user().unwrap_or_default();
    let port = config.get_ports().first().copied().unwrap_or(5432).to_string();
    let database = config.get_dbname().unwrap_or(user);
    Ok(find(&String::from_utf8_lossy(&text), [&host, &port, database, user]))
}

/// The password of the first line that fits.
fn find(text: &str, wanted: [&str; 4]) -> Option<String> {
    text.lines().filter(|line| !line.starts_with('#')).find_map(|line| {
        let fields = fields(line);
        let [fixed @ .., password] = &fields[..] else { return None };
        let fits = fixed.len() == 4
            && fixed.iter().zip(wanted).all(|(field, wanted)| field == "*" || field == wanted);
        fits.then(|| password.clone())
    })
}

/// The fields of a line: colons part them, and a backslash takes the meaning from what follows it.
fn fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut rest = line.chars();
    while let Some(c) = rest.next() {
        match c {
            ':' if fields.len() < 5 => fields.push(String::new()),
            '\\' => fields.last_mut().into_iter().for_each(|f| f.extend(rest.next())),
            c => fields.last_mut().into_iter().for_each(|f| f.push(c)),
        }
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_that_fits_has_the_password() {
        let text = "# a comment\nother:*:*:*:no\nhost:5432:db:me:a\\:b\\\\c\n*:*:*:*:last\nbroken\n";
        assert_eq!(find(text, ["host", "5432", "db", "me"]).as_deref(), Some("a:b\\c"));
        assert_eq!(find(text, ["host", "5432", "db", "you"]).as_deref(), Some("last"));
        assert_eq!(find("broken\nhost:1:db:me\n", ["host", "1", "db", "me"]), None);
    }
}
