//! Tests of strategies inside a campaign: one program, for each costs seconds to link. A new file is a line here.

mod approximation;
mod certified;
mod collections_agree;
mod construct;
mod embedded;
