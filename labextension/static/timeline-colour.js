// @ts-check
// Colours of slices: by name, or by what changed from control to test. In a light theme bars are pale and their text dark, in a dark
// theme bars are deep and their text white, so that text has a contrast of at least 4.5 on each.

import { themed } from "./theme.js";
import { busyShares } from "./timeline-slices.js";

/** @import { Marks, Names, Slices } from "../types/timeline-view" */
/** @typedef {{ dark: boolean, ink: string, paper: string, faint: string, line: string, stripe: string, accent: string, family: string }} Theme */

/** Hues that neighbours in the list tell apart. */
const HUES = [212, 28, 150, 275, 48, 188, 335, 84, 245, 8, 200, 305, 62, 228, 262, 38];
const TONES = 2;

/** What changed from control to test, by the kernel's number, with hue and saturation; orange is more, blue is less, as in tables. @type {{ name: string, hue: number, saturation: number }[]} */
export const CHANGES = [
  { name: "unchanged", hue: 220, saturation: 0.08 },
  { name: "added", hue: 358, saturation: 0.75 },
  { name: "deleted", hue: 265, saturation: 0.6 },
  { name: "slower", hue: 32, saturation: 0.9 },
  { name: "faster", hue: 205, saturation: 0.8 },
];

/** Returns what a change means, with the labels of control and test. @param {number} change @param {{ label: string }[]} sides */
export function changeMeaning(change, sides) {
  const [control, test] = sides.map(({ label }) => label);
  return ["no change", `only in ${test}`, `only in ${control}`, `slower in ${test}`, `faster in ${test}`][change] ?? "";
}

/** Converts hue (degrees), saturation and lightness (0 to 1) to red, green and blue (0 to 255). @param {number} hue @param {number} saturation @param {number} lightness @returns {[number, number, number]} */
export function rgbOf(hue, saturation, lightness) {
  const strength = saturation * Math.min(lightness, 1 - lightness);
  const part = (/** @type {number} */ at) => {
    const place = (at + hue / 30) % 12;
    return Math.round(255 * (lightness - strength * Math.max(-1, Math.min(place - 3, 9 - place, 1))));
  };
  return [part(0), part(8), part(4)];
}

