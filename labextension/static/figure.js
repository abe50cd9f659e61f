// @ts-check
// The renderer of figures (`application/vnd.plotly.v1+json`). It draws with the plotly.js in this folder.

import { element } from "./element.js";
import { fittedLabels, fittedTicks, fittedTitle, measuring, plain } from "./fit.js";
import { buttons } from "./picture.js";
import { onThemeChange, themed } from "./theme.js";

/**
 * @import { OutputModel, WidgetClass } from "../types/jupyterlab"
 * @import { Axis, FigureSpec, GraphDiv, Layout, Plotly } from "../types/plotly"
 */

export const MIME = "application/vnd.plotly.v1+json";

/** The options of Plotly that a figure may set. Others, such as servers, locales and TeX, would let a notebook reach outside. */
const OPTIONS = ["staticPlot", "scrollZoom", "displayModeBar", "doubleClick"];
/** Mode bar buttons to remove: selections have no effect here, and `picture.js` has its own buttons for pictures. */
const REMOVED_BUTTONS = ["select2d", "lasso2d", "toImage"];
/** The size of the labels of bars, in pixels. */
const LABEL = 12;
/** How long a notification stays, in milliseconds. */
const NOTIFICATION_MS = 3000;

/** @type {Promise<Plotly> | undefined} */
let plotly;

/** Returns the font of the page. @param {Element} node */
const family = (node) => themed(node, "--jp-ui-font-family", "sans-serif");

/** Loads Plotly with the first figure. @returns {Promise<Plotly>} */
function loadPlotly() {
  plotly ??= new Promise((resolve, reject) => {
    const before = window.Plotly;
    // With this setting Plotly does not touch the page's MathJax.
    window.PlotlyConfig ??= { MathJaxConfig: "local" };
    const script = document.createElement("script");
    script.src = new URL("plotly.min.js", import.meta.url).href;
    script.onload = () => {
      const ours = /** @type {Plotly} */ (window.Plotly);
      if (before) {
        window.Plotly = before;
      }
      resolve(ours);
    };
    script.onerror = () => {
      plotly = undefined;
      reject(new Error("cannot load plotly.min.js; run `tracebook install` again"));
    };
    document.head.append(script);
  });
  return plotly;
}

/**
 * Returns a template with the colours of the page. A template applies to every axis; what a figure sets itself takes precedence.
 *
 * @param {Element} node
 */
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

/** Returns the text of a layout's title. @param {Layout | undefined} layout */
const titleOf = (layout) => (typeof layout?.title === "object" ? layout.title.text : layout?.title) ?? "";

