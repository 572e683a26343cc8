/** Tools for single rules of the suite: capabilities, list changes, schemas, headers. */
import { prompt, type Server, tool } from 'tenon';
import { fromJsonSchema } from 'tenon/json-schema';
import { z } from 'zod';
import fullSchema from './schema-2020-12.json' with { type: 'json' };

export const probeTools = {
  test_missing_capability: tool({ description: 'Needs a client with sampling' }, async (_given, ctx) => {
    await ctx.sample('reply', {
      messages: [{ role: 'user', content: { type: 'text', text: 'Say hello' } }],
      maxTokens: 10,
    });
    return 'The client supports sampling';
  }),
  test_streaming_elicitation: tool({ description: 'Elicits a confirmation' }, async (_given, ctx) => {
    ctx.reportProgress(1, 2);
    await ctx.elicit('confirm', { message: 'Please confirm', schema: z.object({ confirmed: z.boolean() }) });
    return 'Confirmed';
  }),
  test_x_mcp_header: tool(
    {
      description: 'Has one argument that is repeated in a header',
      inputSchema: fromJsonSchema<{ region?: string }>({
        type: 'object',
        properties: { region: { type: 'string', 'x-mcp-header': 'Region' } },
      }),
    },
    ({ region }) => `Region: ${region ?? 'none'}`,
  ),
  json_schema_2020_12_tool: tool(
    {
      description: 'Has a schema with the keywords of JSON Schema 2020-12',
      inputSchema: fromJsonSchema(fullSchema),
    },
    (given) => JSON.stringify(given),
  ),
};

const passing = tool({ description: 'Is added and removed' }, () => 'Present');
const passingPrompt = prompt({ description: 'Is added and removed' }, () => 'Present');

/** Tools that change the lists of the server. */
export function changingTools(server: () => Pick<Server, 'update'>) {
  return {
    test_trigger_tool_change: tool({ description: 'Changes the list of tools' }, () => {
      server().update(({ tools }) => {
        if ('test_passing_tool' in tools) delete tools.test_passing_tool;
        else tools.test_passing_tool = passing;
      });
      return 'The list of tools has changed';
    }),
    test_trigger_prompt_change: tool({ description: 'Changes the list of prompts' }, () => {
      server().update(({ prompts }) => {
        if ('test_passing_prompt' in prompts) delete prompts.test_passing_prompt;
        else prompts.test_passing_prompt = passingPrompt;
      });
      return 'The list of prompts has changed';
    }),
  };
}
