/** Draws the cases of `data.js`: `api/pages/pictures/drawn.py` does the same for the service's own pages. */

import { PICTURES } from "./data.js";
import { calculate } from "./formulas.js";
import { box, fit, text, use } from "./shapes.js";

/** Where a thing is drawn. */
const PLACE = ["x", "y", "width", "size"];

/** The entry of a table that may lack it; an operator's own words may be names that every object has. */
export function entry(table, key) {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}

/** The case of a text, with names: the text is `t0`, and what is in the pattern's parentheses `t1`, `t2` … */
export function caseOf(cases, written) {
  for (const each of cases) {
    const found = new RegExp(`^(?:${each.when ?? "[^]*"})$`).exec(written);
    if (found !== null) return { found: each, names: Object.fromEntries([...found].map((words, at) => [`t${at}`, words])) };
  }
  return null;
}

export function shapesOf({ let: more = {}, shapes }, names) {
  const known = { ...names };
  for (const [name, value] of Object.entries(more)) {
    known[name] = String(value).includes("{") ? filled(value, known) : calculate(value, known);
  }
  return drawn(shapes, known);
}

function drawn(forms, names) {
  return forms.flatMap((form) => shapesOfForm(form, names));
}

function shapesOfForm(form, names) {
  if (typeof form === "string") return [filled(form, names)];
  const [kind, first, ...rest] = form;
  if (kind === "like") return drawn(PICTURES.parts[first], names);
  if (kind === "small" || kind === "large") return (kind === "large") === (names.large === 1) ? drawn(form.slice(1), names) : [];
  if (kind === "each") return Array.from({ length: rest[0] }, (_, at) => drawn([rest[1]], { ...names, [first]: at + 1 })).flat();
  if (kind === "use") return [use(filled(first, names), ...placed(rest, names))];
  if (kind === "box") return [box(color(first, names), calculate(rest[0], names), ...placed(rest.slice(1), names))];
  if (typeof first === "string") {
    const [fill, ...place] = rest;
    return [(kind === "fit" ? fit : text)(filled(first, names), color(fill, names), ...placed(place, names))];
  }
  const attributes = Object.entries(first).map(([name, value]) => [name, typeof value === "string" ? color(value, names) : value]);
  return [[kind, Object.fromEntries(attributes), ...drawn(rest, names)]];
}

function placed(formulas, names) {
  return (formulas.length > 0 ? formulas : PLACE).map((formula) => calculate(formula, names));
}

function color(name, names) {
  const words = filled(name, names);
  return entry(PICTURES.colors, words) ?? words;
}

/**
 * Fills in the braces: `{suit t2}` looks words up in a table; anything else is words by their name, or a formula.
 */
export function filled(template, names) {
  return template.replace(/\{(?:(\w+) (?=[a-z]))?([^}]+)\}/g, (_, table, inside) => {
    const words = typeof names[inside] === "string" ? names[inside] : String(calculate(inside, names));
    if (table === undefined) return words;
    const entries = PICTURES.tables[table];
    return entry(entries, words) ?? entries[""] ?? words;
  });
}
