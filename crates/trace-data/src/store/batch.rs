//! The frame around the columns of an Arrow file with one record batch: the messages before them, and the footer.
//!
//! polars' writer copies a whole batch before it writes it. Here columns are written from where they are.

use super::header::Metadata;
use polars_arrow::datatypes::ArrowSchema;
use polars_arrow::io::ipc::format::ipc::planus::Builder;
use polars_arrow::io::ipc::format::ipc::{
    Block, Buffer, FieldNode, Footer, Message, MessageHeader, MetadataVersion, RecordBatch,
};
use polars_arrow::io::ipc::write::schema::serialize_schema;
use polars_arrow::io::ipc::write::schema_to_bytes;
use polars_arrow::io::ipc::{ARROW_MAGIC_V2, ARROW_MAGIC_V2_PADDED, IpcField};

/// Columns, and all parts of them, begin at multiples of so many bytes.
pub(super) const ALIGNMENT: usize = 64;

/// What comes before the length of a message.
const CONTINUATION: [u8; 4] = [0xff; 4];

/// A column of the batch: its missing values, and the sizes of its bitmap (0 if no value is missing) and of its values, in bytes.
pub(super) struct Node {
    pub(super) nulls: usize,
    pub(super) validity: usize,
    pub(super) values: usize,
}

/// A record batch before its columns are written.
pub(super) struct Head {
    /// The bytes of the file up to the first column.
    pub(super) bytes: Vec<u8>,
    block: Block,
}

/// Returns a size with what is added to it so that the next part is aligned.
pub(super) fn aligned(bytes: usize) -> usize {
    bytes.next_multiple_of(ALIGNMENT)
}

impl Head {
    /// Creates the batch of these columns, which are written behind it in order: the bitmap of each, then its values, both aligned.
    pub(super) fn new(schema: &ArrowSchema, rows: usize, nodes: &[Node]) -> Self {
        let mut bytes = ARROW_MAGIC_V2_PADDED.to_vec();
        add_message(&mut bytes, &schema_to_bytes(schema, &fields(schema), None), 8);
        let mut at = 0;
        let mut buffer = |length: usize| {
            let buffer = Buffer { offset: at as i64, length: length as i64 };
            at += aligned(length);
            buffer
        };
        let buffers = nodes.iter().flat_map(|node| [buffer(node.validity), buffer(node.values)]).collect();
        let nodes = nodes.iter().map(|node| FieldNode { length: rows as i64, null_count: node.nulls as i64 }).collect();
        let batch = RecordBatch {
            length: rows as i64,
            nodes: Some(nodes),
            buffers: Some(buffers),
            compression: None,
            variadic_buffer_counts: None,
        };
        let message = Message {
            version: MetadataVersion::V5,
            header: Some(MessageHeader::RecordBatch(Box::new(batch))),
            body_length: at as i64,
            custom_metadata: None,
        };
        let start = bytes.len();
        add_message(&mut bytes, Builder::new().finish(&message, None), ALIGNMENT);
        let meta_data_length = i32::try_from(bytes.len() - start).unwrap_or(i32::MAX);
        let block = Block { offset: start as i64, meta_data_length, body_length: at as i64 };
        Self { bytes, block }
    }

    /// Returns the bytes that end the file.
    pub(super) fn end(self, schema: &ArrowSchema, metadata: &Metadata) -> Vec<u8> {
        let footer = Footer {
            version: MetadataVersion::V5,
            schema: Some(Box::new(serialize_schema(schema, &fields(schema), Some(metadata)))),
            dictionaries: Some(Vec::new()),
            record_batches: Some(vec![self.block]),
            custom_metadata: None,
        };
        let mut builder = Builder::new();
        let footer = builder.finish(&footer, None);
        // A message without a length ends the messages.
        let mut bytes = [CONTINUATION, [0; 4]].concat();
        bytes.extend_from_slice(footer);
        bytes.extend_from_slice(&(footer.len() as i32).to_le_bytes());
        bytes.extend_from_slice(&ARROW_MAGIC_V2);
        bytes
    }
}

fn fields(schema: &ArrowSchema) -> Vec<IpcField> {
    vec![IpcField::default(); schema.len()]
}

/// Adds a message so that what follows is at a multiple of `alignment`.
fn add_message(bytes: &mut Vec<u8>, message: &[u8], alignment: usize) {
    let end = (bytes.len() + 8 + message.len()).next_multiple_of(alignment);
    let length = end - bytes.len() - 8;
    bytes.extend_from_slice(&CONTINUATION);
    bytes.extend_from_slice(&(length as i32).to_le_bytes());
    bytes.extend_from_slice(message);
    bytes.resize(end, 0);
}
