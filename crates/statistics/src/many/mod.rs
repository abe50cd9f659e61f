//! Many quantities at once: false discoveries, descent through a tree, what unchanged quantities say of the recording.

pub(crate) mod benjamini_hochberg;
pub(crate) mod between;
pub(crate) mod controls;
pub(crate) mod descent;
pub(crate) mod max_t;
pub(crate) mod moderation;
