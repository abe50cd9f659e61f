// @ts-check
// Colours of the page's theme, and notification of theme changes.

/**
 * Returns the style of `node`. An element that is not on the page yet has none: it gets that of the page.
 *
 * @param {Element} node
 */
export const styleOf = (node) => getComputedStyle(node.isConnected ? node : document.body);

/**
 * Returns the value of a theme variable at `node`, or `fallback` if the theme does not set it.
 *
 * @param {Element} node
 * @param {string} variable
 * @param {string} fallback
 */
export function themed(node, variable, fallback) {
  return styleOf(node).getPropertyValue(variable).trim() || fallback;
}

/** @type {Set<() => unknown>} */
const listeners = new Set();

const observer = new MutationObserver(() => {
  // JupyterLab sets the name of the theme before the browser has applied its style sheet.
  setTimeout(() => listeners.forEach((listener) => listener()), 100);
});

/** Calls `listener` at each change of the theme. Returns a function that ends this. @param {() => unknown} listener */
export function onThemeChange(listener) {
  if (listeners.size === 0) {
    observer.observe(document.body, { attributeFilter: ["data-jp-theme-light", "data-jp-theme-name"] });
  }
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) {
      observer.disconnect();
    }
  };
}
