/** Finds a literal text in a long one: each place with the lines around it. */
import { wholeCharacter } from './cut.ts';
import { placesOf } from './text-places.ts';

/** Places that one answer has. */
export const maxMatches = 50;
const linesAround = 2;
/** Of a long line, such as JSON without line breaks, only so many characters before and after a match are shown. */
const charsAround = 400;
/** More matches are not counted. */
const maxCounted = 10_000;

export interface FoundText {
  /** What is shown, each piece with its position. */
  readonly text: string;
  /** Matches at or after the start of the search, at most 10,000. */
  readonly total: number;
  /** How many of them are shown. */
  readonly shown: number;
  /** Where the first match begins that is not shown. */
  readonly next: number | undefined;
}

interface Piece {
  readonly start: number;
  end: number;
}

/** Upper and lower case count as the same. The pieces have at most `maxChars` characters together. */
export function findText(text: string, wanted: string, from: number, maxChars: number): FoundText {
  const pieces: Piece[] = [];
  let [total, shown, chars] = [0, 0, 0];
  let next: number | undefined;
  for (const place of placesOf(text, wanted, from)) {
    if (++total === maxCounted) break;
    if (next !== undefined) continue;
    const piece = pieceAround(text, place, place + wanted.length);
    const last = pieces.at(-1);
    const joins = last !== undefined && piece.start <= last.end;
    const added = joins ? Math.max(0, piece.end - last.end) : piece.end - piece.start;
    if (shown === maxMatches || (chars + added > maxChars && shown > 0)) next = place;
    else {
      if (joins) last.end = Math.max(last.end, piece.end);
      else pieces.push(piece);
      chars += added;
      shown++;
    }
  }
  const texts = pieces.map(({ start, end }) => `[${start}]\n${text.slice(start, end).replace(/\n$/, '')}`);
  return { text: texts.join('\n'), total, shown, next };
}

/** The lines around a match, cut where they are long: no more of the text is looked at. */
function pieceAround(text: string, start: number, end: number): Piece {
  const before = text.slice(Math.max(0, start - charsAround), start);
  const after = text.slice(end, end + charsAround);
  let first = before.length;
  for (let n = 0; n <= linesAround && first > 0; n++) first = before.lastIndexOf('\n', first - 1);
  let last = -1;
  for (let n = 0; n <= linesAround && (n === 0 || last !== -1); n++) last = after.indexOf('\n', last + 1);
  return {
    start: first > 0 ? start - before.length + first + 1 : wholeCharacter(text, start - before.length),
    end: last === -1 ? wholeCharacter(text, end + after.length) : end + last + 1,
  };
}
