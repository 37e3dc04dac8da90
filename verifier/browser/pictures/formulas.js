/**
 * Formulas of whole numbers, such as `x + min(size, 7 * t0) / 2`: `+ - * / %`, `min`, `max` and parentheses. A
 * quotient is rounded down. A name of words stands for their length.
 */

const ranks = [["+", "-"], ["*", "/", "%"]];

export function calculate(formula, names) {
  if (typeof formula === "number") return formula;
  const parts = formula.match(/\w+|[-+*/%(),]/g).reverse();
  return sum(parts, names, 0);
}

/** Operators of this rank and above; the next part is the last of the list. */
function sum(parts, names, rank) {
  if (rank === ranks.length) return operand(parts, names);
  let value = sum(parts, names, rank + 1);
  while (ranks[rank].includes(parts.at(-1))) value = apply(parts.pop(), value, sum(parts, names, rank + 1));
  return value;
}

function operand(parts, names) {
  const part = parts.pop();
  if (part === "(") return closed(parts, names);
  if (part === "min" || part === "max") {
    parts.pop(); // its parenthesis
    return Math[part](closed(parts, names), closed(parts, names));
  }
  return /^\d/.test(part) ? Number(part) : (names[part].length ?? names[part]);
}

/** What ends at a comma or a parenthesis. */
function closed(parts, names) {
  const value = sum(parts, names, 0);
  parts.pop();
  return value;
}

function apply(operator, left, right) {
  switch (operator) {
    case "+": return left + right;
    case "-": return left - right;
    case "*": return left * right;
    case "/": return Math.floor(left / right);
    default: return left % right;
  }
}
