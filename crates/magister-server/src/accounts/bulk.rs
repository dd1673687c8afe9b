//! Many accounts from a list, such as the names of a class.

use magister_store::AccountRole;
use serde::Deserialize;

use crate::ApiError;

/// The maximum number of accounts in one list.
pub(crate) const MOST: usize = 500;

/// An account to be created.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NewAccount {
    pub(crate) name: String,
    pub(crate) password: Option<String>,
    pub(crate) role: AccountRole,
}

/// A list of accounts in a request.
#[derive(Debug, Deserialize)]
pub(crate) struct List {
    pub(crate) list: String,
}

/// The accounts of a list: one per line as `name`, `name, password` or `name, password, role`.
/// Empty lines and comments after `#` are ignored. Tabs and semicolons are also separators, so that
/// columns of a table can be pasted.
pub(crate) fn parse_list(text: &str) -> Result<Vec<NewAccount>, ApiError> {
    let mut all = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let wrong = |what: &str| {
            ApiError::invalid("list", format!("line {} of the list: {what}", number + 1))
        };
        let mut parts = line.split([',', ';', '\t']).map(str::trim);
        let name = super::check_name(parts.next().unwrap_or_default())
            .map_err(|error| wrong(error.message()))?;
        let password = parts.next().filter(|text| !text.is_empty()).map(str::to_owned);
        if let Some(password) = &password {
            super::password::check(password).map_err(|error| wrong(error.message()))?;
        }
        let role = match parts.next() {
            None | Some("" | "user") => AccountRole::User,
            Some("admin") => AccountRole::Admin,
            Some(_) => return Err(wrong("the role is `user` or `admin`")),
        };
        if parts.next().is_some() {
            return Err(wrong("more than a name, a password and a role"));
        }
        all.push(NewAccount { name, password, role });
        if all.len() > MOST {
            return Err(ApiError::invalid("list", format!("a list has at most {MOST} accounts")));
        }
    }
    if all.is_empty() {
        return Err(ApiError::invalid("list", "the list names no account"));
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_read_line_by_line() {
        let list =
            "# class 7b\nAda\nGrace Hopper, a long secret\n\nAlan;;admin\nEmmy\tnoether1918\n";
        let all = parse_list(list).unwrap();
        let names: Vec<&str> = all.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(names, ["Ada", "Grace Hopper", "Alan", "Emmy"]);
        assert_eq!(all[1].password.as_deref(), Some("a long secret"));
        assert_eq!(all[2].role, AccountRole::Admin);
        assert_eq!(all[3].password.as_deref(), Some("noether1918"));
    }

    #[test]
    fn a_wrong_line_is_named() {
        for (list, line) in [
            ("Ada\n<script>", "line 2"),
            ("Ada, short", "line 1"),
            ("Ada,, king", "line 1"),
            ("a,longenough,user,more", "line 1"),
            ("../../etc/passwd", "line 1"),
        ] {
            let error = parse_list(list).unwrap_err();
            assert!(error.message().contains(line), "{list}: {error}");
        }
        assert!(parse_list("# no one\n").is_err());
        let many: String = (0..=MOST).map(|number| format!("pupil {number}\n")).collect();
        assert!(parse_list(&many).is_err());
    }
}
