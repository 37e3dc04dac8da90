/**
 * What a round looks like while it is in progress. Nothing here knows its outcome: the curve only shows time passing.
 */

import { shape } from "./elements.js";

/**
 * A drawing of a state (`standing` in going_on.js), and `show`, which takes the milliseconds elapsed and the part left.
 */
export function sight(kind) {
  switch (kind) {
    case "open":
      return ring();
    case "flight":
      return curve();
    default:
      return still(kind);
  }
}

const ROUND = 100;

function ring() {
  const around = { cx: 36, cy: 36, r: 30, fill: "none", "stroke-width": 6, pathLength: ROUND };
  const left = shape("circle", { ...around, class: "left", "stroke-linecap": "round", transform: "rotate(-90 36 36)" });
  const drawing = small(shape("circle", { ...around, class: "track" }), left);
  const show = (_elapsed, part) => {
    left.setAttribute("stroke-dasharray", `${part * ROUND} ${ROUND}`);
    // Even a line without length would show its round ends.
    left.setAttribute("opacity", part > 0 ? 1 : 0);
  };
  return { element: drawing, show };
}

const [LEFT, RIGHT, BOTTOM, TOP] = [6, 82, 64, 8];
const STEEPNESS = 2.2;
const POINTS = 24;

/** It rises for ever, but more and more slowly: it must not look as if it knew where it ends. */
function curve() {
  const axes = shape("path", { class: "track", d: `M${LEFT} ${TOP}V${BOTTOM}H${RIGHT}`, fill: "none", "stroke-width": 2 });
  const path = shape("path", { class: "left", fill: "none", "stroke-width": 5, "stroke-linecap": "round", "stroke-linejoin": "round" });
  const tip = shape("circle", { class: "tip", r: 5 });
  const show = (elapsed) => {
    const end = 0.3 + 0.62 * (1 - Math.exp(-elapsed / 6000));
    const points = Array.from({ length: POINTS + 1 }, (_, i) => pointAt((end * i) / POINTS));
    path.setAttribute("d", `M${points.join(" ")}`);
    [tip.cx.baseVal.value, tip.cy.baseVal.value] = points[POINTS];
  };
  show(0);
  const drawing = shape("svg", { viewBox: "0 0 88 72", width: 88, height: 72, "aria-hidden": "true" }, axes, path, tip);
  return { element: drawing, show };
}

function pointAt(along) {
  const height = Math.expm1(STEEPNESS * along) / Math.expm1(STEEPNESS);
  return [LEFT + (RIGHT - LEFT) * along, BOTTOM - (BOTTOM - TOP) * height].map((value) => Math.round(value * 10) / 10);
}

const STILLS = {
  locked: "M24 32v-6a12 12 0 0 1 24 0v6M20 32h32v24H20zM36 41v6",
  play: "M14 20h30v40H14zM28 14h30v40H48",
  next: "M36 18v18l12 8M36 6a30 30 0 1 0 .01 0z",
  waiting: "M22 10h28M22 62h28M26 10v8l20 28v16M46 10v8L26 46v16",
  paused: "M26 16v40M46 16v40",
  halted: "M36 10 66 60H6zM36 28v16M36 50v3",
  closed: "M18 36h36M36 6a30 30 0 1 0 .01 0z",
};

function still(kind) {
  const line = shape("path", { class: "still", d: STILLS[kind], fill: "none", "stroke-width": 5, "stroke-linecap": "round", "stroke-linejoin": "round" });
  return { element: small(line), show: () => {} };
}

function small(...inside) {
  return shape("svg", { viewBox: "0 0 72 72", width: 72, height: 72, "aria-hidden": "true" }, ...inside);
}
