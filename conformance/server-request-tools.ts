/** Tools that send a server request and continue with the client's answer. */
import { tool } from 'tenon';
import { z } from 'zod';

const choices = (names: readonly string[]) => names.map((name) => ({ const: name, title: `Title of ${name}` }));
const options = ['option1', 'option2', 'option3'];
const values = ['value1', 'value2', 'value3'];

export const serverRequestTools = {
  test_sampling: tool(
    { description: "Samples the client's model", inputSchema: z.object({ prompt: z.string() }) },
    async ({ prompt }, ctx) => {
      const { content } = await ctx.sample('reply', {
        messages: [{ role: 'user', content: { type: 'text', text: prompt } }],
        maxTokens: 100,
      });
      return `LLM response: ${JSON.stringify(content)}`;
    },
  ),
  test_elicitation: tool(
    { description: 'Elicits the name and address of the user', inputSchema: z.object({ message: z.string() }) },
    async ({ message }, ctx) => {
      const schema = z.object({
        username: z.string().describe("User's response"),
        email: z.string().describe("User's email address"),
      });
      return `User response: ${JSON.stringify(await ctx.elicit('user', { message, schema }))}`;
    },
  ),
  test_elicitation_sep1034_defaults: tool(
    { description: 'Elicits a form with defaults of every type' },
    async (_given, ctx) => {
      const answer = await ctx.elicit('defaults', {
        message: 'Please review and update the form fields with defaults',
        requestedSchema: {
          type: 'object',
          properties: {
            name: { type: 'string', default: 'John Doe' },
            age: { type: 'integer', default: 30 },
            score: { type: 'number', default: 95.5 },
            status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
            verified: { type: 'boolean', default: true },
          },
          required: [],
        },
      });
      return `Elicitation completed: ${JSON.stringify(answer)}`;
    },
  ),
  test_elicitation_sep1330_enums: tool(
    { description: 'Elicits a form with enums of every kind' },
    async (_given, ctx) => {
      const answer = await ctx.elicit('choices', {
        message: 'Please select options from the enum fields',
        requestedSchema: {
          type: 'object',
          properties: {
            untitledSingle: { type: 'string', enum: options },
            titledSingle: { type: 'string', oneOf: choices(values) },
            legacyEnum: { type: 'string', enum: ['opt1', 'opt2', 'opt3'], enumNames: ['One', 'Two', 'Three'] },
            untitledMulti: { type: 'array', items: { type: 'string', enum: options } },
            titledMulti: { type: 'array', items: { anyOf: choices(values) } },
          },
          required: [],
        },
      });
      return `Elicitation completed: ${JSON.stringify(answer)}`;
    },
  ),
};
