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

/** Whole lines, or one frame that is still to get its newline: a large text is copied once more for each one that is put to it. */
type Parcel = { readonly lines: string } | { readonly frame: string };

export function createLineQueue(): LineQueue {
  let size = 0;
  let lines = '';
  let parcels: Parcel[] = [];
  let rest: Uint8Array | undefined;

  function close(): void {
    if (lines !== '') parcels.push({ lines });
    lines = '';
  }

  /** A text that the output takes at once; a larger one becomes what is left to offer. */
  function open(): string | undefined {
    if (parcels.length === 0) close();
    const parcel = parcels.shift();
    if (parcel === undefined) return undefined;
    if ('frame' in parcel) {
      size -= parcel.frame.length + 1;
      rest = lineOf(parcel.frame);
      return undefined;
    }
    size -= parcel.lines.length;
    if (parcel.lines.length <= wholeSize) return parcel.lines;
    rest = Buffer.from(parcel.lines);
    return undefined;
  }

  return {
    get size() {
      return size;
    },
    add(frame) {
      size += frame.length + 1;
      if (frame.length > wholeSize) {
        close();
        parcels.push({ frame });
        return;
      }
      lines += `${frame}\n`;
      if (lines.length >= parcelSize) close();
    },
    next() {
      const whole = rest === undefined ? open() : undefined;
      if (rest === undefined) return whole;
      const piece = rest.subarray(0, pieceSize);
      rest = rest.length > pieceSize ? rest.subarray(pieceSize) : undefined;
      return piece;
    },
    clear() {
      size = 0;
      lines = '';
      parcels = [];
      rest = undefined;
    },
  };
}

const newline = 0x0a;

/** The bytes of a frame and its newline. Most have a byte for each character, which shows when they are written. */
function lineOf(frame: string): Uint8Array {
  let bytes = Buffer.allocUnsafeSlow(frame.length + 1);
  const { read, written } = new TextEncoder().encodeInto(frame, bytes);
  if (read !== frame.length || written !== frame.length) {
    bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(frame) + 1);
    bytes.write(frame);
  }
  bytes[bytes.length - 1] = newline;
  return bytes;
}
