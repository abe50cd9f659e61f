// @ts-check
// Durations of cells.

import { formatDuration, secondsOf } from "/static/durations.js";

import { equal } from "./assert.js";

export function duration_has_the_unit_that_fits() {
  const seconds = [0, 0.0094, 0.0095, 0.2149, 9.994, 9.995, 59.94, 59.95, 187, 3599.4, 3599.6, 3720];
  const texts = ["0 ms", "9 ms", "0.01 s", "0.21 s", "9.99 s", "10.0 s", "59.9 s", "1 min 00 s", "3 min 07 s", "59 min 59 s"];
  equal(seconds.map(formatDuration), [...texts, "1 h 00 min", "1 h 02 min"]);
}

export function duration_is_read_from_the_metadata_of_any_program() {
  const ended = "2026-01-01T00:00:03.500Z";
  for (const key of ["shell.execute_reply.started", "iopub.execute_input", "iopub.status.busy"]) {
    equal(secondsOf({ [key]: "2026-01-01T00:00:01.000Z", "shell.execute_reply": ended }), 2.5);
  }
}

export function incomplete_or_reversed_metadata_has_no_duration() {
  const [early, late] = ["2026-01-01T00:00:01Z", "2026-01-01T00:00:02Z"];
  equal(secondsOf(undefined), undefined);
  equal(secondsOf({ "shell.execute_reply": late }), undefined);
  equal(secondsOf({ "shell.execute_reply.started": late, "shell.execute_reply": early }), undefined);
}
