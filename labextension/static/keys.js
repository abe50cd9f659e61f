// @ts-check
// Keeps keys from the notebook's shortcuts: `x` would cut the cell. JupyterLab listens to what bubbles up, so there it is enough to
// stop that. Notebook 7 listens at the document before any element does, and leaves out elements with an attribute.

const ATTRIBUTE = "data-lm-suppress-shortcuts";

/**
 * Keeps those keys that `isOurs` accepts, of elements in `root`, from the shortcuts of Notebook 7.
 *
 * @param {HTMLElement} root
 * @param {(event: KeyboardEvent) => boolean} isOurs
 * @param {AbortSignal} signal ends it
 */
export function suppressShortcuts(root, isOurs, signal) {
  const early = (/** @type {KeyboardEvent} */ event) => {
    const { target } = event;
    if (target instanceof Element && root.contains(target) && isOurs(event)) {
      target.setAttribute(ATTRIBUTE, "true");
      setTimeout(() => target.removeAttribute(ATTRIBUTE));
    }
  };
  window.addEventListener("keydown", early, { signal, capture: true });
}
