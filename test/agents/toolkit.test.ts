/** A toolkit: the tools of a host as a model sees them, and the calls that it makes. */
import { createServer, tool } from 'tenon';
import { createToolkit, type Toolkit, type ToolkitEvent, type ToolOutcome } from 'tenon/agents';
import { connect } from 'tenon/client';
import { createHost } from 'tenon/host';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { deferred } from '../kit/deferred.ts';
import { png, sampleHost } from './sample-host.ts';

function kitOf(options: Parameters<typeof createToolkit>[1] = {}, hosting: Parameters<typeof sampleHost>[0] = {}) {
  const sample = sampleHost(hosting);
  const kit = createToolkit(sample.host, options);
  onTestFinished(async () => {
    await kit.close();
    await sample.host.close();
  });
  return { ...sample, kit };
}

let calls = 0;
const call = (kit: Toolkit, name: string, args: unknown = {}): Promise<ToolOutcome> =>
  kit.call({ id: `call-${++calls}`, name, arguments: args });
const textOf = (outcome: ToolOutcome): string => (outcome.type === 'result' ? outcome.text : outcome.interrupt.kind);
const isError = (outcome: ToolOutcome): boolean => outcome.type === 'result' && outcome.isError;

describe('the list', () => {
  it('has the tools of all servers with their schemas, and the instructions', async () => {
    const { kit } = kitOf();
    const turn = await kit.list();
    expect(turn.tools.map(({ name }) => name)).toEqual([
      'read_more',
      'files__long',
      'files__picture',
      'files__read',
      'files__slow',
      'files__sound',
      'mail__book',
      'mail__fail',
      'mail__remove',
      'mail__send',
    ]);
    expect(turn.tools[3]).toEqual({
      name: 'files__read',
      description: 'Reads a file',
      inputSchema: expect.objectContaining({ type: 'object', required: ['path'] }),
      server: 'files',
      deferred: false,
      readOnly: true,
      strict: false,
    });
    expect(turn).toMatchObject({ changed: false, errors: [], lowered: [] });
    expect(turn.instructions).toContain('Read before you write.');
    expect(turn.tokens).toBeGreaterThan(50);
  });

  it('is the same object until something has changed', async () => {
    const server = createServer({ name: 'growing', version: '1.0.0', tools: { one: tool({}, () => '1') } });
    await using host = createHost({ servers: { server }, consent: 'allow-all' });
    const changed = deferred();
    await using kit = createToolkit(host, { onEvent: ({ type }) => type === 'changed' && changed.resolve() });
    const first = await kit.list('anthropic');
    expect(await kit.list('anthropic')).toBe(first);
    host.addServer(
      'more',
      createServer({ name: 'more', version: '1.0.0', tools: { two: tool({}, () => '2') } }) as never,
    );
    // The change is reported on a later turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve));
    const second = await kit.list('anthropic');
    await changed.promise;
    expect([second.changed, second.tools.map(({ name }) => name)]).toEqual([
      true,
      ['read_more', 'more__two', 'server__one'],
    ]);
    const third = await kit.list('anthropic');
    expect([third.changed, await kit.list('anthropic')]).toEqual([false, third]);
  });

  it('leaves out a tool with a bad schema, and a server that fails, and names both', async () => {
    const { servers } = sampleHost();
    await using host = createHost({
      servers: { mail: servers.mail, gone: { command: 'no-such-program' } } as never,
      consent: 'allow-all',
    });
    await using kit = createToolkit(host, { filter: ({ originalName }) => originalName === 'send' });
    const turn = await kit.list();
    expect(turn.tools.map(({ name }) => name)).toEqual(['read_more', 'mail__send']);
    expect(turn.errors).toEqual([{ server: 'gone', text: expect.stringMatching(/not found/i) }]);
  });

  it('lowers the schemas for a target, and reports that once', async () => {
    const events: ToolkitEvent[] = [];
    const { kit } = kitOf({ onEvent: (event) => events.push(event) });
    const { tools, lowered } = await kit.list('openai-strict');
    const send = tools.find(({ name }) => name === 'mail__send');
    expect(send).toMatchObject({
      strict: true,
      inputSchema: { required: ['to', 'copy'], additionalProperties: false },
    });
    expect(lowered.map(({ rule }) => rule)).toContain('argument-nullable');
    await kit.list('openai-strict');
    expect(events.filter(({ type }) => type === 'lowered')).toHaveLength(1);
  });

  it('takes the tools of one client, whose names stay as they are', async () => {
    const { servers } = sampleHost();
    await using client = await connect(servers.mail);
    await using kit = createToolkit(client);
    expect((await kit.list()).tools.map(({ name, server }) => `${server}: ${name}`)).toContain('mail: send');
    expect(textOf(await call(kit, 'send', { to: 'ada' }))).toBe('Sent {"to":"ada"}');
  });

  it('gives a tool of a client another name if models cannot call it by its own', async () => {
    const tools = { 'a.b': tool({}, () => 'dotted'), find_tools: tool({}, () => 'not ours') };
    await using client = await connect(createServer({ name: 'odd', version: '1.0.0', tools }));
    await using kit = createToolkit(client);
    const names = (await kit.list()).tools.map(({ name }) => name);
    expect(names).toEqual(['read_more', expect.stringMatching(/^odd__a_b_x/), 'odd__find_tools']);
    expect(textOf(await call(kit, names[1] as string))).toBe('dotted');
  });
});

