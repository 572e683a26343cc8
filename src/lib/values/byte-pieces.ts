/** Bytes that arrive in pieces, stored in little more memory than they have. */

/** Pieces of at least this size are stored as they are; smaller ones would cost more memory than their bytes. */
const largePiece = 4096;

/** Adds a piece to those of a text. Small ones are joined with pieces of equal size, so that a text that arrives byte by byte costs little more than its length. */
export function hold(pieces: Uint8Array[], piece: Uint8Array): void {
  let last = piece;
  for (let before = pieces.at(-1); before !== undefined; before = pieces.at(-1)) {
    if (before.length > last.length || last.length >= largePiece) break;
    pieces.pop();
    last = joined([before, last], before.length + last.length);
  }
  pieces.push(last);
}

export function joined(pieces: readonly Uint8Array[], size: number): Uint8Array {
  const whole = new Uint8Array(size);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
