//! Statements that are sent to a database together.

use std::fmt::Write as _;

use sqlx::AnyConnection;

use crate::StoreError;

/// A value of a statement.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    Text(Option<String>),
    Number(i64),
    Real(Option<f64>),
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Value::Text(Some(text))
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Value::Text(Some(text.to_owned()))
    }
}

impl From<Option<String>> for Value {
    fn from(text: Option<String>) -> Self {
        Value::Text(text)
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Value::Number(number)
    }
}

impl From<usize> for Value {
    fn from(number: usize) -> Self {
        Value::Number(number as i64)
    }
}

/// The maximum number of rows in one statement, because databases limit the number of parameters.
const ROWS: usize = 1000;

/// Statements with their values, in order. `?` is the placeholder of a value.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    statements: Vec<(String, Vec<Value>)>,
}

impl Batch {
    /// Adds a statement.
    pub(crate) fn add(&mut self, text: &str, values: Vec<Value>) {
        self.statements.push((text.to_owned(), values));
    }

    /// Adds a statement that inserts rows, and removes them from the list. Existing rows are not
    /// changed.
    pub(crate) fn insert(&mut self, rows: &mut Rows) {
        let mut left = std::mem::take(&mut rows.values);
        while !left.is_empty() {
            let rest = left.split_off(left.len().min(rows.columns * ROWS));
            let row = format!("({})", vec!["?"; rows.columns].join(", "));
            let all = vec![row; left.len() / rows.columns].join(", ");
            let text = format!("INSERT INTO {} VALUES {all} ON CONFLICT DO NOTHING", rows.table);
            self.statements.push((text, left));
            left = rest;
        }
    }

    /// Executes the statements. `SQLite` gets all of them as one, because each separate statement
    /// would cost two thread switches. `PostgreSQL` accepts values for only one statement at a
    /// time.
    pub(crate) async fn execute(
        self,
        connection: &mut AnyConnection,
        sqlite: bool,
    ) -> Result<(), StoreError> {
        if !sqlite {
            for (statement, values) in self.statements {
                run(connection, numbered(&statement), values).await?;
            }
            return Ok(());
        }
        // Values without names, because `SQLite` would search the whole list of names for each of
        // them.
        let (texts, values): (Vec<String>, Vec<Vec<Value>>) = self.statements.into_iter().unzip();
        run(connection, texts.join(";"), values.into_iter().flatten().collect()).await
    }
}

/// A statement with numbered values, as `PostgreSQL` requires.
fn numbered(statement: &str) -> String {
    let mut parts = statement.split('?');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for (at, part) in parts.enumerate() {
        let _ = write!(text, "${}{part}", at + 1);
    }
    text
}

async fn run(
    connection: &mut AnyConnection,
    text: String,
    values: Vec<Value>,
) -> Result<(), StoreError> {
    if text.is_empty() {
        return Ok(());
    }
    // The text contains no values, but it differs from batch to batch, so keeping it prepared is
    // not worthwhile. It is also impossible: the driver declares a NULL with a shorter type than a
    // number, and PostgreSQL would refuse the number after the NULL.
    let mut query = sqlx::query(sqlx::AssertSqlSafe(text)).persistent(false);
    for value in values {
        query = match value {
            Value::Text(text) => query.bind(text),
            Value::Number(number) => query.bind(number),
            Value::Real(number) => query.bind(number),
        };
    }
    query.execute(connection).await?;
    Ok(())
}

/// Rows of one table that are inserted by one statement.
#[derive(Debug)]
pub(crate) struct Rows {
    table: &'static str,
    columns: usize,
    values: Vec<Value>,
}

impl Rows {
    /// An empty list of rows for a table, which is given with its columns: `table (one, two)`.
    pub(crate) fn new(table: &'static str) -> Self {
        Rows { table, columns: table.matches(',').count() + 1, values: Vec::new() }
    }

    /// Adds a row.
    pub(crate) fn add(&mut self, row: impl IntoIterator<Item = Value>) {
        self.values.extend(row);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_numbered() {
        let text = numbered("INSERT INTO c VALUES (?, ?), (?, ?)");
        assert_eq!(text, "INSERT INTO c VALUES ($1, $2), ($3, $4)");
        assert_eq!(numbered("COMMIT"), "COMMIT");
    }

    #[test]
    fn rows_share_a_statement() {
        let mut rows = Rows::new("seats (match_id, seat)");
        rows.add(["a".into(), Value::Number(1)]);
        rows.add(["b".into(), Value::Number(2)]);
        let mut batch = Batch::default();
        batch.insert(&mut rows);
        assert_eq!(batch.statements.len(), 1);
        let text =
            "INSERT INTO seats (match_id, seat) VALUES (?, ?), (?, ?) ON CONFLICT DO NOTHING";
        assert_eq!(batch.statements[0].0, text);
        batch.insert(&mut rows);
        assert_eq!(batch.statements.len(), 1, "an empty insert adds no statement");
    }
}
