/** Opens a conversation: discovers or shakes hands, as the pure steps of `negotiate` say. */
import { RpcError, TenonError } from '../jsonrpc/errors.ts';
import type { Peer } from '../jsonrpc/peer.ts';
import type { Implementation, ServerCapabilities } from '../protocol/generated/types/records.ts';
import type { Introduction } from '../protocol/neutral.ts';
import type { Revision } from '../protocol/revision.ts';
import { type Conversation, createConversation } from './conversation.ts';
import { afterDiscovery, afterHandshake, afterNoDiscovery, firstStep, type NextStep } from './negotiate.ts';

export interface Opened {
  readonly conversation: Conversation;
  readonly server: Implementation | undefined;
  readonly capabilities: ServerCapabilities;
  readonly instructions: string | undefined;
}

export async function open(
  peer: Peer,
  accepted: readonly Revision[],
  introduction: Introduction,
  timeoutMs: number,
): Promise<Opened> {
  const first = firstStep(accepted);
  if (first.kind !== 'exchange') return shakeHands(peer, accepted, first, introduction, timeoutMs);
  const conversation = createConversation(peer, first.revision, introduction);
  let found: Awaited<ReturnType<Conversation['call']>>;
  try {
    found = await conversation.call('server/discover', undefined, { timeoutMs });
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    const data = error.data as { supported?: unknown } | null | undefined;
    const supported = error.reason === 'unsupported-revision' ? data?.supported : undefined;
    const next = Array.isArray(supported) ? afterDiscovery(accepted, supported) : afterNoDiscovery(accepted);
    return shakeHands(peer, accepted, next, introduction, timeoutMs);
  }
  const { supportedVersions, capabilities, instructions } = found.result;
  const next = afterDiscovery(accepted, supportedVersions as string[]);
  if (next.kind !== 'exchange') return shakeHands(peer, accepted, next, introduction, timeoutMs);
  return {
    conversation: createConversation(peer, next.revision, introduction),
    server: found.by,
    capabilities: capabilities as ServerCapabilities,
    instructions: instructions as string | undefined,
  };
}

async function shakeHands(
  peer: Peer,
  accepted: readonly Revision[],
  step: NextStep,
  { client, capabilities }: Introduction,
  timeoutMs: number,
): Promise<Opened> {
  if (step.kind !== 'handshake') throw noCommonRevision(accepted, step.kind === 'failed' ? step.offered : []);
  const greeting = createConversation(peer, step.revision);
  const params = { protocolVersion: step.revision.id, capabilities, clientInfo: client };
  const { result } = await greeting.call('initialize', params, { timeoutMs });
  const agreed = afterHandshake(accepted, result.protocolVersion as string);
  if (agreed.kind !== 'handshake') throw noCommonRevision(accepted, [result.protocolVersion as string]);
  const conversation = createConversation(peer, agreed.revision);
  conversation.notify('notifications/initialized');
  return {
    conversation,
    server: result.serverInfo as Implementation,
    capabilities: result.capabilities as ServerCapabilities,
    instructions: result.instructions as string | undefined,
  };
}

const noCommonRevision = (accepted: readonly Revision[], offered: readonly string[]): TenonError =>
  new TenonError(
    'no-common-revision',
    `This client speaks ${list(accepted.map(({ id }) => id))}, the server ${list(offered)}.`,
    {
      hint: 'Allow one of the server\'s revisions in the option "revisions", or update the older side.',
      details: { accepted: accepted.map(({ id }) => id), offered },
    },
  );

const list = (ids: readonly string[]): string => (ids.length === 0 ? 'none of them' : ids.join(', '));
