// @ts-check
// Shortens names in the middle, so that different names stay different.

/** How often names that look alike are shortened again, each time around a character in which they differ. */
const ROUNDS = 6;
const SHORTEST = 3;

/**
 * Removes the middle of a long text: kernels are told apart by their beginning and end.
 *
 * @param {string} text
 * @param {number} most the longest result, in characters
 */
export function elide(text, most) {
  const chars = Array.from(text);
  const room = Math.max(most, SHORTEST);
  if (chars.length <= room) {
    return text;
  }
  const tail = Math.floor((room - 1) / 2);
  return `${chars.slice(0, room - 1 - tail).join("")}…${chars.slice(-tail).join("")}`;
}

/**
 * Like `elide`, but keeps the characters around index `keep`.
 *
 * @param {string} name
 * @param {number} most
 * @param {number} keep
 */
function elideAround(name, most, keep) {
  const chars = Array.from(name);
  const room = Math.max(most, SHORTEST);
  const head = Math.floor(room / 3);
  const tail = room - head - 1;
  if (chars.length <= room || keep <= head) {
    return elide(name, room);
  }
  const from = Math.min(Math.max(keep - Math.floor(tail / 3), 0), chars.length - tail);
  const rest = chars.slice(from, from + tail);
  const end = from + tail === chars.length ? rest.join("") : `${rest.slice(0, -1).join("")}…`;
  return `${chars.slice(0, head).join("")}…${end}`;
}

/** Returns the index of the first character in which two names differ. @param {string} one @param {string} other */
function firstDifference(one, other) {
  const [a, b] = [Array.from(one), Array.from(other)];
  const at = a.findIndex((char, index) => char !== b[index]);
  return at < 0 ? a.length : at;
}

/** Returns the groups of names that have the same short name. @param {Map<string, string>} short */
function lookAlikes(short) {
  /** @type {Map<string, string[]>} */
  const groups = new Map();
  short.forEach((text, name) => groups.set(text, [...(groups.get(text) ?? []), name]));
  return [...groups.values()].filter((group) => group.length > 1);
}

/**
 * Returns a short name for each name. Names that would look alike are shortened around a character in which they differ;
 * if one is not enough, they are numbered.
 *
 * @param {string[]} names
 * @param {number} most the longest short name, in characters
 * @returns {Map<string, string>}
 */
export function elideApart(names, most) {
  const short = new Map([...new Set(names)].map((name) => [name, elide(name, most)]));
  for (let round = 0; round < ROUNDS; round += 1) {
    const groups = lookAlikes(short);
    if (!groups.length) {
      return short;
    }
    for (const group of groups) {
      const at = Math.min(...group.slice(1).map((name, index) => firstDifference(group[index], name)));
      group.forEach((name) => short.set(name, elideAround(name, most, at)));
    }
  }
  number(short, Math.max(most, SHORTEST));
  return short;
}

/** Numbers the names that still look alike: `kernel…`, `kerne·2`. @param {Map<string, string>} short @param {number} most */
function number(short, most) {
  const taken = new Set(short.values());
  for (const group of lookAlikes(short)) {
    const chars = Array.from(short.get(group[0]) ?? "");
    let count = 2;
    for (const name of group.slice(1)) {
      let text;
      do {
        const end = `·${count++}`;
        text = chars.slice(0, Math.max(most - end.length, 1)).join("") + end;
      } while (taken.has(text));
      taken.add(text);
      short.set(name, text);
    }
  }
}
