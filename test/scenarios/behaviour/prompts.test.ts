import { connect, createServer, prompt, promptResult } from 'tenon';
import { protocolVersions } from 'tenon/protocol';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

const image = { type: 'image' as const, data: 'iVBORw0KGgo=', mimeType: 'image/png' };
const audio = { type: 'audio' as const, data: 'UklGRg==', mimeType: 'audio/wav' };
const embedded = {
  type: 'resource' as const,
  resource: { uri: 'notes://today', mimeType: 'text/plain', text: 'buy bread' },
};
const scan = { type: 'resource' as const, resource: { uri: 'notes://scan', mimeType: 'image/png', blob: 'AP8=' } };
const link = { type: 'resource_link' as const, uri: 'notes://more', name: 'more' };

const args = z.object({
  city: z.string().describe('Where to go'),
  days: z.enum(['one', 'two']).optional(),
  guests: z.string().transform(Number).optional(),
});

const makeServer = () =>
  createServer(
    {
      name: 'planner',
      version: '1',
      prompts: {
        plan: prompt(
          { title: 'Plan', description: 'Plans a trip', argsSchema: args },
          ({ city, days = 'one', guests = 1 }) => `Plan ${days} in ${city} for ${guests + 1}`,
        ),
        bare: prompt({}, () => 'Hello'),
        rich: prompt({ description: 'Many kinds' }, () => [
          { role: 'user', content: image },
          { role: 'assistant', content: embedded },
          { role: 'user', content: scan },
          { role: 'user', content: audio },
          { role: 'user', content: link },
        ]),
        whole: prompt({}, () => promptResult({ description: 'its own', messages: [] })),
        broken: prompt({}, () => {
          throw new Error('hunter2');
        }),
        shapeless: prompt({}, () => 5 as never),
      },
    },
    { onError: () => {} },
  );

describe.each(protocolVersions)('prompts at %s', (revision) => {
  const open = (server = makeServer()) => connect(server, { protocolVersions: [revision] });
  const age = protocolVersions.indexOf(revision);

  it('are declared and listed with required and optional arguments [e-prompts-01, e-prompts-02, s-prompts-01]', async () => {
    const client = await open();
    expect(client.capabilities.prompts).toEqual({ listChanged: true });
    const [plan, bare] = await client.prompts.list().all();
    expect(plan).toEqual({
      name: 'plan',
      ...(age >= 2 && { title: 'Plan' }),
      description: 'Plans a trip',
      arguments: [
        { name: 'city', description: 'Where to go', required: true },
        { name: 'days', required: false },
        { name: 'guests', required: false },
      ],
    });
    expect(bare).toEqual({ name: 'bare' });
  });

  it('are listed the same on every connection, whatever was requested before [e-prompts-04]', async () => {
    const server = makeServer();
    const [one, other] = [await open(server), await open(server)];
    const before = await one.prompts.list().all();
    await one.prompts.get('bare');
    expect(await one.prompts.list().all()).toEqual(before);
    expect(await other.prompts.list().all()).toEqual(before);
  });

  it('take strings, which their schema may convert for the handler', async () => {
    const { prompts } = await open();
    expect(await prompts.get('plan', { city: 'Oslo', guests: '2' })).toEqual({
      description: 'Plans a trip',
      messages: [{ role: 'user', content: { type: 'text', text: 'Plan one in Oslo for 3' } }],
    });
    expect(await prompts.get('whole')).toEqual({ description: 'its own', messages: [] });
  });

  it.each([
    ['a missing argument', 'plan', {}],
    ['a value that is not allowed', 'plan', { city: 'Oslo', days: 'many' }],
    ['an unknown prompt', 'nope', {}],
  ])(
    'are refused with -32602 for %s, before any handler runs [e-prompts-12, e-prompts-13, s-prompts-06, s-prompts-07, s-prompts-09]',
    async (_, name, given) => {
      const client = await open();
      await expect(client.request('prompts/get', { name, arguments: given })).rejects.toMatchObject({ code: -32602 });
    },
  );

  it.each(['broken', 'shapeless'] as const)('that fail are an internal error: %s [s-prompts-08]', async (name) => {
    const { prompts } = await open();
    const error = await prompts.get(name).catch((error) => error);
    expect(error).toMatchObject({ code: -32603 });
    expect(error.message).not.toContain('hunter2');
  });

  it('contain images, audio, links and embedded resources as the revision has them [e-prompts-08, e-prompts-09, e-prompts-10, e-prompts-11, s-prompts-03, s-prompts-04, s-prompts-05]', async () => {
    const { messages } = await (await open()).prompts.get('rich');
    const words = { type: 'text', text: expect.any(String) };
    expect(messages).toEqual([
      { role: 'user', content: image },
      { role: 'assistant', content: embedded },
      { role: 'user', content: scan },
      { role: 'user', content: age >= 1 ? audio : words },
      { role: 'user', content: age >= 2 ? link : words },
    ]);
  });

  it('are added and removed while clients are connected, and clients are notified [S07, e-prompts-07, s-prompts-02]', async () => {
    const server = makeServer();
    const client = await open(server);
    const changes = await client.subscribe({ promptsListChanged: true });
    await client.prompts.list().all();
    server.update(({ prompts }) => {
      delete prompts.bare;
      prompts.late = prompt({}, () => 'late');
    });
    expect((await changes[Symbol.asyncIterator]().next()).value).toEqual({ type: 'prompts' });
    const names = (await client.prompts.list().all()).map(({ name }) => name);
    expect(names).toContain('late');
    expect(names).not.toContain('bare');
    await client.close();
  });

  it('may be an empty list [e-prompts-03]', async () => {
    const none = await connect(createServer({ name: 's', version: '1', prompts: {} }), {
      protocolVersions: [revision],
    });
    expect(await none.prompts.list().all()).toEqual([]);
  });
});
