/** Opens a conversation by discovery or handshake, following the pure steps of `negotiate`. */

import { RpcError } from '../../../jsonrpc/errors.ts';
import type { Peer } from '../../../jsonrpc/peer.ts';
import { TenonError } from '../../../lib/errors/tenon-error.ts';
import { shown } from '../../../lib/text/shown.ts';
import type { Deadlines } from '../../../lib/time/deadlines.ts';
import type { Fields } from '../../../lib/values/is.ts';
import { isRecord } from '../../../lib/values/is.ts';
import { revisionFor } from '../../../protocol/dialects/founding-tasks.ts';
import { odditiesIn } from '../../../protocol/dialects/odd-capabilities.ts';
import type { Implementation, ServerCapabilities } from '../../../protocol/generated/types/records.ts';
import type { Done } from '../../../protocol/neutral.ts';
import type { Revision } from '../../../protocol/revision.ts';
import { tasksExtension } from '../../../protocol/tasks/extension-tasks.ts';
import { resolveWithin } from '../../retry/resolve-within.ts';
import { Conversation, type ConversationPorts, type Introduce } from '../conversation.ts';
import {
  afterDiscovery,
  afterError,
  afterHandshake,
  afterNoDiscovery,
  afterRefusal,
  contradictsItself,
  firstStep,
  isConclusive,
  lacksHandshake,
  type NextStep,
} from './negotiate.ts';

export interface OpenResult {
  readonly conversation: Conversation;
  readonly server: Implementation | undefined;
  readonly capabilities: ServerCapabilities;
  readonly instructions: string | undefined;
  /** Whether it is unknown if the server supports discovery: it was slow, or failed this once. */
  readonly wasSilent: boolean;
}

export interface OpeningOptions {
  /** Newest first. */
  readonly accepted: readonly Revision[];
  readonly introduction: Introduce;
  readonly ports: ConversationPorts;
  /** Reports capabilities of an unexpected shape. In strict mode this closes the connection. */
  readonly warn: (error: TenonError) => void;
  /** Sets the revision of the server's messages: first the one offered, then the one agreed on. */
  readonly setRevision: (revision: Revision) => void;
  /** The time left for opening. */
  readonly leftMs: () => number;
  /** How long discovery may take; after that the handshake is tried. */
  readonly discoveryMs: number;
  readonly deadlines: Deadlines;
  /** Whether a late answer to discovery can still arrive after `initialize` was sent, as on a pipe. */
  readonly acceptsLateDiscovery: boolean;
}

export async function openConversation(peer: Peer, options: OpeningOptions): Promise<OpenResult> {
  const { introduction, ports, setRevision } = options;
  let { accepted } = options;
  let step = firstStep(accepted);
  let wasSilent = false;
  while (step.kind === 'exchange') {
    const { revision } = step;
    setRevision(revision);
    const conversation = new Conversation(peer, revision, ports, introduction);
    const found = await discover(conversation, accepted, options);
    if ('result' in found) return discovered(peer, found, accepted, options);
    if (found.kind === 'late') return firstResponse(peer, found, accepted, options);
    // A rejected revision is not tried again, so the loop ends.
    accepted = accepted.filter(({ id }) => id !== revision.id);
    wasSilent = found.kind === 'silent';
    step = found.kind === 'silent' ? found.fallback : found;
  }
  const opened = completeHandshake(peer, await initialize(peer, step, options), options);
  return wasSilent ? { ...opened, wasSilent } : opened;
}

/** Discovery without an answer yet: the promise to wait for, and the next step meanwhile. */
interface LateDiscovery {
  readonly kind: 'late';
  readonly discovery: Promise<Done>;
  readonly fallback: NextStep;
  abandon(): void;
}

