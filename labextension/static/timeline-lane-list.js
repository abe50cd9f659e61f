// @ts-check
// The lanes that are on the page, of all that the timeline has: an output lists some, the kernel is asked for others.

/** @import { Lane } from "../types/timeline-view" */

/** As many lanes are asked for at once, and as many are on the page at most. */
export const PAGE = 200;
export const MOST_ON_PAGE = 20_000;

/** Returns the place of the first lane with this id or a larger one. @param {Lane[]} lanes ascending by id @param {number} id */
function placeFrom(lanes, id) {
  let [low, high] = [0, lanes.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (lanes[middle].id < id) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/** Returns a lane on the page by its id. @param {Lane[]} lanes ascending by id @param {number} id @returns {Lane | undefined} */
export function laneOf(lanes, id) {
  const lane = lanes[id]?.id === id ? lanes[id] : lanes[placeFrom(lanes, id)];
  return lane?.id === id ? lane : undefined;
}

/** Adds lanes in their places; returns those that were not there. @param {Lane[]} lanes ascending by id @param {Lane[]} more */
export function addLanes(lanes, more) {
  const fresh = [...new Map(more.map((lane) => [lane.id, lane])).values()].filter(({ id }) => !laneOf(lanes, id));
  lanes.push(...fresh);
  lanes.sort((a, b) => a.id - b.id);
  return fresh;
}
