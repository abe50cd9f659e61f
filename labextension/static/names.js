// Names that fit: shortened in the middle, and never so that two different ones look the same.

/** How often names that look alike are shortened anew, each time at a place where those that still do differ. */
const ROUNDS = 6;
const SHORTEST = 3;

/** A long text without its middle: both ends tell a kernel apart. */
export function elide(text, most) {
  const chars = Array.from(text);
  const room = Math.max(most, SHORTEST);
  if (chars.length <= room) {
    return text;
  }
  const tail = Math.floor((room - 1) / 2);
  return `${chars.slice(0, room - 1 - tail).join("")}…${chars.slice(-tail).join("")}`;
}

/** As `elide`, and keeps what stands around character `keep`. */
function elideAt(name, most, keep) {
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

/** The first character in which two names differ. */
function parting(one, other) {
  const [a, b] = [Array.from(one), Array.from(other)];
  const at = a.findIndex((char, index) => char !== b[index]);
  return at < 0 ? a.length : at;
}

/** The groups of names that have the same short name. */
function alike(short) {
  const groups = new Map();
  short.forEach((text, name) => groups.set(text, [...(groups.get(text) ?? []), name]));
  return [...groups.values()].filter((group) => group.length > 1);
}

/** Names → short names. Those that would look alike show a place where they differ; those that differ in more places than
 * fit get a number. */
export function elideApart(names, most) {
  const short = new Map([...new Set(names)].map((name) => [name, elide(name, most)]));
  for (let round = 0; round < ROUNDS; round += 1) {
    const groups = alike(short);
    if (!groups.length) {
      return short;
    }
    for (const group of groups) {
      const at = Math.min(...group.slice(1).map((name, index) => parting(group[index], name)));
      group.forEach((name) => short.set(name, elideAt(name, most, at)));
    }
  }
  const taken = new Set(short.values());
  for (const group of alike(short)) {
    let number = 2;
    for (const name of group.slice(1)) {
      let text;
      do {
        const end = `·${number++}`;
        text = Array.from(short.get(name)).slice(0, Math.max(Math.max(most, SHORTEST) - end.length, 1)).join("") + end;
      } while (taken.has(text));
      taken.add(text);
      short.set(name, text);
    }
  }
  return short;
}
