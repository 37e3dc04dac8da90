/** The page's words: messages in its language. The page carries the messages of its scripts. */

const carried = document.getElementById("messages");
const messages = carried === null ? {} : JSON.parse(carried.textContent);

/** A message in the page's language; `values` replace each `%(name)s`. */
export function _(message, values = {}) {
  return (messages[message] ?? message).replace(/%\((\w+)\)s/g, (whole, name) => String(values[name] ?? whole));
}

/** Whether a message is in the page's language already. */
export function has(message) {
  return Object.hasOwn(messages, message);
}

/** Take more messages. */
export function learn(more) {
  Object.assign(messages, more);
}
