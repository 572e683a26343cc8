/** The formats that a form checks while it is filled in; the server checks all of them. */

/** An example for each, shown if the text does not have the format. */
const formats: Readonly<Record<string, { readonly example: string; fits(text: string): boolean }>> = {
  date: { example: '1999-12-31', fits: (text) => /^\d{4}-\d{2}-\d{2}$/.test(text) && isDay(text) },
  'date-time': {
    example: '1999-12-31T09:30:00Z',
    fits: (text) =>
      /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(\.\d{1,9})?([Zz]|[+-]\d{2}:\d{2})$/.test(text) &&
      isDay(text.slice(0, 10)) &&
      !Number.isNaN(Date.parse(text)),
  },
  time: { example: '09:30:00Z', fits: (text) => /^\d{2}:\d{2}:\d{2}(\.\d{1,9})?([Zz]|[+-]\d{2}:\d{2})$/.test(text) },
  email: { example: 'ada@example.com', fits: (text) => text.length <= 320 && /^[^\s@]+@[^\s@]+$/.test(text) },
  uri: { example: 'https://example.com', fits: (text) => /^[a-z][a-z\d+.-]*:\S+$/i.test(text) },
  uuid: {
    example: '123e4567-e89b-42d3-a456-426614174000',
    fits: (text) => /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i.test(text),
  },
  ipv4: {
    example: '192.0.2.1',
    fits: (text) => /^(?:\d{1,3}\.){3}\d{1,3}$/.test(text) && text.split('.').every((part) => Number(part) < 256),
  },
};

/** An example of a format; `undefined` for those that are not known. */
export const exampleOf = (format: string | undefined): string | undefined => known(format)?.example;

export function formatProblem(format: string | undefined, text: string): string | undefined {
  const rule = known(format);
  return rule === undefined || rule.fits(text) ? undefined : `expected ${format}, such as ${rule.example}`;
}

const known = (format: string | undefined) =>
  format !== undefined && Object.hasOwn(formats, format) ? formats[format] : undefined;

/** Date parsing reads the 30th of February as the 2nd of March, so the date is compared with the text. */
function isDay(day: string): boolean {
  const time = Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(day);
}
