/** A server has one store, which all that serves it shares. */
import { PassThrough } from 'node:stream';
import { serveHttp, serveStdio, toFetchHandler, toNodeHandler } from 'tenon';
import { createMemoryStore } from 'tenon/store';
import { describe, expect, it } from 'vitest';
import { internalsOf } from '../../../src/server/internals.ts';
import { sampleServer } from '../../kit/http/sample-server.ts';
import { secrets } from './session/two-nodes.ts';

const another = { code: 'invalid-argument', details: { place: 'store' }, hint: expect.stringContaining('same store') };
const streams = () => ({ stdin: new PassThrough(), stdout: new PassThrough() });

describe('[S20] the store of a server', () => {
  it('is attached by what serves it first, and detached when the last has closed', async () => {
    const { server } = sampleServer({ secrets });
    const { serving } = internalsOf(server);
    const store = createMemoryStore();
    expect(serving.store.current).toBeUndefined();
    const service = await serveHttp(server, { port: 0, store });
    const stdio = serveStdio(server, { ...streams(), store });
    expect(serving.store.current?.durability).toBe('memory');
    await service.close();
    expect(serving.store.current?.durability).toBe('memory');
    await stdio.close();
    expect(serving.store.current).toBeUndefined();
  });

  it('is one: another is refused wherever it is passed, and can be used after the first was closed', async () => {
    const { server } = sampleServer({ secrets });
    const handle = toFetchHandler(server, { store: createMemoryStore() });
    const store = createMemoryStore();
    expect(() => toFetchHandler(server, { store })).toThrow(expect.objectContaining(another));
    expect(() => toNodeHandler(server, { store })).toThrow(expect.objectContaining(another));
    expect(() => serveStdio(server, { ...streams(), store })).toThrow(expect.objectContaining(another));
    await expect(serveHttp(server, { port: 0, store })).rejects.toMatchObject(another);
    await handle.close();
    await toFetchHandler(server, { store }).close();
  });

  it('is not kept by a connection that could not be served', () => {
    const { server } = sampleServer({ secrets });
    const given = streams();
    const store = createMemoryStore();
    const stdio = serveStdio(server, { ...given, store: createMemoryStore() });
    expect(() => serveStdio(sampleServer().server, { ...given, store })).toThrow('already serve');
    return stdio.close();
  });
});

it('[S20] serveStdio refuses a store that lacks operations, with their names', () => {
  const store = { sessions: {}, events: {}, bus: {} } as unknown as ReturnType<typeof createMemoryStore>;
  const lacking = { code: 'invalid-argument', hint: expect.stringContaining('events.append()') };
  expect(() => serveStdio(sampleServer().server, { ...streams(), store })).toThrow(expect.objectContaining(lacking));
});
