// Keeps words with hyphens, such as `--test-iteration`, on one line of a text output. No style sheet can do that: browsers
// break lines behind every hyphen.

const WHOLE = "tracebook-whole";
/** A word that a line could break: no blanks, a hyphen inside. Longer words may break, or they would not fit. */
const WORD = /[^\s-]*-+[^\s-]\S*/g;
const LONGEST = 40;
/** Texts beyond this many characters stay as they are: to search them would be felt. */
const MOST = 20000;

/** Splits a text into pieces; `whole` ones must not break. */
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

/** A text as nodes: the words that must not break are elements. */
export function unbroken(text) {
  return pieces(text).map((piece) => {
    if (!piece.whole) {
      return document.createTextNode(piece.text);
    }
    const word = document.createElement("span");
    word.className = WHOLE;
    word.style.whiteSpace = "nowrap";
    word.textContent = piece.text;
    return word;
  });
}

/** Wraps the words with hyphens below an element. */
function keepWhole(element) {
  if (element.textContent.length > MOST) {
    return;
  }
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const texts = [];
  while (walker.nextNode()) {
    const text = walker.currentNode;
    if (text.data.includes("-") && !text.parentElement.classList.contains(WHOLE)) {
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

/** Keeps the hyphenated words of a notebook's text outputs whole, now and as outputs come. Returns what ends it. */
export function keepHyphens(node) {
  const selector = ".jp-OutputArea .jp-RenderedText pre";
  const changed = new Set();
  let scheduled = false;
  const flush = () => {
    scheduled = false;
    for (const element of changed) {
      if (element.isConnected) {
        keepWhole(element);
      }
    }
    changed.clear();
  };
  const add = (element) => {
    changed.add(element);
    if (!scheduled) {
      scheduled = true;
      requestAnimationFrame(flush);
    }
  };
  const observer = new MutationObserver((records) => {
    for (const { target, addedNodes } of records) {
      const element = target instanceof Element ? target : target.parentElement;
      const pre = element?.closest(selector);
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
