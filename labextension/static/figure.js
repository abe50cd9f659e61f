// Draws `application/vnd.plotly.v1+json` with the plotly.js that lies beside this file.

import { fittedTicks, fittedTitle, plain } from "./fit.js";
import { buttons } from "./picture.js";
import { onThemeChange, themed } from "./theme.js";

export const MIME = "application/vnd.plotly.v1+json";

/** What a figure may set of Plotly's options; the rest (servers, locales, TeX) is not for a notebook to say. */
const OPTIONS = ["staticPlot", "scrollZoom", "displayModeBar", "doubleClick"];
/** Selections do nothing here; the picture of the tool bar is ours. */
const WITHOUT = ["select2d", "lasso2d", "toImage"];
/** How long the figure says that it was copied, in milliseconds. */
const SAID = 3000;

let plotly;

const FAMILY = "--jp-ui-font-family";
const family = (node) => themed(node, FAMILY, "sans-serif");

/** Plotly, loaded with the first figure. */
function loadPlotly() {
  plotly ??= new Promise((resolve, reject) => {
    const before = window.Plotly;
    // Plotly shall leave the page's MathJax alone.
    window.PlotlyConfig ??= { MathJaxConfig: "local" };
    const script = document.createElement("script");
    script.src = new URL("plotly.min.js", import.meta.url).href;
    script.onload = () => {
      const ours = window.Plotly;
      if (before) {
        window.Plotly = before;
      }
      resolve(ours);
    };
    script.onerror = () => {
      plotly = undefined;
      reject(new Error("plotly.min.js could not be loaded; run `tracebook install` again"));
    };
    document.head.append(script);
  });
  return plotly;
}

/** Defaults in the colours of the page. A template reaches every axis, and gives way to what a figure sets itself. */
function template(node) {
  const text = themed(node, "--jp-content-font-color1", "#333");
  const faint = themed(node, "--jp-content-font-color2", "#666");
  const grid = themed(node, "--jp-border-color2", "#ddd");
  const paper = themed(node, "--jp-layout-color1", "#fff");
  const axis = { gridcolor: grid, linecolor: grid, zerolinecolor: faint, tickcolor: grid, automargin: true };
  const clear = "rgba(0,0,0,0)";
  return {
    layout: {
      font: { color: text, family: family(node) },
      paper_bgcolor: clear,
      plot_bgcolor: clear,
      xaxis: axis,
      yaxis: axis,
      hoverlabel: { bgcolor: paper, bordercolor: faint, font: { color: text, family: family(node) } },
      modebar: { bgcolor: clear, color: faint, activecolor: text },
    },
  };
}

