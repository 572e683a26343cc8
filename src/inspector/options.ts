/** The options of `createInspector`, and their checks. */
import type { TaskMemory } from '../client/api/tasks.ts';
import {
  callback,
  checkOptions,
  count,
  group,
  has,
  type Rule,
  type Rules,
  wrong,
} from '../lib/options/option-rules.ts';
import { isRecord, isString } from '../lib/values/is.ts';
import type { Target } from '../node/connect.ts';
import { protocolVersions } from '../protocol/revisions/revisions.ts';
import type { CredentialStore } from '../store/credentials/credential-store.ts';
import type { ApiConnectOptions } from './api/clients.ts';
import type { ConfiguredTarget } from './clients/targets.ts';

/** Limits of what the inspector stores. */
export interface InspectorLimits {
  /** Events of the live recording. Default 200 000; beyond it, the oldest are dropped. */
  readonly maxEvents?: number;
  /** Characters of the texts of the live recording. Default 128 Mi; beyond it, the oldest are dropped. */
  readonly maxTextChars?: number;
}

/** What the page has open at the start. */
export interface InspectorStart {
  /** The server of `servers` to connect to when the page is opened. */
  readonly server?: string;
  /** The protocol version to use, instead of the newest that both sides have. */
  readonly protocolVersion?: string;
  /** A capture to show: the name and the text of a file. */
  readonly capture?: {
    /** The name of the file. */
    readonly name: string;
    /** Its whole text. */
    readonly text: string;
  };
  /** A call that is filled in: the name of a tool, and its arguments. */
  readonly call?: {
    /** The name of the tool. */
    readonly tool: string;
    /** Its arguments. */
    readonly arguments: Readonly<Record<string, unknown>>;
  };
}

/** The options of `createInspector`. */
export interface InspectorOptions {
  /** Servers to choose from, by name: servers in this process, URLs, commands. Default none. */
  readonly servers?: Readonly<Record<string, Target>>;
  /** What the page has open at the start. */
  readonly start?: InspectorStart;
  /** Returns the servers of configuration files. Default none. Commands among them are confirmed before they are started. */
  readonly configured?: () => Promise<readonly ConfiguredTarget[]>;
  /** Where tokens of signed-in servers are stored. Default: in the memory of this process. */
  readonly credentials?: CredentialStore;
  /** Where tasks are remembered until their results came: after a restart they are followed again. Default: nowhere. */
  readonly taskMemory?: TaskMemory;
  /** Returns sessions and streams of your server for the charts, as `stats()` of `serveHttp` does. */
  readonly stats?: () => { readonly sessions: number; readonly streams: number };
  /** The token of the link. Default: a random one for each process. At least 32 characters. */
  readonly token?: string;
  /** The folder of the built page. Default: the one of the package. */
  readonly pageFolder?: string;
  /** Limits of what is stored. */
  readonly limits?: InspectorLimits;
}

const rules: Rules & Record<keyof InspectorOptions, Rule> = {
  servers: { holds: isRecord, must: "be an object such as { weather: server, other: 'https://example.com/mcp' }" },
  start: group({
    server: { holds: isString, must: 'be the name of a server of "servers"' },
    protocolVersion: {
      holds: (value) => (protocolVersions as readonly unknown[]).includes(value),
      must: `be one of ${protocolVersions.join(', ')}`,
    },
    capture: {
      holds: (value) => isRecord(value) && isString(value.name) && isString(value.text),
      must: 'be { name, text }',
    },
    call: {
      holds: (value) => isRecord(value) && isString(value.tool) && isRecord(value.arguments),
      must: 'be { tool, arguments }',
    },
  }),
  configured: callback,
  credentials: {
    holds: (value) => ['read', 'swap', 'lock'].every((name) => has(value, name)),
    must: 'have the methods read, swap and lock, as `credentials` of createMemoryStore() has',
  },
  taskMemory: {
    holds: (value) => ['read', 'add', 'delete'].every((name) => has(value, name)),
    must: "have the methods read, add and delete, as taskFile('./tasks.json') has",
  },
  stats: callback,
  token: {
    holds: (value) => isString(value) && /^[\w-]{32,200}$/.test(value as string),
    must: 'be 32 to 200 letters, digits, dashes and underscores',
  },
  pageFolder: { holds: isString, must: 'be the path of a folder' },
  limits: group({ maxEvents: count, maxTextChars: count }),
};

/** Throws `invalid-argument`. `more` has the rules of further options. */
export function checkInspectorOptions(of: string, options: InspectorOptions, more: Rules = {}): void {
  checkOptions(of, options, { ...rules, ...more });
  const { servers = {}, start = {} } = options;
  if (start.server !== undefined && !Object.hasOwn(servers, start.server))
    throw wrong(of, 'start.server', 'be the name of a server of "servers"');
}

export const startOptions = ({ protocolVersion }: InspectorStart): ApiConnectOptions =>
  protocolVersion === undefined ? {} : { protocolVersion };
