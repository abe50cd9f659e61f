// @ts-check
// Keeps words with hyphens, such as `--test-iteration`, on one line of a text output. Browsers break lines behind every hyphen,
// and no style sheet prevents that.

import { element } from "./element.js";

const WHOLE = "tracebook-whole";
/** A word with a hyphen inside. */
const WORD = /[^\s-]*-+[^\s-]\S*/g;
/** Longer words may break, or they would not fit. */
const LONGEST = 40;
/** Texts of more characters stay as they are: the search would be noticeable. */
const MAX_TEXT = 20000;

/**
 * Splits a text into pieces; `whole` pieces must not be broken.
 *
 * @param {string} text
 */
export function pieces(text) {
  const found = [];
  let from = 0;
  for (const { 0: word, index } of text.matchAll(WORD)) {
    if (word.length <= LONGEST && word.indexOf("-", 1) > 0) {
      found.push({ text: text.slice(from, index), whole: false }, { text: word, whole: true });
      from = index + word.length;
    }
  }
  found.push({ text: text.slice(from), whole: false });
  return found.filter((piece) => piece.text);
}

/** Returns a text as nodes; words that must not be broken are elements. @param {string} text */
export function unbroken(text) {
  return pieces(text).map((piece) => {
    if (!piece.whole) {
      return document.createTextNode(piece.text);
    }
    const word = element("span", { className: WHOLE, text: piece.text });
    word.style.whiteSpace = "nowrap";
    return word;
  });
}

/** Wraps the words with hyphens in an output. @param {Element} output */
function keepWhole(output) {
  if ((output.textContent ?? "").length > MAX_TEXT) {
    return;
  }
  const walker = document.createTreeWalker(output, NodeFilter.SHOW_TEXT);
  /** @type {Text[]} */
  const texts = [];
  while (walker.nextNode()) {
    const text = /** @type {Text} */ (walker.currentNode);
    if (text.data.includes("-") && !text.parentElement?.classList.contains(WHOLE)) {
      texts.push(text);
    }
  }
  for (const text of texts) {
    const nodes = unbroken(text.data);
    if (nodes.some((node) => node instanceof Element)) {
      text.replaceWith(...nodes);
    }
  }
}

/**
 * Keeps the hyphenated words of a notebook's text outputs whole, in present and future outputs. Returns a function that ends
 * this.
 *
 * @param {Element} node
 */
export function keepHyphens(node) {
  const selector = ".jp-OutputArea .jp-RenderedText pre";
  /** @type {Set<Element>} */
  const changed = new Set();
  let scheduled = false;
  const flush = () => {
    scheduled = false;
    for (const output of changed) {
      if (output.isConnected) {
        keepWhole(output);
      }
    }
    changed.clear();
  };
  const add = (/** @type {Element} */ output) => {
    changed.add(output);
    if (!scheduled) {
      scheduled = true;
      requestAnimationFrame(flush);
    }
  };
  const observer = new MutationObserver((records) => {
    for (const { target, addedNodes } of records) {
      const parent = target instanceof Element ? target : target.parentElement;
      const pre = parent?.closest(selector);
      if (pre) {
        add(pre);
        continue;
      }
      for (const added of addedNodes) {
        if (added instanceof Element) {
          if (added.matches(selector)) {
            add(added);
          }
          added.querySelectorAll(selector).forEach(add);
        }
      }
    }
  });
  node.querySelectorAll(selector).forEach(add);
  observer.observe(node, { childList: true, characterData: true, subtree: true });
  return () => observer.disconnect();
}
