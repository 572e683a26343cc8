/** What a client makes of its own answers: those that fail, those that are of no use, and questions it does not take. */

import { getEventListeners } from 'node:events';
import { type ConnectOptions, rpcError } from 'tenon';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../kit/channel/raw-connection.ts';
import { scriptedAt } from '../../kit/channel/scripted-server.ts';
import { allModes, form, formModes, opened, run, sampled } from '../../kit/server-request-modes.ts';

const exchange = { name: '', revision: '2026-07-28', replay: false, repeats: true } as const;
const pagedModes = formModes.filter(({ revision }) => revision !== '2025-06-18');
const text = (words: string): Json => ({ content: [{ type: 'text', text: words }] });

/** A server that meets the first call with these questions, and is done when they are answered. */
function requestingOnce(inputRequests: Json, options: ConnectOptions) {
  const results = ({ params }: Json): Json =>
    (params as Json).inputResponses === undefined ? { resultType: 'input_required', inputRequests } : text('done');
  return scriptedAt('2026-07-28', { tools: {} }, results, options);
}

describe('A client that answers questions in results', () => {
  it('leaves nothing listening when the answers are given', async () => {
    const signals: AbortSignal[] = [];
    const { client } = await opened(exchange, async ({ elicit }) => (await elicit('a', form('a'))).action, {
      handlers: {
        elicitForm: (_request, { signal }) => {
          signals.push(signal);
          return { action: 'decline' };
        },
      },
    });
    const caller = new AbortController();
    await client.tools.call('it', {}, { signal: caller.signal });
    expect(signals).toHaveLength(1);
    for (const signal of [caller.signal, ...signals]) expect(getEventListeners(signal, 'abort')).toEqual([]);
    expect(signals[0]?.aborted).toBe(false);
    await client.close();
  });

  it.each([
    [100, 'done', 100],
    [101, 'invalid-result', 0],
  ])('that is put %d of them at once comes to %s', async (count, ending, shown) => {
    let forms = 0;
    const one = { method: 'elicitation/create', params: { mode: 'form', ...form('a') } };
    const requested = Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, one]));
    const answers = {
      elicitForm: () => {
        forms += 1;
        return { action: 'decline' as const };
      },
    };
    const client = await requestingOnce(requested, { handlers: answers }).client;
    expect(await run(client).catch(({ code }) => code)).toBe(ending);
    expect(forms).toBe(shown);
  });

  it('tells the caller and `onWarning` when one of them throws', async () => {
    const faults: unknown[] = [];
    const broken = new Error('broken');
    const { client } = await opened(exchange, async ({ elicit }) => (await elicit('a', form('a'))).action, {
      handlers: { elicitForm: () => Promise.reject(broken) },
      onWarning: (error) => faults.push(error),
    });
    const failure = { code: 'server-request-failed', cause: broken };
    await expect(run(client)).rejects.toMatchObject(failure);
    expect(faults).toMatchObject([failure]);
    await client.close();
  });
});

describe.each(formModes)('An answer of no use, $name', (mode) => {
  it.each([undefined, null, {}, { action: 'yes' }])('such as the form %j is named to `onWarning`', async (given) => {
    const faults: unknown[] = [];
    const { client } = await opened(mode, async ({ elicit }) => (await elicit('a', form('a'))).action, {
      handlers: { elicitForm: () => given as never },
      onWarning: (error) => faults.push(error),
    });
    await run(client).catch(() => {});
    expect(faults).toMatchObject([
      { code: 'invalid-outgoing-message', message: expect.stringContaining("action: 'decline'") },
    ]);
    await client.close();
  });

  it.each([
    ['sample', { sample: () => undefined as never }],
    ['roots', { roots: () => undefined as never }],
  ] as const)('such as %s giving nothing is named to `onWarning`', async (kind, answers) => {
    const faults: unknown[] = [];
    const { client } = await opened(
      mode,
      async ({ sample, listRoots: roots }) =>
        String(kind === 'roots' ? await roots() : await sample('a', { messages: [], maxTokens: 1 })),
      { handlers: answers, onWarning: (error) => faults.push(error) },
    );
    await run(client).catch(() => {});
    expect(faults).toMatchObject([{ code: 'invalid-outgoing-message', message: expect.stringContaining(kind) }]);
    await client.close();
  });
});

