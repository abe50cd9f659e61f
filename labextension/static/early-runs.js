// @ts-check
// Cells that are run before their notebook has its kernel. JupyterLab starts a kernel for them beside the one that it is starting, by
// default another one, and leaves out cells without a word (of any kernel). Those of our notebooks wait for the kernel.

import { isOurs } from "./notebooks.js";

/** @import { SessionContext } from "../types/comm" */
/** @import { MakePlugin, NotebookPanel, NotebookTracker } from "../types/jupyterlab" */

/** How long a notebook may take to tell the name of its kernel, and how often it is asked, in milliseconds. */
const NAMED_MS = 10_000;
const ASK_MS = 20;

/** Waits until JupyterLab knows which kernel the notebook wants: a while after its content is there. @param {SessionContext} context */
async function named(context) {
  const end = Date.now() + NAMED_MS;
  const isOpen = () => !context.kernelPreference.name && context.kernelPreference.shouldStart !== false && !context.isDisposed;
  while (isOpen() && Date.now() < end) {
    await new Promise((resolve) => setTimeout(resolve, ASK_MS));
  }
}

/** Lets cells of a panel wait for the kernel of the notebook. @param {NotebookPanel} panel */
export function waitForKernel(panel) {
  const { context, sessionContext } = panel;
  const start = sessionContext.startKernel.bind(sessionContext);
  const startOnce = async () => {
    const { sessionManager, specsManager, path } = sessionContext;
    await Promise.all([sessionManager.ready, specsManager.ready, named(sessionContext)]);
    await sessionManager.refreshRunning();
    if ([...sessionManager.running()].some((session) => session.path === path)) {
      // Opening the notebook connects to it, which starts nothing.
      await sessionContext.initialize();
    }
    return sessionContext.session?.kernel ? false : start();
  };
  /** @type {Promise<boolean> | undefined} */
  let starting;
  // Called when the notebook is opened, and for each cell that is run without a kernel; answers whether the user has to choose one.
  sessionContext.startKernel = async () => {
    await context.ready;
    if (!isOurs(panel.content.model?.sharedModel)) {
      return start();
    }
    starting ??= startOnce().finally(() => (starting = undefined));
    return starting;
  };
  // JupyterLab takes a kernel that is starting for one that is there, and drops the cell when it finds none.
  const known = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(sessionContext), "hasNoKernel");
  const hasNoKernel = () => (isOurs(panel.content.model?.sharedModel) ? !sessionContext.session?.kernel : known?.get?.call(sessionContext));
  Object.defineProperty(sessionContext, "hasNoKernel", { get: hasNoKernel, configurable: true });
}

/** The plugin. @type {MakePlugin} */
export async function earlyRuns(shared) {
  const { INotebookTracker } = await shared("@jupyterlab/notebook");
  return {
    optional: [INotebookTracker],
    activate: (_, /** @type {NotebookTracker | undefined} */ tracker) => {
      tracker?.forEach(waitForKernel);
      tracker?.widgetAdded.connect((_, panel) => waitForKernel(panel));
    },
  };
}
