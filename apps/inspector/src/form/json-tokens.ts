/** Splits JSON into coloured tokens. Any text is split without a loss, also one that is no JSON. */

export interface JsonToken {
  readonly kind: 'name' | 'text' | 'number' | 'word' | 'mark';
  readonly text: string;
}

const pattern = /"(?:[^"\\\n]|\\.)*"?|-?\d[\d.eE+-]*|\b(?:true|false|null)\b|[^"\d\-tfn]+|[\s\S]/g;

export function jsonTokens(text: string): readonly JsonToken[] {
  const tokens: JsonToken[] = [];
  for (const { 0: token, index } of text.matchAll(pattern)) {
    const kind = kindOf(token, text, index + token.length);
    const last = tokens.at(-1);
    if (kind === 'mark' && last?.kind === 'mark') tokens[tokens.length - 1] = { kind, text: last.text + token };
    else tokens.push({ kind, text: token });
  }
  return tokens;
}

function kindOf(token: string, text: string, end: number): JsonToken['kind'] {
  if (token.startsWith('"')) return /^\s*:/.test(text.slice(end, end + 20)) ? 'name' : 'text';
  if (/^-?\d/.test(token)) return 'number';
  return /^(?:true|false|null)$/.test(token) ? 'word' : 'mark';
}
