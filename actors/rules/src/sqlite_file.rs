//! Writes a whole SQLite file at once (file format 3, <https://www.sqlite.org/fileformat2.html>): tables of rows with
//! numbers, without indexes, never changed again. An export is all that Sentient makes of SQLite, and that takes no
//! database engine in C.
//!
//! Pure: rows in, bytes out. What is written is held against SQLite itself by the tests with outside programs.

use std::fmt;

/// Bytes of a page. Any power of two from 512 on is valid; this is SQLite's own default.
const PAGE_BYTES: usize = 4_096;
/// Bytes of a row kept in its leaf page, and the least that stay when the rest overflows (format, section 1.6).
const LOCAL_MAX: usize = PAGE_BYTES - 35;
const LOCAL_MIN: usize = (PAGE_BYTES - 12) * 32 / 255 - 23;
/// Bytes before the cells: the file's header on page 1, and the page's own.
const FILE_HEADER: usize = 100;
const LEAF_HEADER: usize = 8;
const INNER_HEADER: usize = 12;
/// Pages of one file. Ours: 400 MB.
const PAGES_MAX: usize = 100_000;
/// Any number that SQLite has been: the version that "wrote" the file.
const WRITER_VERSION: u32 = 3_045_000;

/// One value of a row.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Null,
    Integer(i64),
    Real(f64),
    Text(String),
}

/// One table.
#[derive(Clone, Debug, PartialEq)]
pub struct Table<'a> {
    pub name: &'a str,
    /// Its `CREATE TABLE` statement.
    pub sql: &'a str,
    /// Rows with their numbers, which rise. A column declared `INTEGER PRIMARY KEY` is the number, and `Null` in the row.
    pub rows: Vec<(i64, Vec<Value>)>,
}

/// Why a file cannot be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Problem {
    /// More than [`PAGES_MAX`] pages.
    TooLarge,
    /// Row numbers do not rise.
    Order,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::TooLarge => "There is more than one export file can hold.",
            Self::Order => "The rows of an export are not in order.",
        })
    }
}

