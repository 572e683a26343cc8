/** Roots that an upstream asks for outside calls: as soon as it is connected, as most servers do. */
import type { ProtocolVersion } from 'tenon';
import type { Transport } from 'tenon/transport';
import { expect, it } from 'vitest';
import type { UpstreamOptions } from '../../src/gateway/types.ts';
import { createDeferred } from '../../src/lib/values/deferred.ts';
import type { Json } from '../kit/transport/raw-connection.ts';
import { sessionVersions } from '../kit/version-order.ts';
import { withTimeout } from '../kit/with-timeout.ts';
import { openClient, served, startGateway } from './start.ts';

const version = sessionVersions.at(-1) as ProtocolVersion;

/** Asks for the roots once it is connected, before any call. */
function curiousUpstream(): { options: UpstreamOptions; answered: Promise<unknown> } {
  const answered = createDeferred<unknown>();
  const accept = (transport: Transport): void =>
    transport.open({
      onMessage(text) {
        const { id, method, ...answer } = JSON.parse(text) as Json;
        const send = (message: Json): void => void transport.send(JSON.stringify({ jsonrpc: '2.0', ...message }));
        const serverInfo = { name: 'curious', version: '1' };
        if (method === 'initialize')
          send({ id, result: { protocolVersion: version, capabilities: { tools: {} }, serverInfo } });
        else if (method === 'notifications/initialized') send({ id: 'roots', method: 'roots/list' });
        else if (method === 'tools/list') send({ id, result: { tools: [] } });
        else if (id === 'roots') answered.resolve(answer.result ?? answer.error);
      },
      onClose() {},
    });
  return { options: { server: { accept } as never }, answered: answered.promise };
}

const roots = [{ uri: 'file:///work', name: 'Work' }];

it.each(['in memory', 'over HTTP'])(
  'an upstream that asks for roots once it is connected gets those of its caller %s',
  async (by) => {
    const upstream = curiousUpstream();
    const { gateway } = startGateway({ curious: upstream.options });
    const target = by === 'in memory' ? gateway.server : await served(gateway.server);
    await openClient(target, { protocolVersions: [version], handlers: { roots } });
    expect(await withTimeout(upstream.answered, 'the roots')).toEqual({ roots });
  },
);
