// @ts-check
// A timeline on the page: what is in sight, and how it is drawn. What is chosen in it is in `timeline-cursor.js`.

import { onThemeChange } from "./theme.js";
import { Colours, themeOf } from "./timeline-colour.js";
import { Cursor } from "./timeline-cursor.js";
import { drawLabels, frame } from "./timeline-frame.js";
import { glBackend, isGlKnown } from "./timeline-gl.js";
import { listenToKeys } from "./timeline-keys.js";
import { MOST_ON_PAGE, PAGE, addLanes } from "./timeline-lane-list.js";
import { between, groupKey, layOut } from "./timeline-layout.js";
import { drawOverlay } from "./timeline-overlay.js";
import { drawLanes } from "./timeline-lanes.js";
import { listenToPointers } from "./timeline-pointer.js";
import { rasterBackend } from "./timeline-raster.js";
import { RULER, drawRuler } from "./timeline-ruler.js";
import { clamped, panned, zoomed } from "./timeline-scale.js";
import { embedded } from "./timeline-source.js";
import { Labels } from "./timeline-text.js";
import { Tiles } from "./timeline-tiles.js";

/**
 * @import { Backend, Source, Span, Timeline, ViewState } from "../types/timeline-view"
 * @typedef {{ tools?: HTMLElement[], legend?: HTMLElement | null, keys?: [string, string][], backend?: "webgl" | "canvas" | "emulated",
 *   keysOf?: Record<string, () => void>, reach?: () => void, recoloured?: () => void, clicked?: (hit: import("../types/timeline-view").Hit) => void }} ViewOptions
 */

/** The heights of the lanes at first, and the least, in pixels. */
const HEIGHT = 440;
const HEIGHT_OF_TWO = 600;
const LEAST_HEIGHT = 80;
/** The width of the labels; less on a narrow page. */
const GUTTER = 210;
const NARROW_GUTTER = 160;
const LEAST_GUTTER = 60;
/** How often a kernel is looked for, in milliseconds. */
const RETRY_MS = 3000;
/** How long a jump takes, in milliseconds. */
const JUMP_MS = 140;
/** How long WebGL waits for an idle page at most, in milliseconds. */
const SETTLE_MS = 500;

/** A state for a timeline that is shown first. @param {Timeline} timeline @returns {ViewState} */
export const freshState = ({ shown, lanes }) => ({
  span: shown,
  collapsed: new Set(lanes.filter(({ folded }) => folded).map(groupKey)),
  height: 0,
  gutter: 0,
  scrolled: 0,
  colour: new Set(lanes.map(({ side }) => side)).size > 1 ? "change" : "name",
});

export class TimelineView {
  /**
   * @param {HTMLElement} node
   * @param {Timeline} timeline
   * @param {ViewState} state
   * @param {ViewOptions} [options]
   */
  constructor(node, timeline, state, options = {}) {
    this.timeline = timeline;
    this.state = state;
    this.options = options;
    /** @type {Source} */
    this.source = embedded(timeline);
    this.parts = frame(timeline, (tool) => this.use(tool), options);
    this.labels = new Labels(timeline.names);
    this.theme = themeOf(node);
    this.tiles = new Tiles(timeline, {
      changed: () => this.arrived(),
      waiting: (waiting) => this.parts.body.toggleAttribute("data-waiting", waiting),
      released: (slices) => this.backend.release(slices),
      failed: (reason) => this.note(reason),
    });
    this.raster = rasterBackend();
    /** Whether the backend is chosen. The first picture of a page does without WebGL, which takes a while to begin. */
    this.settled = options.backend !== undefined || isGlKnown();
    /** @type {Backend} */
    this.backend = this.settled ? this.chooseBackend(options.backend) : this.raster;
    this.drawn = "";
    this.frames = 0;
    this.gutter = GUTTER;
    /** The width for which labels were shortened. */
    this.labelWidth = 0;
    this.width = 0;
    this.height = 0;
    this.pending = 0;
    this.reached = -Infinity;
    this.shown = false;
    this.disposed = false;
    /** @type {{ from: Span, to: Span, begun: number } | null} */
    this.jump = null;
    node.replaceChildren(this.parts.root);
    this.cursor = new Cursor(this);
    this.colours = this.freshColours();
    this.layout = layOut(timeline.lanes, state.collapsed, timeline.laneCount);
    /** The heights between which labels are drawn. */
    this.labelled = { from: 0, to: 0 };
    this.relay();
    if (!timeline.lanes.length) {
      this.note("no events");
    }
    const scheme = matchMedia("(prefers-color-scheme: dark)");
    const recolour = () => this.recolour();
    scheme.addEventListener("change", recolour);
    this.ends = [
      listenToPointers(this),
      listenToKeys(this),
      onThemeChange(recolour),
      () => scheme.removeEventListener("change", recolour),
    ];
    this.parts.scroll.addEventListener("scroll", () => this.scrolled(), { passive: true });
    this.sizes = new ResizeObserver(() => this.measure());
    this.sizes.observe(this.parts.body);
    this.sight = new IntersectionObserver((entries) => this.setShown(entries[entries.length - 1].isIntersecting), { rootMargin: "200px" });
    this.sight.observe(this.parts.root);
  }

