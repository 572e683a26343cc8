import { createServer, prompt, resource, resourceTemplate, type ServerDefinition, tool } from 'tenon';
import { protocolVersions } from 'tenon/protocol';
import type { FeaturesDraft } from 'tenon/server';
import { createTestConnection } from 'tenon/test';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

const bare = { name: 'x', version: '1' };
const make = (definition: unknown) => (): unknown => createServer(definition as ServerDefinition);

describe('A definition must come from the function of its kind:', () => {
  it.each<[string, string, object, string]>([
    ['tool', 'a', { options: {}, handler: () => '' }, 'tools.a'],
    ['prompt', 'a', { options: {}, handler: () => '' }, 'prompts.a'],
    ['resource', 'a:b', { options: {}, handler: () => '' }, 'resources["a:b"]'],
    ['resourceTemplate', 'a:{b}', { options: {}, handler: () => '' }, 'resourceTemplates["a:{b}"]'],
  ])('a %s written by hand is rejected, with its place and a hint', (kind, name, written, place) => {
    expect(make({ ...bare, [`${kind}s`]: { [name]: written } })).toThrow(
      expect.objectContaining({
        code: 'invalid-definition',
        message: expect.stringContaining(place),
        hint: `Define it as ${kind}({ … }, handler).`,
      }),
    );
  });

  it.each<[string, object, string]>([
    ['a tool among the prompts', { prompts: { a: tool({}, () => '') } }, 'prompts.a'],
    ['a prompt among the tools', { tools: { a: prompt({}, () => '') } }, 'tools.a'],
    ['a template among the resources', { resources: { 'a:b': resourceTemplate({}, () => '') } }, 'resources["a:b"]'],
    [
      'a resource among the templates',
      { resourceTemplates: { 'a:{b}': resource({}, () => '') } },
      'resourceTemplates["a:{b}"]',
    ],
  ])('%s is rejected', (_what, lists, place) => {
    expect(make({ ...bare, ...lists })).toThrow(
      expect.objectContaining({ code: 'invalid-definition', message: expect.stringContaining(place) }),
    );
  });
});

describe.each(protocolVersions)('A server that was created with tools only serves, under %s,', (revision) => {
  const grown = (change: (draft: FeaturesDraft) => void) => {
    const server = createServer({ ...bare, tools: { a: tool({}, () => '') } });
    server.update(change);
    return createTestConnection(server, { protocolVersion: revision });
  };

  it('a resource added by update()', async () => {
    await using trial = await grown((draft) => void (draft.resources['a:b'] = resource({}, () => 'text')));
    expect(await trial.client.resources.read('a:b')).toMatchObject({ contents: [{ uri: 'a:b', text: 'text' }] });
  });

  it('a template added by update()', async () => {
    await using trial = await grown(
      (draft) => void (draft.resourceTemplates['a:{b}'] = resourceTemplate({}, ({ b }) => b)),
    );
    expect(await trial.client.resources.read('a:c')).toMatchObject({ contents: [{ uri: 'a:c', text: 'c' }] });
  });

  it('a prompt added by update(), and completes its arguments', async () => {
    const args = z.object({ city: z.string() });
    const plan = prompt({ argsSchema: args, complete: { city: () => ['oslo'] } }, ({ city }) => city);
    await using trial = await grown((draft) => void (draft.prompts.plan = plan));
    const { messages } = await trial.client.prompts.get('plan', { city: 'Oslo' });
    expect(messages).toMatchObject([{ role: 'user', content: { type: 'text', text: 'Oslo' } }]);
    const { values } = await trial.client.complete({ type: 'ref/prompt', name: 'plan' }, { name: 'city', value: 'o' });
    expect(values).toEqual(['oslo']);
  });
});
