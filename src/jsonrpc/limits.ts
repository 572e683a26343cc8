/** How large, deep and many messages may be, and the walk that finds a value which goes too far. */

export interface MessageLimits {
  /** Characters of one frame. */
  readonly maxLength: number;
  /** Levels of objects and lists inside params, result, error or any other field. */
  readonly maxDepth: number;
  /** Messages in one batch. */
  readonly maxBatch: number;
}

export const defaultLimits: MessageLimits = { maxLength: 4 * 1024 * 1024, maxDepth: 128, maxBatch: 100 };

/** Whether a parsed value is nested too deep, or has a key that could reach into prototypes when it is copied. */
export function isHarmful(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (depth === 0) return true;
  if (Array.isArray(value)) {
    for (let n = 0; n < value.length; n++) if (isHarmful(value[n], depth - 1)) return true;
    return false;
  }
  for (const key in value) {
    if (key === '__proto__' || isHarmful((value as Record<string, unknown>)[key], depth - 1)) return true;
  }
  return false;
}

export interface Harm {
  readonly code: 'too-deep' | 'unsafe-key';
  readonly place: string;
}

/** Names the place in a value of which `isHarmful` has said yes. The place of the outermost value is the empty text. */
export function findHarm(value: unknown, depth: number, place: string): Harm | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth === 0) return { code: 'too-deep', place };
  for (const [key, inner] of Object.entries(value)) {
    const inside = step(place, key, Array.isArray(value));
    if (key === '__proto__') return { code: 'unsafe-key', place: inside };
    const harm = findHarm(inner, depth - 1, inside);
    if (harm !== undefined) return harm;
  }
  return undefined;
}

function step(place: string, key: string, inList: boolean): string {
  if (inList) return `${place}[${key}]`;
  return place === '' ? key : `${place}.${key}`;
}