describe('a call', () => {
  it('returns what the tool returned', async () => {
    const { kit } = kitOf();
    expect(await kit.call({ id: 'a', name: 'files__read', arguments: '{"path":"notes.txt"}' })).toMatchObject({
      type: 'result',
      callId: 'a',
      isError: false,
      parts: [{ type: 'text', text: 'The text of notes.txt' }],
      text: 'The text of notes.txt',
      result: { content: [{ type: 'text', text: 'The text of notes.txt' }] },
    });
  });

  it('has media that the model takes, and describes the others', async () => {
    const { kit } = kitOf();
    const image = { type: 'image', data: png, mimeType: 'image/png' };
    expect(await call(kit, 'files__picture')).toMatchObject({ parts: [image] });
    expect(await kit.call({ id: 'b', name: 'files__picture', arguments: {} }, { media: ['image/*'] })).toMatchObject({
      parts: [image],
    });
    const without = await kit.call({ id: 'c', name: 'files__sound', arguments: {} }, { media: ['image/png'] });
    expect(textOf(without)).toEqual(
      expect.stringMatching(/^\[audio, audio\/wav, 3 bytes, cannot be shown, stored as r\w+\]$/),
    );
  });

  it('has the beginning and the end of a long text', async () => {
    const { kit } = kitOf({ results: { maxChars: 1000 } });
    const text = textOf(await call(kit, 'files__long'));
    expect(text.length).toBeLessThan(1200);
    const [, handle = ''] = /\[(r\w+): 49,\d+ of 50,000 characters left out/.exec(text) ?? [];
    const more = textOf(await call(kit, 'read_more', { handle, from: 49_990 }));
    expect(more).toContain('line\nline');
    expect(textOf(await call(kit, 'read_more', { handle: 'r1' }))).toContain('not stored any more');
  });

  it('takes out nulls for what is not set', async () => {
    const { kit } = kitOf();
    expect(textOf(await call(kit, 'mail__send', { to: 'ada', copy: null }))).toBe('Sent {"to":"ada"}');
  });

  it('emits progress, and what became of it', async () => {
    const steps = tool({}, async (_args: unknown, ctx) => {
      ctx.reportProgress(1, 2);
      return 'done';
    });
    const host = createHost({
      servers: { work: createServer({ name: 'work', version: '1.0.0', tools: { steps } }) },
      consent: 'allow-all',
    });
    const events: ToolkitEvent[] = [];
    await using kit = createToolkit(host, { onEvent: (event) => events.push(event) });
    await kit.call({ id: 'p', name: 'work__steps', arguments: {} });
    expect(events).toEqual([
      { type: 'call', callId: 'p', name: 'work__steps', server: 'work' },
      { type: 'progress', callId: 'p', progress: 1, total: 2 },
      { type: 'outcome', callId: 'p', name: 'work__steps', isError: false },
    ]);
    await host.close();
  });
});

describe('a call that fails has a text that a model can act on:', () => {
  it.each([
    ['the tool failed', 'mail__fail', {}, 'The tool reports an error:\nThe mailbox is full'],
    [
      'the user denied it',
      'mail__remove',
      {},
      'Denied: The tool remove of mail was not called: deleting is off. Do not repeat the call: ask the user, or go on without it.',
    ],
    [
      'the arguments are wrong',
      'mail__send',
      { to: 1 },
      'The arguments of mail__send do not match its schema: to: expected string, got number. Nothing ran. Correct them and call it again. The schema: ',
    ],
    [
      'the arguments are no JSON',
      'mail__send',
      '{"to":',
      'The arguments are not valid JSON. Nothing ran. Write them again as one JSON object.',
    ],
    [
      'the arguments are no object',
      'mail__send',
      '[1]',
      'The arguments must be one JSON object. Nothing ran. Write them again.',
    ],
    ['the tool does not exist', 'mail__sent', {}, 'There is no tool "mail__sent". Did you mean mail__send?'],
  ])('%s', async (_why, name, args, text) => {
    const { kit } = kitOf();
    const outcome = await call(kit, name, args);
    expect([isError(outcome), textOf(outcome).replace(/\{"\$schema.*$|\{"type":"object.*$/, '')]).toEqual([true, text]);
  });

  it('what is denied by a rule, and what is not reached, has neither addresses nor options', async () => {
    const { servers } = sampleHost();
    await using host = createHost({
      servers: { mail: servers.mail, far: { url: 'http://127.0.0.1:1/secret-path' } } as never,
    });
    await using kit = createToolkit(host);
    const text = textOf(await call(kit, 'mail__send', { to: 'ada' }));
    expect(text).toContain('Denied');
    expect(text).not.toContain('createHost');
    const { errors } = await kit.list();
    expect(JSON.stringify(errors)).not.toContain('secret-path');
  });

  it('the toolkit is closed', async () => {
    const { kit } = kitOf();
    await kit.list();
    await kit.close();
    expect(isError(await call(kit, 'mail__send', { to: 'ada' }))).toBe(true);
  });

  it('but a wrong call of the program throws', async () => {
    const { kit } = kitOf();
    await expect(kit.call({ name: 'mail__send' } as never)).rejects.toMatchObject({ code: 'invalid-argument' });
    expect(() => createToolkit({} as never)).toThrow(/createHost\(\) or connect\(\)/);
    expect(() => createToolkit(sampleHost().host, { calls: { order: 'random' as never } })).toThrow(/calls.order/);
  });
});

describe('cancelling', () => {
  it('reaches the handler, and the call throws the reason', async () => {
    const { kit, samples } = kitOf();
    const started = deferred<AbortSignal>();
    samples.onSlow = started.resolve;
    const abort = new AbortController();
    const running = kit.call({ id: 's', name: 'files__slow', arguments: {} }, { signal: abort.signal });
    const signal = await started.promise;
    const ended = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    abort.abort(new Error('no longer needed'));
    await expect(running).rejects.toThrow('no longer needed');
    await ended;
  });

  it('does not begin a call whose signal is aborted', async () => {
    const { kit, samples } = kitOf();
    const options = { signal: AbortSignal.abort(new Error('too late')) };
    await expect(kit.call({ id: 't', name: 'mail__send', arguments: { to: 'a' } }, options)).rejects.toThrow(
      'too late',
    );
    expect(samples.ran).toEqual([]);
  });

  it('ends a running call as an outcome when the toolkit closes', async () => {
    const { kit, samples } = kitOf();
    const started = deferred<AbortSignal>();
    samples.onSlow = started.resolve;
    const running = call(kit, 'files__slow');
    await started.promise;
    await kit.close();
    expect(isError(await running)).toBe(true);
  });
});

describe('the order of calls', () => {
  /** A server whose calls end when the test says so. */
  function gates(annotations: { readOnlyHint?: boolean } = {}) {
    const open = new Map<string, () => void>();
    const begun: string[] = [];
    const step = (name: string) =>
      tool({ inputSchema: z.object({ id: z.string() }), annotations }, ({ id }) => {
        begun.push(id);
        return new Promise<string>((resolve) => open.set(id, () => resolve(`${name} ${id}`)));
      });
    const server = (name: string) => createServer({ name, version: '1.0.0', tools: { step: step(name) } });
    const host = createHost({ servers: { one: server('one'), two: server('two') }, consent: 'allow-all' });
    return { host, begun, open };
  }
  const three = ['one__step:a', 'one__step:b', 'two__step:c'].map((text) => {
    const [name = '', id = ''] = text.split(':');
    return { id, name, arguments: { id } };
  });
  const until = async (holds: () => boolean): Promise<void> => {
    while (!holds()) await new Promise((resolve) => setImmediate(resolve));
  };

  it('is one after another for a server, and together for different servers', async () => {
    const { host, begun, open } = gates({ readOnlyHint: true });
    await using kit = createToolkit(host);
    const outcomes = kit.callAll(three);
    await until(() => begun.length === 2);
    expect([...begun].sort()).toEqual(['a', 'c']);
    open.get('a')?.();
    await until(() => begun.length === 3);
    open.get('b')?.();
    open.get('c')?.();
    expect((await outcomes).map(textOf)).toEqual(['one a', 'one b', 'two c']);
    await host.close();
  });

  it('is that of the model, also if one takes longer to be checked than the next', async () => {
    const { host, begun, open } = gates();
    await using kit = createToolkit(host);
    const large = { id: 'x'.repeat(3_000_000) };
    const outcomes = kit.callAll([{ ...(three[0] as (typeof three)[0]), arguments: large }, three[1] as never]);
    await until(() => begun.length === 1);
    open.get(begun[0] ?? '')?.();
    await until(() => begun.length === 2);
    open.get(begun[1] ?? '')?.();
    expect(begun.map((id) => id.length)).toEqual([3_000_000, 1]);
    await outcomes;
    await host.close();
  });

  it.each([
    ['reads of a trusted server', { trustedServers: ['one'] }, { readOnlyHint: true }],
    ['order: parallel', { order: 'parallel' as const }, {}],
  ])('is together for %s', async (_what, order, annotations) => {
    const { host, begun, open } = gates(annotations);
    await using kit = createToolkit(host, { calls: order });
    const outcomes = kit.callAll(three);
    await until(() => begun.length === 3);
    for (const end of open.values()) end();
    expect((await outcomes).map(textOf)).toEqual(['one a', 'one b', 'two c']);
    await host.close();
  });

  it('has no more calls at once than the limit', async () => {
    const { host, begun, open } = gates();
    await using kit = createToolkit(host, { calls: { maxConcurrent: 1 } });
    const outcomes = kit.callAll([three[0] as never, three[2] as never]);
    await until(() => begun.length === 1);
    open.get('a')?.();
    await until(() => begun.length === 2);
    open.get('c')?.();
    expect((await outcomes).map(textOf)).toEqual(['one a', 'two c']);
    await host.close();
  });

  it('joins equal reads in flight; one that is cancelled leaves the other', async () => {
    const { host, begun, open } = gates({ readOnlyHint: true });
    await using kit = createToolkit(host);
    await kit.list();
    const abort = new AbortController();
    const args = { name: 'one__step', arguments: { id: 'x' } };
    const first = kit.call({ id: '1', ...args }, { signal: abort.signal });
    const second = kit.call({ id: '2', ...args });
    await until(() => begun.length === 1);
    abort.abort(new Error('not this one'));
    await expect(first).rejects.toThrow('not this one');
    open.get('x')?.();
    expect([textOf(await second), begun]).toEqual(['one x', ['x']]);
    await host.close();
  });
});

it('sends a key from the conversation and the call, so that a Tenon server runs a repeat once', async () => {
  const { host, samples } = sampleHost();
  const repeat = async (id: string, callId: string) => {
    await using kit = createToolkit(host, { id });
    return textOf(await kit.call({ id: callId, name: 'mail__send', arguments: { to: 'ada' } }));
  };
  await repeat('conversation', 'call-a');
  await repeat('conversation', 'call-a');
  expect(samples.ran).toEqual(['send']);
  await repeat('conversation', 'call-b');
  await repeat('another', 'call-a');
  expect(samples.ran).toEqual(['send', 'send', 'send']);
  await host.close();
});
