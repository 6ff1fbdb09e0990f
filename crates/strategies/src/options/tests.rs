//! Tests of options.

use super::*;

fn read(text: &str) -> Result<Vec<(String, String)>, OptionError> {
    let mut file = |path: &Path| match path.to_str() {
        Some("r.txt") => Ok(b"(rules)".to_vec()),
        _ => Err(io::Error::other("no such file")),
    };
    let recipes = parse_recipes(&[text.to_owned()], &[], &mut file)?;
    let words = |r: &Recipe| {
        let files = r.options.files.iter().map(|(name, text)| format!("{name}: {text}"));
        let words = r.options.words().map(|(name, value)| format!("{name}={value}"));
        words.chain(files).collect::<Vec<_>>().join(" ")
    };
    Ok(recipes.iter().map(|r| (r.row.name.to_owned(), words(r))).collect())
}

fn error(text: &str) -> String {
    read(text).unwrap_err().to_string()
}

#[test]
fn options_follow_a_name_and_a_name_starts_the_next_strategy() {
    for (text, expected) in [
        ("skeleton:moves=lpi,steps=3", &[("skeleton", "moves=lpi steps=3")][..]),
        (
            "yinyang,skeleton:moves=lpi,steps=3,operator",
            &[("fusion", ""), ("skeleton", "moves=lpi steps=3"), ("operator", "")],
        ),
        ("enumerate:ints:vars=3", &[("enumerate", "grammar=ints vars=3")]),
        (
            "enumerate:ints,vars=3,et:core",
            &[("enumerate", "grammar=ints vars=3"), ("enumerate", "grammar=core")],
        ),
        ("generative:pool,steps=2", &[("generative", "pool=yes steps=2")]),
        ("skeleton:rules=r.txt,steps=2", &[("skeleton", "steps=2 rules: (rules)")]),
        (
            "construct:widths=3,8,formats=2:3,8:24,weights=bvudiv:5,cycle:7,fusion",
            &[("construct", "widths=3,8 formats=2:3,8:24 weights=bvudiv:5,cycle:7"), ("fusion", "")],
        ),
        (
            "synthesis:constants=Int=1,-1;String=\"a\",bound=2",
            &[("synthesis", "constants=Int=1,-1;String=\"a\" bound=2")],
        ),
    ] {
        let read = read(text).unwrap();
        let read: Vec<(&str, &str)> = read.iter().map(|(name, words)| (&**name, &**words)).collect();
        assert_eq!(read, expected, "{text}");
    }
}

#[test]
fn what_is_unknown_is_one_line_that_lists_what_there_is() {
    for (text, message) in [
        ("skelton", "no strategy `skelton`: choose one of operator, generative, certified"),
        ("fusion,skelton", "no strategy `skelton`"),
        ("fusion:mode=fuse,skelton", "no strategy `skelton`"),
        (
            "skeleton:colour=red",
            "skeleton has no option `colour`: choose one of steps, every-step, form, moves",
        ),
        ("skeleton:steps=3:lpi", "skeleton: `lpi` is not of the form word=value"),
        ("skeleton:rules=gone.txt", "skeleton: cannot read gone.txt"),
    ] {
        let error = error(text);
        assert!(error.contains(message) && !error.contains('\n'), "{text}: {error}");
    }
    let make = |text: &str| {
        let recipe = parse_recipes(&[text.to_owned()], &[], &mut |_| Err(io::Error::other("none")));
        recipe.unwrap()[0].make().map(|_| ()).unwrap_err().to_string()
    };
    assert_eq!(make("skeleton:form=x"), "skeleton: no form `x`: choose one of written, cnf, any");
    assert_eq!(make("skeleton:steps=x"), "skeleton: `steps=x`: steps is a number");
    assert!(make("enumerate:nothing").contains("no grammar `nothing`: choose one of core, ints"));
}

#[test]
fn the_first_option_gives_the_only_way_and_others_go_over_each() {
    let ways = |text: &str| -> Vec<String> {
        let recipes = parse_recipes(&[text.to_owned()], &[], &mut |_| Err(io::Error::other("none")));
        recipes.unwrap()[0].ways().unwrap().iter().map(|w| w.strategy.options()).collect()
    };
    assert_eq!(ways("weaken").len(), 6);
    assert_eq!(ways("weaken:steps=2"), ["steps=2"]);
    let operator = ways("operator");
    assert_eq!((operator.len(), &*operator[3]), (6, "steps=1 logic=all"));
    assert_eq!(ways("operator:logic=all").len(), 5);
    assert_eq!(ways("skeleton:form=cnf").len(), 9);
    assert_eq!(ways("construct:preset=bv_few_sat"), ["preset=bv_few_sat"]);
    assert_eq!(ways("enumerate:ints"), ["grammar=ints vars=2 asserts=1"]);
    assert_eq!(ways("fusion"), ["mode=fuse", "mode=fuse seeds=3"]);
}

#[test]
fn a_flag_goes_to_every_strategy_that_has_it() {
    let flag = |name: &str| {
        let flags = long_flags(rows());
        *flags.iter().find(|f| f.flag.is_some_and(|f| f.name() == name)).unwrap()
    };
    let texts = ["skeleton:steps=2,weaken,fusion,synthesis".to_owned()];
    let flags = [(flag("steps"), "3".to_owned()), (flag("concat"), "concat".to_owned())];
    let recipes = parse_recipes(&texts, &flags, &mut |_| Err(io::Error::other("none"))).unwrap();
    let words = |r: &Recipe| r.options.words().map(|(n, v)| format!("{n}={v}")).collect::<Vec<_>>().join(" ");
    let words: Vec<String> = recipes.iter().map(words).collect();
    assert_eq!(words, ["steps=2", "steps=3", "mode=concat", "steps=3"]);
    let pool = [(flag("pool"), "yes".to_owned())];
    let texts = ["weaken,fusion".to_owned()];
    let error = parse_recipes(&texts, &pool, &mut |_| Err(io::Error::other("none"))).unwrap_err();
    assert_eq!(error.to_string(), "no chosen strategy has --pool: it belongs to generative, skeleton");
}
