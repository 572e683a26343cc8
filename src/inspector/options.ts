/** The options of `createInspector` and `serveInspector`, and the limit that is fixed. */
import type { TaskMemory } from '../client/api/tasks.ts';
import type { Rule } from '../lib/options/option-rules.ts';
import { isRecord, isString } from '../lib/values/is.ts';
import type { Target } from '../node/connect.ts';
import type { CredentialStore } from '../store/credential-store.ts';
import type { TourStep } from './api/tour.ts';
import type { InspectorApprovals } from './approvals.ts';
import type { ConfiguredTarget } from './clients/targets.ts';

/**
 * Limits of what the inspector stores.
 * @area inspector
 */
export interface InspectorLimits {
  /**
   * Characters of the texts of the live recording.
   * @default 128 Mi
   * @beyond the oldest are dropped
   */
  readonly maxTextChars?: number;
}

/**
 * Events of the live recording.
 * @limit InspectorLimits.maxEvents
 * @beyond the oldest are dropped
 */
export const maxEvents = 200_000;

/**
 * What the page has open at the start.
 * @area inspector
 */
export interface InspectorStart {
  /**
   * The server of `servers` to connect to when the page is opened.
   * @default off
   */
  readonly server?: string;
  /**
   * The protocol version to use.
   * @default computed the newest that both sides have
   * @rule oneVersion
   */
  readonly protocolVersion?: string;
  /**
   * A capture to show: the name and the text of a file.
   * @default off
   * @rule captureText
   */
  readonly capture?: {
    /** The name of the file. */
    readonly name: string;
    /** Its whole text. */
    readonly text: string;
  };
  /**
   * A call that is filled in: the name of a tool, and its arguments.
   * @default off
   * @rule suggestedCall
   */
  readonly call?: {
    /** The name of the tool. */
    readonly tool: string;
    /** Its arguments. */
    readonly arguments: Readonly<Record<string, unknown>>;
  };
  /**
   * Steps that lead a person through the server. The page shows them below its bar.
   * @default off
   * @rule tourSteps
   */
  readonly tour?: readonly TourStep[];
}

/**
 * The options of `createInspector`.
 * @area inspector
 */
export interface InspectorOptions {
  /**
   * Servers to choose from, by name: servers in this process, URLs, commands.
   * @default off
   * @rule serversByName
   */
  readonly servers?: Readonly<Record<string, Target>>;
  /** What the page has open at the start. */
  readonly start?: InspectorStart;
  /**
   * Returns the servers of configuration files. Commands among them are confirmed before they are started, and `variables` before they are sent.
   * @default off
   */
  readonly configured?: () => Promise<readonly ConfiguredTarget[]>;
  /**
   * Where tokens of signed-in servers are stored.
   * @default computed the memory of this process
   * @rule credentialStore
   */
  readonly credentials?: CredentialStore;
  /**
   * Where tasks are remembered until their results came: after a restart they are followed again.
   * @default off
   * @rule taskMemory
   */
  readonly taskMemory?: TaskMemory;
  /**
   * Approvals of your guard that wait, and the user as whom the page decides about them: for development.
   * @default off
   * @rule inspectorApprovals
   */
  readonly approvals?: InspectorApprovals;
  /**
   * Returns sessions and streams of your server for the charts, as `stats()` of `serveHttp` does.
   * @default computed those of the clients of the page
   */
  readonly stats?: () => { readonly sessions: number; readonly streams: number };
  /**
   * The token of the link. At least 32 characters.
   * @default computed a random one for each process
   * @rule linkToken
   */
  readonly token?: string;
  /**
   * A private file by which open tabs find the inspector when the program is started again, without the new link. It is
   * made at the first start: it has a secret, and the port of `serveInspector`.
   * @default off
   */
  readonly tabsFile?: string;
  /**
   * The folder of the built page.
   * @default computed the one of the package
   */
  readonly pageFolder?: string;
  /** Limits of what is stored. */
  readonly limits?: InspectorLimits;
}

/**
 * The options of `serveInspector`.
 * @area inspector
 */
export interface ServeInspectorOptions extends InspectorOptions {
  /**
   * The port of 127.0.0.1 to listen on; 0 takes any free port, with `tabsFile` the one of the last start if it is free.
   * @default 0
   * @rule port
   */
  readonly port?: number;
}

export const serversByName: Rule = {
  holds: isRecord,
  must: "be an object such as { weather: server, other: 'https://example.com/mcp' }",
};

export const captureText: Rule = {
  holds: (value) => isRecord(value) && isString(value.name) && isString(value.text),
  must: 'be { name, text }',
};

export const suggestedCall: Rule = {
  holds: (value) => isRecord(value) && isString(value.tool) && isRecord(value.arguments),
  must: 'be { tool, arguments }',
};

/** Of the page at the start. More do not fit in its strip. */
const maxSteps = 9;

export const tourSteps: Rule = {
  holds: (value) =>
    Array.isArray(value) &&
    value.length <= maxSteps &&
    value.every((step) => isRecord(step) && [step.id, step.title, step.hint].every(isString) && isRecord(step.opens)),
  must: `be at most ${maxSteps} steps such as { id, title, hint, opens, doneBy }`,
};

export const linkToken: Rule = {
  holds: (value) => isString(value) && /^[\w-]{32,200}$/.test(value as string),
  must: 'be 32 to 200 letters, digits, dashes and underscores',
};
