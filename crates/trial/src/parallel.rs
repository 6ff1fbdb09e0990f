//! Work on several threads.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard};

use crate::panel::IsOver;

/// Locks a mutex, also one that a panic of another thread poisoned: that panic is passed on when the thread is joined.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// Works through items on `jobs` threads, which `work` knows by number. Results are in the order of the items, `None`
/// for those that were not reached when `is_over` said stop; the first error ends all.
pub fn in_parallel<T: Sync, R: Send, E: Send>(
    items: &[T],
    jobs: usize,
    is_over: IsOver<'_>,
    work: impl Fn(usize, &T) -> Result<R, E> + Sync,
) -> Result<Vec<Option<R>>, E> {
    let next = AtomicUsize::new(0);
    let failed = AtomicBool::new(false);
    let done = Mutex::new((0..items.len()).map(|_| None).collect::<Vec<Option<R>>>());
    let lane = |thread: usize| -> Result<(), E> {
        while !failed.load(Relaxed) && !is_over() {
            let at = next.fetch_add(1, Relaxed);
            let Some(item) = items.get(at) else { break };
            let result = work(thread, item).inspect_err(|_| failed.store(true, Relaxed))?;
            lock(&done)[at] = Some(result);
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let lane = &lane;
        let threads: Vec<_> =
            (0..jobs.clamp(1, items.len().max(1))).map(|i| scope.spawn(move || lane(i))).collect();
        let join = |thread: std::thread::ScopedJoinHandle<'_, Result<(), E>>| {
            thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        threads.into_iter().map(join).fold(Ok(()), Result::and)
    })?;
    Ok(done.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_order_and_an_error_or_a_stop_ends_all() {
        let items: Vec<u32> = (0..100).collect();
        let double = |_: usize, n: &u32| Ok::<u32, ()>(n * 2);
        let all = in_parallel(&items, 4, &|| false, double).unwrap();
        assert!(all.iter().enumerate().all(|(i, r)| *r == Some(i as u32 * 2)));
        assert!(in_parallel(&items, 4, &|| true, double).unwrap().iter().all(Option::is_none));
        let fails = |_: usize, n: &u32| if *n == 7 { Err("seven") } else { Ok(()) };
        assert_eq!(in_parallel(&items, 3, &|| false, fails), Err("seven"));
    }
}