describe.each(pagedModes)('A page, $name', (mode) => {
  it.each(['javascript:alert(1)', 'file:///etc/passwd', 'vscode://x'])('is not asked for at %s', async (url) => {
    let pages = 0;
    const { client } = await opened(
      mode,
      ({ elicit }) => elicit('a', { message: 'open', url }).then(String, ({ code, message }) => `${code}: ${message}`),
      {
        handlers: {
          elicitUrl: () => {
            pages += 1;
            return { action: 'accept' };
          },
        },
      },
    );
    expect(await run(client)).toMatch(/^invalid-outgoing-message: .*https: or http:/);
    expect(pages).toBe(0);
    await client.close();
  });
});

describe('A page that a server names by another scheme', () => {
  const page = (url: string): Json => ({
    a: { method: 'elicitation/create', params: { mode: 'url', message: 'open', url, elicitationId: '1' } },
  });

  it.each([
    ['javascript:alert(1)', undefined, []],
    ['vscode://x', undefined, []],
    ['vscode://x', ['vscode'], ['vscode://x']],
    ['https://a.example/', ['vscode'], []],
    ['https://a.example/', undefined, ['https://a.example/']],
  ])('%s is opened where the client takes %j: %j', async (url, urlSchemes, expected) => {
    const pages: string[] = [];
    const answers = {
      ...(urlSchemes && { allowedUrlSchemes: urlSchemes }),
      elicitUrl: (request: { url: string }) => {
        pages.push(request.url);
        return { action: 'accept' as const };
      },
    };
    const client = await requestingOnce(page(url), { handlers: answers }).client;
    expect(await run(client).catch(({ cause }) => cause.reason)).toBe(expected.length > 0 ? 'done' : 'invalid-params');
    expect(pages).toEqual(expected);
  });
});

const sessions = allModes.filter(({ repeats }) => !repeats);

describe.each(sessions)('A client that is asked in a session, $name', ({ revision }) => {
  const sampling = { messages: [], maxTokens: 1 };
  const question = (id: number, params: Json): Json => ({
    jsonrpc: '2.0',
    id,
    method: 'sampling/createMessage',
    params,
  });

  it('answers only so many questions at once, and says so to the rest', async () => {
    const waiting: Array<() => void> = [];
    const sample = async () => {
      await new Promise<void>((resolve) => waiting.push(resolve));
      return sampled;
    };
    const { client, send, received } = scriptedAt(revision, { tools: {} }, () => ({}), { handlers: { sample } });
    const requested = await client;
    for (let id = 1000; id < 1101; id++) send(question(id, sampling));
    await requested.ping();
    const answered = (): Json[] => received.filter(({ id, method }) => Number(id) >= 1000 && method === undefined);
    expect(answered()).toEqual([
      expect.objectContaining({ id: 1100, error: expect.objectContaining({ code: -31503 }) }),
    ]);
    for (const resolve of waiting) resolve();
    await requested.ping();
    send(question(1101, sampling));
    await requested.ping();
    waiting.at(-1)?.();
    await requested.ping();
    expect(answered().filter(({ result }) => result !== undefined)).toHaveLength(101);
  });

  it('tells that its user said no by -1, and the handler finds out why [s-sampling-16]', async () => {
    const { client } = await opened(
      { name: '', revision, replay: false, repeats: false },
      ({ sample }) => sample('a', sampling).then(String, ({ code, cause }) => `${code} ${cause.code} ${cause.reason}`),
      {
        handlers: {
          sample: () => {
            throw rpcError('user-rejected', 'No');
          },
        },
      },
    );
    expect(await run(client)).toBe('server-request-failed -1 user-rejected');
    await client.close();
  });
});
