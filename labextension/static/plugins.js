// The plugins: what the extension adds to JupyterLab besides renderers. One that cannot start says so on the browser's
// console and leaves the others, and the renderers, as they are.

import { durations } from "./durations.js";
import { highlighting } from "./highlight.js";
import { inserting } from "./insert.js";
import { notebooks } from "./notebooks.js";

/** Every plugin by its name. Each gets `shared`, which loads a package of JupyterLab's, and answers with `optional` tokens and
 * `activate`. Tokens are optional, since pages such as Notebook's file list have no notebooks. */
const PLUGINS = { notebooks, durations, highlighting, inserting };

/** The plugins of this page, for JupyterLab to activate. */
export async function plugins(shared) {
  const made = await Promise.all(
    Object.entries(PLUGINS).map(async ([name, make]) => {
      const failed = (error) => console.warn(`tracebook: ${name} cannot start: ${error?.message ?? error}`);
      try {
        const { optional, activate } = await make(shared);
        const guarded = (...given) => {
          try {
            activate(...given);
          } catch (error) {
            failed(error);
          }
        };
        return [{ id: `tracebook-labextension:${name}`, autoStart: true, optional, activate: guarded }];
      } catch (error) {
        failed(error);
        return [];
      }
    }),
  );
  return made.flat();
}
