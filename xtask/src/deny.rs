//! Checks the project's dependencies against `deny.toml`.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context as _, Result, bail, ensure};
use serde::Deserialize;

use crate::binary;

/// The parts of `deny.toml` that are checked without cargo-deny.
#[derive(Deserialize)]
struct Rules {
    graph: Graph,
    licenses: Licenses,
    bans: Bans,
    sources: Sources,
}

#[derive(Deserialize)]
struct Graph {
    targets: Vec<String>,
}

#[derive(Deserialize)]
struct Licenses {
    allow: Vec<String>,
}

#[derive(Deserialize)]
struct Bans {
    deny: Vec<Banned>,
    /// Older versions that are allowed beside newer ones, as `name@version`.
    #[serde(default)]
    skip: Vec<String>,
}

#[derive(Deserialize)]
struct Banned {
    name: String,
    reason: String,
    /// The crates that may depend on it nevertheless.
    #[serde(default)]
    wrappers: Vec<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Sources {
    allow_registry: Vec<String>,
}

/// The metadata of a crate.
#[derive(Deserialize)]
struct Package {
    name: String,
    version: String,
    license: Option<String>,
    /// Its source; `None` if it is ours.
    source: Option<String>,
    #[serde(default)]
    dependencies: Vec<Dependency>,
}

/// A crate that another depends on.
#[derive(Deserialize)]
struct Dependency {
    name: String,
}

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

#[expect(clippy::print_stdout, reason = "printing is the purpose of the command")]
pub(crate) fn run() -> Result<()> {
    let installed = Command::new("cargo-deny").arg("--version").output();
    if installed.is_ok_and(|output| output.status.success()) {
        return cargo_deny();
    }
    let (packages, wrong) = checked()?;
    wrong.iter().for_each(|problem| println!("{problem}"));
    ensure!(wrong.is_empty(), "{} crates violate deny.toml", wrong.len());
    println!("{packages} crates: licences, sources and duplicates satisfy deny.toml");
    println!(
        "advisories were not checked; that needs cargo-deny: `cargo install --locked \
         cargo-deny`"
    );
    Ok(())
}

fn rules() -> Result<Rules> {
    let text = std::fs::read_to_string(binary::root().join("deny.toml")).context("deny.toml")?;
    toml::from_str(&text).context("deny.toml")
}

/// The number of crates, and their violations, without cargo-deny.
fn checked() -> Result<(usize, Vec<String>)> {
    let rules = rules()?;
    let mut packages = Vec::new();
    for target in &rules.graph.targets {
        packages.extend(metadata(target)?);
    }
    Ok((packages.len(), problems(&rules, &packages)))
}

/// Runs cargo-deny; it checks advisories only if their database is available, so that nothing
/// depends on the network.
#[expect(clippy::print_stdout, reason = "printing is the purpose of the command")]
fn cargo_deny() -> Result<()> {
    let mut checks = vec!["bans", "licenses", "sources"];
    let home = std::env::var_os("CARGO_HOME")
        .map(PathBuf::from)
        .or_else(|| std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cargo")));
    let has = |name: &str| home.as_ref().is_some_and(|home| home.join(name).is_dir());
    let mut options = Vec::new();
    if has("advisory-dbs") {
        checks.push("advisories");
        options.push("--disable-fetch");
    } else {
        println!("advisories are left out: `cargo deny fetch` gets their database");
    }
    let status = Command::new("cargo-deny")
        .args(["--locked", "check"])
        .args(options)
        .args(checks)
        .current_dir(binary::root())
        .status()?;
    ensure!(status.success(), "cargo-deny reported violations");
    Ok(())
}

/// The crates that are built for a target.
fn metadata(target: &str) -> Result<Vec<Package>> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--locked", "--all-features"])
        .args(["--filter-platform", target])
        .current_dir(binary::root())
        .output()?;
    if !output.status.success() {
        bail!("cargo metadata: {}", String::from_utf8_lossy(&output.stderr));
    }
    let metadata: Metadata = serde_json::from_slice(&output.stdout).context("cargo metadata")?;
    Ok(metadata.packages)
}

/// All violations, one line each.
fn problems(rules: &Rules, packages: &[Package]) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut versions: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for package in packages {
        let Package { name, version, license, source, dependencies } = package;
        let skipped = |one: &String| {
            let older = one.split_once('@');
            older.is_some_and(|(known, start)| {
                known == name && format!("{version}.").starts_with(&format!("{start}."))
            })
        };
        if !rules.bans.skip.iter().any(skipped) {
            versions.entry(name).or_default().push(version);
        }
        let license = license.as_deref().unwrap_or("");
        if !licensed(license, &rules.licenses.allow) {
            wrong.push(format!("{name} {version}: the licence `{license}` is not allowed"));
        }
        let from = source.as_deref().map(|source| source.trim_start_matches("registry+"));
        if let Some(from) =
            from.filter(|&from| !rules.sources.allow_registry.contains(&from.into()))
        {
            wrong.push(format!("{name} {version}: it comes from {from}"));
        }
        for banned in &rules.bans.deny {
            if banned.name == *name && banned.wrappers.is_empty() {
                wrong.push(format!("{name} {version}: {}", banned.reason));
            }
            // For crates of others, cargo reports more dependencies than are built.
            let depends = dependencies.iter().any(|one| one.name == banned.name);
            if depends && source.is_none() && !banned.wrappers.contains(name) {
                wrong.push(format!("{name} depends on {}: {}", banned.name, banned.reason));
            }
        }
    }
    for (name, mut versions) in versions {
        versions.sort_unstable();
        versions.dedup();
        if versions.len() > 1 {
            wrong.push(format!("{name}: there are versions {}", versions.join(", ")));
        }
    }
    wrong
}

