//! Slices of lanes in a window: of each level at most one slice per 2^k ns.

use super::{Lane, Name, Window};

/// Slices of several lanes, in columns.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Slices {
    /// Lane, level and number of rows, in the order of the rows.
    pub tracks: Vec<[u32; 3]>,
    /// Start of the longest event that starts in a window, in ns.
    pub start: Vec<i64>,
    /// Its duration, in ns.
    pub dur: Vec<i64>,
    /// Its name.
    pub name: Vec<Name>,
    /// Its number.
    pub event: Vec<u32>,
    /// How many events start in the window.
    pub count: Vec<u32>,
    /// The time of these events as a share of the window, in parts of 255; 255 is the whole window or more.
    pub busy: Vec<u8>,
}

impl Slices {
    /// Number of slices.
    pub fn len(&self) -> usize {
        self.start.len()
    }

    /// Tells whether there are no slices.
    pub fn is_empty(&self) -> bool {
        self.start.is_empty()
    }

    /// Adds what a window shows of a lane; stops once there are more than `most` slices.
    ///
    /// # Example
    /// ```
    /// use timeline::{Lane, Slices, Span, Window, side_by_side};
    ///
    /// let mut spans: Vec<Span> = (0..100).map(|n| Span { start: 10 * n as i64, dur: 5, name: 0, event: n }).collect();
    /// let levels = side_by_side(&mut spans);
    /// let lane = Lane::new(&spans, &levels);
    /// let mut slices = Slices::default();
    /// slices.add(7, &lane, &Window::new(0, 0, 1_000, 10), usize::MAX);
    /// assert_eq!((slices.tracks[0], slices.count[0]), ([7, 0, 16], 7));
    /// assert_eq!(slices.count.iter().sum::<u32>(), 100);
    /// assert_eq!(slices.busy[0], (255 * 7 * 5 / 64) as u8);
    /// ```
    pub fn add(&mut self, id: u32, lane: &Lane, window: &Window, most: usize) {
        for (level, number) in lane.levels().zip(0..) {
            let before = self.len();
            let mut position = level.first_until(window.start());
            // Windows have about as many events as the one before.
            let mut guess = 1;
            while position < level.len() && level.start(position) < window.end() {
                let start = level.start(position);
                let behind = if start < window.start() {
                    position + 1
                } else {
                    level.after(position, window.last_moment(start), guess)
                };
                let longest = if behind == position + 1 { position } else { level.longest(position, behind) };
                let span = level.span(longest);
                self.start.push(span.start);
                self.dur.push(span.dur);
                self.name.push(span.name);
                self.event.push(span.event);
                self.count.push((behind - position) as u32);
                self.busy.push(share(level.time(position, behind), window.size()));
                if self.len() > most {
                    break;
                }
                guess = behind - position;
                position = behind;
            }
            if self.len() > before {
                self.tracks.push([id, number, (self.len() - before) as u32]);
            }
            if self.len() > most {
                return;
            }
        }
    }
}

/// Returns what share of a window a time is, in parts of 255.
fn share(time: i64, window: i64) -> u8 {
    // No product of 128 bits where 64 are enough.
    let parts = match time.checked_mul(255) {
        Some(parts) => parts / window,
        None => (i128::from(time) * 255 / i128::from(window)).min(255) as i64,
    };
    parts.clamp(0, 255) as u8
}
