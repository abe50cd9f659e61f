// @ts-check
// A CodeMirror language for the cells of notebooks of our kernel. Its parser finds the magic lines, and CodeMirror's Rust parser
// is nested for each piece of Rust, so that a quote or a `/*` in a magic line does not affect the code below. JupyterLab's theme
// gives the colours.

import { pieces, words } from "./magic.js";
import { isOurs } from "./notebooks.js";

/**
 * The packages of CodeMirror and Lezer come without types.
 *
 * @import { EditorModel, MakePlugin } from "../types/jupyterlab"
 * @import { Piece } from "./magic.js"
 * @typedef {{ node: any, from: number, to: number }} Child
 */

/** The name of Rust in JupyterLab's list of languages and in MIME types. */
const RUST = "rust";
const NODES = ["Cell", "Rust", "MagicLine", "MagicName", "Binding", "flag", "string", "number", "expression", "variable"];

/**
 * Creates the language of cells from that of Rust.
 *
 * @param {any} rust
 * @param {any} codemirrorLanguage
 * @param {any} lezer
 * @param {any} highlight
 */
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
  const type = Object.fromEntries(nodes.types.map((/** @type {{ name: string }} */ node) => [node.name, node]));

  /** Creates a node over its children; all offsets are those of the cell. */
  const tree = (/** @type {string} */ name, /** @type {number} */ from, /** @type {number} */ to, /** @type {Child[]} */ children) =>
    new Tree(type[name], children.map(({ node }) => node), children.map((child) => child.from - from), to - from);
  /** @type {(name: string, from: number, to: number) => Child} */
  const leaf = (name, from, to) => ({ node: tree(name, from, to, []), from, to });

  /** @type {(code: string, piece: Piece & Required<Pick<Piece, "head">>) => Child} */
  const magicLine = (code, { from, to, head }) => {
    const children = [];
    if (head.bind) {
      children.push(leaf("Binding", from + head.bind[0], from + head.bind[1]));
    }
    children.push(leaf("MagicName", from + head.name[0], from + head.name[1]));
    for (const word of words(code.slice(from, from + head.length), head.name[1])) {
      children.push(leaf(word.kind, from + word.from, from + word.to));
    }
    return { node: tree("MagicLine", from, to, children), from, to };
  };

  /** A parse of a whole cell in one step, since cells are short. */
  class CellParse {
    /** @param {{ length: number, read(from: number, to: number): string }} input */
    constructor(input) {
      this.input = input;
      this.parsedPos = 0;
      /** @type {number | null} */
      this.stoppedAt = null;
    }

    /** @param {number} offset */
    stopAt(offset) {
      this.stoppedAt = offset;
    }

    advance() {
      const code = this.input.read(0, this.input.length);
      this.parsedPos = this.input.length;
      const children = pieces(code).map(({ from, to, head }) =>
        head ? magicLine(code, { from, to, head }) : leaf("Rust", from, to),
      );
      return tree("Cell", 0, code.length, children);
    }
  }

  const nested = parseMixed((/** @type {{ name: string }} */ { name }) => (name === "Rust" || name === "expression" ? { parser: rust.language.parser } : null));

  class CellParser extends Parser {
    /** @param {any} input @param {any} fragments @param {any} ranges */
    createParse(input, fragments, ranges) {
      return nested(new CellParse(input), input, fragments, ranges);
    }
  }

  return new Language(rustData, new CellParser(), [], "tracebook");
}

/**
 * Creates the extension of an editor: it adds the language while the cell's notebook uses our kernel.
 *
 * @param {any} codemirrorState
 * @param {any} codemirrorView
 * @param {() => Promise<any>} loadLanguage
 * @param {EditorModel} model
 */
function editorExtension({ Compartment, Prec }, { ViewPlugin }, loadLanguage, model) {
  const notebook = model.sharedModel?.notebook;
  const compartment = new Compartment();
  const follow = ViewPlugin.define((/** @type {{ dispatch(change: object): void }} */ view) => {
    let active = false;
    let ended = false;
    const update = async () => {
      const wanted = isOurs(notebook) && model.mimeType.includes(RUST);
      const loaded = wanted ? await loadLanguage() : undefined;
      if (!ended && Boolean(loaded) !== active) {
        active = Boolean(loaded);
        view.dispatch({ effects: compartment.reconfigure(loaded ? Prec.highest(loaded.extension) : []) });
      }
    };
    // Deferred: a view refuses changes while it is created.
    Promise.resolve().then(update);
    notebook?.metadataChanged.connect(update);
    model.mimeTypeChanged.connect(update);
    return {
      destroy: () => {
        ended = true;
        notebook?.metadataChanged.disconnect(update);
        model.mimeTypeChanged.disconnect(update);
      },
    };
  });
  return [compartment.of([]), follow];
}

/** The plugin. @type {MakePlugin} */
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
      /** @type {Promise<any> | undefined} */
      let loading;
      const load = async () => {
        const rust = await registry.getLanguage(RUST);
        if (!rust?.support) {
          throw new Error(`JupyterLab has no language called ${RUST}`);
        }
        return language(rust.support, languages, common, highlight);
      };
      // Without this language, cells have the colours of Rust.
      const loadOnce = () =>
        (loading ??= load().catch((error) => console.warn(`tracebook: cannot colour magic lines: ${error.message}`)));
      extensions.addExtension({
        name: "tracebook:magics",
        factory: (/** @type {{ model: EditorModel }} */ { model }) =>
          model.sharedModel?.notebook
            ? EditorExtensionRegistry.createImmutableExtension(editorExtension(state, view, loadOnce, model))
            : null,
      });
    },
  };
}
