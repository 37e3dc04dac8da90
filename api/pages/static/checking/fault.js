/**
 * What a page shows if its own script fails: that there is no verdict, and nothing that looks like one.
 *
 * It is the first module of its page, so that it works if another one fails. A script that does not arrive, or that
 * the browser cannot run, shows nothing: so the page is sent with the notice `#waiting`, which only `started`
 * removes.
 */

const PLACES = ["ask", "verdict", "results", "waiting"];
const OTHERS = /^[a-z-]+-extension:/;

addEventListener("error", ({ filename }) => {
  if (!OTHERS.test(filename)) fail();
});
addEventListener("unhandledrejection", fail);

/** The page's script has run to its end; errors from now on are noticed here. */
export function started() {
  document.getElementById("waiting").hidden = true;
}

/** It stays until the page is loaded again: nobody can check what a failed script leaves half done. */
function fail() {
  const notice = document.getElementById("fault");
  if (notice === null) return;
  for (const id of PLACES) {
    const place = document.getElementById(id);
    if (place !== null) place.hidden = true;
  }
  notice.hidden = false;
}
