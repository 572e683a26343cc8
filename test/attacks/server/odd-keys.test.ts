/** Names that callers choose, with everything that a store may misread: none of them is another's, and none makes the store fail. */
import { createServer, type ServeHttpOptions, serveHttp, tool } from 'tenon';
import { createMemoryStore } from 'tenon/store';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { lone, loneCall, startSession } from '../../kit/http/messages.ts';
import { type Json, send } from '../../kit/http/raw-http.ts';
import { enginesHere, type StartedEngine } from '../../kit/stores/engines.ts';
import { openAt } from '../../kit/stores/open-at.ts';
import { sessionVersions } from '../../kit/version-order.ts';

const follows = {
  'io.modelcontextprotocol/clientCapabilities': { extensions: { 'io.modelcontextprotocol/tasks': {} } },
};

/** Texts that are alike once they are cut, decoded, normalised or replaced. */
const odd: readonly string[] = [
  'a',
  'a ',
  'A',
  'a\0',
  'a\0b',
  '\0',
  '\u0001',
  '\u00010000',
  '\u0001"\\u0000"',
  '\\u0000',
  '\ud800',
  '\ud801',
  '\udc00',
  '\ufffd',
  '\ud83d\ude00',
  '\ude00\ud83d',
  'é',
  'e\u0301',
  'ﬁ',
  'fi',
  'ß',
  'ss',
  '\ufeffa',
  'a\u200b',
  'a|b',
  'a:b',
  'a/b',
  'a%2Fb',
  '{a}',
  '{}',
  "a'; DROP TABLE row; --",
  "a' OR '1'='1",
  '"a"',
  '\\',
  '$1',
  '?',
  "]]..redis.call('FLUSHALL')..[[",
  '#sha256:00',
  'tnenc1.a',
  'call ["shop","a"]',
  '__proto__',
  'constructor',
  '\r\nSET a b',
  '\u2028',
  `${'x'.repeat(199)}a`,
  `${'x'.repeat(199)}b`,
  `${'\u{1F600}'.repeat(100)}`,
  `${'\u{1F600}'.repeat(99)}\ud83d`,
];

async function start(store: ServeHttpOptions['store']) {
  let runs = 0;
  const failures: unknown[] = [];
  const task = { support: 'required', answerWithinMs: 0, ttlMs: 60_000 } as const;
  const server = createServer(
    {
      name: 'shop',
      version: '1',
      tools: { count: tool({}, () => `run ${++runs}`), later: tool({ task }, () => `later ${++runs}`) },
    },
    { secrets: ['at least sixteen characters'], onError: (error) => void failures.push(error) },
  );
  const service = await serveHttp(server, {
    port: 0,
    authenticate: ({ header }) => {
      const given = header('authorization');
      return given === undefined ? { anonymous: true } : JSON.parse(decodeURIComponent(given.slice(7)));
    },
    onWarning: (warning) => void failures.push(warning),
    ...(store && { store }),
  });
  onTestFinished(() => service.close());
  /** Names with halves of characters cannot be in a header, so they are JSON in it. */
  const signed = (principal: unknown) =>
    principal === undefined ? {} : { authorization: `Bearer ${encodeURIComponent(JSON.stringify(principal))}` };
  async function post(principal: unknown, { headers, body }: ReturnType<typeof lone>): Promise<Json> {
    return (await send(service.url, { headers: { ...headers, ...signed(principal) }, body })).json as Json;
  }
  const call = async (principal: unknown, key: string, name = 'count'): Promise<Json> =>
    post(principal, loneCall(name, {}, { ...follows, 'dev.tenon/idempotency-key': key }));
  return { url: service.url, call, post, failures };
}

interface Served {
  readonly label: string;
  open(): Promise<ServeHttpOptions['store']>;
}

