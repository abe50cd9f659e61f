// @ts-check
// The selection in words: the slice with all its arguments, or the sums of the selected span.

import { copy } from "./copy.js";
import { button, element } from "./element.js";
import { changeMeaning } from "./timeline-colour.js";
import { writeCount, writeExact, writeShort } from "./timeline-scale.js";
import { absolute } from "./timeline-wire.js";

/**
 * @import { Arrow, Details, Lane, Place, Selection, Summary, Timeline } from "../types/timeline-view"
 * @import { Chosen } from "./timeline-cursor.js"
 * @import { TimelineView } from "./timeline-view.js"
 */

/** What the panel calls the other end of an arrow: that before it and that behind it. @type {Record<string, [string, string]>} */
const LINKS = { call: ["called by", "calls"], launch: ["launched by", "launches"], forward: ["forward", "backward"] };

/** As many rows of a sum are shown. */
const MOST_ROWS = 50;

/** Writes a count with its noun. @param {number} count @param {string} one */
export const countText = (count, one) => `${writeCount(count)} ${one}${count === 1 ? "" : "s"}`;

/** Writes a duration in a fitting unit and, unless that is the same, in nanoseconds. @param {number} ns */
export const bothUnits = (ns) => (Math.abs(ns) < 1000 ? writeExact(ns) : `${writeExact(ns)} (${writeCount(Math.round(ns))} ns)`);

/** Returns what is known of a slice without the kernel. @param {Chosen} place @param {Lane} lane @param {Timeline} timeline @returns {[string, string][]} */
export function factsOf(place, lane, timeline) {
  if (timeline.facts) {
    return timeline.facts(place);
  }
  const title = lane.group ? `${lane.group} · ${lane.label}` : lane.label;
  /** @type {[string, string][]} */
  const facts = [
    ["lane", lane.levels > 1 ? `${title}, level ${place.row + 1} of ${lane.levels}` : title],
    ["start", bothUnits(place.start)],
    ["duration", bothUnits(place.end - place.start)],
  ];
  if (place.value !== undefined) {
    facts.splice(0, 1, ["value", `${writeCount(place.value)}${lane.unit ? ` ${lane.unit}` : ""}`]);
  }
  if (place.count > 1) {
    facts.push(["here", place.value === undefined ? `the longest of ${countText(place.count, "event")}; zoom in to see all` : `the largest of ${countText(place.count, "sample")}`]);
  }
  if (place.change) {
    facts.push(["change", changeMeaning(place.change, timeline.sides)]);
  }
  return facts;
}

/** Returns what screen readers say of a slice. @param {Chosen} place @param {Lane} lane @param {Timeline} timeline */
export function spokenPlace(place, lane, timeline) {
  const facts = factsOf({ ...place }, lane, timeline).map(([name, value]) => (name === "lane" ? value : `${name} ${value.replace(/ \(.* ns\)$/, "")}`));
  return [place.name, ...facts].join(", ");
}

export class Panel {
  /** @param {TimelineView} view */
  constructor(view) {
    this.view = view;
    this.node = view.parts.panel;
  }

  clear() {
    this.node.hidden = true;
    this.node.replaceChildren();
  }

  /** @param {string} title @param {...(Node | string)} children */
  fill(title, ...children) {
    const close = button("×", () => this.close(), { className: "tl-close", title: "Close", aria: { label: "Close" } });
    this.node.setAttribute("role", "region");
    this.node.setAttribute("aria-label", title);
    this.node.replaceChildren(close, ...children);
    this.node.hidden = false;
  }

  close() {
    this.view.cursor.select(null);
    this.view.cursor.choose(null);
    this.view.parts.stage.focus({ preventScroll: true });
  }

