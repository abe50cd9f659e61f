//! Event templates: the literal bytes between the values of events, learnt as events are parsed.
//!
//! A profiler writes all events of one kind alike. In
//!
//! ```text
//! {"ph": "X", "cat": "kernel", "name": "gemm", "ts": 5.25, "dur": 2, "args": {"stream": 7}}
//! ```
//!
//! everything but `"gemm"`, `5.25`, `2` and `7` is the same in the next kernel. The templates are a tree: a node is a
//! position between two values, an edge is the literal bytes from there to the next value, together with their meaning. An
//! edge is compared as a whole; only bytes that match no edge of their node are scanned one by one, which adds an edge. The
//! result never depends on the templates, only the speed does.

use super::scan::{Scanner, Stop};
use super::text::decode;
use crate::read::AnomalyCounts;

/// Members of an event that a value can belong to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Member {
    Name,
    Cat,
    Ts,
    Dur,
    Pid,
    Tid,
    /// `args` whose value is not an object.
    Args,
    /// An argument with a slot.
    Arg(u16),
    /// Any other member.
    Other,
    /// No value follows.
    #[default]
    None,
    /// The event ends.
    End,
}

/// Meaning of an edge: the bytes from a value, or the opening brace, to the next value. Offsets are relative to the start of
/// the edge; zero means absent.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Transition {
    pub(super) member: Member,
    /// Whether the edge begins or ends `args`, or has a `cat` or a `ph`.
    pub(super) has_extent: bool,
    /// The brace that opens `args`.
    pub(super) args_start: u32,
    /// After the brace that closes `args`.
    pub(super) args_end: u32,
    /// The text of `cat`, without its quotes.
    pub(super) cat: (u32, u32),
    /// The letter of `ph`; `Some(None)` if it is something else.
    pub(super) phase: Option<Option<u8>>,
    /// The node after the value.
    pub(super) next: NodeId,
    /// For the first edge of an event: the node at which the next event starts.
    pub(super) start: NodeId,
}

/// Index of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct NodeId(u32);

impl NodeId {
    /// Returns the number of the node.
    #[inline]
    pub(super) fn number(self) -> usize {
        self.0 as usize
    }
}

/// The root: the opening brace of an event. Each kind of event has a root of its own for the event that follows, since what
/// follows depends on the kind.
const ROOT: NodeId = NodeId(0);
/// Any position in an event without a node of its own.
const OUTSIDE_ARGS: NodeId = NodeId(1);
/// Any position in the arguments without a node of its own.
const INSIDE_ARGS: NodeId = NodeId(2);

/// Tree of event templates.
#[derive(Debug)]
pub(super) struct Templates {
    /// The node at which the next event starts.
    pub(super) start: NodeId,
    nodes: Vec<Node>,
    /// The literal bytes of all edges.
    bytes: Vec<u8>,
    /// The last transition that has no edge.
    unstored: Transition,
    /// The number of arguments with a slot when the edges were learnt.
    args_known: usize,
}

/// Position between two values, and the edges that leave it.
#[derive(Debug)]
struct Node {
    /// It is at the opening brace of an event.
    is_root: bool,
    in_args: bool,
    /// The edge taken last, which is compared first.
    likely: Edge,
    other_edges: Vec<Edge>,
    /// Offset of eight bytes that distinguish the edges, or nearly.
    discriminator: usize,
}

/// Literal bytes, and their meaning.
#[derive(Debug, Clone, Copy)]
struct Edge {
    /// The first sixteen bytes as a number, and the mask of those that belong to the edge.
    head: u128,
    mask: u128,
    /// The last sixteen bytes, if there are as many.
    tail: [u8; 16],
    start: u32,
    len: u32,
    transition: Transition,
    /// The eight bytes at the discriminator as a number, and the mask of those that belong to the edge.
    discriminator: (u64, u64),
    hits: u32,
}

impl Edge {
    /// An edge that never matches.
    const NONE: Self = Self {
        head: 0,
        mask: u128::MAX,
        tail: [0; 16],
        start: 0,
        len: u32::MAX,
        transition: Transition {
            member: Member::None,
            has_extent: false,
            args_start: 0,
            args_end: 0,
            cat: (0, 0),
            phase: None,
            next: OUTSIDE_ARGS,
            start: ROOT,
        },
        discriminator: (0, 0),
        hits: 0,
    };

    #[inline]
    fn bytes<'b>(&self, all: &'b [u8]) -> &'b [u8] {
        &all[self.start as usize..(self.start + self.len) as usize]
    }

    /// Whether `text`, whose first sixteen bytes are `first`, starts with this edge.
    #[inline(always)]
    fn matches(&self, text: &[u8], first: u128, all: &[u8]) -> bool {
        if (first ^ self.head) & self.mask != 0 {
            return false;
        }
        let len = self.len as usize;
        len <= 16
            || text.get(len - 16..len) == Some(&self.tail)
                && (len <= 32 || blocks(&text[16..len]).eq(blocks(&self.bytes(all)[16..len])))
    }
}

