/** What a client of an official SDK and our server do with each other, whatever is in between: every primitive. */

import { expect, it, vi } from 'vitest';
import { withTimeout } from '../with-timeout.ts';
import type { OfficialClient } from './official-clients.ts';

/** Ids of the rows that some of it proves, with their brackets. */
interface Ids {
  readonly serverRequests: string;
  readonly cancelling: string;
}

export function tryEverything(revision: string, current: () => OfficialClient, ids: Ids): void {
  const isAlone = revision === '2026-07-28';
  const received = (method: string): unknown[] =>
    current().messages.flatMap((message) => (message.method === method ? [message.params] : []));
  const textOf = (result: Record<string, unknown>): unknown => (result.content as [{ text: string }])[0].text;

  it('agree on a revision', () => {
    const client = current();
    expect(client.revision).toBe(revision);
    expect(client.getServerVersion()).toMatchObject({ name: 'rich', version: '1.0.0' });
    expect(client.getInstructions()).toBe('Try everything.');
  });

  it('share tools that answer in text, in structure and with errors', async () => {
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

  it('share resources, templates, prompts and completions', async () => {
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
    // Version 2 has its user see one number, whichever the revision has.
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

  it('tell how far a call is, and log what was asked for', async () => {
    const client = current();
    if (!isAlone) await client.setLoggingLevel('info');
    // Both versions forget who wanted progress when the answer comes along with it, so it is looked for on the wire.
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

  it(`ask the user, the model and for the roots, in the way of their lifecycle${ids.serverRequests}`, async () => {
    const client = current();
    expect(textOf(await client.call('greet'))).toBe('Hello, Ada');
    expect(textOf(await client.call('think'))).toBe('m1: Go on.');
    expect(textOf(await client.call('where'))).toBe('file:///work');
    const requests = client.messages.filter(({ id, method }) => id !== undefined && method !== undefined);
    expect(requests).toHaveLength(isAlone ? 0 : 3);
  });

  it(`stop what is given up, of which nothing more is said${ids.cancelling}`, async () => {
    const client = current();
    const giveUp = new AbortController();
    const call = client.call('wait', {}, { signal: giveUp.signal, onprogress: () => giveUp.abort('enough') });
    await expect(withTimeout(call, 'the call to be given up')).rejects.toThrow('enough');
    const before = client.messages.length;
    // A call can arrive before the word that another was given up, where each has a connection of its own.
    await vi.waitFor(async () => expect(textOf(await client.call('givenUp'))).toBe('1'));
    for (const { result } of client.messages.slice(before))
      expect(textOf(result as Record<string, unknown>)).toMatch(/^[01]$/);
  });

  it('tell of changes', async () => {
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

  it('answer a ping where there is one', async () => {
    const client = current();
    const answer = await client.ping().then(
      () => 'pong',
      () => 'none',
    );
    expect(answer).toBe(isAlone ? 'none' : 'pong');
  });
}
