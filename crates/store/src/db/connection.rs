//! A PostgreSQL connection in which every wait has a deadline: a server may be frozen, or a network may drop
//! everything.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};
use tokio::runtime::{Builder, Runtime};
use tokio_postgres::tls::MakeTlsConnect;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Config, Row, Statement};

use super::LARGEST_RESULT;
use super::wire::Wire;
use crate::{Error, ErrorKind};

/// A server that has not let us in within this time is unreachable.
const CONNECT: Duration = Duration::from_secs(5);
/// A statement is answered within this time, or the server is unreachable. The server itself gives up earlier.
const ANSWER: Duration = Duration::from_secs(70);
/// How long anything waits once the user has interrupted this process.
pub(crate) const INTERRUPTED: Duration = Duration::from_secs(2);
/// How often a wait looks whether it has become too long.
const LOOK: Duration = Duration::from_millis(100);

static HURRIED: AtomicBool = AtomicBool::new(false);

/// From now on no wait of this process for a shared store is longer than a few seconds: it was interrupted.
pub fn hurry() {
    HURRIED.store(true, Relaxed);
}

/// Whether the process was interrupted.
pub fn is_hurried() -> bool {
    HURRIED.load(Relaxed)
}

/// A connection.
pub(crate) struct Connection {
    runtime: Runtime,
    client: Client,
    /// Whether the last failure was an answer of the server.
    answering: AtomicBool,
    /// How many more bytes the answer to the present statement may have.
    left: Arc<AtomicUsize>,
}

impl Connection {
    /// Whether the last failure was an answer of the server, so that the next statement may succeed.
    pub(crate) fn is_answering(&self) -> bool {
        self.answering.load(Relaxed) && !self.client.is_closed()
    }

    fn wait<T>(&self, work: impl Future<Output = Result<T, tokio_postgres::Error>>) -> Result<T, Error> {
        self.answering.store(false, Relaxed);
        self.left.store(LARGEST_RESULT, Relaxed);
        let noting = async {
            let done = work.await;
            self.answering.store(done.as_ref().err().is_none_or(|e| e.as_db_error().is_some()), Relaxed);
            done
        };
        wait(&self.runtime, ANSWER, noting)
    }

    /// Connects; with `cleartext` a password is also sent as it is over a connection that others may read.
    pub(crate) fn open<T>(config: &Config, mut tls: T, cleartext: bool) -> Result<Connection, Error>
    where
        T: MakeTlsConnect<Wire> + 'static,
        T::Stream: Send,
    {
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|e| Error::io("cannot wait for a database", e))?;
        let left = Arc::new(AtomicUsize::new(LARGEST_RESULT));
        let connecting = async {
            let away = |e: std::io::Error| {
                Error::new(ErrorKind::Away, format!("the shared store cannot be reached ({e})"))
            };
            let opened = Wire::open(config, left.clone(), cleartext, 2 * CONNECT).await;
            let (wire, host) = opened.map_err(away)?;
            let tls = tls
                .make_tls_connect(&host)
                .map_err(|e| Error::new(ErrorKind::Usage, format!("TLS to {host}: {}", e.into())))?;
            Ok::<_, Error>(config.connect_raw(wire, tls).await?)
        };
        let (client, connection) = wait(&runtime, CONNECT, connecting)?;
        runtime.spawn(async move { drop(connection.await) });
        Ok(Connection { runtime, client, answering: AtomicBool::new(true), left })
    }

    pub(crate) fn batch(&self, sql: &str) -> Result<(), Error> {
        self.wait(self.client.batch_execute(sql))
    }

    pub(crate) fn prepare(&self, sql: &str) -> Result<Statement, Error> {
        self.wait(self.client.prepare(sql))
    }

    pub(crate) fn execute(
        &self,
        statement: &Statement,
        values: &[&(dyn ToSql + Sync)],
    ) -> Result<u64, Error> {
        self.wait(self.client.execute(statement, values))
    }

    pub(crate) fn query(
        &self,
        statement: &Statement,
        values: &[&(dyn ToSql + Sync)],
    ) -> Result<Vec<Row>, Error> {
        self.wait(self.client.query(statement, values))
    }
}

fn wait<T, E: Into<Error>>(
    runtime: &Runtime,
    longest: Duration,
    work: impl Future<Output = Result<T, E>>,
) -> Result<T, Error> {
    let began = Instant::now();
    runtime.block_on(async {
        let mut work = pin!(work);
        loop {
            if let Ok(done) = tokio::time::timeout(LOOK, work.as_mut()).await {
                return done.map_err(Into::into);
            }
            let longest = if is_hurried() { longest.min(INTERRUPTED) } else { longest };
            if began.elapsed() >= longest {
                return Err(Error::new(ErrorKind::Away, "the shared store does not answer"));
            }
        }
    })
}
