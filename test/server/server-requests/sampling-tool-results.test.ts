/** Tool results in sampling messages, where a revision allows only objects as structured content. */

import { describe, expect, it } from 'vitest';
import { everything, run, sampled, serverOf } from '../../kit/server-request-modes.ts';
import { connectRecorded } from '../../kit/transport/recorded-connection.ts';

const shown = async (revision: '2026-07-28' | '2025-11-25', structuredContent: unknown): Promise<unknown> => {
  const seen: unknown[] = [];
  const server = serverOf(async ({ sample }) => {
    const use = { type: 'tool_use' as const, id: 'u', name: 't', input: {} };
    const result = { type: 'tool_result' as const, toolUseId: 'u', content: [], structuredContent };
    await sample('a', {
      maxTokens: 1,
      messages: [
        { role: 'assistant', content: [use] },
        { role: 'user', content: [result] },
      ],
    });
    return 'done';
  });
  const { client } = await connectRecorded(server, {
    protocolVersions: [revision],
    handlers: {
      ...everything,
      sample: ({ messages }) => {
        seen.push(messages.at(-1)?.content);
        return sampled;
      },
    },
  });
  expect(await run(client)).toBe('done');
  await client.close();
  return (seen as Array<Array<{ structuredContent: unknown }>>)[0]?.[0]?.structuredContent;
};

describe('The structured content of a tool result in a sampling request', () => {
  it.each([[[1, 2]], ['text'], [7], [null]])('%j is wrapped if the revision allows only objects', async (value) => {
    expect(await shown('2025-11-25', value)).toEqual({ value });
    expect(await shown('2026-07-28', value)).toEqual(value);
  });

  it('is unchanged if it is an object', async () => {
    for (const revision of ['2025-11-25', '2026-07-28'] as const)
      expect(await shown(revision, { a: 1 })).toEqual({ a: 1 });
  });
});