/// Returns each sixteen bytes, which are compared in place; fewer bytes at the end are left to the tail of an edge.
#[inline(always)]
fn blocks(text: &[u8]) -> impl Iterator<Item = &[u8; 16]> {
    text.as_chunks().0.iter()
}

/// Bounds on nodes, and on edges per node: a trace whose events are all different is parsed without templates.
const MAX_NODES: usize = 4096;
const MAX_EDGES: usize = 24;
/// Longer literals get no edge.
const MAX_EDGE_LEN: usize = 512;
/// A `ph` or `cat` up to this length is part of an edge.
const MAX_KIND_LEN: usize = 32;

impl Node {
    #[inline]
    fn new(is_root: bool, in_args: bool) -> Self {
        Self { is_root, in_args, likely: Edge::NONE, other_edges: Vec::new(), discriminator: 0 }
    }
}

impl Default for Templates {
    #[inline]
    fn default() -> Self {
        let nodes =
            [(true, false), (false, false), (false, true)].map(|(is_root, in_args)| Node::new(is_root, in_args));
        Self { start: ROOT, nodes: nodes.into(), bytes: Vec::new(), unstored: Transition::default(), args_known: 0 }
    }
}

impl Templates {
    /// Clears the templates if the number of known arguments has changed: arguments may have other slots now.
    #[inline]
    pub(super) fn valid_for(&mut self, args_known: usize) {
        if self.args_known != args_known {
            *self = Self { args_known, ..Self::default() };
        }
    }

    /// Moves the scanner to the next value; `slot` returns the slot of an argument.
    #[inline(always)]
    pub(super) fn advance(
        &mut self,
        node: NodeId,
        scanner: &mut Scanner<'_>,
        slot: &mut impl FnMut(&[u8]) -> Option<u16>,
    ) -> Result<&Transition, Stop> {
        let rest = scanner.rest();
        let node = node.0 as usize;
        if let Some(first) = rest.first_chunk() {
            let first = u128::from_le_bytes(*first);
            if self.nodes[node].likely.matches(rest, first, &self.bytes) || self.find_other(node, rest, first) {
                let edge = &mut self.nodes[node].likely;
                edge.hits = edge.hits.wrapping_add(1);
                scanner.skip(edge.len as usize);
                return Ok(&edge.transition);
            }
        }
        self.scan(node, scanner, slot)
    }

    /// Looks for a match among the other edges of a node, and makes it the likely edge.
    #[inline(never)]
    fn find_other(&mut self, node: usize, rest: &[u8], first: u128) -> bool {
        let Node { is_root, likely, other_edges, discriminator, .. } = &mut self.nodes[node];
        let word = rest.get(*discriminator..).and_then(|rest| rest.first_chunk()).map(|word| u64::from_le_bytes(*word));
        let matches = |edge: &Edge| {
            word.is_some_and(|word| word & edge.discriminator.1 == edge.discriminator.0)
                && edge.matches(rest, first, &self.bytes)
        };
        if let Some(at) = other_edges.iter().position(matches) {
            std::mem::swap(likely, &mut other_edges[at]);
            // Frequent edges move to the front.
            if at > 0 && other_edges[at].hits > other_edges[at - 1].hits {
                other_edges.swap(at, at - 1);
            }
            return true;
        }
        let may_copy = *is_root && node != 0 && other_edges.len() < MAX_EDGES;
        if !may_copy {
            return false;
        }
        // All first edges are known at the root; here they are copied as they occur.
        let root = &self.nodes[0];
        let Some(known) =
            [&root.likely].into_iter().chain(&root.other_edges).find(|edge| edge.matches(rest, first, &self.bytes))
        else {
            return false;
        };
        let known = Edge { hits: 0, ..*known };
        self.add(node, known);
        true
    }

    /// Moves the scanner to the next value byte by byte, and learns the edge.
    #[cold]
    fn scan(
        &mut self,
        node: usize,
        scanner: &mut Scanner<'_>,
        slot: &mut impl FnMut(&[u8]) -> Option<u16>,
    ) -> Result<&Transition, Stop> {
        let start = scanner.position();
        let here = |scanner: &Scanner<'_>| (scanner.position() - start) as u32;
        let mut in_args = self.nodes[node].in_args;
        let mut after_value = !self.nodes[node].is_root;
        if !after_value {
            scanner.skip(1);
        }
        let mut transition = Transition::default();
        loop {
            let Some(key) = scanner.key(after_value)? else {
                if !in_args {
                    transition.member = Member::End;
                    break;
                }
                in_args = false;
                transition.args_end = here(scanner);
                after_value = true;
                continue;
            };
            let is_object = scanner.peek()? == b'{';
            if in_args {
                transition.member = slot(&key).map_or(Member::Other, Member::Arg);
                break;
            }
            transition.member = match &*key {
                b"args" if is_object => {
                    if transition.args_end != 0 {
                        // A second `args` before any value gets a transition of its own.
                        scanner.back_to(start + transition.args_end as usize);
                        if transition.cat.0 > transition.args_end {
                            transition.cat = (0, 0);
                        }
                        break;
                    }
                    transition.args_start = here(scanner);
                    scanner.skip(1);
                    (in_args, after_value) = (true, false);
                    continue;
                }
                b"args" => Member::Args,
                b"name" => Member::Name,
                b"ts" => Member::Ts,
                b"dur" => Member::Dur,
                b"pid" => Member::Pid,
                b"tid" => Member::Tid,
                b"ph" | b"cat" => {
                    let from = scanner.position();
                    let kind = if scanner.peek()? == b'"' { scanner.text_or_escaped()? } else { (&[][..], true) };
                    if *key == *b"ph" {
                        transition.phase = Some(letter(kind.0));
                    }
                    if matches!(kind, (text, false) if text.len() <= MAX_KIND_LEN) {
                        if *key == *b"cat" {
                            let open = (from - start) as u32;
                            transition.cat = (open + 1, here(scanner) - 1);
                        }
                        after_value = true;
                        continue;
                    }
                    scanner.back_to(from);
                    if *key == *b"cat" { Member::Cat } else { Member::Other }
                }
                _ => Member::Other,
            };
            break;
        }
        Ok(self.learn(node, scanner.since(start), transition, in_args))
    }

