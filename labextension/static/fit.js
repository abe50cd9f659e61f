// Fits a figure of ours to the width there is: title and subtitle wrap, names at the first axis are thinned out. The kernel lays
// figures out for a wide page; a figure that a user made is left as it is.

/** Plotly's own size of titles in pixels, and what it makes of `<sub>`. */
const TITLE = 17;
const SUB = 0.7;
/** How much higher a figure gets with each line. */
const TITLE_LINE = 22;
const SUB_LINE = 18;
/** A legend above the plot of one line has its room; of one with more lines, this much. */
const LEGEND_LINE = 34;
const LEGEND_ROOM = 18;
/** The room that a name along the first axis needs, by how it stands. */
const UPRIGHT = 13;
const ASLANT = 21;
/** The longest name that stands aslant, as a part of the plot's width. */
const MOST_ASLANT = 0.4;
/** About how wide a character at the axis is. */
const CHAR = 6.6;
/** Names of at most so many characters lie flat. */
const FLAT_CHARS = 4;

const ENTITIES = { "&lt;": "<", "&gt;": ">", "&amp;": "&" };
const decode = (text) => text.replace(/&(?:lt|gt|amp);/g, (entity) => ENTITIES[entity]);
const encode = (text) => text.replace(/[&<>]/g, (letter) => Object.keys(ENTITIES).find((name) => ENTITIES[name] === letter));

/** A title without Plotly's tags and entities. */
export function plain(text) {
  return decode(String(text).replace(/<[^>]*>/g, " "));
}

/** Title and subtitle of a figure of ours, as text; undefined of another one. */
function heading(layout) {
  const { text, xref, xanchor } = layout.title ?? {};
  if (typeof text !== "string" || xref !== "container" || xanchor !== "left") {
    return undefined;
  }
  const [title, ...below] = text.split("<br>");
  // The kernel broke the subtitle for a wide page, behind its blanks.
  const subtitle = below.map((line) => line.replace(/^<sub>|<\/sub>$/g, "")).join("");
  return { title: decode(title), subtitle: decode(subtitle), lines: below.length };
}

/** Breaks a text into lines behind blanks; `room` is the width of each line, by its place. */
function wrap(text, measure, room) {
  const lines = [];
  let line = "";
  for (let word of text.match(/\S*\s*/g)) {
    while (word && measure((line + word).trimEnd()) > room(lines.length)) {
      if (line) {
        lines.push(line);
        line = "";
        continue;
      }
      // A word that no line holds is broken.
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

const canvas = document.createElement("canvas").getContext("2d");

/** What measures text in pixels. */
function measuring(size, family) {
  return (text) => {
    canvas.font = `${size}px ${family}`;
    return canvas.measureText(text).width;
  };
}

/** Title, height and upper margin at `width`, of which the tool bar takes `bar` beside the first line; the legend above the plot is
 * `legend` high. */
export function fittedTitle(layout, { width, bar, legend, family }) {
  const said = heading(layout);
  if (!said) {
    return {};
  }
  const left = width * (layout.title.x ?? 0) + 8;
  const title = wrap(said.title, measuring(TITLE, family), (place) => width - left - (place === 0 ? bar : 16));
  const below = said.subtitle ? wrap(said.subtitle, measuring(TITLE * SUB, family), () => width - left - 16) : [];
  const names = legend > LEGEND_LINE ? legend - LEGEND_ROOM : 0;
  const more = TITLE_LINE * (title.length - 1) + SUB_LINE * (below.length - said.lines) + names;
  return {
    "title.text": [...title.map(encode), ...below.map((line) => `<sub>${encode(line)}</sub>`)].join("<br>"),
    "margin.t": layout.margin.t + more,
    height: layout.height + more,
  };
}

/** Every how many-th of `texts` is written where one has `room` pixels of a plot, and how they stand. */
function thinned(texts, angle, room, wide) {
  const longest = Math.max(...texts.map((text) => plain(text).length));
  const flat = typeof angle !== "number";
  const need = flat && longest <= FLAT_CHARS ? (longest + 1) * CHAR : UPRIGHT;
  const every = Math.max(1, Math.ceil(need / room));
  const aslant = !flat && Math.abs(angle) < 90;
  // What stands aslant reaches to the left, too, and takes that room from the bars.
  const upright = aslant && (room * every < ASLANT || longest * CHAR > wide * MOST_ASLANT);
  return { every, angle: upright ? -90 : angle, longest };
}

/** The names that are written along an axis of `wide` pixels, of which `shown` places are in sight; and how much higher the
 * figure gets where they have to stand upright. */
export function fittedTicks({ tickvals, ticktext, tickangle }, places, shown, wide) {
  if (!Array.isArray(tickvals) || !Array.isArray(ticktext) || tickvals.length === 0 || !(wide > 0) || !(shown > 0)) {
    return { more: 0 };
  }
  const room = (wide / shown) * (places / tickvals.length);
  const { every, angle, longest } = thinned(ticktext, tickangle, room, wide);
  const pick = (list) => list.filter((_, place) => place % every === 0);
  const turned = angle !== tickangle;
  const more = turned ? longest * CHAR * (1 - Math.sin((Math.abs(tickangle) * Math.PI) / 180)) : 0;
  return { tickvals: pick(tickvals), ticktext: pick(ticktext), tickangle: angle, more: Math.round(more) };
}
