/** A client of an official SDK uses every primitive of our server, over any transport. */

import { expect, it, vi } from 'vitest';
import { isSession } from '../version-order.ts';
import { withTimeout } from '../with-timeout.ts';
import type { OfficialClient } from './official-clients.ts';

/** Ledger rows that some tests prove, with their brackets. */
interface Ids {
  readonly serverRequests: string;
  readonly cancelling: string;
}

export function tryEverything(revision: string, current: () => OfficialClient, ids: Ids): void {
  const isAlone = !isSession(revision);
  const received = (method: string): unknown[] =>
    current().messages.flatMap((message) => (message.method === method ? [message.params] : []));
  const textOf = (result: Record<string, unknown>): unknown => (result.content as [{ text: string }])[0].text;

  it('agree on a revision', () => {
    const client = current();
    expect(client.revision).toBe(revision);
    expect(client.getServerVersion()).toMatchObject({ name: 'rich', version: '1.0.0' });
    expect(client.getInstructions()).toBe('Try everything.');
  });

  it('call tools that return text, structured content and errors', async () => {
    const client = current();
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['echo', 'add', 'fail', 'greet']));
    expect(tools.find(({ name }) => name === 'add')).toMatchObject({
      title: 'Add',
      annotations: { readOnlyHint: true },
    });
    expect(textOf(await client.call('echo', { message: 'häll\no 🌍' }))).toBe('häll\no 🌍');
    expect(await client.call('add', { a: 2, b: 3 })).toMatchObject({ structuredContent: { sum: 5 } });
    expect(await client.call('fail')).toMatchObject({ isError: true });
    await expect(client.call('nowhere')).rejects.toMatchObject({ code: -32602 });
  });

  it('read resources, templates, prompts and completions', async () => {
    const client = current();
    expect((await client.listResources()).resources.map(({ uri }) => uri)).toEqual(['note://one', 'note://bytes']);
    expect((await client.listResourceTemplates()).resourceTemplates).toMatchObject([
      { uriTemplate: 'weather://{city}/now' },
    ]);
    const read = async (uri: string): Promise<unknown> => (await client.readResource({ uri })).contents;
    expect(await read('note://one')).toMatchObject([{ uri: 'note://one', text: 'first' }]);
    expect(await read('note://bytes')).toMatchObject([{ blob: 'AQL/', mimeType: 'image/png' }]);
    expect(await read('weather://Oslo/now')).toMatchObject([{ text: 'sunny in Oslo' }]);
    await expect(read('note://none')).rejects.toThrow(/not found/i);
    // Version 2 maps both error codes to one for its user.
    expect(client.messages.at(-1)).toMatchObject({ error: { code: isAlone ? -32602 : -32002 } });
    expect((await client.listPrompts()).prompts).toMatchObject([{ name: 'plan', description: 'A plan' }]);
    const { messages } = await client.getPrompt({ name: 'plan', arguments: { city: 'Oslo' } });
    expect(messages).toMatchObject([{ role: 'user', content: { text: 'Plan a day in Oslo' } }]);
    const argument = { name: 'city', value: 'o' };
    for (const ref of [
      { type: 'ref/prompt', name: 'plan' },
      { type: 'ref/resource', uri: 'weather://{city}/now' },
    ] as const)
      expect((await client.complete({ ref, argument })).completion).toMatchObject({ values: ['Oslo'] });
  });

  it('receive progress, and log messages of the requested level', async () => {
    const client = current();
    if (!isAlone) await client.setLoggingLevel('info');
    // Both versions drop progress that arrives together with the result, so the test reads it from the transport.
    await client.call('count', { to: 3 }, { onprogress: () => {} });
    expect(received('notifications/progress')).toMatchObject([
      { progress: 1 },
      { progress: 2 },
      { progress: 3, total: 3, message: '3 of 3' },
    ]);
    expect(received('notifications/message')).toMatchObject([
      { level: 'info', logger: 'counter', data: { counted: 3 } },
    ]);
  });

  it(`answer elicitation, sampling and roots requests, as their lifecycle sends them${ids.serverRequests}`, async () => {
    const client = current();
    expect(textOf(await client.call('greet'))).toBe('Hello, Ada');
    expect(textOf(await client.call('think'))).toBe('m1: Go on.');
    expect(textOf(await client.call('where'))).toBe('file:///work');
    const requests = client.messages.filter(({ id, method }) => id !== undefined && method !== undefined);
    expect(requests).toHaveLength(isAlone ? 0 : 3);
  });

  it(`cancel a call, and nothing more is sent for it${ids.cancelling}`, async () => {
    const client = current();
    const cancel = new AbortController();
    const call = client.call('wait', {}, { signal: cancel.signal, onprogress: () => cancel.abort('enough') });
    await expect(withTimeout(call, 'the call to be cancelled')).rejects.toThrow('enough');
    const before = client.messages.length;
    // Where each message has its own connection, a call can arrive before the cancellation of another.
    await vi.waitFor(async () => expect(textOf(await client.call('aborted'))).toBe('1'));
    for (const { result } of client.messages.slice(before))
      expect(textOf(result as Record<string, unknown>)).toMatch(/^[01]$/);
  });

  it('receive change notifications', async () => {
    const client = current();
    await client.follow('note://one');
    await client.call('write', { text: 'second' });
    await client.call('grow');
    await vi.waitFor(() => {
      expect(received('notifications/resources/updated')).toMatchObject([{ uri: 'note://one' }]);
      for (const list of ['tools', 'prompts', 'resources'])
        expect(received(`notifications/${list}/list_changed`)).toHaveLength(1);
    });
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('grown');
    expect((await client.readResource({ uri: 'note://one' })).contents).toMatchObject([{ text: 'second' }]);
  });

  it('ping where the revision has ping', async () => {
    const client = current();
    const answer = await client.ping().then(
      () => 'pong',
      () => 'none',
    );
    expect(answer).toBe(isAlone ? 'none' : 'pong');
  });
}
