//! Merges the shards of a campaign into one folder, which can be read and resumed like any campaign.

use smelt_solvers::Profiles;
use smelt_store::{Batch, Error, ErrorKind, Store};
use smelt_strategies::Recipe;
use smelt_triage::Mute;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::by_number::ByNumber;
use crate::numbering::{Done, Guarantee, Kept};
use crate::numbers::{KEY, Parts, Shard};
use crate::plan::Plan;
use crate::settings::{SETTINGS, Settings};
use crate::summary::{ShardRow, StrategyRow, Summary, solver_rows};
use crate::writer::{WAY, way_key};

/// Which shards a merged campaign has.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Merged {
    /// How many shards the campaign has.
    pub of: u64,
    /// Shards that were not among the folders.
    pub missing: Vec<u64>,
    /// Shards with cases that are not done.
    pub unfinished: Vec<u64>,
}

/// A folder to merge with others.
struct Piece {
    folder: PathBuf,
    store: Store,
    settings: Settings,
    parts: Parts,
    values: BTreeMap<String, String>,
}

fn usage(message: String) -> Error {
    Error::new(ErrorKind::Usage, message)
}

impl Piece {
    fn open(folder: &Path) -> Result<Piece, Error> {
        let store = Store::open(folder)?;
        let values = store.values()?;
        let settings = values.get(SETTINGS).and_then(|v| Settings::from_json(v));
        let parts = values.get(KEY).and_then(|v| serde_json::from_str(v).ok());
        let (Some(settings), Some(parts)) = (settings, parts) else {
            let message = format!(
                "{} contains no shard: only campaigns run with --shard can be merged",
                folder.display()
            );
            return Err(usage(message));
        };
        Ok(Piece { folder: folder.to_owned(), store, settings, parts, values })
    }
}

/// Merges folders in a new one.
pub fn merge(folders: &[PathBuf], out: &Path) -> Result<Merged, Error> {
    let mut pieces = folders.iter().map(|folder| Piece::open(folder)).collect::<Result<Vec<_>, _>>()?;
    // The order of the arguments does not matter.
    pieces.sort_by_key(|p| p.parts.parts.first().map(|part| part.index));
    let parts = united_parts(&pieces)?;
    // Complete under another name first: a half-made campaign must not look like one.
    if Store::exists(out) {
        let message =
            format!("{} already contains a campaign: choose another folder with --out", out.display());
        return Err(Error::new(ErrorKind::Exists, message));
    }
    let failed = |doing: &str, path: &Path, e| Error::io(format!("cannot {doing} {}", path.display()), e);
    let parent = out.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    std::fs::create_dir_all(parent).map_err(|e| failed("make", parent, e))?;
    let draft = tempfile::Builder::new()
        .prefix(".smelt-merge-")
        .tempdir_in(parent)
        .map_err(|e| failed("write to", parent, e))?;
    let folder = draft.path().join("campaign");
    let end = pieces[0].settings.tests();
    let merged = Merged {
        of: parts.of,
        missing: parts.missing(),
        unfinished: end.map_or_else(Vec::new, |end| parts.unfinished(end)),
    };
    let values = united_values(&pieces, &parts)?;
    let stores: Vec<Store> = pieces.into_iter().map(|p| p.store).collect();
    let mut store = Store::create(&folder)?;
    store.unite(&stores)?;
    store.write(&Batch { values, ..Batch::default() })?;
    drop(store);
    std::fs::rename(&folder, out).map_err(|e| failed("make", out, e))?;
    Ok(merged)
}

/// The numbers of all pieces, if they are parts of one campaign.
fn united_parts(pieces: &[Piece]) -> Result<Parts, Error> {
    let first = pieces.first().ok_or_else(|| usage("name the folders of the shards".to_owned()))?;
    let mut united = Parts { of: first.parts.of, parts: Vec::new() };
    let mut owners: BTreeMap<u64, &Path> = BTreeMap::new();
    for piece in pieces {
        let (a, b) = (first.folder.display(), piece.folder.display());
        if let Some((name, here, there)) = first.settings.difference(&piece.settings) {
            let message =
                format!("{a} and {b} are not shards of the same campaign: {name} is {here} and {there}");
            return Err(usage(message));
        }
        if piece.parts.of != united.of {
            let (m, n) = (united.of, piece.parts.of);
            return Err(usage(format!(
                "{a} and {b} are not shards of the same campaign: {m} shards and {n} shards"
            )));
        }
        for part in &piece.parts.parts {
            if let Some(other) = owners.insert(part.index, &piece.folder) {
                let shard = piece.parts.shard(part);
                let message = format!("{} and {b} both contain shard {shard}: remove one", other.display());
                return Err(usage(message));
            }
        }
        united.parts.extend(piece.parts.parts.iter().cloned());
    }
    united.parts.sort_by_key(|p| p.index);
    Ok(united)
}

