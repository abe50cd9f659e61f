// Colours of cells: magic lines as magics, all else as Rust. A cell's language here is a parser of ours for its magic lines, into
// which Rust's own parser is nested for each piece of Rust: a quote or a `/*` in a magic line does not reach the code below it.
// Colours come from JupyterLab's theme. Only editors in notebooks of our kernel have this language.

import { pieces, words } from "./magic.js";
import { isOurs } from "./notebooks.js";

/** The name of Rust, in JupyterLab's list of languages and in its MIME types. */
const RUST = "rust";
const NODES = ["Cell", "Rust", "MagicLine", "MagicName", "Binding", "flag", "string", "number", "expression", "variable"];

/** The language of a cell, made of Rust's. */
function language(rust, { Language, languageDataProp }, { NodeType, NodeSet, Parser, Tree, parseMixed }, { styleTags, tags }) {
  const rustData = rust.language.data;
  const types = NODES.map((name, id) =>
    NodeType.define({ id, name, top: id === 0, props: id === 0 ? [[languageDataProp, rustData]] : [] }),
  );
  const nodes = new NodeSet(types).extend(
    styleTags({
      MagicName: tags.operator,
      Binding: tags.definition(tags.variableName),
      flag: tags.attributeName,
      string: tags.string,
      number: tags.number,
      variable: tags.special(tags.variableName),
    }),
  );
  const type = Object.fromEntries(nodes.types.map((one) => [one.name, one]));

  /** A node over children, given as `{ node, from, to }` in places of the cell. */
  const tree = (name, from, to, children) =>
    new Tree(type[name], children.map(({ node }) => node), children.map((child) => child.from - from), to - from);
  const leaf = (name, from, to) => ({ node: tree(name, from, to, []), from, to });

  const magicLine = (code, { from, to, head }) => {
    const parts = [];
    if (head.bind) {
      parts.push(leaf("Binding", from + head.bind[0], from + head.bind[1]));
    }
    parts.push(leaf("MagicName", from + head.name[0], from + head.name[1]));
    for (const word of words(code.slice(from, from + head.length), head.name[1])) {
      parts.push(leaf(word.kind, from + word.from, from + word.to));
    }
    return { node: tree("MagicLine", from, to, parts), from, to };
  };

  /** All of a cell at once: cells are short. */
  class Whole {
    constructor(input) {
      this.input = input;
      this.parsedPos = 0;
      this.stoppedAt = null;
    }

    stopAt(place) {
      this.stoppedAt = place;
    }

    advance() {
      const code = this.input.read(0, this.input.length);
      this.parsedPos = this.input.length;
      const parts = pieces(code).map((piece) => (piece.head ? magicLine(code, piece) : leaf("Rust", piece.from, piece.to)));
      return tree("Cell", 0, code.length, parts);
    }
  }

  const nested = parseMixed(({ name }) => (name === "Rust" || name === "expression" ? { parser: rust.language.parser } : null));

  class CellParser extends Parser {
    createParse(input, fragments, ranges) {
      return nested(new Whole(input), input, fragments, ranges);
    }
  }

  return new Language(rustData, new CellParser(), [], "tracebook");
}

/** What an editor is given: nothing, or the language while its cell is one of ours. */
function editorExtension({ Compartment, Prec }, { ViewPlugin }, loaded, model) {
  const notebook = model.sharedModel?.notebook;
  const compartment = new Compartment();
  const follow = ViewPlugin.define((view) => {
    let there = false;
    let ended = false;
    const update = async () => {
      const wanted = isOurs(notebook) && model.mimeType.includes(RUST);
      const made = wanted ? await loaded() : undefined;
      if (!ended && Boolean(made) !== there) {
        there = Boolean(made);
        view.dispatch({ effects: compartment.reconfigure(made ? Prec.highest(made.extension) : []) });
      }
    };
    // Later, since a view that is being made takes no changes.
    Promise.resolve().then(update);
    notebook.metadataChanged.connect(update);
    model.mimeTypeChanged.connect(update);
    return {
      destroy: () => {
        ended = true;
        notebook.metadataChanged.disconnect(update);
        model.mimeTypeChanged.disconnect(update);
      },
    };
  });
  return [compartment.of([]), follow];
}

/** The plugin. */
export async function highlighting(shared) {
  const [codemirror, state, view, languages, common, highlight] = await Promise.all(
    ["@jupyterlab/codemirror", "@codemirror/state", "@codemirror/view", "@codemirror/language", "@lezer/common", "@lezer/highlight"]
      .map(shared),
  );
  const { EditorExtensionRegistry, IEditorExtensionRegistry, IEditorLanguageRegistry } = codemirror;
  return {
    optional: [IEditorExtensionRegistry, IEditorLanguageRegistry],
    activate: (_, extensions, registry) => {
      if (!extensions || !registry) {
        return;
      }
      let made;
      const load = async () => {
        const rust = await registry.getLanguage(RUST);
        if (!rust?.support) {
          throw new Error(`JupyterLab has no language called ${RUST}`);
        }
        return language(rust.support, languages, common, highlight);
      };
      // Without it cells keep the colours of Rust.
      const loaded = () => (made ??= load().catch((error) => console.warn(`tracebook: no colours of magic lines: ${error.message}`)));
      extensions.addExtension({
        name: "tracebook:magics",
        factory: ({ model }) =>
          model.sharedModel?.notebook
            ? EditorExtensionRegistry.createImmutableExtension(editorExtension(state, view, loaded, model))
            : null,
      });
    },
  };
}
