//! Numbers of threads and streams in order of first appearance.

use foldhash::HashMap;
use std::hash::Hash;

/// Numbers of tracks, which are threads or streams as recorded. Events of one track mostly follow each other, or those of two
/// tracks alternate, so that the last two tracks are compared before the table is asked.
#[derive(Debug)]
pub struct TrackNumbers<T> {
    numbers: HashMap<T, u32>,
    tracks: Vec<T>,
    last: [Option<(T, u32)>; 2],
}

impl<T> Default for TrackNumbers<T> {
    fn default() -> Self {
        Self { numbers: HashMap::default(), tracks: Vec::new(), last: [None, None] }
    }
}

impl<T: Copy + Eq + Hash> TrackNumbers<T> {
    /// Returns the number of a track; a new one gets the next number.
    #[inline]
    pub fn number(&mut self, track: T) -> u32 {
        match self.last {
            [Some((last, number)), _] | [_, Some((last, number))] if last == track => number,
            _ => self.find(track),
        }
    }

    fn find(&mut self, track: T) -> u32 {
        let next = self.tracks.len() as u32;
        let number = *self.numbers.entry(track).or_insert(next);
        if number == next {
            self.tracks.push(track);
        }
        self.last = [Some((track, number)), self.last[0]];
        number
    }

    /// Returns the number of a track that has one.
    pub fn known(&self, track: T) -> Option<u32> {
        self.numbers.get(&track).copied()
    }

    /// Returns the tracks by number.
    pub fn tracks(&self) -> &[T] {
        &self.tracks
    }

    /// Returns the tracks by number, without a copy.
    pub fn into_tracks(self) -> Vec<T> {
        self.tracks
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tracks_are_numbered_in_order_of_appearance() {
        let mut numbers = TrackNumbers::default();
        let found: Vec<u32> = [7, 7, 3, 7, 3, 3, 9].into_iter().map(|track| numbers.number(track)).collect();
        assert_eq!(found, [0, 0, 1, 0, 1, 1, 2]);
        assert_eq!((numbers.known(9), numbers.known(8)), (Some(2), None));
        assert_eq!(numbers.tracks(), [7, 3, 9]);
        assert_eq!(numbers.into_tracks(), [7, 3, 9]);
    }
}
