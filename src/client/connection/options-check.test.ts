/** connect() and calls reject invalid options. */
import { connect, createServer } from 'tenon';
import { expect, it } from 'vitest';

const server = createServer({ name: 'x', version: '1', tools: {} });

it.each<[place: string, options: unknown]>([
  ['options', null],
  ['clientInfo', { clientInfo: { name: 'x' } }],
  ['protocolVersions', { protocolVersions: '2025-06-18' }],
  ['compat.dialects', { compat: { dialects: ['klingon'] } }],
  ['compat.dialects', { compat: { dialects: 'tasks-create' } }],
  ['compat.errorCodes', { compat: { errorCodes: 'toString' } }],
  ['handlers', { handlers: null }],
  ['handlers', { handlers: [] }],
  ['handlers.elicitForm', { handlers: { elicitForm: { action: 'accept' } } }],
  ['handlers.onElicitationComplete', { handlers: { onElicitationComplete: true } }],
  ['handlers.allowedUrlSchemes', { handlers: { allowedUrlSchemes: 'https' } }],
  ['handlers.roots', { handlers: { roots: 'file:///' } }],
  ['requiredCapabilities', { requiredCapabilities: 'tools' }],
  ['requiredCapabilities', { requiredCapabilities: ['experimental.'] }],
  ['timeoutMs', { timeoutMs: 0 }],
  ['timeoutMs', { timeoutMs: Number.POSITIVE_INFINITY }],
  ['timeouts.discoveryMs', { timeouts: { discoveryMs: '1' } }],
  ['timeouts.urlElicitationMs', { timeouts: { urlElicitationMs: 0 } }],
  ['timeouts.taskOutageMs', { timeouts: { taskOutageMs: 1 } }],
  ['timeouts.refreshIntervalMs', { timeouts: { refreshIntervalMs: 1 } }],
  ['reconnect.resetAfterMs', { reconnect: { resetAfterMs: 1 } }],
  ['reconnect.maxAttemptsPerMinute', { reconnect: { maxAttemptsPerMinute: 1 } }],
  ['handlers.tasks.maxTasks', { handlers: { tasks: { maxTasks: 1 } } }],
  ['handlers.tasks.maxTtlMs', { handlers: { tasks: { maxTtlMs: 1 } } }],
  ['limits.maxListChars', { limits: { maxListChars: 1 } }],
  ['limits.maxInputRounds', { limits: { maxInputRounds: -1 } }],
  ['limits.maxInputRounds', { limits: { maxInputRounds: 1.5 } }],
  ['timeouts.inputMs', { timeouts: { inputMs: 0 } }],
  ['logLevel', { logLevel: 'bogus' }],
  ['onLog', { onLog: console }],
  ['jsonSchemaValidator', { jsonSchemaValidator: {} }],
  ['cache', { cache: true }],
  ['cache.ttlMs', { cache: { ttlMs: 0 } }],
  ['cache.maxEntries', { cache: { maxEntries: 1.5 } }],
  ['cache.shared', { cache: { shared: new Map() } }],
  ['timeouts.pingIntervalMs', { timeouts: { pingIntervalMs: 0 } }],
  ['reconnect.trustToolAnnotations', { reconnect: { trustToolAnnotations: 1 } }],
])('connect rejects %s as in %j, and names the place', async (place, options) => {
  await expect(connect(server, options as never)).rejects.toMatchObject({
    code: 'invalid-argument',
    details: { place },
    hint: expect.any(String),
  });
});

it('connect accepts undefined options', async () => {
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
  ['timeouts.inputs', { timeouts: { inputs: 5 } }, 'inputMs'],
  ['deadlines', { deadlines: {} }, 'There are clientInfo'],
  ['banana', { banana: 1 }, 'There are clientInfo, protocolVersions'],
])('connect rejects the unknown option %s, and names the nearest', async (place, options, meant) => {
  await expect(connect(server, options as never)).rejects.toMatchObject({
    code: 'invalid-argument',
    details: { place },
    hint: expect.stringContaining(meant),
  });
});

it.each([Number.NaN, 0, -1, 'soon'])('a call rejects the timeout %s', async (timeoutMs) => {
  await using client = await connect(server);
  await expect(client.tools.list({ timeoutMs: timeoutMs as number }).all()).rejects.toMatchObject({
    code: 'invalid-argument',
  });
});

it('an option that belongs into a group is suggested with its group, also if it is misspelt', () => {
  const wrong = (options: object): Promise<unknown> => connect(server, options).catch((error: Error) => error.message);
  return Promise.all([
    expect(wrong({ maxMessage: 5 })).resolves.toContain('Did you mean limits.maxMessageChars?'),
    expect(wrong({ inputTime: 5 })).resolves.toContain('Did you mean timeouts.inputMs?'),
  ]);
});