/// The bytes of a file with these tables.
///
/// # Errors
/// See [`Problem`].
pub fn write(tables: &[Table<'_>]) -> Result<Vec<u8>, Problem> {
    write_within(tables, PAGES_MAX)
}

fn write_within(tables: &[Table<'_>], pages_max: usize) -> Result<Vec<u8>, Problem> {
    // Page 1 lists the tables; it is filled last, when their first pages are known.
    let mut file = File { pages: vec![vec![0; PAGE_BYTES]], pages_max };
    let mut listed = Vec::new();
    for (table, number) in tables.iter().zip(1..) {
        if table.rows.windows(2).any(|pair| pair[0].0 >= pair[1].0) {
            return Err(Problem::Order);
        }
        let root = file.tree(&table.rows)?;
        let text = |text: &str| Value::Text(text.to_owned());
        let root = Value::Integer(i64::from(root));
        listed.push((number, vec![text("table"), text(table.name), text(table.name), root, text(table.sql)]));
    }
    file.list(&listed)?;
    Ok(file.pages.concat())
}

struct File {
    pages: Vec<Vec<u8>>,
    pages_max: usize,
}

/// A cell on its way into a page, with the number of its row.
struct Cell {
    row: i64,
    bytes: Vec<u8>,
}

impl File {
    /// Adds a page. Answers its number, from 1.
    fn add(&mut self, page: Vec<u8>) -> Result<u32, Problem> {
        if self.pages.len() >= self.pages_max {
            return Err(Problem::TooLarge);
        }
        self.pages.push(page);
        u32::try_from(self.pages.len()).map_err(|_| Problem::TooLarge)
    }

    /// Writes the rows as a tree of pages. Answers the number of its root.
    fn tree(&mut self, rows: &[(i64, Vec<Value>)]) -> Result<u32, Problem> {
        let mut cells = Vec::with_capacity(rows.len());
        for (row, values) in rows {
            cells.push(self.leaf_cell(*row, values)?);
        }
        let mut level = Vec::new();
        for group in grouped(&cells, PAGE_BYTES - LEAF_HEADER) {
            let last = group.last().map_or(0, |cell| cell.row);
            level.push((last, self.add(page(0x0d, None, group, 0))?));
        }
        while level.len() > 1 {
            let mut above = Vec::new();
            // The last page of a group has no cell: the page's own header leads to it.
            for group in level.chunks(CHILDREN_MAX) {
                let Some(((last, rightmost), children)) = group.split_last() else { continue };
                let cells: Vec<Cell> = children
                    .iter()
                    .map(|(row, child)| {
                        let mut bytes = child.to_be_bytes().to_vec();
                        varint(row.cast_unsigned(), &mut bytes);
                        Cell { row: *row, bytes }
                    })
                    .collect();
                above.push((*last, self.add(page(0x05, Some(*rightmost), &cells, 0))?));
            }
            level = above;
        }
        level.first().map(|(_, root)| *root).ok_or(Problem::TooLarge)
    }

    /// A row as a cell; what is too long for a page goes into pages of its own.
    fn leaf_cell(&mut self, row: i64, values: &[Value]) -> Result<Cell, Problem> {
        let payload = record(values);
        let mut bytes = Vec::new();
        varint(payload.len() as u64, &mut bytes);
        varint(row.cast_unsigned(), &mut bytes);
        if payload.len() <= LOCAL_MAX {
            bytes.extend_from_slice(&payload);
            return Ok(Cell { row, bytes });
        }
        let spilled = LOCAL_MIN + (payload.len() - LOCAL_MIN) % (PAGE_BYTES - 4);
        let local = if spilled <= LOCAL_MAX { spilled } else { LOCAL_MIN };
        bytes.extend_from_slice(&payload[..local]);
        let mut next = 0_u32;
        // From the last to the first, since each names the one after it.
        for part in payload[local..].chunks(PAGE_BYTES - 4).rev() {
            let mut overflow = next.to_be_bytes().to_vec();
            overflow.extend_from_slice(part);
            overflow.resize(PAGE_BYTES, 0);
            next = self.add(overflow)?;
        }
        bytes.extend_from_slice(&next.to_be_bytes());
        Ok(Cell { row, bytes })
    }

    /// Fills page 1: the file's header, and the list of tables, which has to fit.
    fn list(&mut self, tables: &[(i64, Vec<Value>)]) -> Result<(), Problem> {
        let mut cells = Vec::with_capacity(tables.len());
        for (row, values) in tables {
            cells.push(self.leaf_cell(*row, values)?);
        }
        let room = PAGE_BYTES - FILE_HEADER - LEAF_HEADER;
        if cells.iter().map(|cell| cell.bytes.len() + 2).sum::<usize>() > room {
            return Err(Problem::TooLarge);
        }
        let mut first = page(0x0d, None, &cells, FILE_HEADER);
        let pages = u32::try_from(self.pages.len()).map_err(|_| Problem::TooLarge)?;
        first[..FILE_HEADER].copy_from_slice(&header(pages));
        self.pages[0] = first;
        Ok(())
    }
}

/// Children of one inner page. Fewer than would fit with the longest numbers (4 + 9 + 2 bytes each).
const CHILDREN_MAX: usize = (PAGE_BYTES - INNER_HEADER) / 15;

/// Cuts cells into groups that each fit a page with `room` bytes. At least one group, which may be empty.
fn grouped(cells: &[Cell], room: usize) -> Vec<&[Cell]> {
    let mut groups = Vec::new();
    let (mut begin, mut used) = (0, 0);
    for (place, cell) in cells.iter().enumerate() {
        let size = cell.bytes.len() + 2;
        if used + size > room {
            groups.push(&cells[begin..place]);
            (begin, used) = (place, 0);
        }
        used += size;
    }
    groups.push(&cells[begin..]);
    groups
}

/// A page of a tree: its header at `offset`, then where each cell begins, and the cells from the end backwards.
fn page(kind: u8, rightmost: Option<u32>, cells: &[Cell], offset: usize) -> Vec<u8> {
    let mut page = vec![0; PAGE_BYTES];
    let mut end = PAGE_BYTES;
    let pointers = offset + if rightmost.is_some() { INNER_HEADER } else { LEAF_HEADER };
    for (number, cell) in cells.iter().enumerate() {
        end -= cell.bytes.len();
        page[end..end + cell.bytes.len()].copy_from_slice(&cell.bytes);
        let at = pointers + 2 * number;
        page[at..at + 2].copy_from_slice(&short(end));
    }
    page[offset] = kind;
    page[offset + 3..offset + 5].copy_from_slice(&short(cells.len()));
    page[offset + 5..offset + 7].copy_from_slice(&short(end));
    if let Some(rightmost) = rightmost {
        page[offset + 8..offset + 12].copy_from_slice(&rightmost.to_be_bytes());
    }
    page
}

/// A place in a page; always below 65,536, since a page is smaller.
fn short(number: usize) -> [u8; 2] {
    u16::try_from(number).unwrap_or_default().to_be_bytes()
}

/// The first hundred bytes of a file (format, section 1.3).
fn header(pages: u32) -> [u8; FILE_HEADER] {
    let mut header = [0; FILE_HEADER];
    header[..16].copy_from_slice(b"SQLite format 3\0");
    header[16..18].copy_from_slice(&short(PAGE_BYTES));
    header[18..24].copy_from_slice(&[1, 1, 0, 64, 32, 32]); // rollback journal; the three fixed fractions
    let mut put = |at: usize, number: u32| header[at..at + 4].copy_from_slice(&number.to_be_bytes());
    put(24, 1); // changes
    put(28, pages);
    put(40, 1); // schema cookie
    put(44, 4); // schema format
    put(56, 1); // UTF-8
    put(92, 1); // the change count the page count is good for
    put(96, WRITER_VERSION);
    header
}

/// Values as one record: a header of their types, then their bytes (format, section 2.1).
fn record(values: &[Value]) -> Vec<u8> {
    let (mut types, mut body) = (Vec::new(), Vec::new());
    for value in values {
        match value {
            Value::Null => types.push(0),
            Value::Integer(number) => {
                types.push(6);
                body.extend_from_slice(&number.to_be_bytes());
            }
            Value::Real(number) => {
                types.push(7);
                body.extend_from_slice(&number.to_be_bytes());
            }
            Value::Text(text) => {
                varint(13 + 2 * text.len() as u64, &mut types);
                body.extend_from_slice(text.as_bytes());
            }
        }
    }
    // The header's length counts itself; it is longer than one byte when the types are.
    let mut size = types.len() + 1;
    while varint_len(size as u64) + types.len() > size {
        size += 1;
    }
    let mut record = Vec::with_capacity(size + body.len());
    varint(size as u64, &mut record);
    record.append(&mut types);
    record.append(&mut body);
    record
}

fn varint_len(number: u64) -> usize {
    let mut bytes = Vec::new();
    varint(number, &mut bytes);
    bytes.len()
}

/// A number in one to nine bytes, seven bits each, the ninth with eight (format, section 1.6).
fn varint(number: u64, out: &mut Vec<u8>) {
    if number >> 56 != 0 {
        for shift in (0..8).rev() {
            out.push(0x80 | low_bits(number >> (8 + 7 * shift)));
        }
        out.push(number.to_be_bytes()[7]);
        return;
    }
    let groups = (1..=8).find(|groups| number >> (7 * groups) == 0).unwrap_or(8);
    for group in (0..groups).rev() {
        let more = if group > 0 { 0x80 } else { 0 };
        out.push(more | low_bits(number >> (7 * group)));
    }
}

fn low_bits(number: u64) -> u8 {
    number.to_be_bytes()[7] & 0x7f
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Reads a number back, the way the format says.
    fn read_varint(bytes: &[u8]) -> (u64, usize) {
        let mut number = 0_u64;
        for (place, byte) in bytes.iter().take(8).enumerate() {
            number = number << 7 | u64::from(byte & 0x7f);
            if byte & 0x80 == 0 {
                return (number, place + 1);
            }
        }
        (number << 8 | u64::from(bytes[8]), 9)
    }

    proptest! {
        #[test]
        fn numbers_read_back(number in prop_oneof![any::<u64>(), 0..300_u64, Just(u64::MAX)]) {
            let mut bytes = Vec::new();
            varint(number, &mut bytes);
            prop_assert_eq!(read_varint(&bytes), (number, bytes.len()));
        }

        #[test]
        fn any_rows_make_whole_pages(texts in proptest::collection::vec("\\PC{0,9000}", 0..40)) {
            let rows = texts.iter().zip(1..).map(|(text, row)| (row, vec![Value::Text(text.clone())])).collect();
            let bytes = write(&[Table { name: "t", sql: "CREATE TABLE t (a TEXT)", rows }]).expect("fits");
            prop_assert_eq!(bytes.len() % PAGE_BYTES, 0);
            let pages = u32::from_be_bytes(bytes[28..32].try_into().expect("four"));
            prop_assert_eq!(pages as usize, bytes.len() / PAGE_BYTES);
        }
    }

    #[test]
    fn a_file_begins_as_sqlite_says() {
        let table = |rows| Table { name: "t", sql: "CREATE TABLE t (a)", rows };
        let bytes = write(&[table(vec![(1, vec![Value::Integer(7)])])]).expect("written");
        assert_eq!(&bytes[..16], b"SQLite format 3\0");
        assert_eq!(bytes.len(), 2 * PAGE_BYTES, "the list of tables and one leaf");
        assert_eq!(bytes[100], 0x0d, "page 1 is a leaf of the list of tables");
        let empty = write(&[table(Vec::new())]).expect("an empty table has an empty page");
        assert_eq!(empty.len(), 2 * PAGE_BYTES);
        let unordered = vec![(2, vec![Value::Null]), (1, vec![Value::Null])];
        assert_eq!(write(&[table(unordered)]), Err(Problem::Order));
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let table = |pages: usize| Table {
            name: "t",
            sql: "CREATE TABLE t (a)",
            rows: vec![(1, vec![Value::Text("x".repeat(pages * PAGE_BYTES))])],
        };
        assert!(write_within(&[table(5)], 8).is_ok());
        assert_eq!(write_within(&[table(9)], 8), Err(Problem::TooLarge));
    }
}
