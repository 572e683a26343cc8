/** The warning about a generated key: only over HTTP, where another process may get the next request of a call. */
import { connect, serveHttp } from 'tenon';
import type { ClientHandlers } from 'tenon/client';
import { expect, it, onTestFinished, vi } from 'vitest';
import { form, serverOf } from '../../kit/server-request-modes.ts';

const secrets = ['a secret for this test'];
const handlers: ClientHandlers = { elicitForm: () => ({ action: 'decline' }) };
const protocolVersions = ['2026-07-28'] as const;
const elicitingServer = (options = {}) =>
  serverOf(async ({ elicit }) => (await elicit('a', form('a'))).action, options);

it.each<[string, boolean, object, number]>([
  ['over HTTP without secrets, once', true, {}, 1],
  ['over HTTP with secrets, never', true, { secrets }, 0],
  ['in memory, never', false, {}, 0],
])('A server warns about its generated key %s', async (_when, isHttp, options, times) => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  onTestFinished(() => warn.mockRestore());
  const server = elicitingServer(options);
  const service = isHttp ? await serveHttp(server, { port: 0 }) : undefined;
  const client = await connect(service?.url ?? server, { handlers, protocolVersions });
  for (let call = 0; call < 2; call++) await client.tools.call('it');
  await client.close();
  await service?.close();
  const texts = warn.mock.calls.map(([text]) => String(text));
  expect(texts).toHaveLength(times);
  for (const text of texts) expect(text).toContain('secrets');
});
