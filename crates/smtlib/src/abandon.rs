//! Abandons work on a large script if its result is no longer needed.
//!
//! No strategy looks at a clock, and one step of some strategies takes half a minute on a script of 50 MB.
//! Therefore loops over whole scripts call [`tick`]: after the flag of their thread is set, it unwinds to
//! [`unless_set`]. An abandoned step has no result, so results stay repeatable.

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// How many steps of a loop go by between two looks at the flag.
const STEPS: u32 = 1 << 12;

thread_local! {
    static LEFT: Cell<u32> = const { Cell::new(STEPS) };
    static FLAG: RefCell<Option<Arc<AtomicBool>>> = const { RefCell::new(None) };
}

/// What unwinds: the work is abandoned.
struct Abandoned;

/// Does some work on this thread; `None` if it was abandoned because the flag was set.
pub fn unless_set<T>(flag: &Arc<AtomicBool>, work: impl FnOnce() -> T) -> Option<T> {
    let before = FLAG.replace(Some(Arc::clone(flag)));
    let done = catch_unwind(AssertUnwindSafe(work));
    FLAG.set(before);
    match done {
        Ok(value) => Some(value),
        Err(panic) if panic.is::<Abandoned>() => None,
        Err(panic) => resume_unwind(panic),
    }
}

/// One step of a loop whose length depends on the input.
#[inline]
pub fn tick() {
    match LEFT.get() {
        0 => look(),
        left => LEFT.set(left - 1),
    }
}

#[cold]
fn look() {
    LEFT.set(STEPS);
    let is_set = FLAG.with_borrow(|flag| flag.as_ref().is_some_and(|flag| flag.load(Relaxed)));
    // A thread that unwinds already is cleaning up.
    if is_set && !std::thread::panicking() {
        resume_unwind(Box::new(Abandoned));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Arena, parse_script};

    #[test]
    fn work_on_a_script_ends_once_the_flag_is_set() {
        let text = format!("(declare-const x Int)(assert (= 0 (+ {})))(check-sat)", "x ".repeat(100_000));
        let flag = Arc::new(AtomicBool::new(false));
        let read = || parse_script(&mut Arena::new(), text.as_bytes()).unwrap().script;
        assert!(unless_set(&flag, read).is_some());
        flag.store(true, Relaxed);
        assert!(unless_set(&flag, read).is_none());
        // Outside, and in a small script, nothing happens.
        assert_eq!(read().commands.len(), 3);
        assert_eq!(unless_set(&flag, || 1), Some(1));
        assert!(unless_set(&flag, || catch_unwind(read)).unwrap().is_err(), "the flag holds inside");
    }
}
