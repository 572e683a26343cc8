/** JSON text in one form only: two values have the same text if they are the same value, and no other two. */

/**
 * The text of a JSON value, with sorted keys. `undefined` for a value that JSON cannot represent, such as a number that
 * overflows: its text would be that of another value. With `indent` it is for people.
 */
export const exactJson = (value: unknown, indent = 0): string | undefined =>
  write(value, indent === 0 ? undefined : { indent, line: '\n' });

/**
 * Characters that are not seen, or look like a space: also fillers, selectors of variants and the blank of Braille, which
 * Unicode counts as letters, marks and symbols. Line breaks are those of the indentation: in values they are escaped.
 */
const unseen = /(?!\n)(?:[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs})/gu;

/** The text of a JSON value as it is shown to a person: indented, with characters escaped that are not seen. */
export const shownJson = (value: unknown): string => (exactJson(value, 2) ?? '').replace(unseen, escaped);

const escaped = (character: string): string =>
  Array.from({ length: character.length }, (_, at) => {
    const code = character.charCodeAt(at).toString(16);
    return `\\u${code.padStart(4, '0')}`;
  }).join('');

interface Layout {
  readonly indent: number;
  /** A line break with the indentation of the container. */
  readonly line: string;
}

/** Spaces of indentation: deeper levels have no more, so that a deeply nested list of small values is no text of megabytes. */
const maxIndent = 40;

const nested = (layout: Layout): Layout =>
  layout.line.length > maxIndent ? layout : { ...layout, line: layout.line + ' '.repeat(layout.indent) };

function write(value: unknown, layout: Layout | undefined): string | undefined {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return JSON.stringify(value);
    case 'number':
      if (!Number.isFinite(value)) return undefined;
      // `JSON.stringify` writes both zeros alike.
      return Object.is(value, -0) ? '-0' : JSON.stringify(value);
    case 'object':
      if (value === null) return 'null';
      return Array.isArray(value)
        ? joined('[', value, layout, write, ']')
        : joined('{', Object.keys(value).sort(), layout, (key, inner) => member(value, key, inner), '}');
    default:
      return undefined;
  }
}

function member(value: object, key: string, layout: Layout | undefined): string | undefined {
  const text = write((value as Readonly<Record<string, unknown>>)[key], layout);
  return text && `${JSON.stringify(key)}:${layout === undefined ? '' : ' '}${text}`;
}

function joined<T>(
  open: string,
  items: readonly T[],
  layout: Layout | undefined,
  text: (item: T, layout: Layout | undefined) => string | undefined,
  close: string,
): string | undefined {
  if (items.length === 0) return open + close;
  const inner = layout && nested(layout);
  const parts: string[] = [];
  for (const item of items) {
    const part = text(item, inner);
    if (part === undefined) return undefined;
    parts.push(part);
  }
  return `${open}${inner?.line ?? ''}${parts.join(`,${inner?.line ?? ''}`)}${layout?.line ?? ''}${close}`;
}
