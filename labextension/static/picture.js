// A figure as a PNG for other programs: white paper and dark text whatever the theme, twice the pixels of the screen.

const INK = "#333";
const FAINT = "#666";
const GRID = "#ddd";
const PAPER = "#fff";

/** Two sheets, in the form of Plotly's icons. */
const COPY = {
  width: 1000,
  height: 1000,
  path: "M650 850H200V250h-80v680h530zM320 70v680h560V250L700 70zm80 80h260v140h140v380H400z",
};

/** The template of a picture: that of the page in the colours of paper. */
function paper(family) {
  const axis = { gridcolor: GRID, linecolor: GRID, zerolinecolor: FAINT, tickcolor: GRID, automargin: true };
  return {
    layout: { font: { color: INK, family }, paper_bgcolor: PAPER, plot_bgcolor: PAPER, xaxis: axis, yaxis: axis },
  };
}

/** The picture of what a figure shows now, with its title: an address of data. */
function drawn(Plotly, holder, family) {
  const { data, layout } = holder;
  const still = { ...layout, paper_bgcolor: PAPER, plot_bgcolor: PAPER, template: paper(family) };
  // Menus cannot be opened in a picture; what they chose is drawn.
  delete still.updatemenus;
  const { width, height } = holder.getBoundingClientRect();
  return Plotly.toImage({ data, layout: still }, { format: "png", width, height, scale: 2 });
}

async function save(Plotly, holder, family, name) {
  const link = document.createElement("a");
  link.href = await drawn(Plotly, holder, family);
  link.download = `${name.replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "").slice(0, 80) || "figure"}.png`;
  link.click();
}

/** What an address of data holds. */
function bytes(address) {
  const [, coded] = address.split(",");
  return new Blob([Uint8Array.from(atob(coded), (letter) => letter.charCodeAt(0))], { type: "image/png" });
}

async function copy(Plotly, holder, family) {
  const made = drawn(Plotly, holder, family).then(bytes);
  // Safari wants the promise, not what comes of it.
  await navigator.clipboard.write([new ClipboardItem({ "image/png": made })]);
}

/** The buttons of the tool bar that make pictures. `figure` gives the name of the file and the family of its text. */
export function buttons(Plotly, figure) {
  const act = (work) => (holder) =>
    work(holder).catch((error) => figure.say(`the picture cannot be made: ${error.message}`));
  const button = (name, title, icon, work) => ({ name, title, icon, click: act(work) });
  const made = [
    button("tracebookSave", "Save as PNG", Plotly.Icons.camera, (holder) => save(Plotly, holder, figure.family(), figure.name())),
  ];
  // Pages that come over plain HTTP from another machine have no clipboard.
  if (navigator.clipboard?.write && window.ClipboardItem) {
    made.push(
      button("tracebookCopy", "Copy as PNG", COPY, async (holder) => {
        await copy(Plotly, holder, figure.family());
        figure.say("copied");
      }),
    );
  }
  return made;
}
