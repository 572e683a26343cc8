/** Opens a connection to an upstream for one owner, with the features that its callers support. */
import { type ClientHandlers, type PassingHandlers, passedRequests } from '../../client/answers/handlers.ts';
import type { Client } from '../../client/api/client.ts';
import type { ConnectOptions } from '../../client/api/options.ts';
import type { ClientTelemetry } from '../../client/api/telemetry-port.ts';
import { TenonError } from '../../lib/errors/tenon-error.ts';
import type { Deadlines } from '../../lib/time/deadlines.ts';
import { withDeadlines } from '../../lib/time/internal-deadlines.ts';
import { processWatch } from '../../node/child/command-target.ts';
import { connect, type Target } from '../../node/connect.ts';
import type { Implementation } from '../../protocol/generated/types/records.ts';
import type { UpstreamOptions } from '../types.ts';
import { UpstreamConnection } from './connection.ts';
import type { ConnectionUser, ForwardedFeature } from './owner.ts';
import type { ConnectionLock } from './upstream-lock.ts';

export interface UpstreamSettings {
  /** The name of the upstream. */
  readonly name: string;
  readonly options: UpstreamOptions;
  /** The gateway, as upstreams see it. */
  readonly clientInfo: Implementation;
  readonly openMs: number;
  /** How long a call waits without a message of the upstream. */
  readonly callMs: number;
  /** How long a caller may take to answer: longer than the state of its call is valid. */
  readonly inputMs: number;
  readonly deadlines: Deadlines | undefined;
  /** Traces every request. */
  readonly telemetry: ClientTelemetry | undefined;
  /** The lock of each connection. */
  readonly lockOf: ((client: Client) => ConnectionLock) | undefined;
  dropped(method: string, reason: string): void;
  warn(error: TenonError): void;
  /** A line that the process of the upstream has printed to its standard error. */
  printed(line: string): void;
}

/** No connection could be opened: nothing was sent to the upstream. Its `cause` says why. */
export class OpenFailure extends Error {
  constructor(upstream: string, cause: unknown) {
    super(`No connection to the upstream "${upstream}" could be opened.`, { cause });
  }
}

/** `onClose` is called once when it has closed. Rejects with an `OpenFailure`. */
export async function openConnection(
  settings: UpstreamSettings,
  user: ConnectionUser,
  onClose: () => void,
): Promise<UpstreamConnection> {
  const { name, options, clientInfo, openMs, callMs, inputMs, deadlines, telemetry, lockOf, dropped, warn } = settings;
  const { features, principal } = user;
  const connection = new UpstreamConnection({
    principal,
    features,
    isPipe: options.url === undefined,
    isShared: options.share === 'all',
    lockOf,
    dropped,
  });
  const connectOptions: ConnectOptions = {
    clientInfo,
    handlers: handlersFor(features, connection),
    timeoutMs: openMs,
    timeouts: { inputMs, maxTotalMs: 10 * callMs },
    // Calls of the gateway get a new connection: what may run twice is for the caller to decide.
    reconnect: false,
    cache: false,
    ...(options.protocolVersions && { protocolVersions: options.protocolVersions }),
    onLog: (entry) => connection.onLog(entry),
    onWarning: (error) => warn(named(name, error)),
    onClose: () => {
      connection.closed();
      onClose();
    },
    ...(telemetry && { telemetry }),
    ...(deadlines && withDeadlines(deadlines)),
  };
  try {
    connection.opened(await connect(await targetOf(settings, connection), connectOptions));
    return connection;
  } catch (error) {
    throw new OpenFailure(name, error);
  }
}

async function targetOf({ name, options, printed }: UpstreamSettings, connection: UpstreamConnection): Promise<Target> {
  const { command, args, env, cwd, url, headers, auth, server } = options;
  if (server !== undefined) return server;
  if (command !== undefined) {
    const watched = { [processWatch]: connection.processWatch };
    return { command, ...(args && { args }), ...(env && { env }), ...(cwd && { cwd }), stderr: printed, ...watched };
  }
  const owner = {
    upstream: name,
    get principal() {
      return connection.principal;
    },
  };
  const own = typeof auth === 'function' ? await auth(owner) : auth;
  return { url: url as string, ...(headers && { headers }), ...(own && { auth: own }) };
}

/** They declare what the callers support; the requests pass as they are. */
function handlersFor(features: readonly ForwardedFeature[], { passed }: UpstreamConnection): ClientHandlers {
  const has = (feature: ForwardedFeature): boolean => features.includes(feature);
  const never = (): never => {
    throw new TypeError('Requests of upstreams are passed on.');
  };
  const handlers: PassingHandlers = {
    ...(has('elicitation.form') && { elicitForm: never }),
    ...(has('elicitation.url') && { elicitUrl: never }),
    ...(has('sampling') && { sample: never, samplingTools: has('sampling.tools') }),
    ...(has('roots') && { roots: never }),
    tasks: false,
    [passedRequests]: passed,
  };
  return handlers;
}

/** What happened at which upstream. */
export const named = (upstream: string, error: TenonError): TenonError =>
  new TenonError(error.code, `The upstream "${upstream}": ${error.message}`, {
    details: { ...error.details, upstream },
    cause: error,
  });
