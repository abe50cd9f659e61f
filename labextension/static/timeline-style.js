// @ts-check
// The style sheet of timelines and flame graphs; colours are those of the theme.

import { addStyleSheet } from "./element.js";

const STYLE = `
.tl-root { --tl-edge: var(--jp-border-color1, color-mix(in srgb, CanvasText 32%, Canvas)); --tl-line: var(--jp-border-color2, color-mix(in srgb, CanvasText 16%, Canvas)); --tl-focus: var(--jp-brand-color1, #1976d2);
  --tl-paper: var(--jp-layout-color1, Canvas); --tl-shade: var(--jp-layout-color2, rgba(128, 128, 128, .14));
  --tl-faint: var(--jp-content-font-color2, GrayText);
  container-type: inline-size; padding: 4px 0; color: var(--jp-content-font-color1, CanvasText);
  font: 12px/1.4 var(--jp-ui-font-family, system-ui, sans-serif); }
.tl-root [hidden] { display: none !important; }
.tl-head { display: flex; flex-wrap: wrap; align-items: center; gap: 4px 12px; padding-bottom: 5px; }
.tl-title { font-weight: 600; font-size: 13px; overflow: hidden; text-overflow: ellipsis; }
.tl-summary, .tl-status { color: var(--tl-faint); }
.tl-tools { display: flex; flex-wrap: wrap; align-items: center; gap: 4px 12px; margin-left: auto; }
.tl-group { display: inline-flex; align-items: center; gap: 4px; }
.tl-root button:not(.tl-lane) { min-width: 26px; padding: 2px 8px; font: inherit; color: inherit; cursor: pointer; border: 1px solid var(--tl-edge);
  border-radius: 4px; background: var(--tl-paper); }
.tl-root button:not(.tl-lane):hover { background: var(--tl-shade); }
.tl-root button[aria-pressed="true"], .tl-root .tl-group button[aria-expanded="true"] { border-color: var(--tl-focus); box-shadow: inset 0 0 0 1px var(--tl-focus); font-weight: 600; }
.tl-search { width: 170px; padding: 2px 8px; box-sizing: border-box; font: inherit; color: inherit; border: 1px solid var(--tl-edge);
  border-radius: 4px; background: var(--jp-input-background, var(--tl-paper)); }
.tl-found { min-width: 3em; color: var(--tl-faint); font-variant-numeric: tabular-nums; }
.tl-help { border: 1px solid var(--tl-line); border-radius: 4px; padding: 8px 12px; margin-bottom: 6px; }
.tl-root dl { display: grid; grid-template-columns: max-content 1fr; gap: 1px 12px; margin: 0; align-content: start; }
.tl-root dt { color: var(--tl-faint); font-weight: 400; }
.tl-root dd { margin: 0; overflow-wrap: anywhere; font-variant-numeric: tabular-nums; }
.tl-help dl { display: block; columns: 3 380px; column-gap: 28px; }
.tl-help dl div { display: grid; grid-template-columns: 170px 1fr; gap: 10px; break-inside: avoid; padding: 1px 0; }
.tl-help dt { font-weight: 600; color: inherit; }
.tl-legend { display: flex; flex-wrap: wrap; gap: 2px 14px; padding-bottom: 5px; align-items: center; }
.tl-legend span { display: inline-flex; align-items: center; gap: 5px; }
.tl-legend i { width: 12px; height: 12px; border-radius: 2px; }
.tl-body { position: relative; border: 1px solid var(--tl-line); border-bottom: 0; background: var(--tl-paper); }
.tl-top { display: flex; border-bottom: 1px solid var(--tl-line); background: var(--tl-paper); }
.tl-corner { flex: none; width: var(--tl-gutter, 190px); box-sizing: border-box; padding: 8px 8px 0; text-align: right; white-space: nowrap;
  overflow: hidden; font-size: 11px; color: var(--tl-faint); border-right: 1px solid var(--tl-line); font-variant-numeric: tabular-nums; }
.tl-split { position: absolute; z-index: 2; left: calc(var(--tl-gutter, 190px) - 4px); width: 8px; height: 30px; cursor: ew-resize; touch-action: none; }
.tl-flame :is(.tl-corner, .tl-labels, .tl-split) { display: none; }
.tl-ruler { display: block; cursor: col-resize; touch-action: none; }
.tl-scroll { overflow-x: hidden; overflow-y: auto; overscroll-behavior-y: auto; scrollbar-width: thin; }
.tl-sheet { position: relative; overflow-x: clip; }
.tl-labels { position: absolute; inset: 0 auto 0 0; width: var(--tl-gutter, 190px); box-sizing: border-box; border-right: 1px solid var(--tl-line); z-index: 1; background: var(--tl-paper); }
.tl-lane { position: absolute; left: 0; right: 0; display: flex; align-items: flex-start; gap: 3px; box-sizing: border-box; margin: 0; padding: 2px 6px 0 3px;
  overflow: hidden; font: inherit; color: inherit; text-align: left; border: 0; border-bottom: 1px solid var(--tl-line); background: transparent; cursor: pointer; }
.tl-lane:hover { background: var(--tl-shade); }
.tl-lane.tl-closed { padding-top: 1px; }
.tl-lane-group { font-weight: 600; background: var(--tl-shade); align-items: center; width: auto; padding-top: 0; }
.tl-lane-more { color: var(--tl-faint); align-items: center; padding-top: 0; }
.tl-twist { flex: none; width: 14px; text-align: center; color: var(--tl-faint); }
.tl-name { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; flex: 1; }
.tl-most { color: var(--tl-faint); font-size: 10px; white-space: nowrap; padding-top: 2px; }
.tl-stage { position: sticky; top: 0; width: calc(100% - var(--tl-gutter, 190px)); margin-left: var(--tl-gutter, 190px); cursor: grab; touch-action: pan-y; user-select: none; -webkit-user-select: none; }
.tl-stage.tl-dragged { cursor: grabbing; }
.tl-stage canvas { display: block; }
.tl-stage canvas + canvas { position: absolute; inset: 0; pointer-events: none; }
.tl-root :is(.tl-stage, .tl-lane, button, input, .tl-grip, .tl-split, .tl-table):focus-visible { outline: 2px solid var(--tl-focus); outline-offset: -2px; }
.tl-root :is(.tl-head, .tl-panel) :is(button, input):focus-visible { outline-offset: 1px; }
.tl-grip { height: 9px; cursor: ns-resize; border: 1px solid var(--tl-line); border-radius: 0 0 4px 4px; touch-action: none;
  background: radial-gradient(circle, var(--tl-edge) 1px, transparent 1.5px) center / 8px 8px repeat-x, var(--tl-shade); background-size: 8px 100%, auto; background-clip: content-box, border-box; padding: 0 calc(50% - 20px); }
.tl-tip { position: absolute; z-index: 3; width: max-content; max-width: min(460px, 90%); box-sizing: border-box; padding: 6px 10px; pointer-events: none; border: 1px solid var(--tl-edge);
  border-radius: 4px; background: var(--tl-paper); box-shadow: 0 3px 10px rgba(0, 0, 0, .25); }
.tl-tip-name, .tl-panel-name { font-weight: 600; overflow-wrap: anywhere; padding-bottom: 3px; }
.tl-panel { position: relative; margin-top: 6px; padding: 8px 12px; border: 1px solid var(--tl-line); border-radius: 4px; }
.tl-panel-name { padding-right: 40px; font-size: 13px; }
.tl-root .tl-close { position: absolute; right: 6px; top: 6px; min-width: 22px; padding: 0 6px; }
.tl-columns { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(320px, 100%), 1fr)); gap: 4px 28px; }
.tl-args { max-height: 260px; overflow: auto; }
.tl-links { padding-top: 6px; display: flex; flex-direction: column; gap: 2px; }
.tl-root button.tl-link { border: 0; padding: 0; background: none; color: var(--jp-content-link-color, var(--tl-focus)); text-align: left; overflow-wrap: anywhere; }
.tl-root button.tl-link:hover { text-decoration: underline; }
.tl-faint { color: var(--tl-faint); }
.tl-use { padding: 2px 0 6px; }
.tl-table { max-height: 260px; overflow: auto; }
.tl-table table { border-collapse: collapse; font-variant-numeric: tabular-nums; width: 100%; max-width: 900px; margin: 0; table-layout: auto; }
.tl-table :is(th, td) { padding: 2px 8px; text-align: right; white-space: nowrap; border-bottom: 1px solid var(--tl-line); font-weight: 400; background: none; }
.tl-table th:first-child { text-align: left; max-width: 480px; overflow: hidden; text-overflow: ellipsis; }
.tl-table thead th { position: sticky; top: 0; font-weight: 600; background: var(--tl-paper); }
.tl-body[data-waiting]::after { content: ""; position: absolute; top: 29px; left: var(--tl-gutter, 190px); width: 60px; height: 2px; background: var(--tl-focus);
  animation: tl-wait 1.2s .3s linear infinite backwards; }
@keyframes tl-wait { from { opacity: 0; left: var(--tl-gutter, 190px); } 30% { opacity: 1; } to { opacity: 0; left: calc(100% - 60px); } }
@media (prefers-reduced-motion: reduce) { .tl-body[data-waiting]::after { animation: none; } }
.tl-live { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
@container (max-width: 560px) { .tl-search { width: 120px; } .tl-tools { margin-left: 0; } }
@media print { .tl-tools, .tl-grip { display: none; } }
`;

/** Adds the style sheet to the page, once. */
export const addTimelineStyle = () => addStyleSheet("tracebook-timeline-style", STYLE);
