//! The only file that knows threads: items in, results out in the order of the items, whatever the number of workers.
//!
//! Threads live for one call. Starting them costs some tens of microseconds, which callers avoid by staying on one thread for little
//! work; in return there is no pool to deadlock in a forked child and nothing global to configure.

use std::any::Any;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, TrySendError, channel, sync_channel};
use std::sync::{Mutex, OnceLock};
use std::time::{Duration, Instant};

use super::memory::{OutOfMemory, check};
use crate::error::{Error, Result};

/// Asked now and then on the calling thread whether to go on; an error stops the work.
pub type Watch<'a> = dyn FnMut() -> Result<()> + 'a;

/// How long the calling thread waits for a result before it asks `Watch` again.
const PATIENCE: Duration = Duration::from_millis(50);

/// The most threads of a call: more than any machine has processors for, and few enough to be started.
const MOST_THREADS: usize = 1024;

/// The number of threads to use: as asked, or as many as the machine offers.
pub fn thread_count(asked: Option<usize>) -> usize {
    asked.unwrap_or_else(offered_threads).clamp(1, MOST_THREADS)
}

/// As many threads as the machine offers. Finding out reads files of the system, which takes twenty times as long as a short text: it is done
/// once a second at the most, so that a change of the limits is still noticed.
fn offered_threads() -> usize {
    static START: OnceLock<Instant> = OnceLock::new();
    /// The second in which it was found out, counted from one, above the number of threads.
    static FOUND: AtomicU64 = AtomicU64::new(0);
    const NUMBER_BITS: u32 = 16;
    let second = START.get_or_init(Instant::now).elapsed().as_secs() + 1;
    let found = FOUND.load(Ordering::Relaxed);
    if found >> NUMBER_BITS == second {
        return (found & ((1 << NUMBER_BITS) - 1)) as usize;
    }
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(MOST_THREADS);
    FOUND.store(second << NUMBER_BITS | threads as u64, Ordering::Relaxed);
    threads
}

/// Items for each worker: one in hand, one waiting.
const GIVEN: usize = 2;
/// Where the calling thread works, it gives no items meanwhile: this many more for all workers together, so that none runs out of them while the
/// calling thread is at a slow one.
const GIVEN_BEFORE_WORK: usize = 4;

/// The threads of one call, and the watch that is asked now and then whether to go on.
pub(crate) struct Team<'a> {
    threads: usize,
    watch: &'a mut Watch<'a>,
    caller_works: bool,
}

impl<'a> Team<'a> {
    pub(crate) fn new(threads: usize, watch: &'a mut Watch) -> Self {
        Team { threads, watch, caller_works: false }
    }

    /// A team for items that take milliseconds: the calling thread is one of its threads, and works on an item while the others have
    /// enough. It asks `watch` between two items only, which would be too seldom for longer ones. In return there is no thread beside
    /// those that were asked for, which would displace a working one whenever it reads an item or hands over a result.
    pub(crate) fn with_caller(threads: usize, watch: &'a mut Watch) -> Self {
        Team { threads, watch, caller_works: true }
    }

    /// The same with no more threads than there are items.
    pub(crate) fn of_at_most(self, items: usize) -> Self {
        Team { threads: self.threads.min(items), ..self }
    }

    /// Asks the watch whether to go on.
    pub(crate) fn ask(&mut self) -> Result<()> {
        (self.watch)()
    }

    /// `of` applied to each number below `count`.
    pub(crate) fn map<T: Send>(&mut self, count: usize, of: impl Fn(usize) -> T + Sync) -> Result<Vec<T>> {
        /// For this many or fewer, starting a thread does not pay.
        const SHARE: usize = 1 << 14;
        let threads = if count <= SHARE { 1 } else { self.threads };
        let shares = (0..count).step_by(SHARE).map(|from| Ok(from..count.min(from + SHARE)));
        let mut all = Vec::with_capacity(count);
        let take = |share: Vec<T>| {
            all.extend(share);
            Ok(())
        };
        Team::new(threads, self.watch).run(|| (), shares, |(), share| Ok(share.map(&of).collect()), take)?;
        Ok(all)
    }

