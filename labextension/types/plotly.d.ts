// The members of plotly.js that the extension uses, and the figures it draws.

export interface Axis {
  tickvals?: unknown[];
  ticktext?: string[];
  tickangle?: number | string;
  range?: [number, number];
  [key: string]: unknown;
}

export interface Title {
  text?: string;
  x?: number;
  xref?: string;
  xanchor?: string;
}

/** A layout; keys that are not listed are passed on. */
export interface Layout {
  title?: Title | string;
  template?: unknown;
  width?: number;
  height?: number;
  margin?: { t?: number };
  legend?: { orientation?: string };
  xaxis?: Axis;
  yaxis?: Axis;
  updatemenus?: { buttons?: { args?: [unknown, Record<string, unknown>] }[] }[];
  [key: string]: unknown;
}

export interface Trace {
  x?: unknown[];
  visible?: boolean | "legendonly";
  [key: string]: unknown;
}

/** The JSON of a figure. */
export interface FigureSpec {
  data?: Trace[];
  layout?: Layout;
  config?: { modeBarButtonsToRemove?: string | string[]; [key: string]: unknown };
}

/** The element that Plotly draws into. */
export interface GraphDiv extends HTMLDivElement {
  data?: Trace[];
  layout: Layout;
  on(event: string, listener: (detail: any) => void): void;
}

export interface Icon {
  width: number;
  height: number;
  path: string;
}

export interface ModeBarButton {
  name: string;
  title: string;
  icon: Icon;
  click(holder: GraphDiv): void;
}

export interface Plotly {
  Icons: { camera: Icon };
  newPlot(holder: HTMLElement, data: Trace[], layout: Layout, options: object): Promise<unknown>;
  restyle(element: GraphDiv, changes: Record<string, unknown>, traces: number[]): Promise<unknown>;
  relayout(holder: HTMLElement, changes: object): Promise<unknown>;
  purge(holder: HTMLElement): void;
  toImage(figure: object, options: object): Promise<string>;
}

declare global {
  interface Window {
    Plotly?: Plotly;
    PlotlyConfig?: object;
    _JUPYTERLAB?: Record<string, unknown>;
  }
}
