// What JupyterLab loads first: a module-federation container written by hand, since plain scripts need no bundler.
// JupyterLab calls `init` with the packages it shares and `get` with a name that package.json gives: `./mimeExtension`
// (renderers of figures and tables) or `./extension` (plugins).
(() => {
  "use strict";

  const base = document.currentScript.src;
  let scope;

  /** A shared package, in the copy that JupyterLab itself uses. */
  const shared = async (name) => {
    const versions = Object.values(scope[name] ?? {});
    const chosen = versions.find((version) => version.loaded) ?? versions[0];
    if (!chosen) {
      throw new Error(`tracebook: JupyterLab does not share ${name}`);
    }
    return (await chosen.get())();
  };

  const script = (name) => import(new URL(name, base));

  const renderers = async () => {
    const [{ Widget }, figure, table] = await Promise.all([
      shared("@lumino/widgets"),
      script("figure.js"),
      script("table.js"),
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
    return [
      renderer("figure", figure.MIME, (options) => new Figure(options)),
      renderer("table", table.MIME, (options) => new Table(options)),
    ];
  };

  const plugins = async () => (await script("plugins.js")).plugins(shared);

  window._JUPYTERLAB = window._JUPYTERLAB ?? {};
  window._JUPYTERLAB["tracebook-labextension"] = {
    init: (given) => {
      scope = given;
    },
    get: async (name) => {
      const made = await (name === "./extension" ? plugins() : renderers());
      return () => ({ __esModule: true, default: made });
    },
  };
})();
