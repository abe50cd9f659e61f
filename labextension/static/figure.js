// Draws `application/vnd.plotly.v1+json` with the plotly.js that lies beside this file.

import { onThemeChange, themed } from "./theme.js";

export const MIME = "application/vnd.plotly.v1+json";

/** What a figure may set of Plotly's options; the rest (servers, locales, TeX) is not for a notebook to say. */
const OPTIONS = ["staticPlot", "scrollZoom", "displayModeBar", "doubleClick", "modeBarButtonsToRemove", "toImageButtonOptions"];

let plotly;

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
  const family = themed(node, "--jp-ui-font-family", "sans-serif");
  const axis = { gridcolor: grid, linecolor: grid, zerolinecolor: faint, tickcolor: grid, automargin: true };
  const clear = "rgba(0,0,0,0)";
  return {
    layout: {
      font: { color: text, family },
      paper_bgcolor: clear,
      plot_bgcolor: clear,
      xaxis: axis,
      yaxis: axis,
      hoverlabel: { bgcolor: paper, bordercolor: faint, font: { color: text, family } },
      modebar: { bgcolor: clear, color: faint, activecolor: text },
    },
  };
}

/** A title without Plotly's tags and entities. */
function plain(text) {
  const entities = { "&lt;": "<", "&gt;": ">", "&amp;": "&" };
  return String(text).replace(/<[^>]*>/g, " ").replace(/&(lt|gt|amp);/g, (entity) => entities[entity]);
}

/** The renderer, as a subclass of the page's own Widget. */
export const renderer = (Widget) =>
  class Figure extends Widget {
    constructor() {
      super();
      this.addClass("tracebook-figure");
      this.holder = document.createElement("div");
      this.node.append(this.holder);
      this.endTheme = onThemeChange(() => this.draw());
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
        this.node.replaceChildren(this.holder);
        const options = Object.fromEntries(OPTIONS.filter((key) => key in config).map((key) => [key, config[key]]));
        await this.plotly.react(this.holder, data, layout, {
          ...options,
          responsive: true,
          displaylogo: false,
          typesetMath: false,
        });
        this.width = this.node.offsetWidth;
        this.holder.setAttribute("role", "img");
        this.holder.setAttribute("aria-label", plain(layout.title?.text ?? "figure"));
      } catch (error) {
        this.node.replaceChildren(this.holder, document.createTextNode(`The figure cannot be drawn: ${error.message}`));
      }
    }

    /** Draws at the width there is now; a figure out of sight has none. */
    fit() {
      const width = this.node.offsetWidth;
      if (this.plotly && this.holder.data && width > 0 && width !== this.width) {
        this.width = width;
        this.plotly.Plots.resize(this.holder);
      }
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
