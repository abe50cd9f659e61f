// @ts-check
// Creates elements and style sheets. Text is set as text, never as markup, since a trace can contain any name.

/** @typedef {{ text?: string, aria?: Record<string, string>, [property: string]: unknown }} Properties */

/**
 * Creates an element with properties, `aria` attributes (and `role`), text and children.
 *
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Properties} [properties]
 * @param {...(Node | string)} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function element(tag, { text, aria = {}, ...properties } = {}, ...children) {
  const made = document.createElement(tag);
  Object.assign(made, properties);
  for (const [name, value] of Object.entries(aria)) {
    made.setAttribute(name === "role" ? name : `aria-${name}`, value);
  }
  if (text !== undefined) {
    made.textContent = text;
  }
  made.append(...children);
  return made;
}

/**
 * Creates a button. `onClick` is not called while the button has `aria-disabled`.
 *
 * @param {string | undefined} text
 * @param {() => unknown} onClick
 * @param {Properties} [properties]
 */
export function button(text, onClick, { aria, ...properties } = {}) {
  const made = element("button", { type: "button", className: "tb-button", text, aria, ...properties });
  made.addEventListener("click", () => {
    if (made.getAttribute("aria-disabled") !== "true") {
      onClick();
    }
  });
  return made;
}

/** Adds a style sheet to the page, unless the page has it. @param {string} id @param {string} text */
export function addStyleSheet(id, text) {
  if (!document.getElementById(id)) {
    document.head.append(element("style", { id, text }));
  }
}