    /// Runs `work` on every item and hands the results to `take` in the order of the items.
    ///
    /// Each worker has its own state, made by `make`; the states come back at the end, in no particular order. The first error in the
    /// order of the items wins, so that errors too are the same for any number of threads.
    pub(crate) fn run<W: Send, I: Send, T: Send>(
        &mut self,
        make: impl Fn() -> W + Sync,
        mut items: impl Iterator<Item = Result<I>>,
        work: impl Fn(&mut W, I) -> Result<T> + Sync,
        mut take: impl FnMut(T) -> Result<()>,
    ) -> Result<Vec<W>> {
        let Team { threads, ref mut watch, caller_works } = *self;
        if threads <= 1 {
            return run_alone(make(), items, work, take, &mut **watch);
        }
        let others = threads - usize::from(caller_works);
        let ahead = |workers: usize| GIVEN * workers + if caller_works { GIVEN_BEFORE_WORK } else { 0 };
        let (give, given) = sync_channel::<(usize, I)>(ahead(others));
        let (given, make, work) = (&Mutex::new(given), &make, &work);
        // `give` moves into the closure: however that is left, the workers find their channel closed and end.
        std::thread::scope(move |scope| {
            let (finish, finished) = channel::<(usize, Result<T>)>();
            let mut workers = Vec::with_capacity(others);
            for _ in 0..others {
                let finish = finish.clone();
                let worker = move || worker_loop(make, work, given, finish);
                match std::thread::Builder::new().spawn_scoped(scope, worker) {
                    Ok(handle) => workers.push(handle),
                    // Out of threads: go on with those there are, or with this one.
                    Err(_) if workers.is_empty() => return run_alone(make(), items, work, take, &mut **watch),
                    Err(_) => break,
                }
            }
            drop(finish);
            // If the calling thread works, what it has done waits for what was given to others before.
            let most = ahead(workers.len()) * if caller_works { 2 } else { 1 };
            let mut own = caller_works.then(make);
            let mut order = InOrder { next: 0, early: BTreeMap::new() };
            let mut sent = 0;
            let mut exhausted = false;
            while !exhausted || order.next < sent {
                watch()?;
                check()?;
                let mut ours = None;
                if !exhausted && sent - order.next < most {
                    match items.next() {
                        Some(Ok(item)) => {
                            ours = match give.try_send((sent, item)) {
                                Ok(()) => None,
                                Err(TrySendError::Full(item)) => Some(item),
                                // The receiver lives as long as a worker does, and workers end only when `give` is dropped.
                                Err(TrySendError::Disconnected(_)) => {
                                    return Err(Error::Internal("the workers ended".into()));
                                }
                            };
                            sent += 1;
                            if ours.is_none() {
                                continue;
                            }
                        }
                        Some(Err(error)) => {
                            // What came before it may hold an earlier error.
                            order.drain(&finished, sent, watch, &mut take)?;
                            return Err(error);
                        }
                        None => {
                            exhausted = true;
                            continue;
                        }
                    }
                }
                // Where the calling thread does not work, there is room for all items that are under way, and `ours` is none.
                let Some(own) = &mut own else {
                    order.wait(&finished, &mut take)?;
                    continue;
                };
                // A worker that waits for items has the lock: then there are none.
                let waiting = || given.try_lock().ok().and_then(|given| given.try_recv().ok());
                match ours.or_else(waiting) {
                    Some((number, item)) => {
                        order.early.insert(number, guarded(|| work(own, item)));
                        order.early.extend(finished.try_iter());
                        order.hand_out(&mut take)?;
                    }
                    None => order.wait(&finished, &mut take)?,
                }
            }
            drop(give);
            let ended = workers.into_iter().map(|worker| worker.join().map_err(|panic| error_of(&*panic)));
            own.map(Ok).into_iter().chain(ended).collect()
        })
    }
}

fn worker_loop<W, I, T>(
    make: &(impl Fn() -> W + Sync),
    work: &(impl Fn(&mut W, I) -> Result<T> + Sync),
    given: &Mutex<Receiver<(usize, I)>>,
    finish: Sender<(usize, Result<T>)>,
) -> W {
    let mut state = make();
    loop {
        let next = match given.lock() {
            Ok(given) => given.recv(),
            Err(_) => return state,
        };
        let Ok((number, item)) = next else { return state };
        let result = guarded(|| check().and_then(|()| work(&mut state, item)));
        if finish.send((number, result)).is_err() {
            return state;
        }
    }
}

/// Everything on the calling thread.
fn run_alone<W, I, T>(
    mut state: W,
    items: impl Iterator<Item = Result<I>>,
    work: impl Fn(&mut W, I) -> Result<T>,
    mut take: impl FnMut(T) -> Result<()>,
    watch: &mut Watch,
) -> Result<Vec<W>> {
    for item in items {
        watch()?;
        check()?;
        take(guarded(|| work(&mut state, item?))?)?;
    }
    Ok(vec![state])
}

/// A panic is a mistake of ours; it becomes an error instead of ending the process or a thread. So does the end of memory.
pub fn guarded<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(error_of(&*panic)))
}

fn error_of(panic: &(dyn Any + Send)) -> Error {
    if panic.is::<OutOfMemory>() {
        return Error::Memory;
    }
    let message = panic.downcast_ref::<&str>().map(|s| s.to_string());
    let message = message.or_else(|| panic.downcast_ref::<String>().cloned());
    Error::Internal(message.unwrap_or_else(|| "a panic without a message".into()))
}

