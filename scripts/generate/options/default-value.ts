/** Reads the text of `@default`: a value, `off`, or `computed` and how. */

/** A default as code, where it is a value, and as the page shows it. */
export interface Default {
  readonly code?: string | undefined;
  readonly shown: string;
}

export type Unit = 'ms' | 'number' | 'flag' | 'text' | 'any';

const milliseconds: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  min: 60_000,
  h: 3_600_000,
  day: 86_400_000,
  days: 86_400_000,
};
const multiples: Readonly<Record<string, number>> = { Ki: 1024, Mi: 1024 ** 2, Gi: 1024 ** 3 };

/** Returns `undefined` for a text that is no default of this unit. */
export function readDefault(text: string, unit: Unit): Default | undefined {
  const computed = /^computed:? (?<how>.+)$/.exec(text)?.groups?.how;
  if (computed !== undefined) return { shown: computed };
  if (/^off(?:[,;] .+)?$/.test(text)) return { shown: text };
  const value = /^(?<value>'[^']*'|`[^`]*`|[\d,.]*\d(?: [A-Za-z]+)?|\w+|\[\])(?:[,;] .+)?$/.exec(text)?.groups?.value;
  const code = value === undefined ? undefined : codeOf(value, unit);
  return code === undefined ? undefined : { code, shown: text };
}

function codeOf(value: string, unit: Unit): string | undefined {
  if (unit === 'ms' || unit === 'number') {
    const number = readNumber(value, unit);
    return number === undefined ? undefined : numberCode(number);
  }
  const word = /^(?:true|false)$/.test(value);
  if (unit === 'flag') return word ? value : undefined;
  if (/^['`]/.test(value)) return `'${value.slice(1, -1)}'`;
  if (unit === 'text') return undefined;
  if (word || value === '[]') return value;
  const number = readNumber(value, 'number');
  return number === undefined ? undefined : numberCode(number);
}

/** A number as people write it: `30 s`, `4 Mi`, `10,000`, `Infinity`. */
export function readNumber(text: string, unit: 'ms' | 'number'): number | undefined {
  if (text === 'Infinity') return Number.POSITIVE_INFINITY;
  const parts = /^(?<digits>\d{1,3}(?:,\d{3})+|\d+(?:\.\d+)?)(?: (?<unit>\w+))?$/.exec(text)?.groups;
  if (parts === undefined) return undefined;
  const number = Number(parts.digits?.replaceAll(',', ''));
  if (parts.unit === undefined) return unit === 'ms' && number !== 0 ? undefined : number;
  const factor = (unit === 'ms' ? milliseconds : multiples)[parts.unit];
  return factor === undefined ? undefined : number * factor;
}

/** A number as code: `30_000`. */
export function numberCode(number: number): string {
  if (number === Number.POSITIVE_INFINITY) return 'Number.POSITIVE_INFINITY';
  const [whole = '', fraction] = String(number).split('.');
  const grouped = whole.length > 4 ? whole.replace(/\B(?=(?:\d{3})+$)/g, '_') : whole;
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

/** A number as the page shows it: `4 Mi`, `10,000`, and durations in the largest unit that is whole. */
export function numberShown(number: number, isDuration: boolean): string {
  const units = isDuration
    ? { day: 86_400_000, h: 3_600_000, min: 60_000, s: 1000, ms: 1 }
    : { Mi: multiples.Mi as number, Ki: multiples.Ki as number };
  const [name, size] = Object.entries(units).find(([, size]) => number >= size && number % size === 0) ?? ['', 1];
  const plural = name === 'day' && number !== size ? 'days' : name;
  return `${(number / size).toLocaleString('en-US')} ${plural}`.trim();
}
