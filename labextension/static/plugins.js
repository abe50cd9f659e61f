// @ts-check
// The plugins: what the extension adds to JupyterLab besides renderers. A plugin that cannot start warns on the browser's
// console; the other plugins and the renderers work without it.

import { connecting } from "./comm.js";
import { durations } from "./durations.js";
import { earlyRuns } from "./early-runs.js";
import { highlighting } from "./highlight.js";
import { inserting } from "./insert.js";
import { notebooks } from "./notebooks.js";

/** @import { MakePlugin, Shared } from "../types/jupyterlab" */

/**
 * Every plugin by name. Its tokens are optional, since pages such as Notebook's file list have no notebooks.
 *
 * @type {Record<string, MakePlugin>}
 */
const PLUGINS = { notebooks, earlyRuns, durations, highlighting, inserting, connecting };

/** Returns the plugins of this page, for JupyterLab to activate. @param {Shared} shared */
export async function plugins(shared) {
  const made = await Promise.all(
    Object.entries(PLUGINS).map(async ([name, make]) => {
      const warn = (/** @type {any} */ error) => console.warn(`tracebook: cannot start ${name}: ${error?.message ?? error}`);
      try {
        const { optional, activate } = await make(shared);
        /** @type {typeof activate} */
        const guarded = (app, ...services) => {
          try {
            activate(app, ...services);
          } catch (error) {
            warn(error);
          }
        };
        return [{ id: `tracebook-labextension:${name}`, autoStart: true, optional, activate: guarded }];
      } catch (error) {
        warn(error);
        return [];
      }
    }),
  );
  return made.flat();
}
