"""A trace in which every text is an attack: markup, links, terminal escapes, reordering, Plotly's and MathJax's languages."""

import gzip
import json
import re
from html.parser import HTMLParser

# Names that the analyses look for: without them the texts of the trace would not be shown.
KEPT = re.compile(r"^(cuda\w+|hip\w+|ProfilerStep#\d+|nccl:\w+)$")

ATTEMPT = (
    '<img src=x onerror=alert(1)><script>alert(2)</script><a href="javascript:alert(3)">here</a><b>bold</b><br>'
    "'\"&amp;&lt;i&gt; \x1b[31mred\x1b]0;title\x07\x9b2J \u202egnp.exe\u2066 \u200f $x^2$ \\(y\\) %{y} {z} `c` </pre></td>"
)


def attempt(text):
    return f"{text}{ATTEMPT}"


def hostile(value, key=""):
    """The same JSON with an attack in every text, and additional keys of arguments."""
    if isinstance(value, str):
        return value if key in ("ph", "cat", "s", "id") or KEPT.match(value) else attempt(value)
    if isinstance(value, list):
        return [hostile(item, key) for item in value]
    if isinstance(value, dict):
        made = {name: hostile(item, name) for name, item in value.items()}
        if key == "args":
            made[attempt("mine")] = attempt("value")
        return made
    return value


def write(source, path):
    with gzip.open(source, "rt", encoding="utf-8") as file:
        trace = json.load(file)
    # The name of the backend decides how the trace is read.
    backend = trace.get("distributedInfo", {}).get("backend")
    made = hostile(trace)
    if backend:
        made["distributedInfo"]["backend"] = backend
    made["traceEvents"].append(
        {
            "ph": "X",
            "cat": attempt("cat"),
            "name": attempt("own"),
            "pid": 1,
            "tid": 1,
            "ts": made["traceEvents"][0].get("ts", 0),
            "dur": 5,
            "args": {},
        }
    )
    with gzip.open(path, "wt", encoding="utf-8") as file:
        json.dump(made, file)
    return path


class Tags(HTMLParser):
    """What a piece of HTML would make a browser do."""

    ALLOWED = frozenset({
        "b", "br", "caption", "code", "colgroup", "col", "details", "div", "em", "figcaption", "p", "pre", "progress",
        "small", "span", "strong", "style", "summary", "table", "tbody", "td", "tfoot", "th", "thead", "tr", "ul", "wbr", "li", "h3", "h4",
    })  # fmt: skip

    # The link of %open_perfetto, written by us.
    OWN_LINK = [("href", "https://ui.perfetto.dev"), ("target", "_blank"), ("rel", "noopener noreferrer")]

    def __init__(self, html):
        super().__init__(convert_charrefs=True)
        self.wrong, self.text = [], []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attributes):
        if (tag, attributes) == ("a", self.OWN_LINK):
            return
        if tag not in self.ALLOWED:
            self.wrong.append(f"<{tag}>")
        for name, value in attributes:
            if name.startswith("on") or name in ("href", "src", "srcset", "formaction", "action"):
                self.wrong.append(f"{name}={value}")
            if name == "style" and re.search(r"url|expression|@import", value or "", re.I):
                self.wrong.append(f"style={value}")

    def handle_data(self, data):
        self.text.append(data)


STEERS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
MARKUP = re.compile(r"<\s*/?\s*(img|script|a|b|td|pre)\b", re.I)


def texts(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from texts(item)


def templates(value):
    """The texts in which Plotly replaces `%{…}`."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from texts(item) if key.endswith("template") and key != "template" else templates(item)
    elif isinstance(value, list):
        for item in value:
            yield from templates(item)


def faults(kind, content):
    """Returns what is wrong with the content of a MIME type or stream."""
    if kind == "text/html":
        tags = Tags(content)
        found = tags.wrong
        # MathJax reads what is between dollars in text outside of <span> and <code>.
        return found + [f"steers: {content[m.start() - 20 : m.end() + 5]!r}" for m in STEERS.finditer(content)][:3]
    if kind == "application/vnd.plotly.v1+json":
        # Our hover template contains bold names; a template must not contain text of a trace.
        own = "<b>%{hovertext}</b>"
        found = [text[:200] for text in texts(content) if STEERS.search(text) or MARKUP.search(text.replace(own, ""))]
        return found + [text for text in templates(content) if "alert" in text]
    if kind == "image/svg+xml":
        return [kind] if MARKUP.search(content) else []
    if kind.startswith("image/"):
        return []
    if kind == "error":
        # The compiler's messages have colours.
        content = COLOUR.sub("", content)
    if kind in ("text/plain", "stream", "error", "text/markdown", "text/latex"):
        found = [content[max(0, m.start() - 20) : m.end() + 5] for m in STEERS.finditer(content)]
        return [repr(text) for text in found[:3]]
    # JSON for our own renderers, which use textContent.
    return [repr(text)[:200] for text in texts(content) if STEERS.search(text)]
