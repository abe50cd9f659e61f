// What JupyterLab loads first: a module-federation container written by hand, since two renderers need no bundler.
// JupyterLab calls `init` with the packages it shares and `get` with the name that package.json gives the extension.
(() => {
  "use strict";

  const base = document.currentScript.src;
  let shared;

  /** Lumino's Widget, in the copy that JupyterLab itself uses. */
  const widget = async () => {
    const versions = Object.values(shared["@lumino/widgets"] ?? {});
    const chosen = versions.find((version) => version.loaded) ?? versions[0];
    if (!chosen) {
      throw new Error("tracebook: JupyterLab does not share @lumino/widgets");
    }
    return (await chosen.get())().Widget;
  };

  const load = async () => {
    const [Widget, figure, table] = await Promise.all([
      widget(),
      import(new URL("figure.js", base)),
      import(new URL("table.js", base)),
    ]);
    const renderer = (id, mimeType, create) => ({
      id: `tracebook-labextension:${id}`,
      dataType: "json",
      // Before text/html, which tables carry too.
      rank: 0,
      rendererFactory: {
        // Both renderers write text with textContent only, so untrusted notebooks may use them.
        safe: true,
        mimeTypes: [mimeType],
        createRenderer: create,
      },
    });
    const Figure = figure.renderer(Widget);
    const Table = table.renderer(Widget);
    return {
      __esModule: true,
      default: [
        renderer("figure", figure.MIME, (options) => new Figure(options)),
        renderer("table", table.MIME, (options) => new Table(options)),
      ],
    };
  };

  window._JUPYTERLAB = window._JUPYTERLAB ?? {};
  window._JUPYTERLAB["tracebook-labextension"] = {
    init: (scope) => {
      shared = scope;
    },
    get: async () => {
      const module = await load();
      return () => module;
    },
  };
})();