  /**
   * Shows a slice.
   *
   * @param {Chosen} place
   * @param {Lane} lane
   * @param {Details | null} details
   * @param {Arrow[]} arrows
   */
  slice(place, lane, details, arrows) {
    const { view } = this;
    const ts = details?.ts ?? (view.timeline.facts ? "" : absolute(view.timeline.sides[lane.side]?.base ?? "", place.start));
    const facts = [...factsOf(place, lane, view.timeline)];
    if (ts) {
      facts.splice(2, 0, ["timestamp", `${ts} ns`]);
    }
    const rows = (/** @type {[string, string][]} */ pairs) => pairs.flatMap(([name, value]) => [element("dt", { text: name }), element("dd", { text: value })]);
    const same = (/** @type {Place} */ end) => end.lane === place.lane && end.event === place.event;
    const links = arrows.map((arrow) => {
      // An operator has the arrows of the launches inside it, too.
      const other = same(arrow.to) ? arrow.from : arrow.to;
      const kind = LINKS[arrow.kind]?.[other === arrow.to ? 1 : 0] ?? arrow.kind;
      const gap = other.start - place.start;
      return element("div", {}, element("span", { className: "tl-faint", text: `${kind} ` }), button(other.name, () => view.cursor.go(other), { className: "tl-link" }), element("span", { className: "tl-faint", text: ` ${writeShort(Math.abs(gap))} ${gap < 0 ? "earlier" : "later"}` }));
    });
    const name = details?.name ?? place.name;
    const parts = [element("div", { className: "tl-columns" }, element("dl", {}, ...rows(facts)), ...(details?.args.length ? [element("dl", { className: "tl-args" }, ...rows(details.args))] : []))];
    if (links.length) {
      parts.push(element("div", { className: "tl-links" }, ...links));
    }
    this.fill(`Slice ${name}`, element("div", { className: "tl-panel-name", text: name }), ...parts);
  }

  /** Shows the sums of a span. @param {Selection} selection @param {Summary} sum @param {boolean} live */
  summary({ from, to, lanes }, { rows, count, total, more, partial, filter }, live) {
    const self = rows.some((row) => row.self !== undefined);
    const head = ["name", "count", "total", ...(self ? ["self"] : []), "share"];
    const cells = (/** @type {Summary["rows"][number]} */ row) => [
      writeCount(row.count),
      writeShort(row.total),
      ...(self ? [writeShort(row.self ?? 0)] : []),
      `${((100 * row.total) / Math.max(to - from, 1)).toFixed(1)} %`,
    ];
    const table = element(
      "table",
      {},
      element("thead", {}, element("tr", {}, ...head.map((text) => element("th", { text, scope: "col" })))),
      element("tbody", {}, ...rows.slice(0, MOST_ROWS).map((row) => element("tr", {}, element("th", { text: row.name, scope: "row", title: row.name }), ...cells(row).map((text) => element("td", { text }))))),
    );
    const left = rows.length - Math.min(rows.length, MOST_ROWS) + more;
    const notes = [
      left ? `${countText(left, "more name")}` : "",
      partial ? "shorter events are missing: they are not in the output, and no kernel is connected" : "",
    ].filter(Boolean);
    /** @type {Node[]} */
    const use = [];
    if (live && filter) {
      const status = element("span", { className: "tl-faint", aria: { role: "status" } });
      const word = "--where sel";
      use.push(
        element("div", { className: "tl-use" }, "as a filter in the next cell: ", element("code", { text: word }), " ", button("copy", async () => {
          status.textContent = (await copy(word)) ? "copied" : "cannot copy";
        }, { aria: { label: `Copy ${word}` } }), status, element("div", { className: "tl-faint", text: filter })),
      );
    }
    const { timeline } = this.view;
    const many = live && lanes.length === timeline.lanes.length ? timeline.laneCount : lanes.length;
    this.fill(
      "Selection",
      element("div", { className: "tl-panel-name", text: `${bothUnits(to - from)} · ${countText(many, "lane")} · ${countText(count, "event")} · ${writeShort(total)}` }),
      ...use,
      element("div", { className: "tl-table", tabIndex: 0, aria: { role: "region", label: "Sums by name" } }, table),
      ...notes.map((text) => element("div", { className: "tl-faint", text })),
    );
  }
}
