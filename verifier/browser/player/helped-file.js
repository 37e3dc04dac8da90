// Files that were helped on their way: an editor adds a byte order mark, a mail program changes the ends of lines.
// The formats have one spelling, and their parsers are strict; files that people have are taken without what was
// added.

const CR = 13;
const LF = 10;
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];

/**
 * A text file of ours without what was added to it on its way, or with its last line feed; and what that was.
 * @param {Uint8Array} given
 * @returns {{bytes: Uint8Array, helped: ("byte-order-mark"|"line-ends"|"no-line-feed"|"empty-lines")[]}}
 */
export function asItWasWritten(given) {
  const helped = [];
  let bytes = given;
  if (BYTE_ORDER_MARK.every((byte, at) => bytes[at] === byte)) {
    bytes = bytes.subarray(BYTE_ORDER_MARK.length);
    helped.push("byte-order-mark");
  }
  const isKept = (byte, at) => byte !== CR || bytes[at + 1] !== LF;
  if (!bytes.every(isKept)) {
    bytes = bytes.filter(isKept);
    helped.push("line-ends");
  }
  let end = bytes.length;
  while (end > 0 && bytes[end - 1] === LF) end -= 1;
  const text = bytes.subarray(0, end);
  // A file of one line may end as it does.
  if (text.includes(LF) && bytes.length !== end + 1) {
    helped.push(bytes.length === end ? "no-line-feed" : "empty-lines");
    bytes = new Uint8Array(end + 1);
    bytes.set(text);
    bytes[end] = LF;
  }
  return { bytes, helped };
}
