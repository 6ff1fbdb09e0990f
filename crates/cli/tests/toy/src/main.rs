//! smelt with one more strategy. This file is all that a strategy of one's own needs.

use std::process::ExitCode;

use smelt_strategies::{
    CaseRequest, Draft, Needs, OptionError, OptionRow, OptionText, Pool, Rng, Row, Skip, Strategy, Words,
};

/// The row of the registry.
static ROWS: [Row; 1] = [Row {
    name: "toy",
    aliases: &["example"],
    about: "assert true statements before each query",
    needs: Needs::Seeds,
    options: &[
        OptionRow::text("most", "a number", "3", "how many statements at most").long(),
        OptionRow::file("remark", "a comment to begin with"),
    ],
    ways: || vec!["most=1".to_owned(), "most=5".to_owned()],
    make: |options| Ok(Box::new(Toy::new(options)?)),
}];

struct Toy {
    most: u32,
    remark: String,
}

impl Toy {
    fn new(options: &OptionText) -> Result<Toy, OptionError> {
        let remark = options.file("remark").unwrap_or("none").trim().to_owned();
        Ok(Toy { most: options.within("most", 3, 1..=100)?, remark })
    }
}

impl Strategy for Toy {
    fn name(&self) -> &'static str {
        "toy"
    }

    fn options(&self) -> String {
        Words::default().add("most", self.most).text()
    }

    fn next(&mut self, pool: &mut Pool, request: &CaseRequest<'_>, draft: &mut Draft) -> Result<(), Skip> {
        let seed = request.seed()?;
        draft.start(seed);
        draft.header(pool, self.name(), &self.options(), request.number);
        draft.text.extend_from_slice(format!("; {}\n", self.remark).as_bytes());
        let mut rng = Rng::new(request.number);
        for line in String::from_utf8_lossy(pool.seed(seed).text()).lines() {
            if line == "(check-sat)" {
                for _ in 0..=rng.below(self.most as usize) {
                    let sum = format!("(assert (xor false (> {} 0)))\n", 1 + rng.below(1000));
                    draft.text.extend_from_slice(sum.as_bytes());
                }
            }
            draft.text.extend_from_slice(line.as_bytes());
            draft.text.push(b'\n');
        }
        Ok(())
    }
}

fn main() -> ExitCode {
    smelt::run_with(&ROWS)
}
