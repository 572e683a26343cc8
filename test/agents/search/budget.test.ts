/** What a model gets of several hundred tools of real servers. */
import { expect, it } from 'vitest';
import { createToolContext } from '../../../src/agents/context/tool-context.ts';
import { estimateTokens } from '../../../src/agents/search/tokens.ts';
import { readCatalogue } from './measure.ts';

it('508 tools take under 5,000 tokens with 10 pinned ones', async (ctx) => {
  const { tools: catalogue } = readCatalogue();
  const tools = catalogue.map(({ server, name, description = '', chars }) => {
    const known = JSON.stringify({ name: `${server}__${name}`, description, inputSchema: { x: '' } }).length;
    // The schemas are not in the catalogue, only their size.
    return {
      server,
      name: `${server}__${name}`,
      description,
      inputSchema: { x: 'x'.repeat(Math.max(0, chars - known)) },
    };
  });
  const whole = tools.reduce((sum, tool) => sum + estimateTokens(JSON.stringify(tool)), 0);
  const pinned = new Set(
    tools
      .filter((_, n) => n % 50 === 0)
      .slice(0, 10)
      .map(({ name }) => name),
  );
  const context = createToolContext({
    maxTokens: 10_000,
    maxDescriptionChars: 10_000,
    isPinned: ({ name }) => pinned.has(name),
  });
  const first = context.plan(tools);
  await ctx.annotate(`${tools.length} tools: ${whole} tokens in all, ${first.tokens} are sent`, 'figure');
  expect(first.sent).toHaveLength(10);
  expect(first.tokens).toBeLessThan(5000);
  for (const query of ['create an issue', 'run a command', 'send a message', 'delete a task', 'search the web'])
    await context.find({ query });
  expect(context.plan(tools).tokens).toBeLessThan(10_000);
});
