// @ts-check
// Fits a figure to the width of its output: title and subtitle wrap, and names at the x axis are thinned out. The kernel lays
// figures out for a wide page. Figures that a user's code made stay as they are.

/** @import { Axis, Layout } from "../types/plotly" */

/** Plotly's font size of titles in pixels, and the factor for `<sub>`. */
const TITLE = 17;
const SUB = 0.7;
/** How many pixels each line adds to the height of a figure. */
const TITLE_LINE = 22;
const SUB_LINE = 18;
/** The height up to which a legend above the plot is one line, and how much of a higher one the kernel's layout has room for. */
const LEGEND_LINE = 34;
const LEGEND_ROOM = 18;
/** The width that a name at the x axis needs, vertical or slanted. */
const VERTICAL = 13;
const SLANTED = 21;
/** The longest slanted name, as a fraction of the plot's width. */
const MAX_SLANTED = 0.4;
/** The approximate width of a character at the axis. */
const CHAR = 6.6;
/** Names of at most this many characters are horizontal. */
const HORIZONTAL_CHARS = 4;

/** @type {[entity: string, char: string][]} */
const ENTITIES = [["&lt;", "<"], ["&gt;", ">"], ["&amp;", "&"]];
const CHARS = new Map(ENTITIES);
const CODES = new Map(ENTITIES.map(([entity, char]) => [char, entity]));
/** @param {string} text */
const decode = (text) => text.replace(/&(?:lt|gt|amp);/g, (entity) => CHARS.get(entity) ?? entity);
/** @param {string} text */
const encode = (text) => text.replace(/[&<>]/g, (char) => CODES.get(char) ?? char);

/** Removes Plotly's tags and entities from a title. @param {unknown} text */
export function plain(text) {
  return decode(String(text).replace(/<[^>]*>/g, " "));
}

/** Returns title and subtitle of a figure that the kernel laid out, undefined of any other. @param {Layout} layout */
function heading(layout) {
  const { text, x = 0, xref, xanchor } = typeof layout.title === "object" ? layout.title : {};
  if (typeof text !== "string" || xref !== "container" || xanchor !== "left") {
    return undefined;
  }
  const [title, ...below] = text.split("<br>");
  // The kernel broke the subtitle into lines for a wide page; each line ends with its blank.
  const subtitle = below.map((line) => line.replace(/^<sub>|<\/sub>$/g, "")).join("");
  return { title: decode(title), subtitle: decode(subtitle), lines: below.length, x };
}

/**
 * Breaks a text into lines, behind blanks where possible.
 *
 * @param {string} text
 * @param {(text: string) => number} measure returns the width of a text
 * @param {(line: number) => number} room returns the width of a line
 */
export function wrap(text, measure, room) {
  /** @type {string[]} */
  const lines = [];
  let line = "";
  for (let word of text.match(/\S*\s*/g) ?? []) {
    while (word && measure((line + word).trimEnd()) > room(lines.length)) {
      if (line) {
        lines.push(line);
        line = "";
        continue;
      }
      // A word that is wider than a line is broken.
      let end = word.length - 1;
      while (end > 1 && measure(word.slice(0, end)) > room(lines.length)) {
        end -= 1;
      }
      if (end < 1) {
        break;
      }
      lines.push(word.slice(0, end));
      word = word.slice(end);
    }
    line += word;
  }
  return line || lines.length === 0 ? [...lines, line] : lines;
}

const canvas = /** @type {CanvasRenderingContext2D} */ (document.createElement("canvas").getContext("2d"));

/** Returns a function that measures texts in pixels. @param {number} size @param {string} family */
export function measuring(size, family) {
  return (/** @type {string} */ text) => {
    canvas.font = `${size}px ${family}`;
    return canvas.measureText(text).width;
  };
}

/**
 * Returns the changes of the layout that make the title fit; none for a figure that the kernel did not lay out.
 *
 * @param {Layout} layout
 * @param {{ width: number, bar: number, legend: number, family: string }} size width of the output, width of the mode bar beside
 *   the first line, height of the legend above the plot, font
 * @returns {Record<string, unknown>}
 */
