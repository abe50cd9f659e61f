// @ts-check
// Figures as PNGs for other programs: dark on white in every theme, with twice the pixels of the screen.

/** @import { GraphDiv, Icon, ModeBarButton, Plotly } from "../types/plotly" */

/**
 * What the buttons need of their figure: its file name, the font of its text, and a way to show a message.
 *
 * @typedef {{ name(): string, family(): string, notify(text: string): void }} Figure
 */

const INK = "#333";
const FAINT = "#666";
const GRID = "#ddd";
const PAPER = "#fff";

/** Two sheets of paper, in the format of Plotly's icons. @type {Icon} */
const COPY = {
  width: 1000,
  height: 1000,
  path: "M650 850H200V250h-80v680h530zM320 70v680h560V250L700 70zm80 80h260v140h140v380H400z",
};

/** Returns the template of a picture. @param {string} family */
function paper(family) {
  const axis = { gridcolor: GRID, linecolor: GRID, zerolinecolor: FAINT, tickcolor: GRID, automargin: true };
  return {
    layout: { font: { color: INK, family }, paper_bgcolor: PAPER, plot_bgcolor: PAPER, xaxis: axis, yaxis: axis },
  };
}

/**
 * Draws what a figure shows now; returns the PNG as a data URL.
 *
 * @param {Plotly} plotly
 * @param {GraphDiv} holder
 * @param {string} family
 */
function draw(plotly, holder, family) {
  const { data, layout } = holder;
  /** @type {typeof layout} */
  const still = { ...layout, paper_bgcolor: PAPER, plot_bgcolor: PAPER, template: paper(family) };
  // A menu cannot be opened in a picture.
  delete still.updatemenus;
  const { width, height } = holder.getBoundingClientRect();
  return plotly.toImage({ data, layout: still }, { format: "png", width, height, scale: 2 });
}

/** @param {Plotly} plotly @param {GraphDiv} holder @param {Figure} figure */
async function save(plotly, holder, figure) {
  const link = document.createElement("a");
  link.href = await draw(plotly, holder, figure.family());
  link.download = fileName(figure.name());
  link.click();
}

/** Returns the file name for a title. @param {string} title */
export function fileName(title) {
  const words = title.replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "");
  return `${words.slice(0, 80) || "figure"}.png`;
}

/** Decodes a data URL. @param {string} url */
function decode(url) {
  const [, base64] = url.split(",");
  return new Blob([Uint8Array.from(atob(base64), (char) => char.charCodeAt(0))], { type: "image/png" });
}

/** @param {Plotly} plotly @param {GraphDiv} holder @param {Figure} figure */
async function copy(plotly, holder, figure) {
  const png = draw(plotly, holder, figure.family()).then(decode);
  // Safari needs the promise: after an await it no longer counts the click as the user's.
  await navigator.clipboard.write([new ClipboardItem({ "image/png": png })]);
  figure.notify("copied");
}

/**
 * Returns the buttons that make pictures, for Plotly's mode bar.
 *
 * @param {Plotly} plotly
 * @param {Figure} figure
 */
export function buttons(plotly, figure) {
  /** @type {(name: string, title: string, icon: Icon, make: typeof save) => ModeBarButton} */
  const button = (name, title, icon, make) => ({
    name,
    title,
    icon,
    click: (holder) => make(plotly, holder, figure).catch((error) => figure.notify(`cannot make the picture: ${error.message}`)),
  });
  const made = [button("tracebookSave", "Save as PNG", plotly.Icons.camera, save)];
  // A page that was loaded over plain HTTP from another machine has no clipboard.
  if ("write" in (navigator.clipboard ?? {}) && "ClipboardItem" in window) {
    made.push(button("tracebookCopy", "Copy as PNG", COPY, copy));
  }
  return made;
}
