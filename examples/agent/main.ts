/** An agent: `node --import tsx examples/agent/main.ts "What is on my shopping list?"`, with a scripted model unless there is a key. */
import { createServer, tool } from 'tenon';
import { createToolkit } from 'tenon/agents';
import { createPolicy } from 'tenon/guard';
import { createHost } from 'tenon/host';
import { z } from 'zod';
import { runAgent } from './loop.ts';
import { providerOf } from './provider.ts';
import { createScriptedModel } from './scripted-model.ts';

const title = z.object({ title: z.string() });
const notes = createServer({
  name: 'notes',
  version: '1.0.0',
  instructions: 'Titles are in lower case.',
  tools: {
    read: tool({ description: 'Reads a note', inputSchema: title }, () => 'Tea, bread'),
    export: tool({ description: 'Exports all notes' }, () =>
      Array.from({ length: 2000 }, (_, n) => `note ${n}`).join('\n'),
    ),
    remove: tool({ description: 'Deletes a note', inputSchema: title }, () => 'Deleted'),
    share: tool({ description: 'Shares a note with a person', inputSchema: title }, async (args, ctx) => {
      const answer = await ctx.elicit('to', { message: 'With whom?', schema: z.object({ name: z.string() }) });
      return answer.action === 'accept' ? `Shared ${args.title} with ${answer.content.name}` : 'Not shared';
    }),
    ...Object.fromEntries(
      ['tag', 'sort', 'print', 'translate', 'archive', 'pin', 'color', 'merge'].map((verb) => [
        verb,
        tool({ description: `Can ${verb} notes in many ways`, inputSchema: title }, () => verb),
      ]),
    ),
  },
});

const policy = await createPolicy(`
version: 1
rules:
  - { id: notes, allow: [list, call, elicit], to: any, on: any }
  - { id: remove, ask: [call], to: any, on: { tool: remove } }
`);

const host = createHost({
  servers: { notes },
  policy,
  // The user of this example is asked once, and says no.
  consent: { tool: () => ({ deny: 'notes are not deleted today' }) },
  elicit: () => ({ action: 'accept', content: { name: 'Ada' } }),
});
const kit = createToolkit(host, { context: { maxTokens: 400 }, results: { maxChars: 2000 } });
const question = process.argv[2] ?? 'Share my shopping list, then delete it.';
const provider = providerOf(process.env);
const answer =
  provider === undefined
    ? await runAgent(kit, createScriptedModel(console.log), question)
    : await provider(kit, question);
console.log(answer);
await kit.close();
await host.close();
