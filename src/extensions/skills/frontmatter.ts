/** The YAML at the top of a `SKILL.md`, as JSON. */
import { isRecord } from '../../lib/values/is.ts';

/**
 * Characters of frontmatter.
 * @limit skills
 * @beyond the skill is rejected
 */
const maxLength = 64 * 1024;

const block = /^\ufeff?---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/;

/** The parsed YAML; `undefined` where there is none, or it is no JSON object. */
export async function readFrontmatter(text: string): Promise<Record<string, unknown> | undefined> {
  const [, source] = block.exec(text.slice(0, maxLength + 16)) ?? [];
  if (source === undefined || source.length > maxLength) return undefined;
  // Loaded with the first skill: nothing else needs it.
  const { parse } = await import('yaml');
  try {
    // The core schema has no dates and no tags of its own, and few aliases can be followed.
    const value: unknown = parse(source, {
      schema: 'core',
      maxAliasCount: 100,
      prettyErrors: false,
      logLevel: 'error',
    });
    return isRecord(value) && isJson(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isJson(value: unknown): boolean {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true;
  if (typeof value === 'number') return Number.isFinite(value);
  if (Array.isArray(value)) return value.every(isJson);
  return isRecord(value) && !Object.hasOwn(value, '__proto__') && Object.values(value).every(isJson);
}