/** `initialize` is sent, and a slow server may still answer discovery: the first answer counts. */
async function firstResponse(
  peer: Peer,
  { discovery: pendingDiscovery, fallback, abandon }: LateDiscovery,
  accepted: readonly Revision[],
  options: OpeningOptions,
): Promise<OpenResult> {
  const answered = new AbortController();
  const discovery = pendingDiscovery.then(
    (done) => ({ done }),
    () => new Promise<never>(() => {}),
  );
  const handshake = initialize(peer, fallback, options, answered.signal).then((initialized) => ({
    greeted: initialized,
  }));
  const first = await Promise.race([discovery, handshake]);
  answered.abort();
  if ('done' in first) {
    handshake.catch(() => {});
    return discovered(peer, first.done, accepted, options);
  }
  const opened = completeHandshake(peer, first.greeted, options);
  abandon();
  return opened;
}

function discovered(
  peer: Peer,
  { result, by }: Done,
  accepted: readonly Revision[],
  options: OpeningOptions,
): OpenResult | Promise<OpenResult> {
  const next = afterDiscovery(accepted, result.supportedVersions as string[]);
  if (next.kind !== 'exchange')
    return initialize(peer, next, options).then((initialized) => completeHandshake(peer, initialized, options));
  options.setRevision(next.revision);
  const { introduction, ports, warn } = options;
  const capabilities = readCapabilities(result, warn);
  return {
    conversation: new Conversation(peer, next.revision, ports, introduction, hasTasks(capabilities)),
    server: by,
    capabilities,
    instructions: result.instructions as string | undefined,
    wasSilent: false,
  };
}

const hasTasks = ({ extensions }: ServerCapabilities): boolean => isRecord(extensions?.[tasksExtension]);

/** Errors of servers that do not support discovery. Authentication and overload are not among them. */
const undiscoveredCodes: ReadonlySet<string> = new Set([
  'timeout',
  'invalid-result',
  'http-error',
  'endpoint-not-found',
]);

/** Statuses with which servers answer unknown requests; others may be temporary. */
const unknownStatuses: ReadonlySet<unknown> = new Set([400, 404, 405]);

/** Over HTTP one broken response does not affect the next; a broken pipe is closed. */
const isUndiscovered = ({ code, details }: TenonError): boolean =>
  undiscoveredCodes.has(code) || (code === 'connection-closed' && details.url !== undefined);

/** The result of discovery: the server, what to do instead, or nothing yet. */
type Discovery = Done | NextStep | LateDiscovery | { readonly kind: 'silent'; readonly fallback: NextStep };

async function discover(
  conversation: Conversation,
  accepted: readonly Revision[],
  { discoveryMs, leftMs, deadlines, acceptsLateDiscovery }: OpeningOptions,
): Promise<Discovery> {
  const fallback = afterNoDiscovery(accepted);
  // If only discovery is possible, it has the whole time.
  const mustAnswer = fallback.kind === 'failed';
  const timeoutMs = (): number => (mustAnswer || acceptsLateDiscovery ? leftMs() : probeMs(discoveryMs, leftMs()));
  const abandoned = new AbortController();
  const request = (): Promise<Done> =>
    conversation.call('server/discover', undefined, { timeoutMs: timeoutMs(), signal: abandoned.signal });
  const discovery = request().catch((error) => {
    if (contradictsItself(error, conversation.revision)) return request();
    throw error;
  });
  try {
    if (mustAnswer || !acceptsLateDiscovery) return await discovery;
    const late: LateDiscovery = { kind: 'late', discovery, fallback, abandon: () => abandoned.abort() };
    return await resolveWithin(late, discovery, deadlines, probeMs(discoveryMs, leftMs()));
  } catch (error) {
    if (error instanceof TenonError && isUndiscovered(error)) {
      if (mustAnswer) throw error;
      return unknownStatuses.has(error.details.status) ? fallback : { kind: 'silent', fallback };
    }
    if (!(error instanceof RpcError)) throw error;
    const next = afterError(accepted, conversation.revision, error);
    if (next.kind === 'refused') throw error;
    return isConclusive(error) ? next : { kind: 'silent', fallback: next };
  }
}

