/** Requests with a handshake on a server that keeps no sessions: each is answered, and nothing is remembered of it. */
import type { RequestMessage } from '../../../jsonrpc/message.ts';
import { rpcError } from '../../../protocol/errors.ts';
import type { ServerCapabilities } from '../../../protocol/generated/types/records.ts';
import type { Done } from '../../../protocol/neutral.ts';
import type { Revision } from '../../../protocol/revision.ts';
import { SessionJourney } from '../../lifecycle/journey.ts';
import type { OfferedRevisions } from '../../lifecycle/offered-revisions.ts';
import type { Acceptance } from '../admission/accept.ts';
import { isPlain } from '../admission/founding-clients.ts';
import type { HttpResponder } from '../message.ts';
import { ExchangeReply, type LoneCalls } from './exchange-reply.ts';

/** What needs a memory is not there. */
const remembered: ReadonlySet<string> = new Set(['logging/setLevel', 'resources/subscribe', 'resources/unsubscribe']);

export const needsMemory = (method: string): boolean => remembered.has(method);

export class StatelessReply extends ExchangeReply {
  /** Clients of the founding documents take JSON as it comes. */
  override get acceptance(): Acceptance {
    return isPlain(this) ? 'json' : super.acceptance;
  }

  protected override get unsaid(): Acceptance {
    return 'json';
  }

  protected override statusOf(): number {
    return 200;
  }

  /** Says what can be had without a session: no changes, no levels, no subscriptions. */
  static greet(
    { lone, offered }: { readonly lone: LoneCalls; readonly offered: OfferedRevisions },
    responder: HttpResponder,
    message: RequestMessage,
    revision: Revision,
  ): void {
    const { info, capabilities, instructions } = lone.serving.registry();
    const result = {
      protocolVersion: revision.id,
      capabilities: withoutMemory(capabilities, offered),
      serverInfo: info,
      ...(instructions !== undefined && { instructions }),
    };
    new StatelessReply(lone, responder, undefined).settle(message, revision, { kind: 'done', result });
  }

  static take(
    calls: LoneCalls,
    responder: HttpResponder,
    principal: string | undefined,
    message: RequestMessage,
    revision: Revision,
  ): void {
    const reply = new StatelessReply(calls, responder, principal);
    const { method, params } = message;
    if (method === 'ping') return reply.settle(message, revision, empty);
    const read = revision.wire.readRequest(revision, 'client', method, params);
    if (!read.ok || needsMemory(method)) {
      const { reason, message: text } = read.ok ? unknown(method) : read.refusal;
      return reply.refuse(message.id, revision, rpcError(reason, text));
    }
    const caller = { revision, client: undefined, capabilities: {}, logLevel: undefined, principal };
    new SessionJourney(calls.serving, reply, message, read.value, caller, undefined).begin();
    reply.attend(revision);
  }
}

const empty: Done = { kind: 'done', result: {} };
const unknown = (method: string) => ({ reason: 'method-not-found', message: `Method not found: ${method}` }) as const;

function withoutMemory(capabilities: ServerCapabilities, { extensions: known }: OfferedRevisions): ServerCapabilities {
  const { tools, resources, prompts, completions, extensions = {} } = capabilities;
  // What a client declares is forgotten with its greeting: it meets what those meet that have declared nothing.
  const served = new Set(known.flatMap(({ id, undeclared }) => (undeclared === 'served' ? id : [])));
  const kept = Object.entries(extensions).filter(([id]) => served.has(id));
  return {
    ...(kept.length > 0 && { extensions: Object.fromEntries(kept) }),
    ...(tools && { tools: {} }),
    ...(resources && { resources: {} }),
    ...(prompts && { prompts: {} }),
    ...(completions && { completions }),
  };
}
