// Keeps the overview up to date: requests the page again, and replaces the parts that have changed.

const SECONDS = 5;

function takeOver(fresh) {
  for (const part of document.querySelectorAll("[data-fresh]")) {
    const other = fresh.getElementById(part.id);
    // Unchanged parts stay, so that a screen reader does not read them again.
    if (!other || other.outerHTML === part.outerHTML) continue;
    const focused = part.contains(document.activeElement) ? document.activeElement.id : "";
    part.replaceWith(document.adoptNode(other));
    if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
  }
}

function ask() {
  // Unlike fetch(), this parses the page without a string that could be markup.
  const request = new XMLHttpRequest();
  request.open("GET", "/ops/live");
  request.responseType = "document";
  request.timeout = 2 * SECONDS * 1000;
  request.onreadystatechange = () => {
    if (request.readyState !== XMLHttpRequest.HEADERS_RECEIVED) return;
    if (new URL(request.responseURL).pathname === "/ops/live") return;
    // A redirect to the login page: that page has another style, which this page's policy would refuse.
    request.onloadend = null;
    request.abort();
    location.assign("/ops/login");
  };
  request.onload = () => {
    if (request.status === 200) takeOver(request.response);
  };
  request.onloadend = () => {
    document.getElementById("unanswered").hidden = request.status === 200;
    later();
  };
  request.send();
}

function later() {
  setTimeout(() => (document.visibilityState === "visible" ? ask() : later()), SECONDS * 1000);
}

later();