/** Leaves time for the handshake. */
const probeMs = (discoveryMs: number, leftMs: number): number => Math.min(discoveryMs, leftMs / 2);

/** The conversation after a handshake. */
function completeHandshake(
  peer: Peer,
  result: Fields,
  { accepted, ports, setRevision, warn, introduction }: OpeningOptions,
): OpenResult {
  const agreed = afterHandshake(accepted, result.protocolVersion as string);
  if (agreed.kind !== 'handshake') throw wrongHandshakeVersion(accepted, result.protocolVersion as string);
  const capabilities = readCapabilities(result, warn);
  // Tasks have a form that is used only if both sides declared it.
  const own = revisionFor(agreed.revision, introduction().capabilities);
  const revision = own === agreed.revision ? own : revisionFor(agreed.revision, capabilities);
  const conversation = new Conversation(peer, revision, ports);
  // The server may send messages as soon as it receives this.
  setRevision(revision);
  conversation.notify('notifications/initialized');
  return {
    conversation,
    server: result.serverInfo as Implementation,
    capabilities,
    instructions: result.instructions as string | undefined,
    wasSilent: false,
  };
}

function readCapabilities(result: Fields, warn: (error: TenonError) => void): ServerCapabilities {
  const capabilities = result.capabilities as ServerCapabilities;
  const odd = odditiesIn(capabilities);
  if (odd.length > 0)
    warn(
      new TenonError('invalid-message', `The server declared capabilities of an unexpected shape: ${odd.join(', ')}.`, {
        details: { capabilities: odd },
      }),
    );
  return capabilities;
}

/** The result of `initialize`; tried again at a revision that the server named if it rejected the first. */
async function initialize(
  peer: Peer,
  first: NextStep,
  options: OpeningOptions,
  unwanted?: AbortSignal,
): Promise<Fields> {
  const { introduction, ports, setRevision, leftMs } = options;
  const { client, capabilities } = introduction();
  let { accepted } = options;
  let step = first;
  while (step.kind === 'handshake') {
    const { revision } = step;
    setRevision(revision);
    const conversation = new Conversation(peer, revision, ports);
    try {
      const params = { protocolVersion: revision.id, capabilities, clientInfo: client };
      return (await conversation.call('initialize', params, { timeoutMs: leftMs() })).result;
    } catch (error) {
      step = afterRefusal(accepted, revision, error instanceof RpcError ? error.data : undefined);
      if (step.kind === 'refused' || unwanted?.aborted) throw error;
      accepted = accepted.filter(({ id }) => id !== revision.id);
    }
  }
  throw noCommonRevision(options.accepted, step.kind === 'failed' ? step.offered : []);
}

/** A server must not answer `initialize` with a revision that has no handshake. */
function wrongHandshakeVersion(accepted: readonly Revision[], answered: string): TenonError {
  if (!lacksHandshake(answered)) return noCommonRevision(accepted, [answered]);
  const text = `The server answered initialize with ${shown(answered)}, a protocol version without initialize.`;
  return new TenonError('protocol-version-mismatch', text, {
    hint: 'The server must answer initialize with an older protocol version, or support server/discover.',
    details: { accepted: accepted.map(({ id }) => id), offered: [answered] },
  });
}

const noCommonRevision = (accepted: readonly Revision[], offered: readonly string[]): TenonError => {
  const own = accepted.map(({ id }) => id);
  return new TenonError(
    'protocol-version-mismatch',
    `No common protocol version: the client accepts ${listed(own)}, the server ${listed(offered)}.`,
    {
      hint: 'Add one of the server\'s versions to the option "protocolVersions", or update the older side.',
      details: { accepted: own, offered },
    },
  );
};

const maxListed = 20;

/** A server may offer any text as a version, and any number of them. */
const listed = (ids: readonly string[]): string => {
  const shownIds = ids.slice(0, maxListed).map(shown).join(', ');
  return ids.length === 0 ? 'none' : `${shownIds}${ids.length > maxListed ? ', …' : ''}`;
};
