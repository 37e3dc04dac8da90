/**
 * What a page says when it fails itself: that there is no verdict, and nothing that looks like one.
 *
 * It is the first module of its page, so that it is there when another one fails. A script that does not arrive, or that the
 * browser cannot run, says nothing: the page is sent with the notice `#waiting`, which only `started` takes away.
 */

const PLACES = ["ask", "verdict", "bets", "steps", "not-proven", "waiting"];
const OTHERS = /^[a-z-]+-extension:/;

addEventListener("error", ({ filename }) => {
  if (!OTHERS.test(filename)) fail();
});
addEventListener("unhandledrejection", fail);

/** The page's script runs to its end: whatever is wrong from now on is noticed here. */
export function started() {
  document.getElementById("waiting").hidden = true;
}

/** Until the page is loaded again: what a failed script leaves half done, nobody can check. */
function fail() {
  const notice = document.getElementById("fault");
  if (notice === null) return;
  for (const id of PLACES) {
    const place = document.getElementById(id);
    if (place !== null) place.hidden = true;
  }
  notice.hidden = false;
}
