/** Which server requests a client supports, and how a handler fails that sends an unsupported one. */
import { type ConnectOptions, connect, type ProtocolVersion, protocolVersions } from 'tenon';
import type { ClientFeature, Context } from 'tenon/server';
import { createMemoryTransports } from 'tenon/transport';
import { describe, expect, it } from 'vitest';
import { allModes, formModes, opened, run, serverOf } from '../../kit/server-request-modes.ts';
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
    'is supported according to revision and capabilities, %s [e-mrtr-19, e-elicit-10, s-elicitation-10]',
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

  it('that is not supported fails with -32021 and the missing capability in an exchange, unless the handler catches it', async () => {
    const [mode] = formModes;
    if (mode === undefined) throw new Error('no mode');
    const { client } = await opened(mode, elicitUrl, { handlers: has.forms ?? {} });
    await expect(run(client)).rejects.toMatchObject({
      code: -32021,
      data: { requiredCapabilities: { elicitation: { url: {} } } },
    });
  });

  it.each(allModes.filter(({ revision }) => revision !== '2026-07-28'))(
    'that is not supported makes the result isError in a session, $name',
    async (mode) => {
      const { client, failures } = await opened(mode, elicitUrl);
      expect(await client.tools.call('it')).toMatchObject({ isError: true });
      expect(failures).toEqual([]);
    },
  );
});