export function fittedTitle(layout, { width, bar, legend, family }) {
  const found = heading(layout);
  if (!found) {
    return {};
  }
  const left = width * found.x + 8;
  const title = wrap(found.title, measuring(TITLE, family), (line) => width - left - (line === 0 ? bar : 16));
  const below = found.subtitle ? wrap(found.subtitle, measuring(TITLE * SUB, family), () => width - left - 16) : [];
  const legendLines = legend > LEGEND_LINE ? legend - LEGEND_ROOM : 0;
  const more = TITLE_LINE * (title.length - 1) + SUB_LINE * (below.length - found.lines) + legendLines;
  return {
    "title.text": [...title.map(encode), ...below.map((line) => `<sub>${encode(line)}</sub>`)].join("<br>"),
    "margin.t": Number(layout.margin?.t) + more,
    height: Number(layout.height) + more,
  };
}

/**
 * Returns how names fit if each has `room` pixels of a plot that is `width` wide: every how many-th is shown, and at which angle.
 *
 * @param {string[]} names
 * @param {number | string | undefined} angle
 * @param {number} room
 * @param {number} width
 */
function thinned(names, angle, room, width) {
  const longest = Math.max(...names.map((name) => plain(name).length));
  const need = typeof angle !== "number" && longest <= HORIZONTAL_CHARS ? (longest + 1) * CHAR : VERTICAL;
  const every = Math.max(1, Math.ceil(need / room));
  const slanted = typeof angle === "number" && Math.abs(angle) < 90;
  // Slanted names also extend to the left, which narrows the plot.
  const turned = slanted && (room * every < SLANTED || longest * CHAR > width * MAX_SLANTED);
  return { every, angle: turned ? -90 : angle, longest };
}

/**
 * Returns the names that fit at an x axis, and by how many pixels the figure grows if slanted names become vertical (`more`).
 *
 * @param {Axis} axis
 * @param {number} positions the number of positions at the axis
 * @param {number} shown how many of them are in sight
 * @param {number} width the width of the plot in pixels
 */
export function fittedTicks({ tickvals, ticktext, tickangle }, positions, shown, width) {
  if (!Array.isArray(tickvals) || !Array.isArray(ticktext) || tickvals.length === 0 || !(width > 0) || !(shown > 0)) {
    return { more: 0 };
  }
  const room = (width / shown) * (positions / tickvals.length);
  const { every, angle, longest } = thinned(ticktext, tickangle, room, width);
  /** @type {(_: unknown, index: number) => boolean} */
  const kept = (_, index) => index % every === 0;
  const turned = angle !== tickangle;
  const more = turned ? longest * CHAR * (1 - Math.sin((Math.abs(Number(tickangle)) * Math.PI) / 180)) : 0;
  return { tickvals: tickvals.filter(kept), ticktext: ticktext.filter(kept), tickangle: angle, more: Math.round(more) };
}

/** The height of a label of a bar, and what is between two of them, in pixels. */
const LABEL_HEIGHT = 15;
const LABEL_GAP = 4;

/**
 * Returns the labels of bars that do not overlap, in place of the others empty texts: those of the first and the last bar stay, then those of
 * the largest values.
 *
 * @param {string[]} texts
 * @param {number[]} heights where each label is, in pixels
 * @param {number} room the width of a bar with its gap, in pixels
 * @param {(text: string) => number} measure returns the width of a text
 */
export function fittedLabels(texts, heights, room, measure) {
  const size = (/** @type {string} */ text) => Math.abs(Number.parseFloat(text.replace(/[^0-9.e]/g, ""))) || 0;
  const rank = (/** @type {number} */ at) => (at === 0 || at === texts.length - 1 ? Infinity : size(texts[at]));
  const order = texts.map((_, at) => at).sort((one, other) => rank(other) - rank(one));
  /** @type {number[]} */
  const kept = [];
  for (const at of order) {
    const overlaps = (/** @type {number} */ other) =>
      Math.abs(heights[at] - heights[other]) < LABEL_HEIGHT &&
      Math.abs(at - other) * room < (measure(texts[at]) + measure(texts[other])) / 2 + LABEL_GAP;
    if (!kept.some(overlaps)) {
      kept.push(at);
    }
  }
  return texts.map((text, at) => (kept.includes(at) ? text : ""));
}
