//! Threads that check candidates, each with a predicate of its own.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::Scope;

use crate::error::{Error, ErrorKind};
use crate::predicate::{Care, Predicate, PredicateSource};

/// A text to check.
struct Job {
    id: u64,
    text: Arc<[u8]>,
    care: Care,
}

/// The threads, while their scope lasts.
pub(crate) struct Workers {
    jobs: Sender<Job>,
    results: Receiver<(u64, Result<bool, Error>)>,
    next: u64,
    count: usize,
}

impl Workers {
    pub(crate) fn start<'scope, 'env>(
        scope: &'scope Scope<'scope, 'env>,
        source: &'env dyn PredicateSource,
        count: usize,
    ) -> Result<Workers, Error> {
        let (jobs, queue) = channel::<Job>();
        let queue = Arc::new(Mutex::new(queue));
        let (answer, results) = channel();
        for _ in 0..count {
            let mut predicate: Box<dyn Predicate + 'env> = source.open()?;
            let (queue, answer) = (Arc::clone(&queue), answer.clone());
            scope.spawn(move || {
                loop {
                    let job = match queue.lock() {
                        Ok(queue) => queue.recv(),
                        Err(_) => return,
                    };
                    let Ok(job) = job else { return };
                    // Without an answer the search would wait for this thread forever.
                    let asked = AssertUnwindSafe(|| predicate.holds(&job.text, job.care));
                    let result = catch_unwind(asked).unwrap_or_else(|_| Err(gone()));
                    if answer.send((job.id, result)).is_err() {
                        return;
                    }
                }
            });
        }
        Ok(Workers { jobs, results, next: 0, count })
    }

    pub(crate) fn count(&self) -> usize {
        self.count
    }

    pub(crate) fn submit(&mut self, text: Arc<[u8]>, care: Care) -> Result<u64, Error> {
        self.next += 1;
        self.jobs.send(Job { id: self.next, text, care }).map_err(|_| gone())?;
        Ok(self.next)
    }

    pub(crate) fn wait(&self) -> Result<(u64, Result<bool, Error>), Error> {
        self.results.recv().map_err(|_| gone())
    }

    /// Checks texts in parallel; the answers in the order of the texts.
    pub(crate) fn check_all(&mut self, texts: &[Arc<[u8]>], care: Care) -> Result<Vec<bool>, Error> {
        let first = self.next + 1;
        for text in texts {
            self.submit(Arc::clone(text), care)?;
        }
        let mut answers = vec![false; texts.len()];
        for _ in texts {
            let (id, answer) = self.wait()?;
            answers[(id - first) as usize] = answer?;
        }
        Ok(answers)
    }
}

fn gone() -> Error {
    Error::new(ErrorKind::Internal, "the check of a candidate panicked")
}
