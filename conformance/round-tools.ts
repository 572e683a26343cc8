/** Tools and a prompt whose questions travel in results, one round after another. */
import { prompt, tool } from 'tenon';
import { z } from 'zod';

const nameForm = { message: 'What is your name?', schema: z.object({ name: z.string() }) };
const confirmForm = { message: 'Please confirm', schema: z.object({ ok: z.boolean() }) };

const capitalQuestion = {
  messages: [{ role: 'user' as const, content: { type: 'text' as const, text: 'What is the capital of France?' } }],
  maxTokens: 100,
};

export const roundTools = {
  test_input_required_result_elicitation: tool({ description: 'Asks for a name' }, async (_given, ctx) => {
    const answer = await ctx.elicit('user_name', nameForm);
    return answer.action === 'accept' ? `Hello, ${answer.content.name}!` : 'Hello, whoever you are!';
  }),
  test_input_required_result_sampling: tool({ description: 'Asks a model' }, async (_given, ctx) => {
    const { content } = await ctx.sample('capital_question', capitalQuestion);
    return `The model says: ${JSON.stringify(content)}`;
  }),
  test_input_required_result_list_roots: tool({ description: 'Asks for roots' }, async (_given, ctx) => {
    const roots = await ctx.listRoots('client_roots');
    return `Roots: ${roots.map(({ uri }) => uri).join(', ')}`;
  }),
  test_input_required_result_request_state: tool({ description: 'Asks, and keeps a value' }, async (_given, ctx) => {
    const kept = await ctx.step('kept', () => 'state-ok');
    await ctx.elicit('confirm', confirmForm);
    return kept;
  }),
  test_input_required_result_multiple_inputs: tool(
    { description: 'Asks three things at once' },
    async (_given, ctx) => {
      const answers = await ctx.requestInput({ user_name: nameForm, greeting: capitalQuestion, client_roots: 'roots' });
      return `Answers: ${JSON.stringify(answers)}`;
    },
  ),
  test_input_required_result_multi_round: tool(
    { description: 'Asks twice, one after another' },
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
    { description: 'Trusts no state that is not its own' },
    async (_given, ctx) => {
      await ctx.elicit('confirm', confirmForm);
      return 'The state came back as it went out';
    },
  ),
  test_input_required_result_capabilities: tool(
    { description: 'Asks what the client can be asked' },
    async (_given, ctx) => {
      if (ctx.clientSupports('sampling'))
        return `Sampled: ${JSON.stringify(await ctx.sample('capital_question', capitalQuestion))}`;
      if (ctx.clientSupports('elicitation.form'))
        return `Elicited: ${JSON.stringify(await ctx.elicit('user_name', nameForm))}`;
      return 'This client can be asked nothing';
    },
  ),
};

export const roundPrompts = {
  test_input_required_result_prompt: prompt(
    { description: 'Asks for context before it is written' },
    async (_given, ctx) => {
      const answer = await ctx.elicit('user_context', {
        message: 'Which context should the prompt have?',
        schema: z.object({ context: z.string() }),
      });
      return `Use this context: ${answer.action === 'accept' ? answer.content.context : 'none'}`;
    },
  ),
};
