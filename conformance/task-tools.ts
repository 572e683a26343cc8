/** Tools that run as tasks, as the suite calls them. */
import { setTimeout as wait } from 'node:timers/promises';
import { RpcError, tool } from 'tenon';
import { z } from 'zod';

const confirmation = z.object({ confirm: z.boolean() });

export const taskTools = {
  greet: tool(
    { description: 'Greets at once', inputSchema: z.object({ name: z.string() }) },
    ({ name }) => `Hello, ${name}!`,
  ),
  slow_compute: tool(
    {
      description: 'Computes for some seconds',
      inputSchema: z.object({ seconds: z.number().min(0).max(3600), label: z.string().optional() }),
      task: 'optional',
    },
    async ({ seconds, label = 'result' }, { signal }) => {
      await wait(seconds * 1000, undefined, { signal });
      return `Computed ${label} in ${seconds} s`;
    },
  ),
  failing_job: tool({ description: 'Reports an error', task: 'required' }, async () => {
    await wait(500);
    throw new Error('The job has failed, as it should');
  }),
  protocol_error_job: tool({ description: 'Fails with an error of the protocol', task: 'optional' }, async () => {
    await wait(100);
    throw new RpcError(-32603, 'The job has failed with an error of the protocol');
  }),
  confirm_delete: tool(
    { description: 'Asks before it deletes', inputSchema: z.object({ filename: z.string() }), task: 'optional' },
    async ({ filename }, ctx) => {
      const answer = await ctx.elicit('confirm', { message: `Delete ${filename}?`, schema: confirmation });
      return answer.action === 'accept' ? `Deleted ${filename}` : `Kept ${filename}`;
    },
  ),
  multi_input: tool({ description: 'Asks two things at once', task: 'optional' }, async (_given, ctx) => {
    const { first, second } = await ctx.requestInput({
      first: { message: 'First?', schema: confirmation },
      second: { message: 'Second?', schema: confirmation },
    });
    return `${first.action}, ${second.action}`;
  }),
  test_tool_with_task: tool(
    { description: 'Asks first, then runs as a task', task: { support: 'required', begins: 'by-handler' } },
    async (_given, ctx) => {
      const answer = await ctx.elicit('user_name', { message: 'Your name?', schema: z.object({ name: z.string() }) });
      await ctx.continueAsTask();
      return `Hello, ${answer.action === 'accept' ? answer.content.name : 'stranger'}`;
    },
  ),
};
