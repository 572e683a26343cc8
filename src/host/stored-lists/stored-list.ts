/** The stored lists of one server as text, and their key. */
import { sha256Hex } from '../../lib/text/hex.ts';
import { isRecord } from '../../lib/values/is.ts';
import type { ListedKind } from '../../ports/lock.ts';
import { isPrompt, isResource, isResourceTemplate, isTool } from '../../protocol/generated/record-checks.ts';
import type { HostServer } from '../servers/host-server.ts';

/** What was listed by one server. */
export interface StoredList {
  /** The name that the server gives itself. */
  readonly name: string;
  readonly storedAt: number;
  readonly instructions: string | undefined;
  readonly lists: Readonly<Partial<Record<ListedKind, readonly object[]>>>;
}

/**
 * Characters of the stored lists of one server.
 * @limit host
 * @beyond they are not stored; the server is started for its lists
 */
export const maxStoredListChars = 2_000_000;

const format = 1;
export const storedKinds: readonly ListedKind[] = ['tool', 'prompt', 'resource', 'template'];

/**
 * Differs for each server of the configuration, with its arguments, environment and headers, and for each user: another key
 * of an API may have other tools. They may be secrets: only a hash is stored.
 */
export const keyOf = ({ server, resolved }: HostServer, principal: string): Promise<string> =>
  sha256Hex(JSON.stringify([format, server, resolved, principal]));

export const writeList = (list: StoredList): string => JSON.stringify({ format, ...list });

/** `undefined` for a text that is damaged, or of another version. */
export function readList(text: string): StoredList | undefined {
  const read = parsed(text);
  if (!isRecord(read) || read.format !== format || !isRecord(read.lists)) return undefined;
  const { name, storedAt, instructions, lists } = read;
  if (typeof name !== 'string' || typeof storedAt !== 'number') return undefined;
  if (instructions !== undefined && typeof instructions !== 'string') return undefined;
  const isList = (kind: ListedKind, items: unknown): boolean =>
    items === undefined || (Array.isArray(items) && areStorable(kind, items));
  if (!storedKinds.every((kind) => isList(kind, lists[kind]))) return undefined;
  return { name, storedAt, instructions, lists: lists as StoredList['lists'] };
}

const checks: Readonly<Record<ListedKind, (item: unknown) => boolean>> = {
  tool: isTool,
  prompt: isPrompt,
  resource: isResource,
  template: isResourceTemplate,
};

/** Whether items have the form of the protocol. In an older version of it, a server may list what is none today. */
export const areStorable = (kind: ListedKind, items: readonly unknown[]): boolean => items.every(checks[kind]);

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
