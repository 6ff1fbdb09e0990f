//! The passes of a reduction, in the order they are run: what cuts most comes first.

mod commands;
mod constants;
mod datatypes;
mod definitions;
mod functions;
mod lets;
mod literals;
mod pairs;
mod quantifiers;
mod rename;
mod simplify;
mod stack;
mod terms;
mod widths;

use crate::error::Error;
use crate::search::Search;

/// One way to make a script smaller.
pub(crate) struct Pass {
    /// What it is called in progress reports.
    pub(crate) name: &'static str,
    /// Tries everything it knows; whether something was accepted.
    pub(crate) run: fn(&mut Search<'_>) -> Result<bool, Error>,
}

/// Run once at the start: what is rarely needed goes at once.
pub(crate) const FIRST: &[Pass] = &[
    Pass { name: "commands", run: commands::chaff },
    Pass { name: "commands", run: commands::subsets },
    Pass { name: "commands", run: commands::chaff },
    Pass { name: "names", run: rename::short },
    Pass { name: "lets", run: lets::drop_unused },
    Pass { name: "stack", run: stack::run },
    Pass { name: "terms", run: terms::coarse },
];

/// Run over and over until nothing changes.
pub(crate) const ROUND: &[Pass] = &[
    Pass { name: "commands", run: commands::subsets },
    Pass { name: "commands", run: commands::chaff },
    Pass { name: "stack", run: stack::run },
    Pass { name: "lets", run: lets::run },
    Pass { name: "definitions", run: definitions::run },
    Pass { name: "terms", run: terms::fine },
    Pass { name: "quantifiers", run: quantifiers::run },
    Pass { name: "constants", run: constants::run },
    Pass { name: "functions", run: functions::run },
    Pass { name: "datatypes", run: datatypes::run },
    Pass { name: "widths", run: widths::run },
    Pass { name: "literals", run: literals::run },
    Pass { name: "simplify", run: simplify::run },
    Pass { name: "names", run: rename::short },
];

/// Run when nothing else helps; what it finds gives the others new work.
pub(crate) const LAST: Pass = Pass { name: "pairs", run: pairs::run };
