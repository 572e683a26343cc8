/** Which server requests a client supports, and how a handler fails that sends an unsupported one. */
import { type ConnectOptions, connect, type ProtocolVersion, type TenonError } from 'tenon';
import { protocolVersions } from 'tenon/protocol';
import { type ClientFeature, type Context, inputRequired } from 'tenon/server';
import { createMemoryTransports } from 'tenon/transport';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { allModes, opened, run, serverOf } from '../../kit/server-request-modes.ts';
import { envelope, openRaw, request } from '../../kit/transport/raw-connection.ts';

const sampled = { role: 'assistant' as const, model: 'm', content: { type: 'text' as const, text: 'hi' } };

describe('A server request', () => {
  const every: ClientFeature[] = [
    'elicitation',
    'elicitation.form',
    'elicitation.url',
    'sampling',
    'sampling.tools',
    'roots',
  ];
  const accept = () => ({ action: 'accept' as const });
  const has: Readonly<Record<string, NonNullable<ConnectOptions['handlers']>>> = {
    nothing: {},
    forms: { elicitForm: accept },
    urls: { elicitUrl: accept },
    both: { elicitForm: accept, elicitUrl: accept },
    models: { sample: () => sampled },
    tools: { sample: () => sampled, samplingTools: true },
    roots: { roots: [] },
  };
  const newest = {
    forms: ['elicitation', 'elicitation.form'],
    urls: ['elicitation', 'elicitation.url'],
    tools: ['sampling', 'sampling.tools'],
  };
  const expected = (revision: ProtocolVersion, declared: string): readonly string[] => {
    const at = protocolVersions.indexOf(revision);
    const all: Record<string, readonly string[]> = {
      nothing: [],
      forms: at >= 2 ? newest.forms : [],
      urls: at >= 3 ? newest.urls : [],
      both: at >= 3 ? ['elicitation', 'elicitation.form', 'elicitation.url'] : at === 2 ? newest.forms : [],
      models: ['sampling'],
      tools: at >= 3 ? newest.tools : ['sampling'],
      roots: ['roots'],
    };
    return all[declared] ?? [];
  };

  it.each(protocolVersions)(
    'is supported according to revision and capabilities, %s [e-mrtr-19, e-trust-04, e-elicit-10, s-elicitation-10]',
    async (revision) => {
      for (const [declared, answers] of Object.entries(has)) {
        const server = serverOf((context) => every.filter((feature) => context.clientSupports(feature)).join());
        const [here, there] = createMemoryTransports();
        server.accept(there);
        const client = await connect(here, { protocolVersions: [revision], handlers: answers });
        expect([declared, await run(client)]).toEqual([declared, expected(revision, declared).join()]);
      }
    },
  );

  it('can only be a form if the elicitation capability has no modes [e-elicit-08]', async () => {
    const server = serverOf((context) => every.filter((feature) => context.clientSupports(feature)).join());
    for (const [elicitation, can] of [
      [{}, 'elicitation,elicitation.form'],
      [{ url: {} }, 'elicitation,elicitation.url'],
    ]) {
      const raw = openRaw(server);
      const meta = { 'io.modelcontextprotocol/clientCapabilities': { elicitation } };
      raw.send(request(1, 'tools/call', envelope({ name: 'it' }, meta)));
      expect((await raw.next()).result).toMatchObject({ content: [{ text: can }] });
    }
  });

  it.each(['2025-06-18', '2025-11-25'])(
    'can only be a form if the elicitation capability has no modes, in a session too, %s [s-elicitation-08]',
    async (revision) => {
      const raw = openRaw(serverOf((context) => every.filter((feature) => context.clientSupports(feature)).join()));
      const clientInfo = { name: 'raw', version: '1' };
      raw.send(request(0, 'initialize', { protocolVersion: revision, capabilities: { elicitation: {} }, clientInfo }));
      await raw.next();
      raw.send(request(1, 'tools/call', { name: 'it' }));
      expect((await raw.next()).result).toMatchObject({ content: [{ text: 'elicitation,elicitation.form' }] });
    },
  );

  const elicitUrl = (context: Context) =>
    context.elicit('q', { message: 'x', url: 'https://a.example' }).then(({ action }) => action);

  const unsupported: ReadonlyArray<readonly [string, (context: Context) => unknown, object]> = [
    ['elicitation/create (elicitation.url)', elicitUrl, { elicitation: { url: {} } }],
    [
      'elicitation/create (elicitation.form)',
      (context) => context.elicit('q', { message: 'x', schema: z.object({}) }),
      { elicitation: { form: {} } },
    ],
    [
      'sampling/createMessage (sampling)',
      (context) => context.sample('q', { messages: [], maxTokens: 1 }),
      { sampling: {} },
    ],
    ['roots/list (roots)', (context) => context.listRoots(), { roots: {} }],
    ['roots/list (roots)', () => inputRequired({ q: 'roots' }), { roots: {} }],
  ];

  it.each(allModes)(
    'that is not supported ends the call with missing-client-capability under every protocol version, $name [e-meta-14]',
    async (mode) => {
      for (const [what, handler, requiredCapabilities] of unsupported) {
        const { client, failures } = await opened(mode, handler as never);
        await expect(client.tools.call('it')).rejects.toMatchObject({
          reason: 'missing-client-capability',
          code: mode.revision === '2026-07-28' ? -32021 : -32602,
          message: expect.stringContaining(`The client does not support ${what}.`),
          data: { requiredCapabilities },
        });
        expect(failures).toEqual([]);
        await client.close();
      }
    },
  );

  it.each(allModes)('that is not supported is the same error for a handler that catches it, $name', async (mode) => {
    const { client } = await opened(mode, (context) =>
      context.listRoots().then(
        () => 'roots',
        ({ code, message, details }: TenonError) => JSON.stringify([code, message, details]),
      ),
    );
    expect(JSON.parse(String(await run(client)))).toEqual([
      'capability-not-supported',
      expect.stringContaining('The client does not support roots/list (roots).'),
      { requiredCapabilities: { roots: {} } },
    ]);
    await client.close();
  });
});
