//! Borrowed calls below launches: each call once below each launch whose kernels borrow it.

/// Borrowed calls below launches: for each call the node of a tree, the box of a flame graph or the row that shows it there.
#[derive(Debug)]
pub struct BelowLaunch<T> {
    /// Number of the launch, from 1.
    launch: u32,
    /// By call the last launch that borrowed it, and its node, box or row there.
    found: Vec<(u32, T)>,
    /// Calls that the launch has not borrowed before, the innermost first.
    path: Vec<u32>,
}

impl<T: Copy> BelowLaunch<T> {
    /// Begins without a launch; calls that no launch has borrowed have `none`.
    pub fn new(calls: usize, none: T) -> Self {
        Self { launch: 0, found: vec![(0, none); calls], path: Vec::new() }
    }

    /// Begins the next launch.
    pub fn begin(&mut self) {
        self.launch += 1;
    }

    /// Returns the node, box or row of the innermost of the calls above a kernel, which come the innermost first; `launch` without calls.
    /// Calls that the launch borrows for the first time are added, the outermost first: `add` takes a call and the node, box or row around
    /// it, and returns that of the call.
    pub fn innermost(
        &mut self,
        above: impl IntoIterator<Item = u32>,
        launch: T,
        mut add: impl FnMut(u32, T) -> T,
    ) -> T {
        let mut at = launch;
        for call in above {
            let (borrowed_by, known) = self.found[call as usize];
            if borrowed_by == self.launch {
                at = known;
                break;
            }
            self.path.push(call);
        }
        while let Some(call) = self.path.pop() {
            at = add(call, at);
            self.found[call as usize] = (self.launch, at);
        }
        at
    }

    /// Returns the node, box or row of a call below the last launch that borrowed it.
    pub fn last(&self, call: u32) -> T {
        self.found[call as usize].1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_added_once_below_each_launch() {
        let mut added: Vec<(u32, char)> = Vec::new();
        let mut below = BelowLaunch::new(4, ' ');
        let mut of_launch = |launch: char, kernels: &[&[u32]]| {
            below.begin();
            let mut name = |call: u32, around: char| {
                added.push((call, around));
                char::from(b'0' + call as u8)
            };
            let found = kernels.iter().map(|above| below.innermost(above.iter().copied(), launch, &mut name));
            found.collect::<String>()
        };
        // Call 0 is around 1, which is around 2; 3 is beside them.
        assert_eq!(of_launch('a', &[&[2, 1, 0], &[1, 0], &[3], &[]]), "213a");
        assert_eq!(of_launch('b', &[&[1, 0], &[2, 1, 0]]), "12");
        assert_eq!(added, [(0, 'a'), (1, '0'), (2, '1'), (3, 'a'), (0, 'b'), (1, '0'), (2, '1')]);
        assert_eq!((below.last(2), below.last(3)), ('2', '3'));
    }
}
