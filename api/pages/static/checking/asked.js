/** What is said of several logs that were asked for one round, and drawn below that. Nothing of it accuses anybody. */

import { _ } from "../words.js";
import { element } from "./draw.js";
import { said } from "./say.js";

/** What is said if no single log's answer counts. */
export function sayOpen(answers) {
  const has = (...kinds) => answers.some(({ says }) => kinds.includes(says));
  const meaning = _("That says nothing about anybody.");
  if (has("shows", "fails", "waits")) {
    return said("question", _("It is not clear which log this round is from."), { meaning, advice: _("Choose the log of the casino where you played.") });
  }
  const advice = _("Try again in a minute. If it stays so, ask whoever gave you the code or the file whether it is from here.");
  if (has("foreign", "silent", "refused")) return said("question", _("No log that answered shows this round."), { meaning, advice });
  return said("question", _("None of the %(count)s listed logs shows this round.", { count: answers.length }), { meaning, advice });
}

/** Of a file whose log is not in the list. */
export function sayNotListed() {
  return said("question", _("This file is not from a listed log."), {
    meaning: _("Nothing was checked. That says nothing about anybody."),
    advice: _("Save this page, open it from your disk, and check the file there with the key of its log."),
  });
}

/** What each log says; `use` is called with the one that is to be asked alone. */
export function drawAnswers(answers, use) {
  const inOrder = [...answers].sort((one, other) => (one.log.name < other.log.name ? -1 : 1));
  const items = inOrder.map(({ log, says }) => {
    const button = element("button", { type: "button", class: "quiet" }, _("Check in this log alone"));
    button.addEventListener("click", () => use(log));
    return element("li", { class: "stack close" }, element("p", {}, element("strong", { translate: "no" }, log.name), ": ", sayAnswer(says)), says === "lacks" ? null : button);
  });
  return element("ul", { class: "plain stack", id: "answers" }, ...items);
}

function sayAnswer(says) {
  switch (says) {
    case "shows":
      return _("it shows this round.");
    case "fails":
      return _("it has a table that this code may be from, and a check fails.");
    case "waits":
      return _("it has a table that this code may be from, and does not show the round.");
    case "lacks":
      return _("it does not show this round.");
    case "foreign":
      return _("what is served there is not signed by the key in the list.");
    case "refused":
      return _("what it answers cannot be accepted.");
    default:
      return _("it could not be read.");
  }
}
