/** Lines that wait to be offered to an output, given in pieces that it can take one by one. */

/** Texts that wait are put together up to this size, and no further: joining them all would double what they take. */
const parcelSize = 1024 * 1024;
/** A text up to this size is written at once. */
const wholeSize = 128 * 1024;
/** A larger one leaves in pieces: each that is taken shows that the other side reads. */
const pieceSize = 64 * 1024;

export interface LineQueue {
  /** Characters that wait, but for the rest of a text that is being offered. */
  readonly size: number;
  add(frame: string): void;
  next(): string | Uint8Array | undefined;
  clear(): void;
}

export function createLineQueue(): LineQueue {
  let size = 0;
  let text = '';
  let parcels: string[] = [];
  let rest: Uint8Array | undefined;

  function nextText(): string {
    const parcel = parcels.shift();
    const next = parcel ?? text;
    if (parcel === undefined) text = '';
    size -= next.length;
    return next;
  }

  return {
    get size() {
      return size;
    },
    add(frame) {
      text += `${frame}\n`;
      size += frame.length + 1;
      if (text.length < parcelSize) return;
      parcels.push(text);
      text = '';
    },
    next() {
      if (rest === undefined) {
        const next = nextText();
        if (next.length <= wholeSize) return next === '' ? undefined : next;
        rest = Buffer.from(next);
      }
      const piece = rest.subarray(0, pieceSize);
      rest = rest.length > pieceSize ? rest.subarray(pieceSize) : undefined;
      return piece;
    },
    clear() {
      size = 0;
      text = '';
      parcels = [];
      rest = undefined;
    },
  };
}
