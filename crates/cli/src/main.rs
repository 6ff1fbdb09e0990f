//! The `smelt` binary.
fn main() {}