/// Results that came too early wait for their turn.
struct InOrder<T> {
    next: usize,
    early: BTreeMap<usize, Result<T>>,
}

impl<T> InOrder<T> {
    fn wait(&mut self, finished: &Receiver<(usize, Result<T>)>, take: &mut impl FnMut(T) -> Result<()>) -> Result<()> {
        match finished.recv_timeout(PATIENCE) {
            Ok((number, result)) => {
                self.early.insert(number, result);
            }
            Err(RecvTimeoutError::Timeout) => return Ok(()),
            Err(RecvTimeoutError::Disconnected) => {
                return Err(Error::Internal("the workers ended early".into()));
            }
        }
        self.hand_out(take)
    }

    fn hand_out(&mut self, take: &mut impl FnMut(T) -> Result<()>) -> Result<()> {
        while let Some(result) = self.early.remove(&self.next) {
            self.next += 1;
            take(result?)?;
        }
        Ok(())
    }

    fn drain(
        &mut self,
        finished: &Receiver<(usize, Result<T>)>,
        sent: usize,
        watch: &mut Watch,
        take: &mut impl FnMut(T) -> Result<()>,
    ) -> Result<()> {
        while self.next < sent {
            watch()?;
            self.wait(finished, take)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// Whether the calling thread works.
    const CALLERS: [bool; 2] = [false, true];

    fn team<'a>(caller_works: bool, threads: usize, watch: &'a mut Watch) -> Team<'a> {
        if caller_works { Team::with_caller(threads, watch) } else { Team::new(threads, watch) }
    }

    fn squares(caller: bool, threads: usize, fails_at: Option<u64>) -> (Result<usize>, Vec<u64>) {
        let mut results = Vec::new();
        let items = (0..100).map(|i| if i == 90 && fails_at.is_some() { Err(Error::Stopped) } else { Ok(i) });
        let states = team(caller, threads, &mut || Ok(())).run(
            || 0usize,
            items,
            |done, i: u64| {
                *done += 1;
                std::thread::sleep(Duration::from_micros(i * 7 % 50));
                match fails_at {
                    Some(at) if i >= at => Err(Error::Spec(format!("item {i}"))),
                    _ => Ok(i * i),
                }
            },
            |square| {
                results.push(square);
                Ok(())
            },
        );
        (states.map(|states| states.into_iter().sum()), results)
    }

    #[test]
    fn order_does_not_depend_on_threads() {
        let expected: Vec<u64> = (0..100).map(|i| i * i).collect();
        for threads in [1, 2, 7] {
            for caller in CALLERS {
                let (done, results) = squares(caller, threads, None);
                assert_eq!((done.unwrap(), &results), (100, &expected));
            }
        }
    }

    #[test]
    fn the_first_error_wins() {
        for threads in [1, 2, 7] {
            for caller in CALLERS {
                let (done, results) = squares(caller, threads, Some(37));
                assert_eq!(done.unwrap_err().to_string(), "item 37");
                assert_eq!(results.len(), 37);
            }
        }
    }

    #[test]
    fn a_slow_item_holds_up_no_more_than_so_many() {
        for threads in [2, 3] {
            for caller in CALLERS {
                let (done, ahead) = (AtomicUsize::new(0), AtomicUsize::new(0));
                let slow = |_: &mut (), i: usize| {
                    if i == 0 {
                        std::thread::sleep(Duration::from_millis(30));
                        ahead.store(done.load(Ordering::SeqCst), Ordering::SeqCst);
                    }
                    done.fetch_add(1, Ordering::SeqCst);
                    Ok(())
                };
                team(caller, threads, &mut || Ok(())).run(|| (), (0..1000).map(Ok), slow, |_| Ok(())).unwrap();
                assert!(ahead.into_inner() <= 2 * GIVEN_BEFORE_WORK * threads);
            }
        }
    }

    #[test]
    fn a_panic_is_an_error_and_a_watcher_stops_the_work() {
        for (threads, caller) in [1, 3].into_iter().flat_map(|threads| CALLERS.map(|caller| (threads, caller))) {
            let panicking = team(caller, threads, &mut || Ok(())).run(
                || (),
                [Ok(1)].into_iter(),
                |_, _: i32| -> Result<()> { panic!("oops") },
                |_| Ok(()),
            );
            assert!(matches!(panicking, Err(Error::Internal(message)) if message == "oops"));
            let mut asked = 0;
            let mut watch = || {
                asked += 1;
                if asked > 5 { Err(Error::Stopped) } else { Ok(()) }
            };
            let stopped = team(caller, threads, &mut watch).run(|| (), (0..).map(Ok), |_, i: u64| Ok(i), |_| Ok(()));
            assert!(matches!(stopped, Err(Error::Stopped)));
        }
    }
}
