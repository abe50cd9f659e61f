// @ts-check
// The lanes on the page, of more that the timeline has.

import { addLanes, laneOf } from "/static/timeline-lane-list.js";

import { equal } from "./assert.js";

/** @import { Lane } from "../../../labextension/types/timeline-view" */

/** @param {number} id @returns {Lane} */
const lane = (id) => ({ id, side: 0, kind: "thread", label: `thread ${id}`, rank: 0, levels: 1, events: 1, group: "" });

export function lane_is_found_by_its_id_wherever_it_is() {
  const lanes = [0, 1, 7, 900].map(lane);
  equal([0, 1, 7, 900].map((id) => laneOf(lanes, id)?.id), [0, 1, 7, 900]);
  equal([-1, 2, 3, 8, 901].map((id) => laneOf(lanes, id)?.id ?? "none"), Array(5).fill("none"));
}

export function added_lanes_have_their_places_once() {
  const lanes = [0, 1, 900].map(lane);
  equal(addLanes(lanes, [5, 1, 2, 5].map(lane)).map(({ id }) => id), [5, 2]);
  equal(lanes.map(({ id }) => id), [0, 1, 2, 5, 900]);
  equal(addLanes(lanes, []), []);
}
