//! The passes of a reduction in the order in which they run: the most effective come first.

mod commands;
mod constants;
mod datatypes;
mod definitions;
mod functions;
mod lets;
mod literals;
mod pairs;
mod quantifiers;
mod queries;
mod rename;
mod simplify;
mod stack;
mod terms;
mod widths;

use crate::error::Error;
use crate::propose::{Each, Plan};
use crate::search::Length::{Better, MayGrow};
use crate::search::{Length, Search};

/// One way to make a script smaller: steps that are run one after the other.
pub(crate) struct Pass {
    /// Its name in progress reports.
    pub(crate) name: &'static str,
    steps: &'static [Step],
}

enum Step {
    /// Tries planned edits one by one.
    Edits(Length, Plan),
    /// Proposes candidates in a way of its own; whether one was accepted.
    Own(fn(&mut Search<'_>) -> Result<bool, Error>),
}

use Step::{Edits, Own};

impl Pass {
    /// Tries every candidate of the pass; whether one was accepted.
    pub(crate) fn run(&self, search: &mut Search<'_>) -> Result<bool, Error> {
        search.begin(self.name);
        let mut any = false;
        for step in self.steps {
            any |= match step {
                Edits(length, plan) => search.explore(&mut Each::new(*plan, *length))?,
                Own(run) => run(search)?,
            };
        }
        Ok(any)
    }
}

const CHAFF: Pass = Pass { name: "commands", steps: &[Edits(Better, commands::chaff), Own(commands::tidy)] };
const COMMANDS: Pass = Pass { name: "commands", steps: &[Own(commands::subsets)] };
const NAMES: Pass = Pass { name: "names", steps: &[Edits(Better, rename::plan)] };
const STACK: Pass = Pass { name: "stack", steps: &[Edits(MayGrow, stack::plan)] };

/// Run once at the start: removes at once the parts that are rarely needed.
pub(crate) const FIRST: &[Pass] = &[
    CHAFF,
    COMMANDS,
    CHAFF,
    NAMES,
    Pass { name: "lets", steps: &[Edits(Better, lets::unused)] },
    STACK,
    Pass { name: "terms", steps: &[Own(|search| terms::descend(search, false))] },
];

/// Run over and over until nothing changes.
pub(crate) const ROUND: &[Pass] = &[
    COMMANDS,
    CHAFF,
    STACK,
    Pass { name: "queries", steps: &[Edits(Better, queries::plan)] },
    Pass {
        name: "lets",
        steps: &[
            Edits(Better, lets::unused_or_annotated),
            Edits(MayGrow, lets::inlined),
            Edits(Better, lets::annotations),
        ],
    },
    Pass {
        name: "definitions",
        steps: &[Edits(Better, definitions::declared), Edits(MayGrow, definitions::inlined)],
    },
    Pass { name: "terms", steps: &[Own(|search| terms::descend(search, true))] },
    Pass { name: "quantifiers", steps: &[Edits(MayGrow, quantifiers::plan)] },
    Pass {
        name: "constants",
        steps: &[
            Edits(Better, constants::constants),
            Edits(Better, constants::shared),
            Edits(MayGrow, constants::equations),
        ],
    },
    Pass { name: "functions", steps: &[Edits(Better, functions::plan)] },
    Pass { name: "datatypes", steps: &[Edits(Better, datatypes::plan)] },
    Pass {
        name: "widths",
        steps: &[
            Edits(MayGrow, widths::narrower),
            Edits(Better, widths::floats),
            Edits(Better, widths::built_in),
        ],
    },
    Pass { name: "literals", steps: &[Edits(Better, literals::together), Own(literals::alone)] },
    Pass { name: "simplify", steps: &[Edits(Better, simplify::plan)] },
    NAMES,
];

/// Run when nothing else helps; what it finds gives the others new work.
pub(crate) const LAST: Pass = Pass { name: "pairs", steps: &[Own(pairs::run)] };
