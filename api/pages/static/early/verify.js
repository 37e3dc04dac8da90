// Runs before anything is drawn: a page that is asked about a code is laid out for the verdict from the first paint.
if (location.hash.length > 1 && location.hash !== "#main") document.documentElement.classList.add("asked");
