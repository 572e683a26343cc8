/** Prompt messages in the role `system`, as founding document 003 shows them. */
import { connect, createServer, type PromptReturn, type ProtocolVersion, prompt, promptResult } from 'tenon';

import { protocolVersions } from 'tenon/protocol';
import { expect, it } from 'vitest';
import { sessionVersions } from '../../kit/version-order.ts';

const sessions = sessionVersions;
const messages = [
  { role: 'system', content: { type: 'text', text: 'You are an expert in SQL.' } },
  { role: 'user', content: { type: 'text', text: 'Write a query for users.' } },
] as const;

const serverOf = (returned: PromptReturn, dialects: readonly 'system-role'[]) =>
  createServer(
    { name: 's', version: '1', prompts: { sql: prompt({}, () => returned) } },
    { compat: { dialects }, onError: () => {} },
  );

/** What a client gets at a protocol version. */
async function got(server: ReturnType<typeof serverOf>, version: ProtocolVersion) {
  await using client = await connect(server, { protocolVersions: [version] });
  return await client.request('prompts/get', { name: 'sql' });
}

it.each(sessions)('a server with the dialect system-role sends the role system at %s [S07]', async (version) => {
  const dialects = ['system-role'] as const;
  expect(await got(serverOf(messages, dialects), version)).toMatchObject({ messages });
  expect(await got(serverOf(promptResult({ messages }), dialects), version)).toMatchObject({ messages });
});

it('a server with the dialect sends it as the user where no dialects exist [S07]', async () => {
  const server = serverOf(messages, ['system-role']);
  expect(await got(server, '2026-07-28')).toMatchObject({ messages: [{ ...messages[0], role: 'user' }, messages[1]] });
});

it.each(protocolVersions)('a server without the dialect does not send it at %s [S07, S34]', async (version) => {
  await expect(got(serverOf(messages, []), version)).rejects.toMatchObject({ code: -32603 });
});

it('another role is refused in the dialect too [S34]', async () => {
  const wrong = [{ role: 'god', content: { type: 'text', text: '' } }] as unknown as PromptReturn;
  await expect(got(serverOf(wrong, ['system-role']), '2025-06-18')).rejects.toMatchObject({ code: -32603 });
});
