// @ts-check
// Common parts of the renderers of timelines and of flame graphs: the widget that Jupyter makes for an output, and the legend of changes.

import { button, element } from "./element.js";
import { CHANGES, changeColour, changeMeaning } from "./timeline-colour.js";

/**
 * @import { OutputModel, WidgetClass } from "../types/jupyterlab"
 * @import { ViewState } from "../types/timeline-view"
 * @import { TimelineView } from "./timeline-view.js"
 * @typedef {{ view: TimelineView, dispose: () => void }} Mounted
 */

/** Creates the legend of changes, and the button that colours by name instead. @param {() => TimelineView} view @param {{ label: string }[]} sides */
export function changeLegend(view, sides) {
  const marks = [...CHANGES.keys()].slice(1).concat(0);
  const legend = element("div", { className: "tl-legend" });
  const draw = () => {
    const { state, theme } = view();
    const by = state.colour === "change";
    const toggle = button("colour by change", () => {
      state.colour = by ? "name" : "change";
      view().renewColours();
      draw();
      legend.querySelector("button")?.focus();
    }, { aria: { pressed: String(by) } });
    const colours = marks.map((change) => {
      const swatch = element("i");
      const [red, green, blue] = changeColour(change, theme.dark);
      swatch.style.background = `rgb(${red}, ${green}, ${blue})`;
      return element("span", {}, swatch, changeMeaning(change, sides));
    });
    legend.replaceChildren(toggle, ...(by ? colours : []));
  };
  return { legend, draw };
}

/**
 * Returns the class of a renderer: a subclass of Lumino's Widget.
 *
 * @param {WidgetClass} Widget
 * @param {string} mime
 * @param {{ name: string, className: string }} words what it draws, in a message and for the style sheet
 * @param {(node: HTMLElement, sent: unknown, state: ViewState | undefined) => Mounted} mount
 */
export function rendererOf(Widget, mime, { name, className }, mount) {
  /** Keeps the view of an output while Jupyter replaces its renderer. @type {WeakMap<object, ViewState>} */
  const states = new WeakMap();
  return class Renderer extends Widget {
    constructor() {
      super();
      this.addClass(className);
      /** @type {Mounted | undefined} */
      this.mounted = undefined;
    }

    dispose() {
      this.mounted?.dispose();
      super.dispose();
    }

    /** @param {OutputModel} model */
    async renderModel(model) {
      this.mounted?.dispose();
      this.mounted = undefined;
      try {
        this.mounted = mount(this.node, model.data[mime], states.get(model));
        states.set(model, this.mounted.view.state);
      } catch (error) {
        this.node.textContent = `cannot draw this ${name}: ${error instanceof Error ? error.message : error}`;
      }
    }
  };
}
