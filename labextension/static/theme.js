// Colours of the page, and word when they change.

/** The value of a theme variable at `node`, or `otherwise`. */
export function themed(node, variable, otherwise) {
  return getComputedStyle(node).getPropertyValue(variable).trim() || otherwise;
}

const listeners = new Set();

const observer = new MutationObserver(() => {
  // JupyterLab names the new theme before the browser has applied its style sheet.
  setTimeout(() => listeners.forEach((listener) => listener()), 100);
});

/** Calls `listener` whenever the theme changes; returns what ends that. */
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
