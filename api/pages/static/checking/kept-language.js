/** Chooses the language of the page to keep, which carries all languages, before anything else is evaluated. */

const asked = new URLSearchParams(location.search).get("lang");
const wanted = [asked, ...navigator.languages].map((tag) => String(tag).slice(0, 2));
const chosen = wanted.find((tag) => document.getElementById(`page-${tag}`)) ?? "en";

document.documentElement.lang = chosen;
document.body.append(document.getElementById(`page-${chosen}`).content);
document.title = document.querySelector("h1").textContent;
const messages = document.getElementById(`messages-${chosen}`);
if (messages) messages.id = "messages";
