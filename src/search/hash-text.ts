const FIRST = 0x9e3779b1;
const SECOND = 0x85ebca6b;

/**
 * Eight bytes that stand for a text, so that the same words are embedded once: among a million texts two share them
 * once in thirty million times. Not for texts whose author must not be able to choose them alike.
 */
export function hashText(text: string): Uint8Array {
  let one = 0xdeadbeef ^ text.length;
  let other = 0x41c6ce57 ^ text.length;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    one = Math.imul(one ^ unit, FIRST);
    other = Math.imul(other ^ unit, SECOND);
    one = (one << 13) | (one >>> 19);
    other = (other << 17) | (other >>> 15);
  }
  const bytes = new Uint8Array(8);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, mix(one ^ (other >>> 7)));
  view.setUint32(4, mix(other ^ (one << 11)));
  return bytes;
}

function mix(value: number): number {
  let mixed = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
