/** Joins a client and a server: each gets what the other sends, as it was sent. */
import { messagesIn } from '../../capture/replay/messages-in.ts';
import type { RevisionTransport } from '../../client/connection/revision-transport.ts';
import type { Message, RequestId } from '../../jsonrpc/message.ts';
import type { Fields } from '../../lib/values/is.ts';
import { isRecord } from '../../lib/values/is.ts';
import { claimedRevision } from '../../protocol/exchange-wire.ts';
import { findRevision, newestSession } from '../../protocol/revisions/revisions.ts';
import type { Transport } from '../../transport/transport.ts';

/** Resolves when one side has closed, with the reason if it was the server. */
export function joinTransports(client: Transport, server: RevisionTransport): Promise<Error | undefined> {
  const pending = new Map<string, Fields>();
  return new Promise((resolve) => {
    server.open({
      onMessage(text) {
        for (const message of messagesIn(text)) received(message);
        if (client.state === 'open') client.send(text);
      },
      onClose(reason) {
        client.close();
        resolve(reason);
      },
      onRequestError(id, error) {
        pending.delete(JSON.stringify(id));
        const failure = { jsonrpc: '2.0', id, error: { code: -32603, message: error.message } };
        if (client.state === 'open') client.send(JSON.stringify(failure));
      },
      isPending: (id) => pending.has(JSON.stringify(id)),
    });
    client.open({
      onMessage(text) {
        if (server.state === 'open') forward(text);
      },
      onClose() {
        server.close();
        resolve(undefined);
      },
    });
  });

  function forward(text: string): void {
    const messages = messagesIn(text);
    const [first] = messages;
    for (const message of messages) sending(message);
    if (messages.length === 1 && isAbandoned(first)) return;
    const ids = messages.flatMap(({ id, method }) => (method === undefined ? [] : [id])) as RequestId[];
    if (text.trimStart().startsWith('[') && server.sendBatch !== undefined) server.sendBatch(text, ids);
    else server.send(text, first as unknown as Message | undefined);
  }

  /** HTTP needs to know the protocol version: of the handshake, or of each request. */
  function sending(message: Fields): void {
    const { id, method, params } = message;
    if (method !== undefined && id !== undefined) pending.set(JSON.stringify(id), message);
    if (method === 'initialize') server.setRevision?.(sessionRevision(isRecord(params) ? params.protocolVersion : ''));
    const revision = findRevision(claimedRevision(params));
    if (revision !== undefined) server.setRevision?.(revision);
  }

  function received({ id, method, result }: Fields): void {
    if (method !== undefined || id === undefined) return;
    const request = pending.get(JSON.stringify(id));
    pending.delete(JSON.stringify(id));
    if (request?.method === 'initialize' && isRecord(result))
      server.setRevision?.(sessionRevision(result.protocolVersion));
  }

  /** Whether the transport cancels the request itself. */
  function isAbandoned(message: Fields | undefined): boolean {
    if (message?.method !== 'notifications/cancelled' || !isRecord(message.params)) return false;
    return server.abandon?.(message.params.requestId as RequestId) ?? false;
  }
}

function sessionRevision(version: unknown) {
  const revision = findRevision(version);
  return revision === undefined || revision.http.routingHeaders ? newestSession : revision;
}
