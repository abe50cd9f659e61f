//! Names that a statement may use: keywords, functions, and those of its caller.

use rusqlite::{Connection, Result};

/// Keywords of queries, ascending.
pub(super) const KEYWORDS: &str = "ALL AND AS ASC BETWEEN BY CASE CAST COLLATE CROSS CURRENT CURRENT_DATE CURRENT_TIME \
    CURRENT_TIMESTAMP DESC DISTINCT ELSE END ESCAPE EXCEPT EXCLUDE EXISTS FALSE FILTER FIRST FOLLOWING FROM FULL GLOB GROUP GROUPS \
    HAVING IN INNER INTERSECT IS JOIN LAST LEFT LIKE LIMIT MATERIALIZED NATURAL NOT NULL NULLS OFFSET ON OR ORDER OUTER OVER \
    PARTITION PRECEDING RANGE RECURSIVE REGEXP RIGHT ROW ROWS SELECT THEN TIES TRUE UNBOUNDED UNION USING VALUES WHEN WHERE WINDOW WITH";

/// Functions that SQLite has for its own tables and its own use: names, and beginnings of names.
const INTERNAL: &str = "bm25 changes fts* geopoly* highlight json_array_insert jsonb* last_insert_rowid likel* load_extension match matchinfo \
    offsets optimize randomblob rtree* snippet sqlite_* subtype total_changes unistr* unlikely zeroblob";

/// What a statement may name.
#[derive(Debug, Clone, Default)]
pub struct SqlNames {
    /// Tables with their columns: those of the traces, frames, saved statements.
    pub tables: Vec<(String, Vec<String>)>,
    /// Table functions with their columns.
    pub table_functions: Vec<(String, Vec<String>)>,
    /// Functions of expressions.
    pub functions: Vec<String>,
    /// Keywords.
    pub keywords: Vec<String>,
    /// Labels of traces: values of the column `trace`.
    pub labels: Vec<String>,
}

impl SqlNames {
    /// Returns the columns of a table or a table function; none if they are not known.
    pub(super) fn columns(&self, table: &str) -> &[String] {
        let mut all = self.tables.iter().chain(&self.table_functions);
        all.find(|(name, _)| name.eq_ignore_ascii_case(table)).map_or(&[], |(_, columns)| columns)
    }
}

/// Returns the keywords of queries, ascending.
pub fn keywords() -> Vec<&'static str> {
    KEYWORDS.split_whitespace().collect()
}

/// Returns the names of the functions that statements can call, ascending.
///
/// # Errors
/// Those of SQLite.
pub fn all_functions() -> Result<Vec<String>> {
    let connection = Connection::open_in_memory()?;
    crate::register(&connection)?;
    functions(&connection)
}

/// Returns the names of the functions of a connection that are of use in a query, ascending.
///
/// # Errors
/// Those of SQLite.
fn functions(connection: &Connection) -> Result<Vec<String>> {
    let mut statement =
        connection.prepare("SELECT DISTINCT LOWER(name) AS name FROM pragma_function_list ORDER BY name")?;
    let names = statement.query_map([], |row| row.get(0))?.collect::<Result<Vec<String>>>()?;
    let is_internal = |name: &str| {
        INTERNAL
            .split_whitespace()
            .any(|other| other.strip_suffix('*').map_or(name == other, |start| name.starts_with(start)))
    };
    Ok(names.into_iter().filter(|name| name.starts_with(char::is_alphabetic) && !is_internal(name)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_of_use_are_listed_once() {
        let names = functions(&Connection::open_in_memory().unwrap()).unwrap();
        assert!(names.is_sorted());
        for name in ["sum", "substr", "row_number", "json_extract", "strftime", "percent_rank"] {
            assert_eq!(names.iter().filter(|known| *known == name).count(), 1, "{name}");
        }
        for name in ["->", "fts5", "rtreenode", "load_extension", "sqlite_version", "jsonb", "bm25", "unlikely"] {
            assert!(!names.iter().any(|known| known == name), "{name}");
        }
    }

    #[test]
    fn keywords_are_ascending() {
        assert!(keywords().is_sorted() && keywords().contains(&"SELECT"));
    }
}
