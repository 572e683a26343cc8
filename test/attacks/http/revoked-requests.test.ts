/** A request whose principal is revoked after its credentials were checked, and before its body has arrived. */
import { createServer, serveHttp, tool } from 'tenon';
import { expect, it, onTestFinished } from 'vitest';
import { RecentRevocations } from '../../../src/server/http/admission/recent-revocations.ts';
import { initialize, loneCall } from '../../kit/http/messages.ts';
import type { Sent } from '../../kit/http/raw-http.ts';
import { dial, written } from '../../kit/http/raw-socket.ts';

it.each<[string, Sent]>([
  ['of a call', loneCall('work')],
  ['that opens a session', { body: initialize('2025-11-25') }],
])('gets 401, whatever arrives of it later: a request %s [S24, S36]', async (_what, sent) => {
  const runs: unknown[] = [];
  let asked = 0;
  const work = tool({}, (_given, { caller }) => {
    runs.push(caller.principal?.key);
    return 'done';
  });
  const server = createServer({ name: 's', version: '1', tools: { work } });
  const service = await serveHttp(server, {
    port: 0,
    authenticate: ({ header }) => {
      asked++;
      return { issuer: 'https://id.test', subject: header('authorization') ?? '' };
    },
  });
  onTestFinished(() => service.close());
  const request = (subject: string): string =>
    written({ ...sent, headers: { ...sent.headers, authorization: subject } });
  const [ada, bob] = ['ada', 'bob'].map((subject) => ({ ...dial(service), bytes: request(subject) }));
  if (ada === undefined || bob === undefined) throw new Error('There are two callers');
  for (const { socket, bytes } of [ada, bob]) socket.write(bytes.slice(0, -10));
  await expect.poll(() => asked).toBe(2);
  service.revoke({ issuer: 'https://id.test', subject: 'ada' });
  for (const { socket, bytes } of [ada, bob]) socket.write(bytes.slice(-10));
  await Promise.all([ada.until(/\}$/), bob.until(/\}$/)]);
  expect(ada.text()).toMatch(/^HTTP\/1\.1 401 [^]*www-authenticate: Bearer error="invalid_token"/);
  expect(bob.text()).toMatch(/^HTTP\/1\.1 200 /);
  expect(runs.filter((key) => String(key).includes('ada'))).toEqual([]);
  expect(service.stats().sessions).toBe(bob.text().includes('mcp-session-id') ? 1 : 0);
});

it('is known for the newest revocations, and older ones refuse rather than allow [S24]', () => {
  const revocations = new RecentRevocations();
  const before = revocations.count;
  revocations.add('eve');
  for (let at = 0; at < 1000; at++) revocations.add(`other ${at}`);
  const after = revocations.count;
  expect([revocations.has('eve', before), revocations.has('ada', before)]).toEqual([true, true]);
  expect([revocations.has('ada', before + 1), revocations.has('other 7', before + 1)]).toEqual([false, true]);
  expect([revocations.has('eve', after), revocations.has('other 999', after)]).toEqual([false, false]);
});
