/** A snapshot of a server: its information and features as one JSON value, to be stored, compared, and converted to types. */
import type { Client } from '../client/api/client.ts';
import { TenonError } from '../lib/errors/tenon-error.ts';
import { isRecord } from '../lib/values/is.ts';
import type {
  Implementation,
  Prompt,
  Resource,
  ResourceTemplate,
  ServerCapabilities,
  Tool,
} from '../protocol/generated/types/records.ts';
import { findRevision } from '../protocol/revisions/revisions.ts';

/** The version of the format. A newer one is refused. */
export const snapshotVersion = 1;

/** The information and features of a server. */
export interface ServerSnapshot {
  /** The version of the format. */
  readonly snapshot: number;
  /** The name and version of the server, if it sent them. */
  readonly serverInfo?: Implementation;
  /** The protocol version at which the lists were read. */
  readonly protocolVersion: string;
  /** All protocol versions that the server supports, if they are known. */
  readonly protocolVersions?: readonly string[];
  /** The capabilities that it declares. */
  readonly capabilities: ServerCapabilities;
  /** Its instructions for models. */
  readonly instructions?: string;
  /** Its tools, by name. */
  readonly tools: readonly Tool[];
  /** Its resources, by URI. */
  readonly resources: readonly Resource[];
  /** Its resource templates, by text. */
  readonly templates: readonly ResourceTemplate[];
  /** Its prompts, by name. */
  readonly prompts: readonly Prompt[];
}

/** The options of `takeSnapshot`. */
export interface SnapshotOptions {
  /** The protocol versions that the server supports, where it does not name them itself: in sessions. */
  readonly protocolVersions?: readonly string[];
}

/**
 * Reads everything that a server offers.
 *
 * @example
 * ```ts
 * const client = await connect('https://example.com/mcp');
 * await writeFile('server.json', JSON.stringify(await takeSnapshot(client)));
 * ```
 */
export async function takeSnapshot(client: Client, options: SnapshotOptions = {}): Promise<ServerSnapshot> {
  await client.connection.ready();
  const { serverInfo, protocolVersion, capabilities, instructions } = client;
  const protocolVersions = options.protocolVersions ?? (await supportedBy(client));
  return {
    snapshot: snapshotVersion,
    ...(serverInfo && { serverInfo }),
    protocolVersion,
    ...(protocolVersions && { protocolVersions: [...protocolVersions].sort() }),
    capabilities,
    ...(instructions !== undefined && { instructions }),
    tools: sorted(capabilities.tools ? await client.tools.list().all() : [], ({ name }) => name),
    resources: sorted(capabilities.resources ? await client.resources.list().all() : [], ({ uri }) => uri),
    templates: sorted(
      capabilities.resources ? await client.resources.listTemplates().all() : [],
      ({ uriTemplate }) => uriTemplate,
    ),
    prompts: sorted(capabilities.prompts ? await client.prompts.list().all() : [], ({ name }) => name),
  };
}

const sorted = <T>(items: readonly T[], keyOf: (item: T) => string): T[] =>
  [...items].sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));

/** Only servers without sessions name all of them. */
async function supportedBy(client: Client): Promise<readonly string[] | undefined> {
  if (!findRevision(client.protocolVersion)?.client.requests.has('server/discover')) return undefined;
  const { supportedVersions } = await client.request('server/discover');
  return Array.isArray(supportedVersions) ? supportedVersions.map(String) : undefined;
}

/** Reads a stored snapshot. Throws `invalid-snapshot` for anything else, and for a newer version of the format. */
export function readSnapshot(text: string): ServerSnapshot {
  const value = parsed(text);
  if (!isRecord(value) || typeof value.snapshot !== 'number') throw invalid('It has no version.');
  if (value.snapshot > snapshotVersion)
    throw invalid(
      `It has version ${value.snapshot} of the format, and this version of Tenon reads ${snapshotVersion}.`,
    );
  for (const list of ['tools', 'resources', 'templates', 'prompts'])
    if (!Array.isArray(value[list]) || !(value[list] as unknown[]).every(isRecord))
      throw invalid(`${list} is no list.`);
  if (!isRecord(value.capabilities)) throw invalid('capabilities is no object.');
  if (typeof value.protocolVersion !== 'string') throw invalid('protocolVersion is no text.');
  return value as unknown as ServerSnapshot;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalid('It is not JSON.');
  }
}

const invalid = (problem: string): TenonError =>
  new TenonError('invalid-snapshot', `This is not a snapshot of a server: ${problem}`, {
    hint: 'Write one with tenon info TARGET --snapshot FILE.',
  });
