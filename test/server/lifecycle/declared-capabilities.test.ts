/** The author of a server chooses what it declares; it does nothing that it did not declare. */
import { connect, createServer, prompt, resource, type Server, tool } from 'tenon';
import { protocolVersions } from 'tenon/protocol';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Json, openAt } from '../../kit/transport/raw-connection.ts';

const minimal = {
  tools: { listChanged: false },
  resources: { subscribe: false, listChanged: false },
  prompts: { listChanged: false },
  logging: false,
  completions: false,
};

const makeServer = (): Server =>
  createServer({
    name: 'minimal',
    version: '1',
    capabilities: minimal,
    experimental: { ours: { depth: 3 } },
    tools: {
      talk: tool({}, (_given, { log }) => {
        log('emergency', 'on fire');
        return 'done';
      }),
    },
    resources: { 'a://b': resource({}, () => 'b') },
    prompts: {
      plan: prompt({ argsSchema: z.object({ city: z.string() }), complete: { city: () => ['Rome'] } }, () => 'plan'),
    },
  });

const code = ({ error }: Json): unknown => (error as Json | undefined)?.code;

describe.each(protocolVersions)('A minimal server at %s', (revision) => {
  const isExchange = revision === '2026-07-28';

  it('declares what its author chose, `false` included [S04, S38]', async () => {
    await using client = await connect(makeServer(), { protocolVersions: [revision] });
    expect(client.capabilities).toEqual({
      tools: { listChanged: false },
      resources: { subscribe: false, listChanged: false },
      prompts: { listChanged: false },
      experimental: { ours: { depth: 3 } },
    });
  });

  it('sends no changes, and acknowledges none [S04, e-subscriptions-05]', async () => {
    const server = makeServer();
    const raw = await openAt(server, revision);
    const notifications = {
      toolsListChanged: true,
      promptsListChanged: true,
      resourcesListChanged: true,
      resourceSubscriptions: ['a://b'],
    };
    if (isExchange) raw.send(raw.ask(1, 'subscriptions/listen', { notifications }));
    else raw.send(raw.ask(1, 'resources/subscribe', { uri: 'a://b' }));
    const answer = (await raw.settled())[0] as Json;
    expect(isExchange ? (answer.params as Json).notifications : code(answer)).toEqual(isExchange ? {} : -32601);
    server.update((draft) => {
      draft.tools.more = tool({}, () => 'more');
      draft.prompts.more = prompt({}, () => 'more');
      draft.resources['a://c'] = resource({}, () => 'c');
    });
    server.sendResourceUpdated('a://b');
    expect(await raw.settled()).toEqual([]);
  });

  it('sends no log messages, and knows no log level [S04, S13]', async () => {
    const raw = await openAt(makeServer(), revision);
    const _meta = { 'io.modelcontextprotocol/logLevel': 'debug' };
    const call = raw.ask('call', 'tools/call', { name: 'talk' });
    const params = call.params as Json;
    raw.send({ ...call, params: { ...params, _meta: { ...(params._meta as Json | undefined), ..._meta } } });
    raw.send(raw.ask('level', 'logging/setLevel', { level: 'debug' }));
    const answers = await raw.settled();
    expect(answers.map(({ id }) => id).toSorted()).toEqual(['call', 'level']);
    expect(answers.map(code).toSorted()).toEqual([-32601, undefined]);
  });

  it('completes nothing [S04]', async () => {
    const raw = await openAt(makeServer(), revision);
    const ref = { type: 'ref/prompt', name: 'plan' };
    raw.send(raw.ask(1, 'completion/complete', { ref, argument: { name: 'city', value: '' } }));
    expect((await raw.settled()).map(code)).toEqual([-32601]);
  });
});

it.each([
  ['capabilities.tool', { tool: {} }, 'Did you mean capabilities.tools?'],
  ['capabilities.tools.subscribe', { tools: { subscribe: false } }, 'listChanged'],
  ['capabilities.resources.subscribe', { resources: { subscribe: 'no' } }, 'must be true or false'],
  ['capabilities.logging', { logging: {} }, 'must be true or false'],
  ['capabilities', [], 'tools, resources, prompts, logging, completions'],
])('a wrong choice is refused when the server is created: %s', (place, capabilities, hint) => {
  const create = (): unknown => createServer({ name: 's', version: '1', capabilities: capabilities as never });
  expect(create).toThrow(
    expect.objectContaining({
      code: 'invalid-definition',
      details: { place },
      hint: expect.stringContaining(hint),
    }),
  );
});
