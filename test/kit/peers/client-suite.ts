/** Everything our client can do with the rich server, over any transport and in any implementation. */

import type { ProtocolVersion } from 'tenon';
import { expect, it, vi } from 'vitest';
import { isSince } from '../version-order.ts';
import { withTimeout } from '../with-timeout.ts';
import type { Conversation } from './conversation.ts';

/** Our client connected to a rich server. */
type Talk = Pick<Conversation, 'client' | 'logs' | 'send'>;

/** Ledger rows that these tests also prove for a transport. */
export interface Proofs {
  readonly tools?: string;
  readonly serverRequests?: string;
  readonly cancelling?: string;
  readonly changes?: string;
}

/** What a server does not support. */
export interface Lacks {
  /** It sends no server requests. */
  readonly serverRequests?: boolean;
  /** It sends no change notifications. */
  readonly changes?: boolean;
  readonly cancelling?: boolean;
  /** It logs below the requested level. */
  readonly logLevels?: boolean;
}

const unless = (lacking: boolean | undefined): typeof it | (() => void) => (lacking ? (): void => {} : it);

export function tryRichServer(
  revision: ProtocolVersion,
  talk: () => Talk,
  proofs: Proofs = {},
  lacks: Lacks = {},
): void {
  const hasForms = isSince(revision, '2025-06-18');

  it(`calls tools that return multi-line text, structured content and errors${proofs.tools ?? ''}`, async () => {
    const { client, send } = talk();
    const tools = await client.tools.list().all();
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['echo', 'add', 'fail', 'greet']));
    expect(await send('echo', { message: 'häll\no 🌍' })).toBe('häll\no 🌍');
    expect(JSON.parse(await send('add', { a: 2, b: 3 }))).toEqual({ sum: 5 });
    const structured = hasForms ? { structuredContent: { sum: 5 } } : {};
    expect(await client.tools.call('add', { a: 2, b: 3 })).toMatchObject(structured);
    expect(await client.tools.call('fail')).toMatchObject({ isError: true });
    expect(await client.tools.call('add', { a: 'x' }).catch(({ code }) => ({ code }))).toSatisfy(
      (answer) => answer.isError === true || answer.code === -32602,
    );
  });

  it('reads resources, templates, prompts and completions', async () => {
    const { client } = talk();
    expect((await client.resources.list().all()).map(({ uri }) => uri)).toEqual(['note://one', 'note://bytes']);
    expect(await client.resources.listTemplates().all()).toMatchObject([{ uriTemplate: 'weather://{city}/now' }]);
    const read = async (uri: string): Promise<unknown> => (await client.resources.read(uri)).contents;
    expect(await read('note://one')).toMatchObject([{ uri: 'note://one', text: 'first' }]);
    expect(await read('note://bytes')).toMatchObject([{ blob: 'AQL/', mimeType: 'image/png' }]);
    expect(await read('weather://Oslo/now')).toMatchObject([{ text: 'sunny in Oslo' }]);
    expect(await client.prompts.list().all()).toMatchObject([{ name: 'plan', description: 'A plan' }]);
    const { messages } = await client.prompts.get('plan', { city: 'Oslo' });
    expect(messages).toMatchObject([{ role: 'user', content: { text: 'Plan a day in Oslo' } }]);
    const city = { name: 'city', value: 'o' };
    expect(await client.complete({ type: 'ref/prompt', name: 'plan' }, city)).toMatchObject({ values: ['Oslo'] });
    const place = { type: 'ref/resource', uri: 'weather://{city}/now' } as const;
    expect(await client.complete(place, city)).toMatchObject({ values: ['Oslo'] });
  });

  it('receives progress, and log messages of the requested level', async () => {
    const received: unknown[] = [];
    const { client, logs } = talk();
    await client.tools.call('count', { to: 3 }, { onProgress: (progress) => received.push(progress) });
    const word = revision === '2024-11-05' ? {} : { message: '3 of 3' };
    expect(received).toMatchObject([{ progress: 1 }, { progress: 2 }, { progress: 3, total: 3, ...word }]);
    const entry = { level: 'info', logger: 'counter', data: { counted: 3 } };
    // The log message may arrive on another stream than the result.
    await vi.waitFor(() => expect(logs).toContainEqual(entry));
    expect(lacks.logLevels ? [entry] : logs).toEqual([entry]);
  });

  unless(lacks.serverRequests)(
    `answers elicitation, sampling and roots requests${proofs.serverRequests ?? ''}`,
    async () => {
      const greeting = { content: [{ text: 'Hello, Ada' }] };
      // Servers of other libraries return a result instead of the error.
      const greeted = await talk()
        .client.tools.call('greet')
        .catch(({ reason }) => ({ isError: reason === 'missing-client-capability' }));
      expect(greeted).toMatchObject(hasForms ? greeting : { isError: true });
      expect(await talk().send('think')).toBe('m1: Go on.');
      expect(await talk().send('where')).toBe('file:///work');
    },
  );

  unless(lacks.cancelling)(`cancels a call, and the handler is aborted${proofs.cancelling ?? ''}`, async () => {
    const cancel = new AbortController();
    const call = talk().client.tools.call('wait', {}, { signal: cancel.signal, onProgress: () => cancel.abort() });
    await expect(withTimeout(call, 'the call to be cancelled')).rejects.toMatchObject({ code: 'cancelled' });
    await vi.waitFor(async () => expect(await talk().send('aborted')).toBe('1'));
  });

  unless(lacks.changes)(`receives change notifications${proofs.changes ?? ''}`, async () => {
    const { client, send } = talk();
    const changes = await client.subscribe({
      toolsListChanged: true,
      promptsListChanged: true,
      resourcesListChanged: true,
      resourceSubscriptions: ['note://one'],
    });
    const iterator = changes[Symbol.asyncIterator]();
    await send('write', { text: 'second' });
    await send('grow');
    const received: unknown[] = [];
    for (let n = 0; n < 4; n++) received.push((await withTimeout(iterator.next(), 'a change')).value);
    expect(received).toEqual(
      expect.arrayContaining([
        { type: 'resource', uri: 'note://one' },
        { type: 'tools' },
        { type: 'prompts' },
        { type: 'resources' },
      ]),
    );
    expect((await client.tools.list().all()).map(({ name }) => name)).toContain('grown');
    await changes.close();
  });

  it('checks that the server responds', async () => {
    await expect(talk().client.ping()).resolves.toBeUndefined();
  });
}