function testKeys({ label, open }: Served): void {
  describe(`names that callers choose, ${label}`, () => {
    it('are idempotency keys of their own, each for one call [S24, S36]', async () => {
      const { call, failures } = await start(await open());
      const results = new Map<string, string>();
      for (const key of odd) results.set(key, JSON.stringify((await call('ann', key)).result));
      for (const [key, result] of results) expect([key, result]).toEqual([key, expect.stringContaining('run ')]);
      expect(new Set(results.values()).size).toBe(odd.length);
      for (const [key, result] of results) expect(JSON.stringify((await call('ann', key)).result)).toBe(result);
      expect(failures).toEqual([]);
    });

    it('are principals of their own, whatever their keys are [S24, S36]', async () => {
      const { call, failures } = await start(await open());
      const pairs: [unknown, string][] = [
        ['a', 'b c'],
        ['a b', 'c'],
        ['a', 'c'],
        ['address 127.0.0.1', 'c'],
        ['["a","b"]', 'c'],
        [{ issuer: 'a', subject: 'b' }, 'c'],
        [{ issuer: 'a","b', subject: 'b' }, 'c'],
        [{ issuer: 'a', subject: 'b\0' }, 'c'],
        [{ issuer: 'a', subject: '\ud800' }, 'c'],
        [{ issuer: 'a', subject: '\ud801' }, 'c'],
        [undefined, 'c'],
      ];
      // Issuer and subject are joined as JSON, so that a text can be the key of the same principal: its author decides.
      const texts: string[] = [];
      for (const [principal, key] of pairs) texts.push(JSON.stringify((await call(principal, key)).result));
      expect(new Set(texts).size).toBe(pairs.length - 1);
      expect(texts[4]).toBe(texts[5]);
      expect(failures).toEqual([]);
    });

    it('are keys of tasks of their own, and unknown IDs of tasks [S24, S36]', async () => {
      const { call, post, failures } = await start(await open());
      const some = odd.filter((_, at) => at % 3 === 0);
      const ids = new Set<string>();
      for (const key of some) ids.add(String(((await call('ann', key, 'later')).result as Json).taskId));
      expect(ids.size).toBe(some.length);
      for (const taskId of odd) {
        const { headers, body } = lone('tasks/get', { taskId }, follows);
        const named = `=?base64?${Buffer.from(taskId).toString('base64')}?=`;
        const { error, result } = await post('ann', { headers: { ...headers, 'mcp-name': named }, body });
        expect(result).toBeUndefined();
        expect([-32602, -32020, -32001]).toContain((error as Json).code);
      }
      expect(failures).toEqual([]);
    });

    it('are no events and no sessions [S24, S36]', async () => {
      const { url, failures } = await start(await open());
      const session = await startSession(url, String(sessionVersions.at(-1)));
      const events = [
        '0',
        '0.',
        '.0',
        '0.-1',
        '0.1e3',
        '0.999999999999999',
        '0.1.1',
        "0'.1",
        'x|y.1',
        '{}.1',
        '../s.1',
      ];
      for (const last of events) {
        const response = await session.listen(last);
        expect([last, response.status]).toEqual([last, 400]);
        await response.ended;
      }
      const { id } = session;
      const ids = [
        'x',
        id.slice(0, 16),
        `${id}A`,
        id.slice(0, -1),
        id.toLowerCase(),
        `${id},${id}`,
        `${id}=`,
        ` ${id}x`,
      ];
      for (const other of [...ids, `${id.slice(0, 16)}${'A'.repeat(id.length - 16)}`])
        for (const method of ['GET', 'DELETE', 'POST']) {
          const headers = {
            ...session.headers,
            'mcp-session-id': other,
            accept: 'application/json, text/event-stream',
          };
          const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
          const { status } = await send(url, { method, headers, ...(method === 'POST' && { body: ping }) });
          expect([other, method, status]).toEqual([other, method, 404]);
        }
      expect((await session.post({ jsonrpc: '2.0', id: 2, method: 'ping' })).status).toBe(200);
      expect(failures).toEqual([]);
    });
  });
}

testKeys({ label: 'in memory', open: async () => createMemoryStore() });

describe.each(enginesHere)('on %s', (label, engine) => {
  let started: StartedEngine;
  beforeAll(async () => {
    started = await engine.start();
  });
  afterAll(() => started.close());
  testKeys({
    label,
    async open() {
      const store = await openAt(started.next(), { commandMs: 60_000, connectMs: 60_000 });
      onTestFinished(() => store.close());
      return store;
    },
  });
});
