/** The page's words: messages in the language of the page, which carries those of its scripts. */

const carried = document.getElementById("messages");
const messages = carried === null ? {} : JSON.parse(carried.textContent);

/** A message in the page's language, with `values` in the place of each `%(name)s`. */
export function _(message, values = {}) {
  return (messages[message] ?? message).replace(/%\((\w+)\)s/g, (whole, name) => String(values[name] ?? whole));
}
