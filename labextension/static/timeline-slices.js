// @ts-check
// The slices of a lane: sorted by row and start, found by time, summed up by name.

/** @import { Hit, Lane, Names, Slices, Summary, Selection, Tile } from "../types/timeline-view" */

/**
 * The columns of a lane, of equal length, in any order. Without rows all are in the first; without counts each is one event; without times it takes the time from start to end.
 *
 * @typedef {{ start: ArrayLike<number>, end: ArrayLike<number>, row?: ArrayLike<number>, name?: ArrayLike<number>,
 *   count?: ArrayLike<number>, time?: ArrayLike<number>, id?: ArrayLike<number>, value?: ArrayLike<number>, change?: ArrayLike<number> }} Columns
 */

/** Sorts columns into slices. @param {Columns} columns @param {number} rows @returns {Slices} */
export function slicesOf(columns, rows) {
  const length = columns.start.length;
  const rowOf = (/** @type {number} */ at) => Math.max(Math.min(columns.row?.[at] || 0, rows - 1), 0);
  const order = new Uint32Array(length);
  let sorted = true;
  for (let at = 0; at < length; at += 1) {
    order[at] = at;
    sorted &&= at === 0 || rowOf(at - 1) < rowOf(at) || (rowOf(at - 1) === rowOf(at) && columns.start[at - 1] <= columns.start[at]);
  }
  if (!sorted) {
    order.sort((a, b) => rowOf(a) - rowOf(b) || columns.start[a] - columns.start[b] || a - b);
  }
  /** @type {Slices} */
  const made = {
    length,
    first: new Uint32Array(Math.max(rows, 1) + 1),
    start: new Float64Array(length),
    end: new Float64Array(length),
    name: new Uint32Array(length),
    count: new Uint32Array(length).fill(1),
    time: new Float64Array(length),
    id: new Float64Array(length).fill(-1),
    reach: new Float64Array(length),
  };
  if (columns.value) {
    made.value = new Float64Array(length);
  }
  if (columns.change) {
    made.change = new Uint8Array(length);
  }
  for (let to = 0; to < length; to += 1) {
    const at = order[to];
    made.start[to] = columns.start[at];
    made.end[to] = columns.end[at];
    made.name[to] = columns.name?.[at] ?? 0;
    made.count[to] = columns.count?.[at] ?? 1;
    made.time[to] = Math.max(columns.time?.[at] ?? 0, columns.end[at] - columns.start[at]);
    made.id[to] = columns.id?.[at] ?? -1;
    if (made.value) {
      made.value[to] = columns.value?.[at] ?? 0;
    }
    if (made.change) {
      made.change[to] = columns.change?.[at] ?? 0;
    }
    made.first[rowOf(at) + 1] += 1;
  }
  for (let row = 1; row < made.first.length; row += 1) {
    made.first[row] += made.first[row - 1];
    let reach = -Infinity;
    for (let at = made.first[row - 1]; at < made.first[row]; at += 1) {
      reach = Math.max(reach, made.end[at]);
      made.reach[at] = reach;
    }
  }
  return made;
}

/** Returns the range of a row's slices. @param {Slices} slices @param {number} row @returns {[number, number]} */
export const rowRange = ({ first, length }, row) =>
  row + 1 < first.length ? [first[row], first[row + 1]] : [length, length];

