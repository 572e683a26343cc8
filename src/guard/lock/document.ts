/** The lock as a document: JSON with a version, sorted, made to be read in a code review. */
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { canonicalJson } from '../../lib/text/canonical-json.ts';
import { isRecord } from '../../lib/values/is.ts';
import type { ListedKind } from '../../ports/lock.ts';
import { hashOf, lockedKinds } from './definitions.ts';
import { visible } from './differences.ts';

/** A definition, whole, so that a change of it can be shown. */
export interface LockedDefinition {
  readonly hash: string;
  readonly definition: Readonly<Record<string, unknown>>;
}

/** What was approved of one server. */
export interface LockedServer {
  readonly identity: Readonly<Record<string, string>>;
  readonly instructions?: string;
  readonly definitions: Readonly<Record<ListedKind, ReadonlyMap<string, LockedDefinition>>>;
}

export type LockedServers = ReadonlyMap<string, LockedServer>;

const lockVersion = 1;

/**
 * Characters of a lock.
 * @limit host
 * @beyond not read, not written
 * @code invalid-lock
 */
export const maxLockChars = 16 * 1024 * 1024;

const members: Readonly<Record<ListedKind, string>> = {
  tool: 'tools',
  prompt: 'prompts',
  template: 'resourceTemplates',
  resource: 'resources',
};

const noDefinitions = (): Record<ListedKind, Map<string, LockedDefinition>> => ({
  tool: new Map(),
  prompt: new Map(),
  template: new Map(),
  resource: new Map(),
});

export const emptyServer = (identity: LockedServer['identity']): LockedServer => ({
  identity,
  definitions: noDefinitions(),
});

/** The hash of the whole set: nothing can be taken out of a lock, or added to it, without changing this line too. */
export function setHashOf({ identity, instructions, definitions }: LockedServer): Promise<string> {
  const hashes = lockedKinds.map((kind) => [
    kind,
    [...definitions[kind]].map(([name, { hash }]) => [name, hash]).sort(),
  ]);
  return hashOf([identity, instructions ?? null, hashes]);
}

export async function writeLock(servers: LockedServers): Promise<string> {
  const written: (readonly [string, unknown])[] = [];
  for (const [name, server] of [...servers].sort(byName)) {
    const { identity, instructions, definitions } = server;
    const entry = {
      identity: sorted(identity),
      set: await setHashOf(server),
      ...(instructions !== undefined && { instructions }),
      ...Object.fromEntries(
        lockedKinds.flatMap((kind) => {
          const entries = [...definitions[kind]].sort(byName);
          const locked = entries.map(([own, { hash, definition }]) => [own, { hash, definition: sorted(definition) }]);
          return entries.length === 0 ? [] : [[members[kind], Object.fromEntries(locked)]];
        }),
      ),
    };
    written.push([name, entry]);
  }
  const document = { lockVersion, servers: Object.fromEntries(written) };
  const text = `${visible(JSON.stringify(document, undefined, 2))}\n`;
  if (text.length > maxLockChars) throw invalid(`it would have more than ${maxLockChars} characters`, 'Approve less.');
  return text;
}

const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => (a < b ? -1 : 1);

const sorted = (value: unknown): unknown => JSON.parse(canonicalJson(value));

/** Throws `invalid-lock`. A hash that does not fit means that the file was edited, or merged by hand. */
export async function readLock(text: string): Promise<LockedServers> {
  if (text.length > maxLockChars) throw invalid(`it has more than ${maxLockChars} characters`, restore);
  const document = parse(text);
  if (!isRecord(document) || !Number.isSafeInteger(document.lockVersion))
    throw invalid('it has no lockVersion', restore);
  if (document.lockVersion !== lockVersion)
    throw invalid(`it has the version ${document.lockVersion}; this program knows ${lockVersion}`, 'Update Tenon.');
  if (!isRecord(document.servers)) throw invalid('it has no servers', restore);
  const servers = new Map<string, LockedServer>();
  for (const [name, entry] of Object.entries(document.servers)) servers.set(name, await readServer(name, entry));
  return servers;
}

const restore = 'Restore it from version control, or delete it and approve again.';

async function readServer(name: string, entry: unknown): Promise<LockedServer> {
  const at = `servers.${name}`;
  if (!isRecord(entry) || !isRecord(entry.identity)) throw invalid(`${at} has no identity`, restore);
  const { instructions } = entry;
  if (instructions !== undefined && typeof instructions !== 'string')
    throw invalid(`${at}.instructions is not a text`, restore);
  const definitions = noDefinitions();
  for (const kind of lockedKinds) {
    const listed = entry[members[kind]] ?? {};
    if (!isRecord(listed)) throw invalid(`${at}.${members[kind]} is not an object`, restore);
    for (const [own, locked] of Object.entries(listed)) {
      if (!isRecord(locked) || !isRecord(locked.definition) || (await hashOf(locked.definition)) !== locked.hash)
        throw invalid(`${at}.${members[kind]}.${own} does not have its hash`, restore);
      definitions[kind].set(own, { hash: locked.hash as string, definition: locked.definition });
    }
  }
  const identity = entry.identity as Record<string, string>;
  const server: LockedServer = { identity, ...(instructions !== undefined && { instructions }), definitions };
  if ((await setHashOf(server)) !== entry.set) throw invalid(`${at} does not have the hash in ${at}.set`, restore);
  return server;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const merging = /^(?:<{7}|={7}|>{7})/m.test(text);
    throw invalid(merging ? 'it has the marks of a merge conflict' : 'it is not JSON', restore);
  }
}

const invalid = (problem: string, hint: string): TenonError =>
  new TenonError('invalid-lock', `The lock cannot be used: ${problem}.`, { hint });
