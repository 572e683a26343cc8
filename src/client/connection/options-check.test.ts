import { connect, createServer } from 'tenon';
import { expect, it } from 'vitest';

const server = createServer({ name: 'x', version: '1', tools: {} });

it.each<[place: string, options: unknown]>([
  ['options', null],
  ['client', { client: { name: 'x' } }],
  ['revisions', { revisions: '2025-06-18' }],
  ['dialects', { dialects: ['klingon'] }],
  ['dialects', { dialects: 'founding-tasks' }],
  ['errorCodes', { errorCodes: 'toString' }],
  ['answers', { answers: null }],
  ['answers', { answers: [] }],
  ['answers.form', { answers: { form: { action: 'accept' } } }],
  ['answers.pageDone', { answers: { pageDone: true } }],
  ['answers.pageTimeoutMs', { answers: { pageTimeoutMs: 0 } }],
  ['answers.urlSchemes', { answers: { urlSchemes: 'https' } }],
  ['answers.roots', { answers: { roots: 'file:///' } }],
  ['expects', { expects: 'tools' }],
  ['timeoutMs', { timeoutMs: 0 }],
  ['timeoutMs', { timeoutMs: Number.POSITIVE_INFINITY }],
  ['probeTimeoutMs', { probeTimeoutMs: '1' }],
  ['maxRounds', { maxRounds: -1 }],
  ['maxRounds', { maxRounds: 1.5 }],
  ['answerTimeoutMs', { answerTimeoutMs: 0 }],
  ['logLevel', { logLevel: 'bogus' }],
  ['log', { log: console }],
  ['outputs', { outputs: {} }],
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
    answers: { roots: [] },
    timeoutMs: 1000,
    ...({ log: undefined } as object),
  });
  expect(await client.tools.list().all()).toEqual([]);
});

it.each([
  ['timeout', { timeout: 5 }, 'timeoutMs'],
  ['answer', { answer: {} }, 'answers'],
  ['answers.forms', { answers: { forms: () => {} } }, 'form'],
  ['banana', { banana: 1 }, 'There are client, revisions'],
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
