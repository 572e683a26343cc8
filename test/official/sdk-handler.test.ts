/** `sdkHandler`: handlers of tools of the official SDK, in tools of Tenon, under every protocol version. */
import { ElicitResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createDeferred } from '../../src/lib/values/deferred.ts';
import { sdkHandler } from '../../src/node/entries/official.ts';
import { connect, createServer, tool } from '../../src/node/index.ts';
import type { SdkExtra, SdkToolHandler } from '../../src/official/index.ts';
import { protocolVersions } from '../../src/protocol/index.ts';
import { withTimeout } from '../kit/with-timeout.ts';

const text = (said: string) => ({ content: [{ type: 'text', text: said }] });
const secrets = ['a secret of more than 16 characters'];
const form = { type: 'object', properties: { name: { type: 'string' } } };
const elicitation = { message: 'Your name?', requestedSchema: form };

/** Calls a tool that has this handler. */
async function call(handler: SdkToolHandler<unknown, SdkExtra>, version: string, options = {}) {
  const tools = { it: tool({ inputSchema: z.object({ city: z.string().optional() }) }, sdkHandler(handler) as never) };
  const server = createServer({ name: 'a', version: '1', tools }, { secrets });
  await using client = await connect(server, {
    protocolVersions: [version],
    handlers: { elicitForm: () => ({ action: 'accept', content: { name: 'Ada' } }) },
    ...options,
  } as never);
  return (client.tools.call as (...all: unknown[]) => Promise<Record<string, unknown>>)('it', { city: 'Oslo' });
}

describe.each(protocolVersions)('under %s', (version) => {
  it('gives the arguments and passes the result on', async () => {
    expect(await call((args) => text((args as { city: string }).city), version)).toMatchObject(text('Oslo'));
  });

  it('sends the text of an error as a result', async () => {
    const failing = (): never => {
      throw new Error('No such city');
    };
    expect(await call(failing, version)).toMatchObject({ ...text('No such city'), isError: true });
  });
});

describe.each(protocolVersions.slice(-2))('a handler that asks, under %s', (version) => {
  it.each(['v1', 'v2'])('runs once and gets the answer, as SDK %s sends it', async (sdk) => {
    let runs = 0;
    const asking: SdkToolHandler<unknown, SdkExtra> = async (_args, { sendRequest, mcpReq }) => {
      runs++;
      const answer =
        sdk === 'v1'
          ? await sendRequest({ method: 'elicitation/create', params: elicitation }, ElicitResultSchema)
          : await mcpReq.elicitInput(elicitation);
      return text(`Hello, ${answer.content?.name}`);
    };
    expect(await call(asking, version)).toMatchObject(text('Hello, Ada'));
    expect(runs).toBe(1);
  });
});

it('reports progress, and log messages', async () => {
  const [progress, logs]: [number[], unknown[]] = [[], []];
  const server = createServer({
    name: 'a',
    version: '1',
    tools: {
      it: tool(
        {},
        sdkHandler(async (_args, { sendNotification, mcpReq }) => {
          await sendNotification({ method: 'notifications/progress', params: { progress: 1, total: 2 } });
          await mcpReq.log('info', 'half');
          return text('done');
        }),
      ),
    },
  });
  await using client = await connect(server, { logLevel: 'debug', onLog: ({ data }) => void logs.push(data) });
  await client.tools.call('it', {}, { onProgress: (update) => void progress.push(update.progress) });
  expect([progress, logs]).toEqual([[1], ['half']]);
});

it('aborts the signal of a call that is cancelled', async () => {
  const [begun, aborted] = [createDeferred<void>(), createDeferred<void>()];
  const waiting = sdkHandler(async (_args, { signal }) => {
    signal.addEventListener('abort', () => aborted.resolve());
    begun.resolve();
    await aborted.promise;
    return text('late');
  });
  await using client = await connect(createServer({ name: 'a', version: '1', tools: { it: tool({}, waiting) } }));
  const controller = new AbortController();
  const result = client.tools.call('it', {}, { signal: controller.signal }).catch((error: Error) => error);
  await begun.promise;
  controller.abort();
  expect(await result).toBeInstanceOf(Error);
  await withTimeout(aborted.promise, 'the abort of the handler');
});

it('infers the arguments from the schema', () => {
  const definition = tool(
    { inputSchema: z.object({ city: z.string() }), outputSchema: z.object({ degrees: z.number() }) },
    sdkHandler(async ({ city }, extra) => ({
      content: [{ type: 'text', text: city.toUpperCase() }],
      structuredContent: { degrees: city.length, aborted: extra.signal.aborted },
    })),
  );
  expect(definition.kind).toBe('tool');
});