  /** @param {ViewOptions["backend"]} wanted @returns {Backend} */
  chooseBackend(wanted) {
    const gl = wanted === "canvas" ? null : glBackend({ emulated: wanted === "emulated" });
    return gl ?? this.raster;
  }

  /** Chooses the backend once nothing else is to be done. */
  settle() {
    this.settled = true;
    const choose = () => {
      if (!this.disposed) {
        this.backend = this.chooseBackend(undefined);
        this.dirty();
      }
    };
    if (window.requestIdleCallback) {
      window.requestIdleCallback(choose, { timeout: SETTLE_MS });
    } else {
      setTimeout(choose, SETTLE_MS);
    }
  }

  freshColours() {
    return new Colours(this.timeline.names, this.theme.dark, this.state.colour);
  }

  /** Places the lanes again, after some were collapsed or the timeline changed. */
  relay() {
    const { state, parts } = this;
    this.layout = layOut(this.timeline.lanes, state.collapsed, this.timeline.laneCount);
    const most = state.height || Math.min(this.layout.height, this.timeline.sides.length > 1 ? HEIGHT_OF_TWO : HEIGHT);
    parts.scroll.style.height = `${Math.max(Math.min(most, this.layout.height), Math.min(LEAST_HEIGHT, this.layout.height))}px`;
    parts.sheet.style.height = `${this.layout.height}px`;
    this.labelled = { from: 0, to: 0 };
    if (parts.scroll.scrollTop !== state.scrolled) {
      parts.scroll.scrollTop = state.scrolled;
    }
    this.measure();
    this.label();
  }

  /** Draws the labels of the lanes near the window; the focused one stays. */
  label() {
    const { state, cursor } = this;
    const height = this.height || HEIGHT;
    const [top, bottom] = [state.scrolled, state.scrolled + height];
    if (this.labelled.from > top || this.labelled.to < bottom) {
      this.labelled = { from: top - 3 * height, to: bottom + 3 * height };
      drawLabels(this.parts.labels, this.layout, { toggle: (key) => this.toggle(key), active: cursor.lane, width: this.gutter, ...this.labelled });
    }
  }

  /** Changes the height of the lanes. @param {number} height */
  resize(height) {
    this.state.height = Math.min(Math.max(height, LEAST_HEIGHT), this.layout.height);
    this.relay();
  }

  /** Changes the width of the labels. @param {number} width */
  widen(width) {
    this.state.gutter = Math.max(width, LEAST_GUTTER);
    this.measure();
  }

  /** @param {string} key */
  toggle(key) {
    const { collapsed } = this.state;
    const gap = this.layout.placed.find((part) => part.key === key)?.gap;
    if (gap) {
      this.cursor.lane = key;
      this.more(gap);
      return;
    }
    if (!collapsed.delete(key)) {
      collapsed.add(key);
    }
    this.cursor.lane = key;
    this.relay();
    this.say(`${key.startsWith("group") ? "group" : "lane"} ${collapsed.has(key) ? "collapsed" : "expanded"}`);
  }

  /** Shows the first lanes of those that are not on the page. @param {{ from: number, count: number }} gap */
  async more({ from, count }) {
    if (this.timeline.lanes.length >= MOST_ON_PAGE) {
      this.note("the page is full: search for a lane by name or number");
      return;
    }
    const fresh = await this.bring({ from, count: Math.min(count, PAGE) });
    if (fresh) {
      this.say(`${fresh} lanes more`);
    }
  }

