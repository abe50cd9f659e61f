// Elements whose text is text: nothing that a trace can name becomes markup.

/** An element with properties, attributes (`aria`), text and children. */
export function element(tag, { text, aria = {}, ...properties } = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  for (const [name, value] of Object.entries(aria)) {
    made.setAttribute(name === "role" ? name : `aria-${name}`, value);
  }
  if (text !== undefined) {
    made.textContent = text;
  }
  made.append(...children);
  return made;
}

/** A button that does something when it is clicked, or when Enter or Space is pressed on it. */
export function button(text, act, { aria, ...properties } = {}) {
  const made = element("button", { type: "button", className: "tb-button", text, aria, ...properties });
  made.addEventListener("click", () => {
    if (made.getAttribute("aria-disabled") !== "true") {
      act();
    }
  });
  return made;
}
