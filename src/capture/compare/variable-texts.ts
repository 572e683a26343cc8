/** What may differ between two runs: times and ids, replaced by a name so that texts with them are equal. */

const times: readonly RegExp[] = [
  // ISO 8601, with or without a time of day.
  /\b\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?)?/g,
  // As in HTTP headers.
  /\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT\b/g,
  /\b\d{1,2}:\d{2}:\d{2}(?:\.\d{1,9})?\b/g,
  // Seconds and milliseconds since 1970, from 2001 to 2286.
  /\b[1-9]\d{9}(?:\d{3})?\b/g,
];

const ids: readonly RegExp[] = [
  /\b[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}\b/gi,
  // ULID.
  /\b[0-7][\dA-HJKMNP-TV-Z]{25}\b/g,
  /\b(?=[a-f]*\d)[\da-f]{16,128}\b/gi,
];

export const withoutTimes = (text: string): string => replaced(text, times, '‹time›');

export const withoutIds = (text: string): string => replaced(text, ids, '‹id›');

const replaced = (text: string, forms: readonly RegExp[], name: string): string =>
  forms.reduce((shown, form) => shown.replace(form, name), text);

/** Whether a number is a time: seconds or milliseconds since 1970, from 2001 to 2286. */
export const isTime = (value: unknown): boolean =>
  typeof value === 'number' && value >= 1_000_000_000 && value < 10_000_000_000_000;
