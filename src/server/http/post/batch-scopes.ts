/** Refuses a batch as a whole if a request of it needs more scopes: none has run, and all can be sent again. */
import type { RequestMessage } from '../../../jsonrpc/message.ts';
import type { Revision } from '../../../protocol/revision.ts';
import { scopeRefusal } from '../../kernel/scopes.ts';
import { visibleTo } from '../../kernel/serving.ts';
import { ExchangeReply } from '../reply/exchange-reply.ts';
import type { Posted, PostPorts } from './posted.ts';

/** Returns whether it has refused the batch. */
export function refuseByScopes(
  { calls }: PostPorts,
  { request: { principal, clientAddress: address }, responder }: Posted,
  requests: readonly RequestMessage[],
  revision: Revision,
): boolean {
  const { serving } = calls;
  const registry = visibleTo(serving, serving.registry(), { principal, address });
  if (!registry.hasScopes) return false;
  const read = requests.flatMap(({ method, params }) => {
    const one = revision.wire.readRequest(revision, 'client', method, params);
    return one.ok ? [one.value] : [];
  });
  const refused = scopeRefusal(registry, read, principal);
  if (refused === undefined) return false;
  serving.guard?.countRefusal(address, refused.reason);
  new ExchangeReply(calls, responder, undefined, principal).refuse(undefined, revision, refused);
  return true;
}
