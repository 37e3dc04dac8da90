/** Rounds to try: the last one that has ended of each table, for somebody who has no code. */

import { element } from "./draw.js";

/** Fill the place with links; `enter` is called with the code of the one that is taken. */
export async function offerRounds(place, enter) {
  try {
    const { tables } = await (await fetch("/v1/live")).json();
    const ended = tables.filter(({ last }) => last.length > 0);
    place.querySelector("ul").replaceChildren(...ended.map(({ table, last: [{ round }] }) => element("li", {}, link(table, round, enter))));
    place.classList.toggle("filled", ended.length > 0);
  } catch {
    // There is nothing to try, and the form is there.
  }
}

function link(table, round, enter) {
  const made = element("a", { class: "button quiet", href: `/tables/${table}/rounds/${round}` }, table, " ", element("span", { class: "soft number" }, String(round)));
  made.addEventListener("click", async (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    try {
      const { round_code: code } = await (await fetch(`/v1/tables/${table}/rounds/${round}`)).json();
      // A refusal has none, nor what a cache has kept from before the round's end.
      if (code === undefined) throw new Error("no code");
      enter(code);
    } catch {
      // Whatever goes wrong, the round has a page of its own.
      location.assign(made.href);
    }
  });
  return made;
}