/** Returns the first slice of a range whose row is reached after a time (`reach` grows within a row). @param {Slices} slices @param {number} from @param {number} to @param {number} time */
export function firstAfter({ reach }, from, to, time) {
  let [low, high] = [from, to];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (reach[middle] <= time) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/**
 * Returns what share of its window of 2^level nanoseconds the events of each slice take, together with the other slices that start in
 * that window. Of a slice that is at least as long as a window it is 1.
 *
 * @param {Slices} slices
 * @param {number} level
 */
export function busyShares({ length, first, start, end, time }, level) {
  const shares = new Float32Array(length).fill(1);
  const window = 2 ** level;
  for (let row = 0; row + 1 < first.length; row += 1) {
    for (let from = first[row], to; from < first[row + 1]; from = to) {
      const last = Math.floor(start[from] / window) * window + window;
      let sum = 0;
      for (to = from; to < first[row + 1] && (to === from || start[to] < last); to += 1) {
        sum += time[to];
      }
      for (let at = from; at < to; at += 1) {
        shares[at] = end[at] - start[at] < window ? Math.min(sum / window, 1) : 1;
      }
    }
  }
  return shares;
}

/**
 * Returns the slice of a row at a time: one that contains it, the last to start; or else the nearest within `slack`. −1 is none.
 *
 * @param {Slices} slices
 * @param {number} row
 * @param {number} time
 * @param {number} slack
 */
export function sliceAt(slices, row, time, slack) {
  const [from, to] = rowRange(slices, row);
  let [nearest, away] = [-1, slack];
  for (let at = firstAfter(slices, from, to, time - slack); at < to && slices.start[at] <= time + slack; at += 1) {
    const distance = Math.max(slices.start[at] - time, time - slices.end[at], 0);
    if (distance <= away) {
      [nearest, away] = [at, distance];
    }
  }
  return nearest;
}

/** Returns the slice that stands for all events that start in the window of a time, or −1. @param {Slices} slices @param {number} row @param {number} time @param {number} window */
export function countedAt(slices, row, time, window) {
  const [from, to] = rowRange(slices, row);
  const begin = Math.floor(time / window) * window;
  const at = firstAfter(slices, from, to, begin);
  for (let index = at; index < to && slices.start[index] < begin + window; index += 1) {
    if (slices.start[index] >= begin && slices.count[index] > 1) {
      return index;
    }
  }
  return -1;
}

/** Returns the slice of a row with the same start and end, or −1. @param {Slices} slices @param {number} row @param {number} start @param {number} end */
export function sameSlice(slices, row, start, end) {
  const [from, to] = rowRange(slices, row);
  for (let at = firstAfter(slices, from, to, start - 1); at < to && slices.start[at] <= start; at += 1) {
    if (slices.start[at] === start && slices.end[at] === end) {
      return at;
    }
  }
  return -1;
}

/**
 * Sums up the slices that overlap a selection, by name. The sum is partial where slices stand for shorter events.
 *
 * @param {Tile} tile
 * @param {Selection} selection
 * @param {Names} names
 * @returns {Summary}
 */
export function sumUp(tile, { from, to, lanes }, names) {
  /** @type {Map<number, { count: number, total: number }>} */
  const sums = new Map();
  let [partial, count, total] = [false, 0, 0];
  for (const id of lanes) {
    const slices = tile.lanes.get(id);
    for (let at = 0; slices && !slices.value && at < slices.length; at += 1) {
      if (slices.end[at] > from && slices.start[at] < to) {
        const sum = sums.get(slices.name[at]) ?? { count: 0, total: 0 };
        const time = Math.min(slices.end[at], to) - Math.max(slices.start[at], from);
        sum.count += 1;
        sum.total += time;
        count += 1;
        total += time;
        sums.set(slices.name[at], sum);
        partial ||= slices.count[at] > 1;
      }
    }
  }
  const rows = [...sums].map(([name, sum]) => ({ name: names.text[name] ?? "", ...sum })).sort((a, b) => b.total - a.total);
  return { rows, count, total, more: 0, partial, filter: "" };
}

/**
 * Returns the slices whose names are marked, by start.
 *
 * @param {Tile} tile
 * @param {Uint8Array} marked one per name
 * @param {Lane[]} lanes
 * @returns {Hit[]}
 */
export function markedSlices(tile, marked, lanes) {
  /** @type {Hit[]} */
  const found = [];
  for (const lane of lanes) {
    const slices = tile.lanes.get(lane.id);
    for (let row = 0; slices && !slices.value && row < lane.levels; row += 1) {
      const [from, to] = rowRange(slices, row);
      for (let index = from; index < to; index += 1) {
        if (marked[slices.name[index]]) {
          found.push({ lane, row, slices, index });
        }
      }
    }
  }
  return found.sort((a, b) => a.slices.start[a.index] - b.slices.start[b.index]);
}
