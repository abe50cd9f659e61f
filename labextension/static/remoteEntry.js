// @ts-check
// The entry point that JupyterLab loads: a module-federation container, written by hand because plain scripts need no bundler.
// JupyterLab calls `init` with the packages that it shares, and `get` with a name from package.json: `./mimeExtension`
// (renderers of figures, tables, timelines and flame graphs) or `./extension` (plugins).

/**
 * The packages that JupyterLab shares: name → version → how to load it.
 *
 * @typedef {Record<string, Record<string, { loaded?: unknown, get(): Promise<() => any> }>>} Scope
 */

(() => {
  "use strict";

  const base = /** @type {HTMLScriptElement} */ (document.currentScript).src;
  /** @type {Scope} */
  let scope = {};

  /** Loads a shared package, in the version that JupyterLab itself uses. @param {string} name */
  const shared = async (name) => {
    const versions = Object.values(scope[name] ?? {});
    const chosen = versions.find((version) => version.loaded) ?? versions[0];
    if (!chosen) {
      throw new Error(`tracebook: JupyterLab does not share ${name}`);
    }
    return (await chosen.get())();
  };

  /** Imports a module beside this script. @param {string} name @returns {Promise<any>} */
  const script = (name) => import(new URL(name, base).href);

  const renderers = async () => {
    const [{ Widget }, figure, table, timeline, flame, comm] = await Promise.all([
      shared("@lumino/widgets"),
      script("figure.js"),
      script("table.js"),
      script("timeline.js"),
      script("flame.js"),
      script("comm.js"),
    ]);
    const renderer = (/** @type {string} */ id, /** @type {string} */ mimeType, /** @type {object} */ createRenderer) => ({
      id: `tracebook-labextension:${id}`,
      dataType: "json",
      // Preferred to text/html, which tables contain too.
      rank: 0,
      rendererFactory: {
        // All renderers set text as textContent only, so they are safe in untrusted notebooks.
        safe: true,
        mimeTypes: [mimeType],
        createRenderer,
      },
    });
    const Figure = figure.renderer(Widget);
    const Table = table.renderer(Widget);
    const Timeline = timeline.renderer(Widget, comm.connect);
    const Flame = flame.renderer(Widget);
    return [
      renderer("figure", figure.MIME, () => new Figure()),
      renderer("table", table.MIME, () => new Table()),
      renderer("timeline", timeline.MIME, () => new Timeline()),
      renderer("flame", flame.MIME, () => new Flame()),
    ];
  };

  const plugins = async () => (await script("plugins.js")).plugins(shared);

  window._JUPYTERLAB = window._JUPYTERLAB ?? {};
  window._JUPYTERLAB["tracebook-labextension"] = {
    init: (/** @type {Scope} */ packages) => {
      scope = packages;
    },
    get: async (/** @type {string} */ name) => {
      const made = await (name === "./extension" ? plugins() : renderers());
      return () => ({ __esModule: true, default: made });
    },
  };
})();
