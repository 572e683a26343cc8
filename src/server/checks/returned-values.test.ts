/** A handler that returns what cannot be sent gets an error on the server that says what to return. */
import { content, createServer, prompt, resource, tool, toolResult } from 'tenon';
import { protocolVersions } from 'tenon/protocol';
import { createTestConnection } from 'tenon/test';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

const blocks = [{ type: 'text', text: 'secret' }];

describe.each(protocolVersions)('Under %s', (protocolVersion) => {
  const outcomeOf = async (features: object, call: 'tool' | 'prompt' | 'resource') => {
    const errors: unknown[] = [];
    const server = createServer(
      { name: 'x', version: '1', ...features },
      { onError: (error) => void errors.push(error) },
    );
    await using trial = await createTestConnection(server, { protocolVersion });
    const { tools, prompts, resources } = trial.client as never as {
      [kind in 'tools' | 'prompts' | 'resources']: Record<string, (name: string) => Promise<unknown>>;
    };
    const answer = await (call === 'tool'
      ? tools.call?.('a')
      : call === 'prompt'
        ? prompts.get?.('a')
        : resources.read?.('a:b')
    )?.catch((error: unknown) => error);
    return { answer, errors };
  };

  const wrap = 'Wrap it in toolResult(…)';
  it.each<[string, unknown, string, string]>([
    ['the result of the SDK', { content: blocks }, 'the handler returned an object with content', wrap],
    ['an object', { city: 'Oslo' }, 'the handler returned an object', 'Add outputSchema'],
    ['a list', blocks, 'the handler returned a list', 'Return content(…blocks)'],
    ['nothing', undefined, 'the handler returned undefined', 'Return a string'],
    ['a number', 5, 'the handler returned a number', 'Return a string'],
  ])('a tool that returns %s fails, and onError gets what to return', async (_what, value, problem, hint) => {
    const { answer, errors } = await outcomeOf({ tools: { a: tool({}, () => value as never) } }, 'tool');
    expect(answer).toMatchObject({ isError: true, content: [{ text: 'The tool a failed.' }] });
    expect(errors).toEqual([
      expect.objectContaining({
        code: 'invalid-outgoing-message',
        message: expect.stringContaining(`tools.a: ${problem}. ${hint}`),
        details: { place: 'tools.a' },
      }),
    ]);
  });

  it('a tool with outputSchema that returns the result of the SDK fails, and onError gets what to return', async () => {
    const outputSchema = z.object({ city: z.string() });
    const value = { content: blocks, structuredContent: { city: 'Oslo' } };
    const { errors } = await outcomeOf({ tools: { a: tool({ outputSchema }, () => value as never) } }, 'tool');
    expect(errors).toEqual([expect.objectContaining({ hint: expect.stringContaining(wrap) })]);
  });

  it.each<[string, unknown, string]>([
    [
      'the result of the SDK',
      { messages: [] },
      'the handler returned an object with messages. Wrap it in promptResult(',
    ],
    ['a number', 5, 'the handler returned a number. Return a string, a list of messages'],
  ])('a prompt that returns %s fails, and onError gets what to return', async (_what, value, text) => {
    const { errors } = await outcomeOf({ prompts: { a: prompt({}, () => value as never) } }, 'prompt');
    expect(errors).toEqual([expect.objectContaining({ message: expect.stringContaining(`prompts.a: ${text}`) })]);
  });

  it.each<[string, unknown, string]>([
    [
      'the result of the SDK',
      { contents: [] },
      'the handler returned an object with contents. Return the list of parts',
    ],
    ['null', null, 'the handler returned null. Return a string, a Uint8Array'],
  ])('a resource that returns %s fails, and onError gets what to return', async (_what, value, text) => {
    const { errors } = await outcomeOf({ resources: { 'a:b': resource({}, () => value as never) } }, 'resource');
    expect(errors).toEqual([
      expect.objectContaining({ message: expect.stringContaining(`resources["a:b"]: ${text}`) }),
    ]);
  });

  it.each<[string, () => unknown]>([
    ['content()', () => content({ type: 'text', text: 'x' })],
    ['toolResult()', () => toolResult({ content: [{ type: 'text', text: 'x' }] })],
  ])('a tool that returns %s succeeds', async (_what, value) => {
    const { answer, errors } = await outcomeOf({ tools: { a: tool({}, () => value() as never) } }, 'tool');
    expect(answer).toMatchObject({ content: [{ text: 'x' }] });
    expect(errors).toEqual([]);
  });
});
