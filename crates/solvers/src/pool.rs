//! Lets one thread wait for many sessions.

use crate::{
    error::Error,
    process,
    query::{Finished, Query, QueryId, SessionConfig},
    session::Session,
    solver::Solver,
};
use std::time::{Duration, Instant};

/// The number of a session in its pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SessionId(usize);

/// Sessions that one thread waits for together.
#[derive(Default)]
pub struct SessionPool {
    sessions: Vec<Session>,
    failure: Option<Error>,
}

impl SessionPool {
    /// An empty pool.
    pub fn new() -> SessionPool {
        SessionPool::default()
    }

    /// Adds a session; its process starts with the first query.
    pub fn add(&mut self, solver: Solver, config: SessionConfig) -> SessionId {
        self.sessions.push(Session::new(solver, config));
        SessionId(self.sessions.len() - 1)
    }

    /// The session with this number, which must be from this pool.
    pub fn session(&mut self, id: SessionId) -> &mut Session {
        &mut self.sessions[id.0]
    }

    /// Sessions that can take a query.
    pub fn idle(&self) -> impl Iterator<Item = SessionId> + '_ {
        self.sessions.iter().enumerate().filter(|(_, s)| !s.is_busy()).map(|(i, _)| SessionId(i))
    }

    /// How many queries are running.
    pub fn in_flight(&self) -> usize {
        self.sessions.iter().filter(|s| s.is_busy()).count()
    }

    /// Sends a query to an idle session.
    pub fn submit(&mut self, id: SessionId, query: Query) -> Result<QueryId, Error> {
        self.session(id).submit(query)
    }

    /// Gives up the query of a session.
    pub fn cancel(&mut self, id: SessionId) {
        self.session(id).cancel();
    }

    /// Waits until a query is over, none is running, or `timeout` has passed; gives all queries that are over.
    ///
    /// An error means that one query is lost because its solver could not be run; outcomes come before errors.
    pub fn wait(&mut self, timeout: Duration) -> Result<Vec<(SessionId, Finished)>, Error> {
        let until = Instant::now() + timeout;
        loop {
            if let Some(error) = self.failure.take() {
                return Err(error);
            }
            let mut finished = Vec::new();
            for (index, session) in self.sessions.iter_mut().enumerate() {
                match session.poll() {
                    Ok(done) => finished.extend(done.map(|f| (SessionId(index), f))),
                    Err(error) => {
                        session.cancel();
                        self.failure = Some(error);
                        break;
                    }
                }
            }
            if finished.is_empty() && self.failure.is_some() {
                continue;
            }
            if !finished.is_empty() || self.in_flight() == 0 || Instant::now() >= until {
                return Ok(finished);
            }
            let wake = self.sessions.iter().filter_map(Session::wake_at).fold(until, Instant::min);
            let interests = self.sessions.iter().flat_map(Session::interests);
            process::wait(interests, wake).map_err(|e| Error::system("cannot wait for solvers", e))?;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_and_pools_can_move_between_threads() {
        fn movable<T: Send>() {}
        movable::<Session>();
        movable::<SessionPool>();
    }
}