/** Returns the class of the renderer: a subclass of Lumino's Widget. @param {WidgetClass} Widget */
export const renderer = (Widget) =>
  class Figure extends Widget {
    constructor() {
      super();
      this.addClass("tracebook-figure");
      this.node.style.position = "relative";
      /** @type {FigureSpec} */
      this.spec = {};
      /** @type {Plotly | undefined} */
      this.plotly = undefined;
      /** The width that is drawn. @type {number | undefined} */
      this.width = undefined;
      /** The index of the chosen entry of the figure's menu. */
      this.chosen = 0;
      this.holder = /** @type {GraphDiv} */ (document.createElement("div"));
      this.node.append(this.holder);
      this.endTheme = onThemeChange(() => this.recolour());
      this.sizes = new ResizeObserver(() => this.fit());
      this.sizes.observe(this.node);
    }

    /** @param {OutputModel} model */
    async renderModel(model) {
      this.spec = /** @type {FigureSpec} */ (model.data[MIME]);
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
        // Plotly modifies what it draws, and the notebook saves the original.
        const { data = [], layout = {}, config = {} } = structuredClone(this.spec);
        layout.template ??= template(this.node);
        layout.width ??= this.node.offsetWidth || undefined;
        this.node.replaceChildren(this.holder);
        const options = Object.fromEntries(OPTIONS.filter((key) => key in config).map((key) => [key, config[key]]));
        await this.plotly.newPlot(this.holder, data, layout, {
          ...options,
          // `fit` follows the width.
          responsive: false,
          displaylogo: false,
          typesetMath: false,
          // Hints such as "double-click to zoom back out" would cover names.
          showTips: false,
          modeBarButtonsToRemove: [...REMOVED_BUTTONS, ...[config.modeBarButtonsToRemove ?? []].flat()],
          modeBarButtonsToAdd: buttons(this.plotly, {
            family: () => family(this.node),
            name: () => plain(titleOf(this.spec.layout)).trim(),
            notify: (text) => this.notify(text),
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
        this.holder.setAttribute("aria-label", plain(titleOf(layout) || "figure"));
        this.width = undefined;
        await this.fit();
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        this.node.replaceChildren(this.holder, document.createTextNode(`cannot draw the figure: ${reason}`));
      }
    }

    /** Fits the figure to the width of the output; a hidden output has none. */
    async fit() {
      const width = this.node.offsetWidth;
      if (this.plotly && this.holder.data && width > 0 && width !== this.width) {
        this.width = width;
        await this.refit();
        // The names depend on the width of the plot, which has changed now.
        await this.refit();
      }
    }

    /** Wraps the title and thins out the names for the drawn size. */
    async refit() {
      const { layout = {} } = this.spec;
      if (!this.width || !this.plotly || !this.holder.data || this.isDisposed) {
        return;
      }
      const inner = this.holder.querySelector(".nsewdrag")?.getBoundingClientRect();
      const above = layout.legend?.orientation === "h" ? this.holder.querySelector(".legend .bg") : undefined;
      const changes = fittedTitle(layout, {
        width: this.width,
        bar: (/** @type {HTMLElement | null} */ (this.holder.querySelector(".modebar"))?.offsetWidth ?? 0) + 24,
        legend: above?.getBoundingClientRect().height ?? 0,
        family: family(this.node),
      });
      const shown = this.holder.data.filter(({ visible }) => visible !== false && visible !== "legendonly");
      const positions = new Set(shown.flatMap(({ x }) => x ?? [])).size;
      const [low, high] = this.holder.layout.xaxis?.range ?? [0, positions];
      const { more, ...ticks } = fittedTicks(this.ticks(), positions, high - low, inner?.width ?? 0);
      for (const [key, value] of Object.entries(ticks)) {
        changes[`xaxis.${key}`] = value;
      }
      if (typeof changes.height === "number") {
        changes.height += more;
      }
      if (layout.width === undefined) {
        changes.width = this.width;
      }
      /** @type {(path: string) => unknown} */
      const current = (path) => path.split(".").reduce((value, key) => value?.[key], /** @type {any} */ (this.holder.layout));
      const differs = Object.entries(changes).filter(([key, value]) => JSON.stringify(value) !== JSON.stringify(current(key)));
      if (differs.length > 0) {
        await this.plotly.relayout(this.holder, Object.fromEntries(differs));
      }
      await this.refitLabels();
    }

    /** Leaves out labels of bars that would overlap. */
    async refitLabels() {
      const inner = this.holder.querySelector(".nsewdrag")?.getBoundingClientRect();
      const at = (this.spec.data ?? []).findIndex(({ mode }) => mode === "markers+text");
      const { text, y, textposition } = this.spec.data?.[at] ?? {};
      const range = this.holder.layout.yaxis?.range;
      if (!this.plotly || !inner || !range || !Array.isArray(text) || !Array.isArray(y) || !Array.isArray(textposition)) {
        return;
      }
      const scale = inner.height / (range[1] - range[0]);
      const heights = y.map((value, bar) => value * scale + (String(textposition[bar]).startsWith("bottom") ? -LABEL : LABEL));
      const fitted = fittedLabels(text, heights, inner.width / text.length, measuring(LABEL, family(this.node)));
      if (JSON.stringify(fitted) !== JSON.stringify(this.holder.data?.[at]?.text)) {
        await this.plotly.restyle(this.holder, { text: [fitted] }, [at]);
      }
    }

    /** Returns the kernel's names at the x axis, for the chosen entry of the menu. @returns {Axis} */
    ticks() {
      const chosen = this.spec.layout?.updatemenus?.[0]?.buttons?.[this.chosen]?.args?.[1];
      const keys = ["tickvals", "ticktext", "tickangle"];
      return chosen && "xaxis.tickvals" in chosen
        ? Object.fromEntries(keys.map((key) => [key, chosen[`xaxis.${key}`]]))
        : (this.spec.layout?.xaxis ?? {});
    }

    /** Applies the colours of the current theme; zoom and menu stay. */
    async recolour() {
      if (this.plotly && this.holder.data && !this.spec.layout?.template && !this.isDisposed) {
        await this.plotly.relayout(this.holder, { template: template(this.node) });
      }
    }

    /** Shows a text in a corner for some seconds. @param {string} text */
    notify(text) {
      const note = element("div", { className: "tracebook-note", text, aria: { role: "status" } });
      note.style.cssText =
        "position:absolute;right:8px;bottom:4px;padding:2px 8px;border-radius:3px;font-size:12px;" +
        "color:var(--jp-content-font-color1);background:var(--jp-layout-color2);";
      this.node.append(note);
      setTimeout(() => note.remove(), NOTIFICATION_MS);
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
