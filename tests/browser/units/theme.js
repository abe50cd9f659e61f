// @ts-check
// Colours of the theme.

import { themed } from "/static/theme.js";

import { equal } from "./assert.js";

export function element_that_is_not_on_the_page_has_its_colours() {
  document.body.style.setProperty("--tb-probe", "red");
  const node = document.createElement("div");
  equal(themed(node, "--tb-probe", "none"), "red");
  equal(themed(node, "--tb-missing", "none"), "none");
  document.body.append(node);
  node.style.setProperty("--tb-probe", "blue");
  equal(themed(node, "--tb-probe", "none"), "blue");
  node.remove();
  document.body.style.removeProperty("--tb-probe");
}
