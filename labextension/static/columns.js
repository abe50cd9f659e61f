// What the cells of a column need: how a value is written, how a long one is shortened, how long its bar is.

/** How many characters of a name, and of another text, are shown; the whole stands in the title. */
const NAME_CHARS = 40;
const TEXT_CHARS = 120;

const RIGHT = new Set(["number", "id", "difference", "bar"]);
const TIMES = new Set(["ns", "µs", "ms", "s"]);
/** Moments are measured in the units of durations, but a bar would say nothing. */
const MOMENTS = new Set(["ts", "end"]);

/** A long text without its middle: both ends tell a kernel apart. */
function elide(text, most) {
  const chars = Array.from(text);
  if (chars.length <= most) {
    return text;
  }
  const tail = Math.floor((most - 1) / 2);
  return `${chars.slice(0, most - 1 - tail).join("")}…${chars.slice(-tail).join("")}`;
}

/** The first character in which two names differ. */
function parting(one, other) {
  const [a, b] = [Array.from(one), Array.from(other)];
  const at = a.findIndex((char, index) => char !== b[index]);
  return at < 0 ? a.length : at;
}

/** Names → short names; names that would look alike show the place where they part. */
function elideApart(names) {
  const alike = new Map();
  for (const name of new Set(names)) {
    const short = elide(name, NAME_CHARS);
    if (alike.has(short)) {
      alike.get(short).push(name);
    } else {
      alike.set(short, [name]);
    }
  }
  const short = new Map();
  for (const [text, group] of alike) {
    const at = Math.min(...group.slice(1).map((name) => parting(group[0], name)));
    group.forEach((name) => short.set(name, group.length > 1 ? elideAt(name, at) : text));
  }
  return short;
}

/** As `elide`, and keeps what stands around character `keep`. */
function elideAt(name, keep) {
  const chars = Array.from(name);
  const head = Math.floor(NAME_CHARS / 3);
  const tail = NAME_CHARS - head - 1;
  if (chars.length <= NAME_CHARS || keep <= head) {
    return elide(name, NAME_CHARS);
  }
  const from = Math.min(Math.max(keep - Math.floor(tail / 3), 0), chars.length - tail);
  const rest = chars.slice(from, from + tail);
  const end = from + tail === chars.length ? rest.join("") : `${rest.slice(0, -1).join("")}…`;
  return `${chars.slice(0, head).join("")}…${end}`;
}

/** Writes the sizes of numbers: so many decimals, thousands separated, nothing but zero shown as zero. */
function sizes(decimals) {
  const digits = new Intl.NumberFormat("en-US", { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
  const long = new Intl.NumberFormat("en-US", { notation: "scientific", maximumFractionDigits: 3 });
  const small = (size) => {
    const more = 1 - Math.floor(Math.log10(size));
    return more > 12 ? size.toExponential(1) : size.toFixed(more);
  };
  return (value) => {
    const size = Math.abs(value);
    const text = (size < 1e16 ? digits : long).format(size);
    return size > 0 && !/[1-9]/.test(text) ? small(size) : text;
  };
}

/** Value → text, and for a difference the arrow before it. */
function writer(column) {
  const size = sizes(Math.min(Math.max(column.decimals ?? 0, 0), 20));
  return (value) => {
    if (value === null || value === undefined) {
      return "—";
    }
    if (typeof value !== "number" || column.kind === "id" || column.kind === "name") {
      return String(value);
    }
    if (column.kind === "difference" && value !== 0) {
      return value > 0 ? `▲ +${size(value)}` : `▼ −${size(value)}`;
    }
    return value < 0 ? `−${size(value)}` : size(value);
  };
}

/** Whether bars stand behind the values: where the answer says so, and behind durations that can be compared. */
function hasBars(column, rows, index) {
  if (column.kind === "difference" || column.kind === "bar") {
    return true;
  }
  const duration = column.kind === "number" && TIMES.has(column.unit) && !MOMENTS.has(column.name);
  return duration && rows.filter((row) => typeof row[index] === "number").length > 1;
}

/** The least and the largest value with zero between them; a share is one of a hundred. */
function range(column, rows, index) {
  let [least, most] = [0, column.kind === "bar" && column.unit === "%" ? 100 : 0];
  for (const row of rows) {
    if (typeof row[index] === "number") {
      [least, most] = [Math.min(least, row[index]), Math.max(most, row[index])];
    }
  }
  return { least, most };
}

/** The columns, ready to be drawn. The control's and the test's column of one thing share their bars' scale. */
export function prepare(columns, rows) {
  const ranges = columns.map((column, index) => (hasBars(column, rows, index) ? range(column, rows, index) : null));
  const side = (column) => String(column.name).replace(/^(control|test)_/, "");
  return columns.map((column, index) => {
    const write = writer(column);
    const names = column.kind === "name" ? elideApart(rows.map((row) => write(row[index]))) : new Map();
    const sharing = ranges.filter((its, other) => its && side(columns[other]) === side(column));
    return {
      ...column,
      index,
      write,
      short: (text) => names.get(text) ?? elide(text, TEXT_CHARS),
      // HTA's `sum (us)` without the unit in it: the table may show another.
      title: column.unit ? `${String(column.name).replace(/\s*\(us\)$/, "")} [${column.unit}]` : String(column.name),
      right: RIGHT.has(column.kind),
      range: ranges[index] && {
        least: Math.min(...sharing.map(({ least }) => least)),
        most: Math.max(...sharing.map(({ most }) => most)),
      },
    };
  });
}

/** The picture behind a value: a bar from zero to it. Orange is more, blue is less, as in figures test and control are. */
export function bar(column, value) {
  if (!column.range || typeof value !== "number" || value === 0) {
    return "";
  }
  const { least, most } = column.range;
  const place = (at) => ((at - least) / (most - least)) * 100;
  const [from, to] = [place(Math.min(0, value)), place(Math.max(0, value))].map((at) => `${at.toFixed(1)}%`);
  const tone = column.kind !== "difference" ? "size" : value > 0 ? "more" : "less";
  const colour = `var(--tb-${tone})`;
  return `linear-gradient(90deg, transparent ${from}, ${colour} ${from}, ${colour} ${to}, transparent ${to})`;
}
