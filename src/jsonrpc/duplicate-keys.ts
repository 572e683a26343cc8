/** Finds a duplicate key in a JSON text, which JSON.parse hides, in one pass. */
import { closeBrace, closeBracket, comma, endOfString, openBrace, openBracket, quote } from './json-text.ts';

export interface DuplicateKey {
  /** The path to the key from the outermost value, such as `params.arguments.a` or `[0].params["a b"]`. */
  path: string;
  key: string;
}

/** One open object or array. */
type Level =
  | { kind: 'object'; keys: Set<string>; key: string; next: 'key' | 'value' }
  | { kind: 'array'; index: number };

/**
 * The first key named twice in one object, or nothing. `text` must be valid JSON; keys are compared after unescaping,
 * so `"a"` and `"\u0061"` are the same.
 */
export function findDuplicateKey(text: string): DuplicateKey | undefined {
  const levels: Level[] = [];
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charCodeAt(at)) {
      case quote: {
        const end = endOfString(text, at);
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

function keyBetween(text: string, open: number, end: number): string {
  const raw = text.slice(open + 1, end);
  return raw.includes('\\') ? String(JSON.parse(`"${raw}"`)) : raw;
}

function pathOf(levels: readonly Level[]): string {
  const path = levels.map((level) => (level.kind === 'array' ? `[${level.index}]` : segment(level.key))).join('');
  return path.startsWith('.') ? path.slice(1) : path;
}

const segment = (key: string): string => (/^[\w$]+$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`);
