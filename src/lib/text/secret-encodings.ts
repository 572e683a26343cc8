/** Secrets in the encodings that they are passed on in: Base64, hexadecimal, percent signs, escapes of JSON. */
import { toBase64 } from './base64.ts';
import { toHex } from './hex.ts';

/** Longer runs are pictures and files. */
const maxRun = 4096;

/** A run of the characters of Base64 or of hexadecimal digits; one with percent signs. */
const runs = /[A-Za-z\d+/_-]{24,}={0,2}/g;
const escapedRuns = /(?:[\w.~-]|%[\dA-Fa-f]{2}){16,}/g;

/** Masks runs that decode to a text with a secret. */
export function maskEncoded(
  text: string,
  hasSecret: (text: string) => boolean,
  mask: (secret: string) => string,
): string {
  if (text.length < 24) return text;
  const masked = text.replace(runs, (run) => (run.length <= maxRun && hasSecret(decoded(run)) ? mask(run) : run));
  if (!masked.includes('%')) return masked;
  return masked.replace(escapedRuns, (run) =>
    run.length <= maxRun && run.includes('%') && hasSecret(unescaped(run)) ? mask(run) : run,
  );
}

/** Random, and in every second message. */
const isUuid = (run: string): boolean => run.length === 36 && run[8] === '-' && run[13] === '-' && run[23] === '-';

function decoded(run: string): string {
  if (isUuid(run)) return '';
  if (/^(?:[\da-f]{2})+$/i.test(run)) return fromHexText(run);
  const plain = run.replaceAll('-', '+').replaceAll('_', '/').replace(/=+$/, '');
  return atob(plain.slice(0, plain.length - (plain.length % 4 === 1 ? 1 : 0)));
}

function fromHexText(run: string): string {
  const codes: number[] = [];
  for (let at = 0; at < run.length; at += 2) codes.push(Number.parseInt(run.slice(at, at + 2), 16));
  return String.fromCharCode(...codes);
}

const unescaped = (run: string): string =>
  run.replace(/%([\dA-Fa-f]{2})/g, (_, pair: string) => String.fromCharCode(Number.parseInt(pair, 16)));

/** The other texts that a secret may stand as: each is long enough to be found by. */
export function encodingsOf(secret: string): readonly string[] {
  const bytes = new TextEncoder().encode(secret);
  const hex = toHex(bytes);
  const base64 = [0, 1, 2].map((before) => base64Inside(bytes, before));
  const urlSafe = base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'));
  const others = [
    hex,
    hex.toUpperCase(),
    ...base64,
    ...urlSafe,
    percentEncoded(secret),
    JSON.stringify(secret).slice(1, -1),
  ];
  return [...new Set(others)].filter((text) => text !== secret && text.length >= 12);
}

/** The characters that do not depend on what stands around the secret, after a number of other bytes. */
function base64Inside(bytes: Uint8Array, before: number): string {
  const padded = new Uint8Array(before + bytes.length);
  padded.set(bytes, before);
  return toBase64(padded).slice([0, 2, 3][before], Math.floor((padded.length * 4) / 3));
}

/** A lone surrogate has no such form. */
function percentEncoded(secret: string): string {
  try {
    return encodeURIComponent(secret);
  } catch {
    return '';
  }
}