/// The values of the campaign: those of the first shard, but for what adds up.
fn united_values(
    pieces: &[Piece],
    parts: &Parts,
) -> Result<BTreeMap<std::borrow::Cow<'static, str>, String>, Error> {
    let all = |key: &str| pieces.iter().filter_map(|p| p.values.get(key)).cloned().collect::<Vec<_>>();
    let numbers = |key: &str| all(key).iter().filter_map(|v| v.parse().ok()).collect::<Vec<u64>>();
    let mut values = pieces[0].values.clone();
    // The length of spans is the store's own.
    values.remove("span_ms");
    for key in ["tests", "empty"] {
        values.insert(key.to_owned(), numbers(key).iter().sum::<u64>().to_string());
    }
    // Shards run side by side: the campaign took as long as the longest.
    for (key, value) in
        [("wall_ms", numbers("wall_ms").into_iter().max()), ("started", numbers("started").into_iter().min())]
    {
        values.extend(value.map(|v| (key.to_owned(), v.to_string())));
    }
    let shares: Vec<f64> = all("solver_share").iter().filter_map(|v| v.parse().ok()).collect();
    let share = shares.iter().sum::<f64>() / shares.len().max(1) as f64;
    values.insert("solver_share".to_owned(), format!("{share:.4}"));
    let mut systems = all("system");
    systems.sort();
    systems.dedup();
    values.insert("system".to_owned(), systems.join("; "));
    values.insert("shard".to_owned(), Shard::WHOLE.to_string());
    values.insert(KEY.to_owned(), serde_json::to_string(parts).unwrap_or_default());
    if let Some(mut request) =
        values.get("request").and_then(|v| serde_json::from_str::<serde_json::Value>(v).ok())
    {
        request["shard"] = Shard::WHOLE.to_string().into();
        values.insert("request".to_owned(), request.to_string());
    }
    let keys = pieces.iter().flat_map(|p| p.values.keys()).filter(|k| k.starts_with(WAY));
    let keys: std::collections::BTreeSet<String> = keys.cloned().collect();
    for key in keys {
        let mut sum = Kept::default();
        all(&key).iter().filter_map(|v| serde_json::from_str(v).ok()).for_each(|kept| sum.add(kept));
        values.insert(key, serde_json::to_string(&sum).unwrap_or_default());
    }
    Ok(values.into_iter().map(|(key, value)| (key.into(), value)).collect())
}

/// The sums of a stored campaign whose cases are functions of their numbers.
pub fn summary(store: &Store, recipes: &[Recipe], profiles: &Profiles) -> Result<Summary, Error> {
    let plans = Plan::of(recipes)?;
    let number =
        |key: &str| -> Result<u64, Error> { Ok(store.value(key)?.and_then(|v| v.parse().ok()).unwrap_or(0)) };
    let mute = Mute::read(store.folder(), &[] as &[PathBuf])?;
    let mut summary = Summary::default();
    summary.add_stored(store, profiles, &mute)?;
    summary.tests = number("tests")?;
    summary.wall_s = number("wall_ms")? as f64 / 1e3;
    summary.seed = number("seed")?;
    summary.solver_share = store.value("solver_share")?.and_then(|v| v.parse().ok()).unwrap_or(0.0);
    let mut solvers: Vec<String> = store.outcomes()?.into_keys().map(|(solver, _)| solver).collect();
    solvers.dedup();
    summary.solvers = solver_rows(store, &solvers)?;
    for (strategy, (made, [_, useful, found, _])) in store.tests()? {
        summary.by_strategy.insert(strategy.clone(), made);
        let (useful, found) = (u64::from(useful), u64::from(found));
        summary.strategies.push(StrategyRow { strategy, made, useful, found, reason: None });
    }
    let parts = store.value(KEY)?.and_then(|v| serde_json::from_str::<Parts>(&v).ok());
    let Some(parts) = parts.filter(|_| !plans.is_empty()) else { return Ok(summary) };
    let end = store.value(SETTINGS)?.and_then(|v| Settings::from_json(&v)?.tests());
    let done = parts.parts.iter().map(|p| p.done.count()).sum();
    summary.shard = Some(ShardRow { shard: Shard::WHOLE, numbers: end, done, empty: number("empty")? });
    let by_number = ByNumber::new(summary.seed, &plans, std::iter::empty(), None);
    for (s, plan) in plans.iter().enumerate() {
        for (w, (way, mut strategy)) in plan.ways.iter().zip(plan.make()?).enumerate() {
            let Some(text) = store.value(&way_key(plan.row.name, &way.text))?.filter(|_| way.in_order) else {
                continue;
            };
            let mut kept: Kept = serde_json::from_str(&text).unwrap_or_default();
            kept.numbers = Done { low: by_number.turns_below(s, w, parts.low()), ..Done::default() };
            summary.guarantees.extend::<Option<Guarantee>>(kept.guarantee(&mut *strategy));
        }
    }
    Ok(summary)
}
