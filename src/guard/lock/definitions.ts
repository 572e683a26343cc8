/** The pinned part of a definition, in canonical form, and its hash. */
import { canonicalJson } from '../../lib/text/canonical-json.ts';
import { sha256Hex } from '../../lib/text/hex.ts';
import type { ListedKind } from '../../ports/lock.ts';

/** The kinds of definitions that a lock pins. */
export const lockedKinds: readonly ListedKind[] = ['tool', 'prompt', 'template', 'resource'];

const nameFields = { tool: 'name', prompt: 'name', resource: 'uri', template: 'uriTemplate' } as const;

export const nameOf = (kind: ListedKind, definition: object): string =>
  String((definition as Record<string, unknown>)[nameFields[kind]]);

/** The size and date of a resource change with its contents, so they are not pinned. */
export function pinnedPart(kind: ListedKind, definition: object): Readonly<Record<string, unknown>> {
  const { ...pinned } = definition as Record<string, unknown>;
  if (kind !== 'resource') return pinned;
  delete pinned.size;
  if (typeof pinned.annotations === 'object' && pinned.annotations !== null) {
    const { lastModified: _, ...annotations } = pinned.annotations as Record<string, unknown>;
    pinned.annotations = annotations;
  }
  return pinned;
}

/** `sha256-` and the digest of the canonical form, in hexadecimal. */
export const hashOf = async (value: unknown): Promise<string> => `sha256-${await sha256Hex(canonicalJson(value))}`;