/// Whether an SPDX expression can be satisfied with the allowed licences. `WITH` exceptions only
/// add permissions, so the licence before an exception suffices.
fn licensed(expression: &str, allowed: &[String]) -> bool {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    let mut words = spaced.split_whitespace().peekable();
    let met = any(&mut words, allowed);
    met == Some(true) && words.next().is_none()
}

type Words<'a> = std::iter::Peekable<std::str::SplitWhitespace<'a>>;

/// Terms with `OR` between them; `None` if it is not an expression.
fn any(words: &mut Words<'_>, allowed: &[String]) -> Option<bool> {
    let mut met = all(words, allowed)?;
    while words.next_if_eq(&"OR").is_some() {
        met |= all(words, allowed)?;
    }
    Some(met)
}

/// Terms with `AND` between them.
fn all(words: &mut Words<'_>, allowed: &[String]) -> Option<bool> {
    let mut met = one(words, allowed)?;
    while words.next_if_eq(&"AND").is_some() {
        met &= one(words, allowed)?;
    }
    Some(met)
}

fn one(words: &mut Words<'_>, allowed: &[String]) -> Option<bool> {
    let word = words.next()?;
    if word == "(" {
        let met = any(words, allowed)?;
        words.next_if_eq(&")")?;
        return Some(met);
    }
    if words.next_if_eq(&"WITH").is_some() {
        words.next()?;
    }
    Some(allowed.iter().any(|allowed| allowed == word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn licences_are_expressions() {
        let allowed = ["MIT", "Apache-2.0", "Unicode-3.0"].map(str::to_owned);
        for good in [
            "MIT",
            "MIT/Apache-2.0",
            "0BSD OR MIT",
            "(MIT OR GPL-3.0) AND Unicode-3.0",
            "Apache-2.0 WITH LLVM-exception OR GPL-2.0",
        ] {
            assert!(licensed(good, &allowed), "{good}");
        }
        for bad in ["", "GPL-3.0", "MIT AND GPL-3.0", "(MIT OR Apache-2.0", "MIT Apache-2.0", "OR"]
        {
            assert!(!licensed(bad, &allowed), "{bad}");
        }
    }

    #[test]
    fn the_lock_file_satisfies_the_rules() {
        let (packages, wrong) = checked().unwrap();
        assert!(packages > 50, "{packages}");
        assert_eq!(wrong, Vec::<String>::new());
    }

    #[test]
    fn violations_are_listed() {
        let rules = rules().unwrap();
        let registry = "registry+https://github.com/rust-lang/crates.io-index";
        let package = |name: &str, version: &str, license: &str, source: &str| Package {
            name: name.to_owned(),
            version: version.to_owned(),
            license: Some(license.to_owned()),
            source: Some(source.to_owned()),
            dependencies: Vec::new(),
        };
        let fine = || package("fine", "1.0.0", "MIT", registry);
        assert_eq!(problems(&rules, &[fine()]), Vec::<String>::new());
        let bad = [
            fine(),
            package("fine", "2.0.0", "MIT", registry),
            package("strict", "1.0.0", "AGPL-3.0", registry),
            package("bincode", "1.0.0", "MIT", registry),
            Package {
                source: None,
                dependencies: vec![Dependency { name: "tokio".to_owned() }],
                ..package("engine", "1.0.0", "MIT", registry)
            },
            package("astray", "1.0.0", "MIT", "git+https://example.org/astray"),
        ];
        let found = problems(&rules, &bad).join("\n");
        for name in [
            "strict",
            "bincode",
            "engine depends on tokio",
            "astray",
            "fine: there are versions 1.0.0, 2.0.0",
        ] {
            assert!(found.contains(name), "{name}: {found}");
        }
    }
}
