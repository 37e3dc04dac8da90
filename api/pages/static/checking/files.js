/** Proof files that are chosen or dropped. */

const LARGEST = 2_000_000;

/** Call `take` with each file that is dropped anywhere on the page. */
export function onDrop(take) {
  const show = (dropping) => document.body.classList.toggle("dropping", dropping);
  addEventListener("dragover", (event) => {
    event.preventDefault();
    show(true);
  });
  addEventListener("dragleave", (event) => event.relatedTarget === null && show(false));
  addEventListener("drop", (event) => {
    event.preventDefault();
    show(false);
    const [file] = event.dataTransfer.files;
    if (file) take(file);
  });
}

/**
 * The bytes of a file; if it is larger than any proof, only its beginning, which no check accepts. Null if it cannot
 * be read.
 */
export async function readFile(file) {
  try {
    return new Uint8Array(await file.slice(0, LARGEST).arrayBuffer());
  } catch {
    // A folder, or a file that was moved or changed since it was chosen.
    return null;
  }
}
