/** Times in the reader's own zone, with UTC beneath. In numbers: not every browser knows Armenian dates. */

import { element } from "./elements.js";

const DAYS = { en: ["-", false], hy: [".", true], ru: [".", true] };

/**
 * A record's time in words, to the second, as the service writes it: `local` in the reader's zone, null if that shows
 * what UTC shows; `utc` without its day if it is the same day there.
 */
export function timeParts(iso, language = document.documentElement.lang) {
  const at = new Date(iso);
  const utc = `${iso.slice(11, 19)} UTC`;
  const day = dayOf(iso.slice(0, 10).split("-"), language);
  const offset = at.getTimezoneOffset();
  if (offset === 0) return { local: null, utc: `${day} ${utc}` };
  // What UTC would show then is what the reader's clock shows now.
  const shown = new Date(at - offset * 60_000).toISOString();
  const here = dayOf(shown.slice(0, 10).split("-"), language);
  return { local: `${here} ${shown.slice(11, 19)}`, utc: here === day ? utc : `${day} ${utc}` };
}

function dayOf(parts, language) {
  const [sign, isTurned] = DAYS[language] ?? DAYS.en;
  return (isTurned ? parts.reverse() : parts).join(sign);
}

/** An element that shows a time. A witness's clock may show what is no date: that stays as it is. */
export function when(iso) {
  if (!iso.endsWith("Z")) return element("span", {}, iso);
  const made = element("time", { class: "when", datetime: iso });
  show(made);
  return made;
}

/** Show every time of a page in the reader's zone. */
export function localTimes(root = document) {
  root.querySelectorAll("time.when").forEach(show);
}

function show(made) {
  const { local, utc } = timeParts(made.dateTime);
  made.replaceChildren(...(local === null ? [utc] : [local, element("small", {}, utc)]));
}