  /** Asks the kernel for lanes and places them; returns how many have arrived. @param {Parameters<Source["lanes"]>[0]} wanted */
  async bring(wanted) {
    if (!this.source.live) {
      this.note("the kernel does not have this timeline any more: run the cell to see more lanes");
      return 0;
    }
    try {
      const lanes = await this.source.lanes(wanted);
      const fresh = lanes && !this.disposed ? addLanes(this.timeline.lanes, lanes) : [];
      if (fresh.length) {
        this.tiles.added(fresh);
        this.relay();
      }
      return fresh.length;
    } catch (error) {
      this.note(error instanceof Error ? error.message : String(error));
      return 0;
    }
  }

  /** Fits the canvases to the page. */
  measure() {
    const { parts } = this;
    const whole = parts.body.clientWidth;
    if (!whole || this.disposed) {
      return;
    }
    const flame = this.timeline.kind === "flame";
    const gutter = this.state.gutter || (whole < 720 ? NARROW_GUTTER : GUTTER);
    this.gutter = flame ? 0 : Math.max(Math.min(gutter, whole * 0.6), LEAST_GUTTER);
    parts.root.style.setProperty("--tl-gutter", `${this.gutter}px`);
    this.width = Math.max(parts.scroll.clientWidth - this.gutter, 50);
    this.height = parts.scroll.clientHeight;
    if (this.labelWidth !== this.gutter) {
      this.labelWidth = this.gutter;
      this.labelled = { from: 0, to: 0 };
      this.label();
    }
    this.dirty();
  }

  /** @param {boolean} shown */
  setShown(shown) {
    this.shown = shown;
    if (shown) {
      this.measure();
    } else {
      this.giveBack();
    }
  }

  /** Gives the memory of pictures back while the timeline is off screen; what has arrived stays. */
  giveBack() {
    cancelAnimationFrame(this.pending);
    this.pending = 0;
    this.backend.release(this.tiles.everything());
    this.raster.release([]);
    for (const canvas of [this.parts.base, this.parts.over, this.parts.ruler]) {
      [canvas.width, canvas.height] = [0, 0];
    }
  }

  scrolled() {
    // A node that leaves the page scrolls to its top.
    if (this.parts.scroll.isConnected && this.parts.scroll.clientHeight) {
      this.state.scrolled = this.parts.scroll.scrollTop;
      this.label();
      this.dirty();
    }
  }

  /** Draws with the next frame. */
  dirty() {
    if (!this.pending && this.shown && !this.disposed) {
      this.pending = requestAnimationFrame((now) => {
        this.pending = 0;
        this.draw(now);
      });
    }
  }

  /** @param {HTMLCanvasElement} canvas @param {number} width @param {number} height */
  context(canvas, width, height) {
    const ratio = window.devicePixelRatio || 1;
    const [wide, high] = [Math.round(width * ratio), Math.round(height * ratio)];
    if (canvas.width !== wide || canvas.height !== high) {
      [canvas.width, canvas.height] = [wide, high];
      canvas.style.width = `${width}px`;
      canvas.style.height = `${height}px`;
    }
    const context = canvas.getContext("2d");
    context?.setTransform(wide / width, 0, 0, high / height, 0, 0);
    return context;
  }

  /** The lanes in sight. */
  inSight() {
    return between(this.layout, this.state.scrolled, this.state.scrolled + this.height);
  }

  /** @param {number} now */
  draw(now) {
    if (this.jump) {
      const { from, to, begun } = this.jump;
      const share = Math.min((now - begun) / JUMP_MS, 1);
      const eased = 1 - (1 - share) ** 3;
      this.state.span = {
        from: from.from + (to.from - from.from) * eased,
        to: from.to + (to.to - from.to) * eased,
      };
      this.jump = share < 1 ? this.jump : null;
    }
    const { width, height, theme, state } = this;
    const { span } = state;
    const context = this.context(this.parts.base, width, height);
    const over = this.context(this.parts.over, width, height);
    const ruler = this.context(this.parts.ruler, width, RULER);
    if (!context || !over || !ruler || !height) {
      return;
    }
    drawLanes(context, this);
    this.drawOverlay(over);
    const selection = this.cursor.selection;
    this.parts.corner.textContent = drawRuler(ruler, { span, bounds: this.timeline.bounds, width, theme, selection });
    this.frames += 1;
    if (!this.settled) {
      this.settle();
    }
    if (this.jump) {
      this.dirty();
    } else {
      this.ask();
    }
  }

