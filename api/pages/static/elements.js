/** Builds elements of a page without markup: text stays text. */

/**
 * An element with attributes and, inside it, elements and texts. An attribute that is false or undefined is left out.
 */
export function element(tag, attributes = {}, ...inside) {
  return filled(document.createElement(tag), attributes, inside);
}

/** The same for the elements of a drawing. */
export function shape(tag, attributes = {}, ...inside) {
  return filled(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, inside);
}

function filled(made, attributes, inside) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== false && value !== undefined) made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...inside);
  return made;
}

const { thousands } = document.documentElement.dataset;

/** A whole number with separated thousands, as the service writes it: not every browser knows every language. */
export function number(value) {
  return String(value).replace(/\B(?=(?:\d{3})+$)/g, thousands);
}
