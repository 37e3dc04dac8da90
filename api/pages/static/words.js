/** The page's words: messages in its language. The page carries the messages of its scripts. */

const carried = document.getElementById("messages");
const messages = carried === null ? {} : JSON.parse(carried.textContent);

/** A message in the page's language; `values` replace each `%(name)s`. */
export function _(message, values = {}) {
  return (messages[message] ?? message).replace(/%\((\w+)\)s/g, (whole, name) => String(values[name] ?? whole));
}
