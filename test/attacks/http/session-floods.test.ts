/** Floods of sessions: unused ones end first, and no caller can take the sessions of all others. */
import { toFetchHandler } from 'tenon';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { initialize, notification, request, startSession } from '../../kit/http/messages.ts';
import { type Answer, type Headers as Named, open, send } from '../../kit/http/raw-http.ts';
import { sampleServer, serve } from '../../kit/http/sample-server.ts';

const newest = '2025-11-25';
const from = (address: string): Named => ({ 'x-forwarded-for': address });
const trustedProxies = ['127.0.0.1'];
const rateLimited = { status: 429, headers: { 'retry-after': '1' }, json: { id: 'hello', error: { code: -31429 } } };

/** Sends `initialize` many times, and a ping in each session if it `uses` them. Returns the answers to `initialize`. */
async function flood(url: string, count: number, headersOf: (at: number) => Named, uses: boolean): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (let at = 0; at < count; at++) {
    const { greeting, post } = await startSession(url, newest, { headers: headersOf(at), isReady: uses });
    if (uses && greeting.status === 200) await post(request('ping'));
    answers.push(greeting);
  }
  return answers;
}

const statuses = (answers: readonly Answer[]): number[] => answers.map(({ status }) => status);

afterEach(() => void vi.useRealTimers());

describe('a flood of sessions', () => {
  it('that are not used ends its own, and no session of others [S24, S37]', async () => {
    const { url, stats } = await serve({ sessions: { maxCount: 20 }, trustedProxies });
    const user = await startSession(url, newest, { headers: from('198.51.100.7'), isReady: false });
    expect(statuses(await flood(url, 60, () => from('203.0.113.1'), false))).toEqual(Array(60).fill(200));
    expect(stats().sessions).toBeLessThanOrEqual(11);
    expect((await user.post(request('ping'))).status).toBe(200);
    await flood(url, 60, () => from('203.0.113.1'), false);
    expect((await user.post(request('ping'))).status).toBe(200);
  });

  it('from many addresses fills the endpoint only until others come, and spares those in use [S24]', async () => {
    const { url, stats } = await serve({ sessions: { maxCount: 20 }, trustedProxies });
    const user = await startSession(url, newest, { headers: from('198.51.100.7') });
    await user.post(request('ping'));
    await flood(url, 60, (at) => from(`203.0.113.${at}`), false);
    expect(stats().sessions).toBe(20);
    expect((await startSession(url, newest, { headers: from('198.51.100.8') })).greeting.status).toBe(200);
    expect((await user.post(request('ping'))).status).toBe(200);
  });

  it.each([
    ['one address', () => from('203.0.113.1')],
    ['one IPv6 network', (at: number) => from(`2001:db8::${at}`)],
    ['one address that forges others', (at: number) => from(`198.51.100.${at}, 203.0.113.1`)],
  ])('that are used gets at most half of them for %s [S24]', async (_name, headersOf) => {
    const { url, stats } = await serve({ sessions: { maxCount: 8 }, trustedProxies });
    const answers = await flood(url, 12, headersOf, true);
    expect(statuses(answers)).toEqual([...Array(4).fill(200), ...Array(8).fill(429)]);
    expect(answers.at(-1)).toMatchObject(rateLimited);
    expect(stats().sessions).toBe(4);
    expect((await startSession(url, newest, { headers: from('198.51.100.7') })).greeting.status).toBe(200);
  });

  it('gets at most half of them for one principal, from whatever address [S24]', async () => {
    const authenticate = ({ header }: { header(name: string): string | undefined }) =>
      header('x-user') ?? ({ anonymous: true } as const);
    const { url } = await serve({ sessions: { maxCount: 8 }, trustedProxies, authenticate });
    const answers = await flood(url, 6, (at) => ({ 'x-user': 'eve', ...from(`203.0.113.${at}`) }), true);
    expect(statuses(answers)).toEqual([200, 200, 200, 200, 429, 429]);
    const others = await flood(url, 3, (at) => from(`203.0.113.${at}`), true);
    // All callers without a principal share what one principal may have.
    expect(statuses(others)).toEqual([200, 200, 429]);
    expect((await startSession(url, newest, { headers: { 'x-user': 'ada' } })).greeting.status).toBe(200);
  });

  it('is one caller by default, whatever addresses it claims to forward [S21, S24]', async () => {
    const { url } = await serve({ sessions: { maxCount: 4 } });
    const answers = await flood(
      url,
      4,
      (at) => ({ ...from(`203.0.113.${at}`), forwarded: `for=203.0.113.${at}` }),
      true,
    );
    expect(statuses(answers)).toEqual([200, 200, 429, 429]);
  });

  it('is refused with 503 when every session is in use [S24]', async () => {
    const { url } = await serve({ sessions: { maxCount: 2 }, trustedProxies });
    const answers = await flood(url, 3, (at) => from(`203.0.113.${at}`), true);
    expect(statuses(answers)).toEqual([200, 200, 503]);
    expect(answers[2]).toMatchObject({ headers: { 'retry-after': '1' }, json: { error: { code: -31503 } } });
  });
});

describe('a session', () => {
  const post = (body: unknown, headers: Named = {}): Request =>
    new Request('http://localhost/mcp', {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      } as never,
      body: JSON.stringify(body),
    });

  it('whose client sends nothing after initialize ends after a minute, with its record [S24, S37]', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const handle = toFetchHandler(sampleServer().server);
    const start = async (): Promise<Named> => {
      const { headers } = await handle(post(initialize(newest)));
      return { 'mcp-session-id': headers.get('mcp-session-id') ?? '' };
    };
    const [silent, greeted, used] = [await start(), await start(), await start()];
    await handle(post(notification('notifications/initialized'), greeted));
    await handle(post(request('ping'), used));
    vi.setSystemTime(Date.now() + 61_000);
    const found = [silent, greeted, used].map(async (session) => (await handle(post(request('ping'), session))).status);
    expect(await Promise.all(found)).toEqual([404, 200, 200]);
    expect(handle.stats().sessions).toBe(2);
    await handle.close();
  });

  it('of HTTP+SSE whose client posts nothing ends after a minute [S24]', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] });
    const { url, stats } = await serve();
    const [idle, used] = await Promise.all([0, 1].map(() => open(url.replace('/mcp', '/sse'), { method: 'GET' })));
    await used?.until(() => used.events().length > 0, 'the URL to post to');
    await send(new URL(used?.events()[0]?.data ?? '', url).href, { body: request('ping') });
    await vi.advanceTimersByTimeAsync(75_000);
    expect(await idle?.ended).toBe(true);
    expect(stats().sessions).toBe(1);
  });
});
