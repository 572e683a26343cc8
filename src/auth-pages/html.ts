/** HTML as a tagged template: every value is escaped, unless it is HTML itself. */

/** HTML that needs no escaping. Only `html` makes it. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** What can be in a template. Nothing is written for `undefined` and `false`. */
export type HtmlValue = string | number | Html | false | undefined | readonly HtmlValue[];

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Characters that reorder a line could make one address look like another: they are not shown. */
const invisible = /[\p{Cc}\u061c\u200b-\u200f\u2028-\u202e\u2060\u2066-\u2069\ufeff]/gu;

const escaped = (text: string): string =>
  text
    .replace(invisible, (each) => (/\s/.test(each) ? ' ' : '\ufffd'))
    .replace(/[&<>"']/g, (each) => entities[each] ?? each);

function textOf(value: HtmlValue): string {
  if (value === undefined || value === false) return '';
  if (value instanceof Html) return value.text;
  return typeof value === 'object' ? value.map(textOf).join('') : escaped(String(value));
}

/** ``html`<b>${name}</b>` ``: names and attribute values are safe in double quotes. */
export const html = (strings: TemplateStringsArray, ...values: readonly HtmlValue[]): Html =>
  new Html(strings.reduce((text, string, at) => text + textOf(values[at - 1]) + string));
