//! Type inference over the text of a cell: context of the cursor, types of expressions, columns of frames.

mod bindings;
mod cursor_context;
mod expression_type;
mod frame_columns;
mod output_columns;

pub(crate) use cursor_context::{CursorContext, Token, chain, cursor_context, tokens};
pub(crate) use expression_type::Scope;
pub(crate) use frame_columns::{Columns, FrameInference, FrameShape, is_frame};