/** Returns the luminance of a colour, as WCAG defines it. @param {[number, number, number]} rgb */
export function luminance(rgb) {
  const [red, green, blue] = rgb.map((part) => (part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Returns the colour of a hue with about a luminance. @param {number} hue @param {number} saturation @param {number} wanted */
function toned(hue, saturation, wanted) {
  let [low, high] = [0, 1];
  for (let step = 0; step < 12; step += 1) {
    const middle = (low + high) / 2;
    if (luminance(rgbOf(hue, saturation, middle)) < wanted) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return rgbOf(hue, saturation, low);
}

/** Packs a colour into the bytes red, green, blue, alpha. @param {[number, number, number]} rgb @param {number} [alpha] */
export const packed = ([red, green, blue], alpha = 255) => ((alpha << 24) | (blue << 16) | (green << 8) | red) >>> 0;

/** Returns a number that depends on a text, and for most texts differs. @param {string} text */
export function hash(text) {
  let sum = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) {
    sum = Math.imul(sum ^ text.charCodeAt(at), 0x01000193);
  }
  return (sum ^ (sum >>> 15)) >>> 0;
}

/** Returns the place of a name in the palette; numbers in names do not matter, so that all steps look alike. @param {string} name */
export const slot = (name) => hash(name.replace(/\d+/g, "")) % (HUES.length * TONES);

/** Returns the colours by name of a theme, in the order of `slot`. @param {boolean} dark */
export const palette = (dark) =>
  HUES.flatMap((hue) => (dark ? [0.1, 0.15] : [0.42, 0.56]).map((tone) => toned(hue, dark ? 0.45 : 0.55, tone)));

/** Returns the colour of a change. @param {number} change @param {boolean} dark */
export function changeColour(change, dark) {
  const { hue, saturation } = CHANGES[change] ?? CHANGES[0];
  return toned(hue, saturation, dark ? (change ? 0.14 : 0.09) : change ? 0.42 : 0.7);
}

/** Mixes a packed colour with the page, for slices that a search does not find. @param {number} colour @param {boolean} dark */
const faded = (colour, dark) => ((dark ? 70 : 62) << 24) | (colour & 0xffffff);

/** The least strength of a slice that is shorter than a pixel: a single event of a long silence is still seen. */
const PALEST = 0.3;

/** Makes a packed colour as pale as its pixel is idle. @param {number} colour @param {number} share the part of the pixel that events take */
const paled = (colour, share) => ((Math.round((colour >>> 24) * (PALEST + (1 - PALEST) * share)) << 24) | (colour & 0xffffff)) >>> 0;

/** Returns the colours of the page at an element. @param {Element} node @returns {Theme} */
export function themeOf(node) {
  const paper = themed(node, "--jp-layout-color1", "") || (matchMedia("(prefers-color-scheme: dark)").matches ? "#111" : "#fff");
  const probe = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  let dark = document.body.dataset.jpThemeLight === "false";
  if (probe) {
    probe.fillStyle = paper;
    probe.fillRect(0, 0, 1, 1);
    const [red, green, blue, alpha] = probe.getImageData(0, 0, 1, 1).data;
    dark = alpha > 0 ? luminance([red, green, blue]) < 0.3 : dark;
  }
  return {
    dark,
    paper,
    ink: themed(node, "--jp-content-font-color1", dark ? "#eee" : "#222"),
    faint: themed(node, "--jp-content-font-color2", dark ? "#bbb" : "#555"),
    line: themed(node, "--jp-border-color2", dark ? "#444" : "#ddd"),
    stripe: dark ? "rgba(255, 255, 255, .045)" : "rgba(0, 0, 0, .028)",
    accent: themed(node, "--jp-brand-color1", "#1976d2"),
    family: themed(node, "--jp-ui-font-family", "system-ui, sans-serif"),
  };
}

/** The text on bars. @param {boolean} dark */
export const barInk = (dark) => (dark ? "#fff" : "#141414");

/** Colours the slices of a timeline; asks each name once. */
export class Colours {
  /** @param {Names} names @param {boolean} dark @param {"name" | "change"} mode */
  constructor(names, dark, mode) {
    this.names = names;
    this.dark = dark;
    this.mode = mode;
    this.palette = palette(dark).map((rgb) => packed(rgb));
    this.changes = CHANGES.map((_, change) => packed(changeColour(change, dark)));
    /** What a search has found; null without one. @type {Marks | null} */
    this.marked = null;
    /** @type {number[]} */
    this.known = [];
    /** The colours of slices at the level of the last picture. @type {WeakMap<Slices, { level: number, colours: Uint32Array }>} */
    this.made = new WeakMap();
  }

  /** Fades all slices but the marked ones. @param {Marks | null} marked */
  mark(marked) {
    this.marked = marked;
    this.known = [];
    this.made = new WeakMap();
  }

  /** Tells whether a slice is not faded. @param {number} name @param {number} lane @param {number} start */
  isMarked(name, lane, start) {
    return !this.marked || this.marked.names[name] === 1 || this.marked.starts.get(lane)?.has(start) === true;
  }

  /** Returns the colour of a name and a change without a search. @param {number} name @param {number} change */
  plain(name, change) {
    return this.mode === "change" ? this.changes[change] : this.palette[slot(this.names.text[name] ?? "")];
  }

  /** Returns the colour of a name and a change. @param {number} name @param {number} change */
  of(name, change) {
    const plain = this.plain(name, change);
    return this.marked && !this.marked.names[name] ? faded(plain, this.dark) >>> 0 : plain;
  }

  /**
   * Returns the colours of slices where a pixel is about 2^level nanoseconds: those of shorter events are paler, so that a lane that is
   * busy in each pixel differs from one that is busy all the time.
   *
   * @param {Slices} slices
   * @param {number} level
   * @param {number} lane
   */
  slices(slices, level, lane) {
    const known = this.made.get(slices);
    if (known?.level === level) {
      return known.colours;
    }
    const colours = new Uint32Array(slices.length);
    const shares = busyShares(slices, level);
    const starts = this.marked?.starts.get(lane);
    for (let at = 0; at < colours.length; at += 1) {
      const change = slices.change?.[at] ?? 0;
      const colour = starts?.has(slices.start[at])
        ? this.plain(slices.name[at], change)
        : (this.known[slices.name[at] * CHANGES.length + change] ??= this.of(slices.name[at], change));
      colours[at] = shares[at] < 1 ? paled(colour, shares[at]) : colour;
    }
    this.made.set(slices, { level, colours });
    return colours;
  }
}
