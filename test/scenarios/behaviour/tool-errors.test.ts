/** What the model sees of a failed tool: the text of a ToolError, and nothing of any other error. */
import { connect, createServer, type RpcError, type TenonError, ToolError, tool, toText } from 'tenon';
import { protocolVersions } from 'tenon/protocol';
import { describe, expect, it } from 'vitest';

const reported: unknown[] = [];

const server = createServer(
  {
    name: 'weather',
    version: '1.0.0',
    tools: {
      forecast: tool({}, () => {
        throw new ToolError('City not found');
      }),
      later: tool({}, async () => {
        await Promise.resolve();
        throw new ToolError('City not found');
      }),
      broken: tool({}, () => {
        throw new Error('password is hunter2');
      }),
      ask: tool({}, async (_, ctx) => {
        await ctx.elicit('city', { message: 'Which city?', requestedSchema: { type: 'object', properties: {} } });
        return 'answered';
      }),
    },
  },
  { onError: (error) => reported.push(error) },
);

describe.each(protocolVersions)('under %s', (version) => {
  it.each(['forecast', 'later'])('the text of a ToolError is the result of %s, with isError', async (name) => {
    const client = await connect(server, { protocolVersions: [version] });
    const result = await client.tools.call(name as 'forecast');
    expect(result.isError).toBe(true);
    expect(toText(result)).toBe('City not found');
    await client.close();
  });

  it('the text of another error stays on the server', async () => {
    reported.length = 0;
    const client = await connect(server, { protocolVersions: [version] });
    expect(toText(await client.tools.call('broken'))).not.toContain('hunter2');
    expect(reported).toEqual([expect.objectContaining({ message: 'password is hunter2' })]);
    await client.close();
  });

  it('a hint for the developer does not reach the client', async () => {
    const client = await connect(server, { protocolVersions: [version] });
    const text = await client.tools.call('ask').then(toText, (error: RpcError | TenonError) => error.message);
    expect(text).toContain('elicitation');
    expect(text).not.toContain('ctx.');
    await client.close();
  });
});

it('a ToolError is not reported as a failure of the handler', async () => {
  reported.length = 0;
  const client = await connect(server);
  await client.tools.call('forecast');
  expect(reported).toEqual([]);
  await client.close();
});
