/** Tools and a prompt with input-required results, one round after another. */
import { prompt, tool } from 'tenon';
import { z } from 'zod';

const nameForm = { message: 'What is your name?', schema: z.object({ name: z.string() }) };
const confirmForm = { message: 'Please confirm', schema: z.object({ ok: z.boolean() }) };

const capitalSampling = {
  messages: [{ role: 'user' as const, content: { type: 'text' as const, text: 'What is the capital of France?' } }],
  maxTokens: 100,
};

export const inputRequiredTools = {
  test_input_required_result_elicitation: tool({ description: 'Elicits a name' }, async (_given, ctx) => {
    const answer = await ctx.elicit('user_name', nameForm);
    return answer.action === 'accept' ? `Hello, ${answer.content.name}!` : 'Hello!';
  }),
  test_input_required_result_sampling: tool({ description: 'Samples a model' }, async (_given, ctx) => {
    const { content } = await ctx.sample('capital_question', capitalSampling);
    return `Model response: ${JSON.stringify(content)}`;
  }),
  test_input_required_result_list_roots: tool({ description: 'Requests the roots' }, async (_given, ctx) => {
    const roots = await ctx.listRoots('client_roots');
    return `Roots: ${roots.map(({ uri }) => uri).join(', ')}`;
  }),
  test_input_required_result_request_state: tool(
    { description: 'Elicits, and stores a value in the request state' },
    async (_given, ctx) => {
      const stored = await ctx.step('stored', () => 'state-ok');
      await ctx.elicit('confirm', confirmForm);
      return stored;
    },
  ),
  test_input_required_result_multiple_inputs: tool(
    { description: 'Sends three input requests at once' },
    async (_given, ctx) => {
      const answers = await ctx.requestInput({ user_name: nameForm, greeting: capitalSampling, client_roots: 'roots' });
      return `Answers: ${JSON.stringify(answers)}`;
    },
  ),
  test_input_required_result_multi_round: tool(
    { description: 'Elicits twice, one after another' },
    async (_given, ctx) => {
      const first = await ctx.elicit('step1', { message: 'Step 1: what is your name?', schema: nameForm.schema });
      const second = await ctx.elicit('step2', {
        message: 'Step 2: which color do you like best?',
        schema: z.object({ color: z.string() }),
      });
      return `Answers: ${JSON.stringify([first, second])}`;
    },
  ),
  test_input_required_result_tampered_state: tool(
    { description: 'Refuses a tampered request state' },
    async (_given, ctx) => {
      await ctx.elicit('confirm', confirmForm);
      return 'The request state was not changed';
    },
  ),
  test_input_required_result_capabilities: tool(
    { description: 'Sends an input request that the client supports' },
    async (_given, ctx) => {
      if (ctx.clientSupports('sampling'))
        return `Sampled: ${JSON.stringify(await ctx.sample('capital_question', capitalSampling))}`;
      if (ctx.clientSupports('elicitation.form'))
        return `Elicited: ${JSON.stringify(await ctx.elicit('user_name', nameForm))}`;
      return 'This client supports no input requests';
    },
  ),
};

export const inputRequiredPrompts = {
  test_input_required_result_prompt: prompt(
    { description: 'Elicits the context of the prompt' },
    async (_given, ctx) => {
      const answer = await ctx.elicit('user_context', {
        message: 'Which context should the prompt have?',
        schema: z.object({ context: z.string() }),
      });
      return `Use this context: ${answer.action === 'accept' ? answer.content.context : 'none'}`;
    },
  ),
};
