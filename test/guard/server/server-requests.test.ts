/** Requests that a handler sends to its caller need the permission of the policy: `sample` and `elicit`. */
import { connect, createServer, inputRequired, tool } from 'tenon';
import { createPolicy, guard } from 'tenon/guard';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { formModes } from '../../kit/server-request-modes.ts';
import { memoryAudit } from './kit.ts';

const text = (actions: string): string => `
version: 1
rules:
  - { id: all, allow: [list, call${actions}], to: any, on: { tool: "*" } }
`;

const question = { message: 'Who?', schema: z.object({ name: z.string() }) };

const tools = {
  sampling: tool({}, async (_given, ctx) => {
    const { content } = await ctx.sample('s', {
      messages: [{ role: 'user', content: { type: 'text', text: 'Hi' } }],
      maxTokens: 5,
    });
    return JSON.stringify(content);
  }),
  eliciting: tool({}, async (_given, ctx) => (await ctx.elicit('e', question)).action),
  returning: tool({}, (_given, ctx) => ('e' in ctx.inputResponses ? 'answered' : inputRequired({ e: question }))),
};

describe.each(formModes)('at $name', ({ revision, replay }) => {
  const connected = async (actions: string) => {
    const audit = memoryAudit();
    const guarded = guard({ policy: createPolicy(text(actions)), audit });
    const server = createServer({ name: 'x', version: '1', tools }, { guard: guarded, alwaysReplay: replay });
    const client = await connect(server, {
      protocolVersions: [revision],
      handlers: {
        elicitForm: () => ({ action: 'accept', content: { name: 'Ada' } }),
        sample: () => ({ role: 'assistant', content: { type: 'text', text: 'Hello' }, model: 'm' }),
      },
    });
    return { client, guarded, audit };
  };

  it.each(['sampling', 'eliciting', 'returning'] as const)(
    '%s without the permission fails, and is explained [S23]',
    async (name) => {
      const { client, guarded } = await connected('');
      const error = await client.tools
        .call(name)
        .catch((reason: unknown) => reason as { data: { decisionId: string } });
      expect(error).toMatchObject({ reason: 'permission-denied', data: { reason: 'denied' } });
      const { request } = guarded.explain((error as { data: { decisionId: string } }).data.decisionId) ?? {};
      expect(request).toMatchObject({ action: name === 'sampling' ? 'sample' : 'elicit', target: { tool: name } });
      await client.close();
    },
  );

  it.each(['sampling', 'eliciting', 'returning'] as const)('%s with the permission is sent [S23]', async (name) => {
    const { client } = await connected(', sample, elicit');
    expect(await client.tools.call(name)).toMatchObject({ content: [{}] });
    await client.close();
  });
});
