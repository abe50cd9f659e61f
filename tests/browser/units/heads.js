// @ts-check
// The order of clicks on a head.

import { nextOrder } from "/static/heads.js";

import { equal } from "./assert.js";

export function numbers_sort_down_then_up_then_not() {
  const column = { index: 2, right: true };
  const first = nextOrder({ index: -1, direction: 0 }, column);
  const second = nextOrder(first, column);
  equal([first, second, nextOrder(second, column)], [{ index: 2, direction: -1 }, { index: 2, direction: 1 }, { index: -1, direction: 0 }]);
}

export function texts_sort_up_first() {
  equal(nextOrder({ index: 2, direction: -1 }, { index: 0, right: false }), { index: 0, direction: 1 });
}
