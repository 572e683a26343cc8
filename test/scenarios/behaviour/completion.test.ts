import { connect, createServer, prompt, resourceTemplate } from 'tenon';
import { protocolVersions } from 'tenon/protocol';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { openAt } from '../../kit/transport/raw-connection.ts';

const cities = ['oslo', 'osaka', 'paris'];
const many = Array.from({ length: 150 }, (_, n) => `item ${n}`);

const makeServer = () =>
  createServer(
    {
      name: 'atlas',
      version: '1',
      resourceTemplates: {
        'atlas://{country}/{city}': resourceTemplate(
          {
            complete: {
              city: (typed, { arguments: given }) =>
                cities.map((city) => `${given.country ?? ''}${city}`).filter((c) => c.includes(typed)),
              country: async () => many,
            },
          },
          () => 'a map',
        ),
      },
      prompts: {
        visit: prompt(
          {
            argsSchema: z.object({ city: z.string(), mood: z.string(), whim: z.string(), rest: z.string() }),
            complete: {
              city: (typed) => cities.filter((city) => city.startsWith(typed)),
              mood: (_typed, { signal, caller, meta, log, reportProgress: progress }) => {
                log('debug', 'completing');
                progress(1);
                return [String(signal.aborted), caller.protocolVersion, typeof meta];
              },
              whim: () => {
                throw new Error('hunter2');
              },
              rest: () => ({ values: ['a'], total: 9, hasMore: true }),
            },
          },
          () => 'Visit',
        ),
      },
    },
    { onError: () => {} },
  );

const visit = { type: 'ref/prompt' as const, name: 'visit' };
const atlas = { type: 'ref/resource' as const, uri: 'atlas://{country}/{city}' };

describe.each(protocolVersions)('completion at %s', (revision) => {
  const open = () => connect(makeServer(), { protocolVersions: [revision] });
  const age = protocolVersions.indexOf(revision);

  it('is declared where the revision has the capability, and suggests matching values [S12, e-completion-01, s-completion-01]', async () => {
    const client = await open();
    expect(client.capabilities.completions).toEqual(age >= 1 ? {} : undefined);
    expect(await client.complete(visit, { name: 'city', value: 'os' })).toEqual({
      values: ['oslo', 'osaka'],
      total: 2,
      hasMore: false,
    });
    expect(await client.complete(atlas, { name: 'city', value: 'par' })).toMatchObject({ values: ['paris'] });
    expect(await client.complete(visit, { name: 'rest', value: '' })).toEqual({
      values: ['a'],
      total: 9,
      hasMore: true,
    });
  });

  it('receives the arguments chosen before, where the revision can send them [e-completion-02, s-completion-02]', async () => {
    const client = await open();
    const { values } = await client.complete(atlas, { name: 'city', value: 'oslo' }, { country: 'norway-' });
    expect(values).toEqual([age >= 2 ? 'norway-oslo' : 'oslo']);
  });

  it('suggests a hundred values at most, with their total [e-completion-03, e-schema-46, s-completion-03]', async () => {
    const { values, total, hasMore } = await (await open()).complete(atlas, { name: 'country', value: '' });
    expect(values).toEqual(many.slice(0, 100));
    expect([total, hasMore]).toEqual([150, true]);
  });

  it('passes the context of the call to completers', async () => {
    const { values } = await (await open()).complete(visit, { name: 'mood', value: '' });
    expect(values).toEqual(['false', revision, 'object']);
  });

  it('refuses an unknown reference, and hides why a completer failed [e-completion-04, s-completion-05, s-completion-07, s-completion-15]', async () => {
    const client = await open();
    const whim = await client.complete(visit, { name: 'whim', value: '' }).catch((error) => error);
    expect(whim).toMatchObject({ code: -32603 });
    expect(whim.message).not.toContain('hunter2');
    for (const ref of [
      { ...visit, name: 'nope' },
      { ...atlas, uri: 'atlas://nope' },
    ]) {
      await expect(client.complete(ref, { name: 'city', value: '' })).rejects.toMatchObject({ code: -32602 });
    }
    const { ask, send, settled } = await openAt(makeServer(), revision);
    send(ask(1, 'completion/complete', { ref: visit, argument: { name: 'city', value: 5 } }));
    send(ask(2, 'completion/complete', { ref: { type: 'ref/tool', name: 'x' }, argument: { name: 'a', value: '' } }));
    send(ask(3, 'completion/complete', { ref: visit }));
    expect(await settled()).toMatchObject([1, 2, 3].map((id) => ({ id, error: { code: -32602 } })));
  });

  it('suggests nothing for an argument without a completer', async () => {
    const client = await open();
    expect(await client.complete(visit, { name: 'shoes', value: '' })).toEqual({
      values: [],
      total: 0,
      hasMore: false,
    });
  });

  it('is an unknown method where the server has no completers [s-completion-04]', async () => {
    const plain = createServer({ name: 's', version: '1', prompts: { visit: prompt({}, () => 'Visit') } });
    const raw = await openAt(plain, revision);
    raw.send(raw.ask(1, 'completion/complete', { ref: visit, argument: { name: 'city', value: '' } }));
    expect(await raw.next()).toMatchObject({ id: 1, error: { code: -32601 } });
  });
});
