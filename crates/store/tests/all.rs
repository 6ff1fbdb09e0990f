//! The tests of the store.

#[cfg(feature = "postgres")]
mod load;
#[cfg(feature = "postgres")]
mod shared;
