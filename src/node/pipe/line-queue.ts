/** The queue of lines to write, returned in pieces that an output can write one by one. */

/** Queued lines are joined up to this size: joining them all would double their memory. */
const parcelSize = 1024 * 1024;
/** A text up to this size is written in one piece. */
const wholeSize = 128 * 1024;
/** The size of pieces of larger texts: each piece that is written shows that the other side reads. */
const pieceSize = 64 * 1024;

export interface LineQueue {
  /** Queued characters, without the rest of a text that is being written in pieces. */
  readonly size: number;
  add(frame: string): void;
  next(): string | Uint8Array | undefined;
  clear(): void;
}

/** Whole lines, or one large frame without its newline: appending would copy it once more. */
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

  /** The next text if it fits in one piece; a larger one becomes `rest`. */
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

/** The bytes of a frame and its newline. First tries one byte per character, which holds for most frames. */
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
