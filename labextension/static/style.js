// @ts-check
// The style sheet of tables. Text and background have the colours of the theme. Bars have the colours of figures, which people
// with red-green colour blindness can tell apart, and are pale enough for text on them, on white and on black.

import { addStyleSheet } from "./element.js";

const STYLE = `
.tracebook-table { container-type: inline-size; padding: 4px 0; color: var(--jp-content-font-color1, inherit);
  font-size: var(--jp-code-font-size, 13px); line-height: 1.4;
  --tb-more: rgba(239, 138, 43, .42); --tb-less: rgba(59, 125, 216, .38); --tb-size: rgba(140, 143, 163, .3);
  --tb-edge: var(--jp-border-color1, #bbb); --tb-focus: var(--jp-brand-color1, #1976d2); }
.tracebook-table .tb-caption { font-weight: 600; padding: 2px 0 6px; }
.tracebook-table .tb-tools, .tracebook-table .tb-group, .tracebook-table .tb-pages { display: flex; flex-wrap: wrap;
  align-items: center; gap: 4px 6px; }
.tracebook-table .tb-tools { gap: 6px 14px; padding-bottom: 6px; }
.tracebook-table .tb-button + .tb-label { margin-left: 6px; }
.tracebook-table input[type="search"] { width: 200px; max-width: 100%; box-sizing: border-box; padding: 3px 8px;
  font: inherit; color: inherit; border: 1px solid var(--tb-edge); border-radius: 3px;
  background: var(--jp-input-background, var(--jp-layout-color1, transparent)); }
.tracebook-table input[type="search"][aria-invalid="true"] { border-style: dashed; }
.tracebook-table .tb-button, .tracebook-table select { padding: 2px 9px; font: inherit; color: inherit; cursor: pointer;
  background: var(--jp-layout-color1, transparent); border: 1px solid var(--tb-edge); border-radius: 10px; }
.tracebook-table .tb-button:hover { background: var(--jp-layout-color2, #eee); }
.tracebook-table .tb-button[aria-disabled="true"] { opacity: .45; cursor: default; }
.tracebook-table .tb-button[aria-pressed="true"], .tracebook-table .tb-button[aria-expanded="true"] { font-weight: 600;
  border-color: var(--tb-focus); box-shadow: inset 0 0 0 1px var(--tb-focus); }
.tracebook-table :is(button, input, select, .tb-scroll):focus-visible { outline: 2px solid var(--tb-focus); outline-offset: 1px; }
.tracebook-table .tb-count, .tracebook-table .tb-label, .tracebook-table .tb-hint, .tracebook-table .tb-foot {
  color: var(--jp-content-font-color2, inherit); }
.tracebook-table .tb-menu { display: flex; flex-wrap: wrap; gap: 4px 14px; margin: 0 0 6px; padding: 6px 10px;
  border: 1px solid var(--tb-edge); border-radius: 3px; }
.tracebook-table .tb-menu[hidden] { display: none; }
.tracebook-table .tb-menu label { display: inline-flex; align-items: center; gap: 4px; cursor: pointer; }
.tracebook-table .tb-scroll { box-sizing: border-box; width: fit-content; max-width: 100%; max-height: 600px; overflow: auto;
  border: 1px solid var(--jp-border-color2, #ddd); }
.tracebook-table table { border-collapse: separate; border-spacing: 0; margin: 0; font-variant-numeric: tabular-nums; }
.tracebook-table th { position: sticky; top: 0; z-index: 1; padding: 0; font-weight: 600; vertical-align: bottom;
  background: var(--jp-layout-color2, #eee); border-bottom: 1px solid var(--tb-edge); }
.tracebook-table th button { all: unset; display: block; box-sizing: border-box; width: 100%; padding: 4px 7px;
  cursor: pointer; white-space: normal; text-align: inherit; position: relative; }
.tracebook-table th.tb-left button { padding-right: 16px; }
.tracebook-table th.tb-right button { padding-left: 16px; }
.tracebook-table th button:focus-visible { outline: 2px solid var(--tb-focus); outline-offset: -2px; }
.tracebook-table th button:hover { background: var(--jp-layout-color3, #ddd); }
.tracebook-table .tb-order { position: absolute; bottom: 4px; width: 1em; text-align: center; opacity: 0; }
.tracebook-table .tb-left .tb-order { right: 1px; }
.tracebook-table .tb-right .tb-order { left: 1px; }
.tracebook-table th button:is(:hover, :focus-visible) .tb-order { opacity: .5; }
.tracebook-table th[aria-sort] .tb-order { opacity: 1; }
.tracebook-table td { padding: 3px 7px; white-space: nowrap; border-bottom: 1px solid var(--jp-border-color3, #eee);
  vertical-align: top; }
.tracebook-table tbody tr:hover td { background-color: var(--jp-rendermime-table-row-hover-background, rgba(33, 150, 243, .12)); }
.tracebook-table .tb-left { text-align: left; }
.tracebook-table .tb-right { text-align: right; }
.tracebook-table .tb-name { font-family: var(--jp-code-font-family, monospace); }
.tracebook-table.tb-many :is(th button, .tb-text) { white-space: nowrap; }
.tracebook-table.tb-many wbr { display: none; }
.tracebook-table th.tb-short button { min-width: 2.2em; }
.tracebook-table .tb-unit { white-space: nowrap; }
.tracebook-table.tb-narrow:not(.tb-many) .tb-unit { white-space: normal; }
.tracebook-table.tb-narrow :is(td, th button) { padding-left: 5px; padding-right: 5px; }
.tracebook-table.tb-narrow th[aria-sort].tb-left button { padding-right: 15px; }
.tracebook-table.tb-narrow th[aria-sort].tb-right button { padding-left: 15px; }
.tracebook-table .tb-frame { position: relative; width: fit-content; max-width: 100%; }
.tracebook-table .tb-edge { position: absolute; inset: 1px 1px 1px auto; width: 22px; pointer-events: none; z-index: 2;
  background: linear-gradient(90deg, transparent, rgba(128, 128, 128, .45)); }
.tracebook-table :is(.tb-edge, .tb-more)[hidden] { display: none; }
.tracebook-table .tb-more { padding-top: 5px; }
.tracebook-table .tb-events { cursor: pointer; }
.tracebook-table .tb-events:focus-visible { outline: 2px solid var(--tb-focus); outline-offset: -2px; }
.tracebook-table .tb-opened td { white-space: normal; padding: 0; background: var(--jp-layout-color2, #eee); }
.tracebook-table .tb-offer { position: sticky; left: 0; box-sizing: border-box; width: max-content; max-width: var(--tb-window, 100%); padding: 6px 8px;
  display: flex; flex-direction: column; gap: 4px; }
.tracebook-table .tb-offer code { overflow-wrap: anywhere; }
.tracebook-table .tb-text { white-space: normal; min-width: 8em; max-width: 60ch; overflow-wrap: break-word; }
.tracebook-table .tb-tree { table-layout: fixed; }
.tracebook-table .tb-tree td { overflow: hidden; text-overflow: ellipsis; vertical-align: middle; }
.tracebook-table .tb-tree .tb-branch { padding-left: calc(3px + var(--tb-indent, 0px));
  background: repeating-linear-gradient(90deg, var(--jp-border-color2, #ddd) 0 1px, transparent 1px var(--tb-step, 16px))
  no-repeat 11px 0 / var(--tb-indent, 0px) 100%; }
.tracebook-table .tb-twist { display: inline-block; width: 18px; text-align: center; font-size: 115%; line-height: 1; }
.tracebook-table .tb-parent { cursor: pointer; }
.tracebook-table .tb-parent:hover .tb-twist { color: var(--tb-focus); }
.tracebook-table .tb-below { margin-left: 8px; font-size: 85%; color: var(--jp-content-font-color2, inherit); }
.tracebook-table tr[aria-expanded="true"] .tb-below { visibility: hidden; }
.tracebook-table .tb-context td { color: var(--jp-content-font-color2, inherit); }
.tracebook-table .tb-tree tbody tr:focus td { background-color: var(--jp-rendermime-table-row-hover-background, rgba(33, 150, 243, .12)); }
.tracebook-table .tb-tree tbody tr:focus-visible { outline: 2px solid var(--tb-focus); outline-offset: -2px; }
.tracebook-table .tb-compact :is(td, th button) { padding-left: 5px; padding-right: 5px; }
.tracebook-table .tb-compact .tb-unit { white-space: normal; }
.tracebook-table .tb-compact .tb-below { display: none; }
.tracebook-table .tb-compact th:not([aria-sort]) .tb-order { display: none; }
.tracebook-table .tb-tree .tb-gap td { padding: 0; border: 0; }
.tracebook-table .tb-scroll:has(> .tb-tree) { overflow-anchor: none; }
.tracebook-table .tb-none { padding: 10px; font-style: italic; }
.tracebook-table .tb-foot { padding-top: 5px; }
.tracebook-table .tb-pages { padding-top: 5px; }
.tracebook-table .tb-hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
@container (max-width: 560px) {
  .tracebook-table input[type="search"] { width: 100%; }
  .tracebook-table .tb-search { width: 100%; }
  .tracebook-table td { padding: 2px 4px; }
}
@media (forced-colors: active) {
  .tracebook-table .tb-button[aria-pressed="true"] { forced-color-adjust: none; color: HighlightText; background: Highlight; }
}
@media print {
  .tracebook-table :is(.tb-tools, .tb-menu, .tb-pages) { display: none; }
  .tracebook-table .tb-scroll { max-height: none; overflow: visible; border: 0; }
  .tracebook-table :is(.tb-edge, .tb-more) { display: none; }
  .tracebook-table th { position: static; }
  .tracebook-table tr { break-inside: avoid; }
}
`;

/** Adds the style sheet of tables to the page, once. */
export const addTableStyle = () => addStyleSheet("tracebook-table-style", STYLE);
