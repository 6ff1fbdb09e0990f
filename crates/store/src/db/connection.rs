//! A connection to PostgreSQL that waits for no answer for ever: a server may be frozen, or a network swallow everything.

use std::future::Future;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};
use tokio::runtime::{Builder, Runtime};
use tokio_postgres::tls::{MakeTlsConnect, TlsConnect};
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Config, Row, Socket, Statement};

use crate::{Error, ErrorKind};

/// A server that has not let us in within this time is away.
pub(crate) const CONNECT: Duration = Duration::from_secs(5);
/// A statement is answered within this time, or the server is away. The server itself gives up earlier.
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
}

impl Connection {
    /// Whether the last failure was an answer of the server, so that the next statement may succeed.
    pub(crate) fn is_answering(&self) -> bool {
        self.answering.load(Relaxed) && !self.client.is_closed()
    }

    fn wait<T>(&self, work: impl Future<Output = Result<T, tokio_postgres::Error>>) -> Result<T, Error> {
        self.answering.store(false, Relaxed);
        let noting = async {
            let done = work.await;
            self.answering.store(done.as_ref().err().is_none_or(|e| e.as_db_error().is_some()), Relaxed);
            done
        };
        wait(&self.runtime, ANSWER, noting)
    }

    pub(crate) fn open<T>(config: &Config, tls: T) -> Result<Connection, Error>
    where
        T: MakeTlsConnect<Socket> + 'static,
        T::TlsConnect: Send,
        T::Stream: Send,
        <T::TlsConnect as TlsConnect<Socket>>::Future: Send,
    {
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|e| Error::io("cannot wait for a database", e))?;
        let (client, connection) = wait(&runtime, CONNECT, config.connect(tls))?;
        runtime.spawn(async move { drop(connection.await) });
        Ok(Connection { runtime, client, answering: AtomicBool::new(true) })
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

fn wait<T>(
    runtime: &Runtime,
    longest: Duration,
    work: impl Future<Output = Result<T, tokio_postgres::Error>>,
) -> Result<T, Error> {
    let began = Instant::now();
    runtime.block_on(async {
        let mut work = pin!(work);
        loop {
            if let Ok(done) = tokio::time::timeout(LOOK, work.as_mut()).await {
                return Ok(done?);
            }
            let longest = if is_hurried() { longest.min(INTERRUPTED) } else { longest };
            if began.elapsed() >= longest {
                return Err(Error::new(ErrorKind::Away, "the shared store does not answer"));
            }
        }
    })
}
