/** Opens a conversation: discovers or shakes hands, as the pure steps of `negotiate` say. */
import { RpcError, TenonError } from '../jsonrpc/errors.ts';
import type { Peer } from '../jsonrpc/peer.ts';
import type { Implementation, ServerCapabilities } from '../protocol/generated/types/records.ts';
import type { Done, Fields, Introduction } from '../protocol/neutral.ts';
import type { Revision } from '../protocol/revision.ts';
import { type Conversation, type ConversationPorts, createConversation } from './conversation.ts';
import {
  afterDiscovery,
  afterError,
  afterHandshake,
  afterNoDiscovery,
  afterRefusal,
  contradictsItself,
  firstStep,
  lacksHandshake,
  type NextStep,
} from './negotiate.ts';

export interface Opened {
  readonly conversation: Conversation;
  readonly server: Implementation | undefined;
  readonly capabilities: ServerCapabilities;
  readonly instructions: string | undefined;
}

export interface OpeningOptions {
  /** Newest first. */
  readonly accepted: readonly Revision[];
  readonly introduction: () => Introduction;
  readonly ports: Pick<ConversationPorts, 'answering' | 'pages' | 'maxRounds' | 'over' | 'trace'>;
  /** Settles which revision the server's own messages are read by: at first the one offered, then the one agreed on. */
  readonly speak: (revision: Revision) => void;
  readonly timeoutMs: number;
  /** How long a server may take to say that it can be discovered; after that it counts as one that cannot. */
  readonly probeTimeoutMs: number;
}

export async function open(peer: Peer, options: OpeningOptions): Promise<Opened> {
  const { introduction, ports, speak } = options;
  let { accepted } = options;
  let step = firstStep(accepted);
  while (step.kind === 'exchange') {
    const { revision } = step;
    speak(revision);
    const conversation = createConversation(peer, revision, { ...ports, introduction });
    const found = await discover(conversation, accepted, options);
    if ('result' in found) return discovered(peer, found, accepted, options);
    // What was refused once is not tried again, so this comes to an end.
    accepted = accepted.filter(({ id }) => id !== revision.id);
    step = found;
  }
  return shakeHands(peer, step, options);
}

function discovered(
  peer: Peer,
  { result, by }: Done,
  accepted: readonly Revision[],
  options: OpeningOptions,
): Opened | Promise<Opened> {
  const next = afterDiscovery(accepted, result.supportedVersions as string[]);
  if (next.kind !== 'exchange') return shakeHands(peer, next, options);
  options.speak(next.revision);
  const { introduction, ports } = options;
  return {
    conversation: createConversation(peer, next.revision, { ...ports, introduction }),
    server: by,
    capabilities: result.capabilities as ServerCapabilities,
    instructions: result.instructions as string | undefined,
  };
}

/** What a server that cannot be discovered may come to. Who asks, and whether it can serve at all, says nothing of that. */
const undiscovered: ReadonlySet<string> = new Set(['timeout', 'invalid-result', 'http-refused', 'endpoint-missing']);

/** What a server says of itself, or what to do with one that cannot be discovered. */
async function discover(
  conversation: Conversation,
  accepted: readonly Revision[],
  { probeTimeoutMs, timeoutMs }: OpeningOptions,
): Promise<Done | NextStep> {
  // A server that has to be discovered is waited for as for any other answer.
  const otherwise = afterNoDiscovery(accepted);
  const patience = otherwise.kind === 'failed' ? timeoutMs : probeTimeoutMs;
  const ask = (): Promise<Done> => conversation.call('server/discover', undefined, { timeoutMs: patience });
  try {
    return await ask().catch((error) => {
      if (contradictsItself(error, conversation.revision)) return ask();
      throw error;
    });
  } catch (error) {
    if (error instanceof TenonError && undiscovered.has(error.code)) {
      if (otherwise.kind === 'failed') throw error;
      return otherwise;
    }
    if (!(error instanceof RpcError)) throw error;
    const next = afterError(accepted, conversation.revision, error);
    if (next.kind === 'refused') throw error;
    return next;
  }
}

async function shakeHands(peer: Peer, step: NextStep, options: OpeningOptions): Promise<Opened> {
  const { accepted, ports, speak } = options;
  const result = await greet(peer, step, options);
  const agreed = afterHandshake(accepted, result.protocolVersion as string);
  if (agreed.kind !== 'handshake') throw wrongGreeting(accepted, result.protocolVersion as string);
  const conversation = createConversation(peer, agreed.revision, ports);
  // The server may speak as soon as it hears this.
  speak(agreed.revision);
  conversation.notify('notifications/initialized');
  return {
    conversation,
    server: result.serverInfo as Implementation,
    capabilities: result.capabilities as ServerCapabilities,
    instructions: result.instructions as string | undefined,
  };
}

/** The server's answer to the handshake, if need be at a revision that it names when it refuses the first. */
async function greet(peer: Peer, first: NextStep, options: OpeningOptions): Promise<Fields> {
  const { introduction, ports, speak, timeoutMs } = options;
  const { client, capabilities } = introduction();
  let { accepted } = options;
  let step = first;
  while (step.kind === 'handshake') {
    const { revision } = step;
    speak(revision);
    const greeting = createConversation(peer, revision, ports);
    try {
      const params = { protocolVersion: revision.id, capabilities, clientInfo: client };
      return (await greeting.call('initialize', params, { timeoutMs })).result;
    } catch (error) {
      step = afterRefusal(accepted, revision, error instanceof RpcError ? error.data : undefined);
      if (step.kind === 'refused') throw error;
      accepted = accepted.filter(({ id }) => id !== revision.id);
    }
  }
  throw noCommonRevision(options.accepted, step.kind === 'failed' ? step.offered : []);
}

/** A revision without a handshake cannot be what a handshake comes to, also where this client speaks it. */
function wrongGreeting(accepted: readonly Revision[], answered: string): TenonError {
  if (!lacksHandshake(answered)) return noCommonRevision(accepted, [answered]);
  const text = `The server answered the handshake with ${answered}, a revision that has none.`;
  return new TenonError('no-common-revision', text, {
    hint: 'The server has to answer initialize with a revision that begins with it, or server/discover.',
    details: { accepted: accepted.map(({ id }) => id), offered: [answered] },
  });
}

const noCommonRevision = (accepted: readonly Revision[], offered: readonly string[]): TenonError => {
  const own = accepted.map(({ id }) => id);
  return new TenonError('no-common-revision', `This client speaks ${listed(own)}, the server ${listed(offered)}.`, {
    hint: 'Allow one of the server\'s revisions in the option "revisions", or update the older side.',
    details: { accepted: own, offered },
  });
};

const listed = (ids: readonly string[]): string => (ids.length === 0 ? 'none of them' : ids.join(', '));
