// Rows as text for other programs: exact values, without separators, arrows and bars.

const exact = (value) => (value === null || value === undefined ? "" : String(value));

/** Comma-separated values; a text with commas, quotes or line ends stands in quotes. */
export function csv(columns, rows) {
  const field = (text) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const line = (texts) => texts.map(field).join(",");
  const head = line(columns.map(({ title }) => title));
  return [head, ...rows.map((row) => line(columns.map(({ index }) => exact(row[index]))))].join("\n") + "\n";
}

/** A table in Markdown, in which no name becomes markup. */
export function markdown(columns, rows) {
  const cell = (text) => text.replace(/[\\`*|<>[\]$~&]|(?<!\w)_|_(?!\w)/g, "\\$&").replace(/[\r\n]+/g, " ");
  const line = (texts) => `| ${texts.join(" | ")} |`;
  return [
    line(columns.map(({ title }) => cell(title))),
    line(columns.map(({ right }) => (right ? "---:" : "---"))),
    ...rows.map((row) => line(columns.map(({ index }) => cell(exact(row[index]))))),
  ].join("\n") + "\n";
}

/** Puts a text on the clipboard; whether it is there. */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Pages that come over plain HTTP from another machine have no such clipboard.
    return copyOld(text);
  }
}

function copyOld(text) {
  const focused = document.activeElement;
  const area = document.createElement("textarea");
  area.value = text;
  area.style.cssText = "position:fixed;top:0;opacity:0";
  document.body.append(area);
  area.select();
  const copied = document.execCommand("copy");
  area.remove();
  focused?.focus();
  return copied;
}