    /// Stores the transition as an edge with a node at its end, if it is worth one.
    #[inline]
    fn learn(&mut self, node: usize, bytes: &[u8], transition: Transition, in_args: bool) -> &Transition {
        let has_extent = transition.args_start != 0
            || transition.args_end != 0
            || transition.cat.0 != 0
            || transition.phase.is_some();
        // The same bytes may precede `args` that are an object, or not occur again.
        let is_ambiguous = matches!(transition.member, Member::Args | Member::None);
        let is_root = self.nodes[node].is_root;
        // First edges are learnt at the root and copied from there.
        let node = if is_root { 0 } else { node };
        let full = self.nodes.len() >= MAX_NODES || self.nodes[node].other_edges.len() >= MAX_EDGES;
        if is_ambiguous || full || bytes.len() > MAX_EDGE_LEN {
            let next = if in_args { INSIDE_ARGS } else { OUTSIDE_ARGS };
            self.unstored = Transition { has_extent, next, start: ROOT, ..transition };
            return &self.unstored;
        }
        let mut transition =
            Transition { has_extent, next: NodeId(self.nodes.len() as u32), start: ROOT, ..transition };
        self.nodes.push(Node::new(false, in_args));
        if is_root {
            transition.start = NodeId(self.nodes.len() as u32);
            self.nodes.push(Node::new(true, false));
        }
        let of = |at: usize, byte: u8| if at < bytes.len() { byte } else { 0 };
        let edge = Edge {
            head: u128::from_le_bytes(std::array::from_fn(|at| of(at, bytes[at.min(bytes.len() - 1)]))),
            mask: u128::from_le_bytes(std::array::from_fn(|at| of(at, u8::MAX))),
            tail: bytes.last_chunk().copied().unwrap_or_default(),
            start: self.bytes.len() as u32,
            len: bytes.len() as u32,
            transition,
            discriminator: (0, 0),
            hits: 0,
        };
        self.bytes.extend_from_slice(bytes);
        self.add(node, edge);
        &self.nodes[node].likely.transition
    }

    /// Adds an edge to a node, as its likely edge.
    #[inline]
    fn add(&mut self, node: usize, edge: Edge) {
        let node = &mut self.nodes[node];
        let previous = std::mem::replace(&mut node.likely, edge);
        if previous.len != u32::MAX {
            node.other_edges.push(previous);
            node.choose_discriminator(&self.bytes);
        }
    }
}

/// Returns a text that is one visible character.
fn letter(text: &[u8]) -> Option<u8> {
    match decode(text, &mut AnomalyCounts::default()).as_bytes() {
        &[letter] if letter.is_ascii_graphic() => Some(letter),
        _ => None,
    }
}

impl Node {
    /// Chooses the offset at which the edges differ first, and stores the eight bytes of each edge there.
    #[inline]
    fn choose_discriminator(&mut self, all: &[u8]) {
        let Self { likely, other_edges, discriminator, .. } = self;
        let bytes = likely.bytes(all);
        let common = |other: &Edge| other.bytes(all).iter().zip(bytes).take_while(|(one, other)| one == other).count();
        let shortest = other_edges.iter().map(|other| other.len).min().unwrap_or(0).min(likely.len) as usize;
        *discriminator = other_edges.iter().map(common).min().unwrap_or(0).min(shortest.saturating_sub(8));
        for edge in other_edges.iter_mut().chain([likely]) {
            let own = &edge.bytes(all)[*discriminator..];
            let word = |byte: &dyn Fn(usize) -> u8| u64::from_le_bytes(std::array::from_fn(byte));
            let mask = word(&|at| if at < own.len() { u8::MAX } else { 0 });
            edge.discriminator = (word(&|at| own.get(at).copied().unwrap_or(0)), mask);
        }
    }
}
