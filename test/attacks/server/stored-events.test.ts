/** Floods of results that are not read: they cost their sender its own, and no other caller the results that it resumes for. */
import { createServer, type ServeHttpOptions, serveHttp, tool } from 'tenon';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { withFixed } from '../../kit/fixed-limits.ts';
import { call, startSession } from '../../kit/http/messages.ts';
import { enginesHere, type StartedEngine } from '../../kit/stores/engines.ts';
import { openAt } from '../../kit/stores/open-at.ts';
import { sessionVersions } from '../../kit/version-order.ts';
import { withTimeout } from '../../kit/with-timeout.ts';

const revision = String(sessionVersions.at(-1));
const resultChars = 5000;

type From = Readonly<Record<string, string>>;
const signedIn = (token: string): From => ({ authorization: `Bearer ${token}` });
const at = (address: string): From => ({ 'x-forwarded-for': address });
const [ann, eve] = [signedIn('ann'), signedIn('eve')];
const [outsider, visitor] = [at('203.0.113.1'), at('198.51.100.7')];

/** A server that stores twelve results of all callers. */
async function start(store: ServeHttpOptions['store'] | undefined) {
  const report = tool({ inputSchema: z.object({ of: z.string() }) }, ({ of }, ctx) => {
    ctx.log('info', 'begun');
    return of.padEnd(resultChars, '.');
  });
  const server = createServer(
    { name: 'shop', version: '1', tools: { report } },
    { secrets: ['a secret of the nodes'] },
  );
  const service = await serveHttp(server, {
    port: 0,
    authenticate: ({ header }) => header('authorization')?.slice(7) ?? { anonymous: true },
    trustedProxies: ['127.0.0.1'],
    limits: withFixed({ maxSessionChars: 30_000 }, { maxTotalStoredChars: 12 * resultChars }),
    ...(store && { store }),
  });
  onTestFinished(() => service.close());
  /** Calls the tool in a session of its own; returns what a client gets that has lost its connection before the result. */
  return async (from: From, of: string): Promise<() => Promise<string>> => {
    const session = await startSession(service.url, revision, { headers: from });
    const response = await session.open({ body: call('report', { of }) });
    await withTimeout(response.ended, 'the result');
    const first = response.events()[0]?.id;
    return async () => {
      const resumed = await session.listen(first);
      await withTimeout(resumed.ended, 'the rest of the stream');
      return resumed.text();
    };
  };
}

interface Served {
  readonly label: string;
  open(): Promise<ServeHttpOptions['store'] | undefined>;
}

function testFloods({ label, open }: Served): void {
  describe(`a flood of results that are not read, ${label}`, () => {
    it.each([
      ['one principal', () => eve],
      ['one address', () => outsider],
      ['one IPv6 network', (n: number) => at(`2001:db8::${n + 1}`)],
      ['addresses that are not known', (n: number) => at(n % 2 === 0 ? 'unknown' : '_hidden')],
    ])('of %s makes no other client resume in vain [S24, S36]', async (_name, callerOf) => {
      const report = await start(await open());
      const [own, others] = [await report(ann, 'own'), await report(visitor, 'other')];
      for (let n = 0; n < 30; n++) await report(callerOf(n), `flood ${n}`);
      expect(await own()).toContain('own...');
      expect(await others()).toContain('other...');
    });

    it('of many addresses makes no principal resume in vain [S24, S36]', async () => {
      const report = await start(await open());
      const own = [await report(ann, 'own'), await report(signedIn('bob'), 'own')];
      for (let n = 0; n < 40; n++) await report(at(`203.0.113.${n}`), `flood ${n}`);
      for (const resume of own) expect(await resume()).toContain('own...');
    });
  });
}

testFloods({ label: 'in memory', open: async () => undefined });

describe.each(enginesHere)('on %s', (label, engine) => {
  let started: StartedEngine;
  beforeAll(async () => {
    started = await engine.start();
  });
  afterAll(() => started.close());
  testFloods({
    label,
    async open() {
      const store = await openAt(started.next(), { commandMs: 60_000, connectMs: 60_000 });
      onTestFinished(() => store.close());
      return store;
    },
  });
});