/** The renderer, as a subclass of the page's own Widget. */
export const renderer = (Widget) =>
  class Figure extends Widget {
    constructor() {
      super();
      this.addClass("tracebook-figure");
      this.node.style.position = "relative";
      this.holder = document.createElement("div");
      this.node.append(this.holder);
      this.endTheme = onThemeChange(() => this.recolour());
      this.sizes = new ResizeObserver(() => this.fit());
      this.sizes.observe(this.node);
    }

    async renderModel(model) {
      this.spec = model.data[MIME];
      await this.draw();
    }

    async draw() {
      if (!this.spec || this.isDisposed) {
        return;
      }
      try {
        this.plotly = await loadPlotly();
        if (this.isDisposed) {
          return;
        }
        // Plotly writes into what it draws, and the notebook saves what it was given.
        const { data = [], layout = {}, config = {} } = structuredClone(this.spec);
        layout.template ??= template(this.node);
        layout.width ??= this.node.offsetWidth || undefined;
        this.node.replaceChildren(this.holder);
        const options = Object.fromEntries(OPTIONS.filter((key) => key in config).map((key) => [key, config[key]]));
        await this.plotly.newPlot(this.holder, data, layout, {
          ...options,
          // The width is ours to follow, and with it title and names.
          responsive: false,
          displaylogo: false,
          typesetMath: false,
          // Hints such as "double-click to zoom back out" would lie over the names.
          showTips: false,
          modeBarButtonsToRemove: [...WITHOUT, ...[config.modeBarButtonsToRemove ?? []].flat()],
          modeBarButtonsToAdd: buttons(this.plotly, {
            family: () => family(this.node),
            name: () => plain(this.spec.layout?.title?.text ?? this.spec.layout?.title ?? "").trim(),
            say: (text) => this.say(text),
          }),
        });
        this.chosen = 0;
        this.holder.on("plotly_buttonclicked", ({ active }) => {
          this.chosen = active;
          this.refit();
        });
        this.holder.on("plotly_relayout", (changes) => {
          if (Object.keys(changes).some((key) => /^xaxis\.(range|autorange)/.test(key))) {
            this.refit();
          }
        });
        this.holder.setAttribute("role", "img");
        this.holder.setAttribute("aria-label", plain(layout.title?.text ?? "figure"));
        this.width = undefined;
        await this.fit();
      } catch (error) {
        this.node.replaceChildren(this.holder, document.createTextNode(`The figure cannot be drawn: ${error.message}`));
      }
    }

    /** Draws at the width there is now; a figure out of sight has none. */
    async fit() {
      const width = this.node.offsetWidth;
      if (this.plotly && this.holder.data && width > 0 && width !== this.width) {
        this.width = width;
        await this.refit();
        // Where the names stand depends on the plot, whose width has changed now.
        await this.refit();
      }
    }

    /** Wraps the title and thins out the names for the size that is drawn. */
    async refit() {
      const { layout = {} } = this.spec;
      if (!this.width || this.isDisposed) {
        return;
      }
      const inner = this.holder.querySelector(".nsewdrag")?.getBoundingClientRect();
      const above = layout.legend?.orientation === "h" ? this.holder.querySelector(".legend .bg") : undefined;
      const changes = fittedTitle(layout, {
        width: this.width,
        bar: (this.holder.querySelector(".modebar")?.offsetWidth ?? 0) + 24,
        legend: above?.getBoundingClientRect().height ?? 0,
        family: family(this.node),
      });
      const shown = this.holder.data.filter(({ visible }) => visible !== false && visible !== "legendonly");
      const places = new Set(shown.flatMap(({ x }) => x ?? [])).size;
      const [low, high] = this.holder.layout.xaxis?.range ?? [0, places];
      const { more, ...ticks } = fittedTicks(this.ticks(), places, high - low, inner?.width ?? 0);
      for (const [key, value] of Object.entries(ticks)) {
        changes[`xaxis.${key}`] = value;
      }
      if (changes.height !== undefined) {
        changes.height += more;
      }
      if (layout.width === undefined) {
        changes.width = this.width;
      }
      const now = (key) => key.split(".").reduce((value, part) => value?.[part], this.holder.layout);
      const differs = Object.entries(changes).filter(([key, value]) => JSON.stringify(value) !== JSON.stringify(now(key)));
      if (differs.length > 0) {
        await this.plotly.relayout(this.holder, Object.fromEntries(differs));
      }
    }

    /** The names along the first axis as the kernel gave them, of what the reader chose. */
    ticks() {
      const chosen = this.spec.layout?.updatemenus?.[0]?.buttons?.[this.chosen]?.args?.[1];
      const keys = ["tickvals", "ticktext", "tickangle"];
      return chosen && "xaxis.tickvals" in chosen
        ? Object.fromEntries(keys.map((key) => [key, chosen[`xaxis.${key}`]]))
        : (this.spec.layout?.xaxis ?? {});
    }

    /** The colours of the theme that is there now; what the reader zoomed into and chose stays. */
    async recolour() {
      if (this.plotly && this.holder.data && !this.spec.layout?.template && !this.isDisposed) {
        await this.plotly.relayout(this.holder, { template: template(this.node) });
      }
    }

    /** Says something in a corner, for a while. */
    say(text) {
      const said = document.createElement("div");
      said.setAttribute("role", "status");
      said.className = "tracebook-said";
      said.style.cssText =
        "position:absolute;right:8px;bottom:4px;padding:2px 8px;border-radius:3px;font-size:12px;" +
        "color:var(--jp-content-font-color1);background:var(--jp-layout-color2);";
      said.textContent = text;
      this.node.append(said);
      setTimeout(() => said.remove(), SAID);
    }

    onResize() {
      this.fit();
    }

    onAfterShow() {
      this.fit();
    }

    dispose() {
      if (this.isDisposed) {
        return;
      }
      this.endTheme();
      this.sizes.disconnect();
      this.plotly?.purge(this.holder);
      super.dispose();
    }
  };
