/**
 * Reads a QR code with the camera: with the browser's own reader or, if there is none, with a carried library that is
 * loaded only now.
 */

const EVERY_MS = 120;

/** The library that reads QR codes could not be loaded. */
export class NoReader extends Error {}

/**
 * Shows the camera's picture in `video` until a code is read; returns its text, or null after `signal` was aborted.
 * Rejects with the browser's own error if there is no camera, or the player did not allow it, and with `NoReader`.
 */
export async function scan(video, signal) {
  const stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: "environment" } });
  try {
    const detector = await makeDetector();
    video.srcObject = stream;
    await video.play();
    while (!signal.aborted) {
      const [found] = await detector.detect(video).catch(() => []);
      if (found) return found.rawValue;
      await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
    }
    return null;
  } finally {
    // Stop the camera at once, so that its light goes out.
    for (const track of stream.getTracks()) track.stop();
    video.srcObject = null;
  }
}

async function makeDetector() {
  const formats = ["qr_code"];
  const native = globalThis.BarcodeDetector;
  if (native && (await native.getSupportedFormats()).includes(formats[0])) return new native({ formats });
  const { BarcodeDetector } = await import("../vendor/qr-0.7.0/decode.js").catch((error) => {
    throw new NoReader("no reader of QR codes", { cause: error });
  });
  return new BarcodeDetector({ formats });
}
