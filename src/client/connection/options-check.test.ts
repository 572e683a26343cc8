import { connect, createServer } from 'tenon';
import { expect, it } from 'vitest';

const server = createServer({ name: 'x', version: '1', tools: {} });

it.each<[place: string, options: unknown]>([
  ['options', null],
  ['clientInfo', { clientInfo: { name: 'x' } }],
  ['protocolVersions', { protocolVersions: '2025-06-18' }],
  ['compat.dialects', { compat: { dialects: ['klingon'] } }],
  ['compat.dialects', { compat: { dialects: 'founding-tasks' } }],
  ['compat.errorCodes', { compat: { errorCodes: 'toString' } }],
  ['handlers', { handlers: null }],
  ['handlers', { handlers: [] }],
  ['handlers.elicitForm', { handlers: { elicitForm: { action: 'accept' } } }],
  ['handlers.onElicitationComplete', { handlers: { onElicitationComplete: true } }],
  ['handlers.pageTimeoutMs', { handlers: { pageTimeoutMs: 0 } }],
  ['handlers.allowedUrlSchemes', { handlers: { allowedUrlSchemes: 'https' } }],
  ['handlers.roots', { handlers: { roots: 'file:///' } }],
  ['requiredCapabilities', { requiredCapabilities: 'tools' }],
  ['timeoutMs', { timeoutMs: 0 }],
  ['timeoutMs', { timeoutMs: Number.POSITIVE_INFINITY }],
  ['probeTimeoutMs', { probeTimeoutMs: '1' }],
  ['maxRounds', { maxRounds: -1 }],
  ['maxRounds', { maxRounds: 1.5 }],
  ['answerTimeoutMs', { answerTimeoutMs: 0 }],
  ['logLevel', { logLevel: 'bogus' }],
  ['onLog', { onLog: console }],
  ['jsonSchemaValidator', { jsonSchemaValidator: {} }],
  ['cache', { cache: true }],
  ['cache.ttlMs', { cache: { ttlMs: 0 } }],
  ['cache.maxEntries', { cache: { maxEntries: 1.5 } }],
  ['cache.shared', { cache: { shared: new Map() } }],
  ['pingEveryMs', { pingEveryMs: 0 }],
])('connect refuses %s as in %j, and names the place', async (place, options) => {
  await expect(connect(server, options as never)).rejects.toMatchObject({
    code: 'invalid-argument',
    details: { place },
    hint: expect.any(String),
  });
});

it('connect takes options that are left undefined', async () => {
  await using client = await connect(server, {
    handlers: { roots: [] },
    timeoutMs: 1000,
    ...({ onLog: undefined } as object),
  });
  expect(await client.tools.list().all()).toEqual([]);
});

it.each([
  ['timeout', { timeout: 5 }, 'timeoutMs'],
  ['handler', { handler: {} }, 'handlers'],
  ['handlers.elicitForms', { handlers: { elicitForms: () => {} } }, 'elicitForm'],
  ['banana', { banana: 1 }, 'There are clientInfo, protocolVersions'],
])('connect refuses %s, which is no option, and names the nearest', async (place, options, meant) => {
  await expect(connect(server, options as never)).rejects.toMatchObject({
    code: 'invalid-argument',
    details: { place },
    hint: expect.stringContaining(meant),
  });
});

it.each([Number.NaN, 0, -1, 'soon'])('a call refuses to wait for %s', async (timeoutMs) => {
  await using client = await connect(server);
  await expect(client.tools.list({ timeoutMs: timeoutMs as number }).all()).rejects.toMatchObject({
    code: 'invalid-argument',
  });
});
