/** Finds a duplicate key in a JSON text, which JSON.parse hides, in one pass. */

export interface DuplicateKey {
  /** Where it stands, from the outermost value in, such as `params.arguments.a` or `[0].params["a b"]`. */
  path: string;
  key: string;
}

/** One open object or array. */
type Level =
  | { kind: 'object'; keys: Set<string>; key: string; next: 'key' | 'value' }
  | { kind: 'array'; index: number };

const quote = 0x22;
const comma = 0x2c;
const backslash = 0x5c;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/**
 * The first key named twice in one object, or nothing. `text` must be valid JSON; keys are compared by meaning, so
 * `"a"` and `"\u0061"` are the same.
 */
export function findDuplicateKey(text: string): DuplicateKey | undefined {
  const levels: Level[] = [];
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charCodeAt(at)) {
      case quote: {
        const end = closingQuote(text, at);
        const level = levels.at(-1);
        if (level?.kind === 'object' && level.next === 'key') {
          const key = keyBetween(text, at, end);
          level.key = key;
          level.next = 'value';
          if (level.keys.has(key)) return { path: pathOf(levels), key };
          level.keys.add(key);
        }
        at = end;
        break;
      }
      case openBrace:
        levels.push({ kind: 'object', keys: new Set(), key: '', next: 'key' });
        break;
      case openBracket:
        levels.push({ kind: 'array', index: 0 });
        break;
      case closeBrace:
      case closeBracket:
        levels.pop();
        break;
      case comma:
        step(levels.at(-1));
        break;
    }
  }
  return undefined;
}

function step(level: Level | undefined): void {
  if (level?.kind === 'object') level.next = 'key';
  else if (level?.kind === 'array') level.index += 1;
}

/** The quote that ends the string opened at `open`: the first with an even number of backslashes before it. */
function closingQuote(text: string, open: number): number {
  for (let end = text.indexOf('"', open + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let before = end;
    while (text.charCodeAt(before - 1) === backslash) before -= 1;
    if ((end - before) % 2 === 0) return end;
  }
  return text.length;
}

function keyBetween(text: string, open: number, end: number): string {
  const raw = text.slice(open + 1, end);
  return raw.includes('\\') ? String(JSON.parse(`"${raw}"`)) : raw;
}

function pathOf(levels: readonly Level[]): string {
  const path = levels.map((level) => (level.kind === 'array' ? `[${level.index}]` : segment(level.key))).join('');
  return path.startsWith('.') ? path.slice(1) : path;
}

const segment = (key: string): string => (/^[\w$]+$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`);
