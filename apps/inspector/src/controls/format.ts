/** Numbers and times as they are shown. */

export function shownMs(ms: number): string {
  if (ms < 1) return '<1 ms';
  if (ms < 1000) return `${Math.round(ms)} ms`;
  return ms < 60_000 ? `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 1)} s` : `${Math.floor(ms / 60_000)} min`;
}

export function shownBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  return bytes < 1_000_000 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/** The time of day of an event. */
export const shownTime = (at: number): string => new Date(at).toLocaleTimeString('en-GB');

/** The time of day with milliseconds, in two parts: the fraction is left out where there is no room. */
export const clockOf = (at: number): readonly [clock: string, fraction: string] => [
  shownTime(at),
  `.${String(new Date(at).getMilliseconds()).padStart(3, '0')}`,
];

/** A text to decide on: characters that are not seen, or that reorder the others, are written as escapes. */
export const visibleText = (text: string): string =>
  text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (char) => `\\u{${char.codePointAt(0)?.toString(16)}}`);

/** One line of a value. */
export function shownValue(value: unknown, maxChars = 120): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return text.length > maxChars ? `${text.slice(0, maxChars)}…` : text;
}
