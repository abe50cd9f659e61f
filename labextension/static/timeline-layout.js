// @ts-check
// Positions of lanes on the page: groups, lanes one below the other, their rows. Collapsed lanes keep all rows, in a few pixels.

/** @import { Lane, Layout, Placed } from "../types/timeline-view" */

/** The height of a row, and of the bar in it. */
export const PITCH = 18;
const BAR = 17;
const GROUP = 22;
const GAP = 5;
const COUNTER = 40;
const COLLAPSED = 16;

/** The key of a lane among collapsed ones. @param {Lane} lane */
export const laneKey = (lane) => `lane ${lane.id}`;

/** The key of what stands for lanes that are not on the page: the lane below, since those above arrive first. @param {{ from: number, count: number }} gap */
export const gapKey = ({ from, count }) => `more ${from + count}`;

/** The key of a lane's group: both sides may have one of the same title. @param {Pick<Lane, "group" | "side" | "ofBoth">} lane */
export const groupKey = ({ group, side, ofBoth }) => (ofBoth ? `group ${group}` : `group ${side} ${group}`);

/**
 * Places lanes below each other. A group has a title if there are several groups or the group has one.
 *
 * Where ids are missing, a line stands for the lanes that are not on the page.
 *
 * @param {Lane[]} lanes in their order; lanes of one group follow each other
 * @param {Set<string>} collapsed keys of collapsed lanes and groups
 * @param {number} [laneCount] the number of all lanes
 * @returns {Layout}
 */
export function layOut(lanes, collapsed, laneCount = lanes.length) {
  /** @type {Placed[]} */
  const placed = [];
  /** @type {Map<number, Placed>} */
  const byLane = new Map();
  let top = 0;
  /** @type {string | null} */
  let group = null;
  let next = 0;
  /** Places the line before a lane. @param {number} id @param {string | null} around */
  const leave = (id, around) => {
    const gap = { from: next, count: id - next };
    if (gap.count > 0 && !(around && collapsed.has(around))) {
      const label = `${gap.count.toLocaleString("en-US")} more lane${gap.count === 1 ? "" : "s"}`;
      placed.push({ key: gapKey(gap), kind: "more", label, lane: null, top, height: GROUP, pitch: 0, bar: 0, collapsed: false, gap });
      top += GROUP + GAP;
    }
    next = id + 1;
  };
  for (const lane of lanes) {
    leave(lane.id, group);
    const key = groupKey(lane);
    if (lane.group && key !== group) {
      const closed = collapsed.has(key);
      placed.push({ key, kind: "group", label: lane.group, lane: null, top, height: GROUP, pitch: 0, bar: 0, collapsed: closed });
      top += GROUP;
    }
    group = key;
    if (lane.group && collapsed.has(key)) {
      byLane.set(lane.id, placed[placed.length - 1]);
      continue;
    }
    const small = collapsed.has(laneKey(lane));
    const rows = Math.max(lane.levels, 1);
    const inner = lane.kind === "counter" ? (small ? COLLAPSED : COUNTER) : small ? COLLAPSED : rows * PITCH;
    const pitch = lane.kind === "counter" ? inner : small ? COLLAPSED / rows : PITCH;
    placed.push({
      key: laneKey(lane),
      kind: "lane",
      label: lane.label,
      lane,
      top: top + 2,
      height: inner,
      pitch,
      bar: small ? pitch : Math.min(BAR, pitch),
      collapsed: small,
    });
    byLane.set(lane.id, placed[placed.length - 1]);
    top += inner + GAP;
  }
  leave(laneCount, group);
  return { placed, byLane, height: top };
}

/** Returns the lane or title at a height, or null between lanes. @param {Layout} layout @param {number} y */
export function placedAt({ placed }, y) {
  let [low, high] = [0, placed.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (placed[middle].top + placed[middle].height <= y) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  const found = placed[low];
  return found && y >= found.top ? found : null;
}

/** Returns the row of a lane at a height. @param {Placed} placed @param {number} y */
export const rowAt = ({ lane, top, pitch }, y) =>
  Math.min(Math.max(Math.floor((y - top) / (pitch || 1)), 0), Math.max((lane?.levels ?? 1) - 1, 0));

/** Returns the lanes that are between two heights. @param {Layout} layout @param {number} top @param {number} bottom */
export const between = ({ placed }, top, bottom) =>
  placed.filter((part) => part.top < bottom && part.top + part.height > top);
