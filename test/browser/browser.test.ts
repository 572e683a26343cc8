/** A page of another origin in a real browser: what it may read, and what the browser blocks. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call, initialize, loneCall, notification } from '../kit/http/messages.ts';
import { serve } from '../kit/http/sample-server.ts';
import { requires } from '../kit/requires.ts';
import { executable, type OpenBrowser, startBrowser } from './chromium.ts';

interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: unknown;
}

interface Read {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

const posted = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

/** Fetches inside the page. Reads a stream until it contains `until`. Resolves with the name of the error if the browser throws. */
function fetchIn(page: Page, url: string, { method = 'POST', headers = {}, body }: Sent, until?: string) {
  const all = Object.entries({ ...posted, ...headers }).filter(([, value]) => value !== undefined);
  const init = {
    method,
    headers: Object.fromEntries(all) as Record<string, string>,
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  };
  return page.evaluate(
    async ({ url, init, until }): Promise<Read | string> => {
      try {
        const response = await fetch(url, { ...init, signal: AbortSignal.timeout(60_000) });
        const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
        let text = '';
        for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) {
          text += part.value;
          if (until !== undefined && text.includes(until)) break;
        }
        await reader?.cancel();
        return { status: response.status, headers: Object.fromEntries(response.headers), text };
      } catch (error) {
        return (error as Error).name;
      }
    },
    { url, init, until },
  );
}

it('a browser is installed', (context) => {
  requires(
    context,
    executable === undefined ? 'there is no Chromium: install one with `apt-get install chromium`' : undefined,
  );
  expect(executable).toBeTypeOf('string');
});

describe.each(executable === undefined ? [] : [executable])('in %s', (path) => {
  let browser: OpenBrowser;
  beforeAll(async () => {
    browser = await startBrowser(path);
  });
  afterAll(() => browser?.close());

  const sharing = () => serve({ allowedOrigins: [browser.origin('app.example')] });

  describe('a page of an allowed origin', () => {
    it.each(['2025-06-18', '2025-11-25'])('runs a whole session of %s, with streams [S20]', async (revision) => {
      const { url, server, stats } = await sharing();
      const page = await browser.open('app.example');
      const greeting = (await fetchIn(page, url, { body: initialize(revision) })) as Read;
      expect(greeting).toMatchObject({ status: 200, headers: { 'mcp-session-id': expect.any(String) } });
      const headers = { 'mcp-session-id': greeting.headers['mcp-session-id'], 'mcp-protocol-version': revision };
      const begun = await fetchIn(page, url, { headers, body: notification('notifications/initialized') });
      expect(begun).toMatchObject({ status: 202 });
      const answer = (await fetchIn(page, url, { headers, body: call('echo', { text: 'grüße' }) })) as Read;
      expect(JSON.parse(answer.text)).toMatchObject({ result: { content: [{ text: 'grüße' }] } });
      const counted = await fetchIn(page, url, { headers, body: call('count', { to: 2 }, 2, { progressToken: 1 }) });
      expect(counted).toMatchObject({ text: expect.stringMatching(/"progress":1.*"progress":2.*counted to 2/s) });
      const listening = fetchIn(page, url, { method: 'GET', headers }, 'list_changed');
      await expect.poll(() => stats().streams).toBe(1);
      server.update(({ tools }) => delete tools.echo);
      expect(await listening).toMatchObject({ status: 200, headers: { 'content-type': 'text/event-stream' } });
      expect(await fetchIn(page, url, { method: 'DELETE', headers })).toMatchObject({ status: 204 });
      expect(stats().sessions).toBe(0);
      await page.close();
    });

    it('makes calls of exchanges, with the headers that repeat their parts', async () => {
      const { url } = await sharing();
      const page = await browser.open('app.example');
      const headed = loneCall('headed', { tenant: 'blue' });
      const sent = { ...headed, headers: { ...headed.headers, 'mcp-param-tenant': 'blue' } };
      expect(await fetchIn(page, url, sent)).toMatchObject({ status: 200, text: expect.stringContaining('blue') });
      const counted = await fetchIn(page, url, loneCall('count', { to: 2 }, { progressToken: 1 }));
      expect(counted).toMatchObject({
        headers: { 'content-type': 'text/event-stream' },
        text: expect.stringMatching(/"progress":1.*"progress":2.*counted to 2/s),
      });
      const mistaken = { ...sent, headers: { ...sent.headers, 'mcp-param-tenant': 'red' } };
      expect(await fetchIn(page, url, mistaken)).toMatchObject({
        status: 400,
        text: expect.stringContaining('-32020'),
      });
      await page.close();
    });
  });

  describe('a page of any other origin', () => {
    it.each([
      ['of another host', 'evil.example'],
      ['of this machine', 'localhost'],
    ])('%s gets nothing, with any request [S21]', async (_where, host) => {
      const page = await browser.open(host);
      const plain = { headers: { 'content-type': 'text/plain', accept: undefined } };
      for (const { url } of [await serve(), await sharing()]) {
        expect(await fetchIn(page, url, loneCall('echo', { text: 'x' }))).toBe('TypeError');
        expect(await fetchIn(page, url, { body: initialize('2025-11-25') })).toBe('TypeError');
        // Browsers send this request without a preflight, but hide the response from the page.
        expect(await fetchIn(page, url, { ...plain, body: 'x' })).toBe('TypeError');
      }
      await page.close();
    });
  });
});