  /** @param {CanvasRenderingContext2D} [context] */
  drawOverlay(context = this.context(this.parts.over, this.width, this.height) ?? undefined) {
    if (context && this.shown) {
      const { layout, width, height, theme, state } = this;
      drawOverlay(context, { span: state.span, layout, scrolled: state.scrolled, width, height, theme }, this.cursor.drawn());
    }
  }

  /** Asks the kernel for what is missing. */
  ask() {
    const lanes = between(this.layout, this.state.scrolled - this.height, this.state.scrolled + 2 * this.height);
    const ids = lanes.flatMap(({ lane }) => (lane ? [lane.id] : []));
    const now = performance.now();
    if (!this.source.live && now - this.reached > RETRY_MS) {
      this.reached = now;
      this.options.reach?.();
    }
    this.tiles.want(this.source, this.state.span, this.width, ids);
  }

  arrived() {
    this.cursor.renew();
    this.dirty();
  }

  /** Uses another source, such as the kernel once it is connected. @param {Source} source */
  setSource(source) {
    this.source.dispose();
    this.source = source;
    this.dirty();
  }

  /** Shows another span. @param {Span} span @param {{ jump?: boolean }} [how] */
  show(span, { jump = false } = {}) {
    const to = clamped(span, this.timeline.bounds);
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.jump = jump && !still ? { from: this.state.span, to, begun: performance.now() } : null;
    if (!this.jump) {
      this.state.span = to;
    }
    this.cursor.hover(null);
    this.dirty();
  }

  /** @param {number} factor @param {number} [at] a time; otherwise the chosen slice or the middle */
  zoom(factor, at) {
    const { span } = this.state;
    const place = this.cursor.place;
    const middle = place ? (place.start + place.end) / 2 : NaN;
    const centre = middle > span.from && middle < span.to ? middle : (span.from + span.to) / 2;
    this.show(zoomed(span, factor, at ?? centre, this.timeline.bounds));
  }

  /** @param {number} share */
  pan(share) {
    this.show(panned(this.state.span, share, this.timeline.bounds));
  }

  /** Returns the time at a pixel of the stage. @param {number} x */
  timeAt(x) {
    const { from, to } = this.state.span;
    return from + (x / this.width) * (to - from);
  }

  /** Scrolls the lanes so that a row is in sight. @param {number} top @param {number} bottom */
  reveal(top, bottom) {
    const { scroll } = this.parts;
    if (top < scroll.scrollTop) {
      scroll.scrollTop = Math.max(top - 8, 0);
    } else if (bottom > scroll.scrollTop + this.height) {
      scroll.scrollTop = bottom - this.height + 8;
    }
    this.state.scrolled = scroll.scrollTop;
    this.label();
  }

  /** @param {"in" | "out" | "all" | "next" | "previous" | "colour" | "order"} tool */
  use(tool) {
    if (tool === "in" || tool === "out") {
      this.zoom(tool === "in" ? 0.5 : 2);
    } else if (tool === "all") {
      this.show(this.timeline.bounds, { jump: true });
    } else if (tool === "next" || tool === "previous") {
      this.cursor.step(tool === "next" ? 1 : -1);
    }
  }

  /** Tells screen readers. @param {string} text */
  say(text) {
    this.parts.live.textContent = text;
  }

  /** Shows a sentence beside the title. @param {string} text */
  note(text) {
    this.parts.status.textContent = text;
  }

  /** Draws in the colours of the current theme. */
  recolour() {
    this.theme = themeOf(this.parts.root);
    this.renewColours();
    this.options.recoloured?.();
  }

  renewColours() {
    const { marked } = this.colours;
    this.colours = this.freshColours();
    this.colours.mark(marked);
    this.dirty();
  }

  dispose() {
    if (this.disposed) {
      return;
    }
    this.disposed = true;
    this.giveBack();
    this.ends.forEach((end) => end());
    this.sizes.disconnect();
    this.sight.disconnect();
    this.cursor.dispose();
    this.source.dispose();
  }
}
