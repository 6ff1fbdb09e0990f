//! Stub.
use super::grow::Grower;
use super::script::Assertion;
use super::world::World;
pub(crate) fn kernel_names() -> impl Iterator<Item = &'static str> {
    ["cycle"].into_iter()
}
pub(crate) fn usable(_: &World) -> impl Iterator<Item = &'static str> {
    kernel_names()
}
pub(crate) fn assertions(
    _g: &mut Grower<'_>,
    _number: u32,
    _kernels: &mut Vec<&'static str>,
) -> Vec<Assertion> {
    Vec::new()
}
