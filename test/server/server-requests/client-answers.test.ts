/** Client handlers: errors, invalid answers, and server requests that the client rejects. */

import { getEventListeners } from 'node:events';
import { type ConnectOptions, rpcError } from 'tenon';
import { describe, expect, it } from 'vitest';
import { allModes, form, formModes, opened, run, sampled } from '../../kit/server-request-modes.ts';
import type { Json } from '../../kit/transport/raw-connection.ts';
import { scriptedAt } from '../../kit/transport/scripted-server.ts';

const exchange = { name: '', revision: '2026-07-28', replay: false, repeats: true } as const;
const urlModes = formModes.filter(({ revision }) => revision !== '2025-06-18');
const textResult = (text: string): Json => ({ content: [{ type: 'text', text }] });

/** A server that answers the first call with these input requests, and completes when they are answered. */
function requiringInput(inputRequests: Json, options: ConnectOptions) {
  const results = ({ params }: Json): Json =>
    (params as Json).inputResponses === undefined
      ? { resultType: 'input_required', inputRequests }
      : textResult('done');
  return scriptedAt('2026-07-28', { tools: {} }, results, options);
}

describe('A client that answers input requests', () => {
  it('leaves no abort listener after its answers', async () => {
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
  ])('with %d of them at once gets %s', async (count, ending, shown) => {
    let forms = 0;
    const one = { method: 'elicitation/create', params: { mode: 'form', ...form('a') } };
    const requested = Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, one]));
    const answers = {
      elicitForm: () => {
        forms += 1;
        return { action: 'decline' as const };
      },
    };
    const client = await requiringInput(requested, { handlers: answers }).client;
    expect(await run(client).catch(({ code }) => code)).toBe(ending);
    expect(forms).toBe(shown);
  });

  it('rejects the call and calls `onWarning` when a handler throws', async () => {
    const warnings: unknown[] = [];
    const broken = new Error('broken');
    const { client } = await opened(exchange, async ({ elicit }) => (await elicit('a', form('a'))).action, {
      handlers: { elicitForm: () => Promise.reject(broken) },
      onWarning: (error) => warnings.push(error),
    });
    const failure = { code: 'server-request-failed', cause: broken };
    await expect(run(client)).rejects.toMatchObject(failure);
    expect(warnings).toMatchObject([failure]);
    await client.close();
  });
});

describe.each(formModes)('An invalid answer, $name', (mode) => {
  it.each([undefined, null, {}, { action: 'yes' }])('such as %j to a form is passed to `onWarning`', async (given) => {
    const warnings: unknown[] = [];
    const { client } = await opened(mode, async ({ elicit }) => (await elicit('a', form('a'))).action, {
      handlers: { elicitForm: () => given as never },
      onWarning: (error) => warnings.push(error),
    });
    await run(client).catch(() => {});
    expect(warnings).toMatchObject([
      { code: 'invalid-outgoing-message', message: expect.stringContaining("action: 'decline'") },
    ]);
    await client.close();
  });

  it.each([
    ['sample', { sample: () => undefined as never }],
    ['roots', { roots: () => undefined as never }],
  ] as const)('such as undefined from %s is passed to `onWarning`', async (kind, answers) => {
    const warnings: unknown[] = [];
    const { client } = await opened(
      mode,
      async ({ sample, listRoots: roots }) =>
        String(kind === 'roots' ? await roots() : await sample('a', { messages: [], maxTokens: 1 })),
      { handlers: answers, onWarning: (error) => warnings.push(error) },
    );
    await run(client).catch(() => {});
    expect(warnings).toMatchObject([{ code: 'invalid-outgoing-message', message: expect.stringContaining(kind) }]);
    await client.close();
  });
});

describe.each(urlModes)('A URL elicitation, $name', (mode) => {
  it.each(['javascript:alert(1)', 'file:///etc/passwd', 'vscode://x'])('is not sent for %s', async (url) => {
    let calls = 0;
    const { client } = await opened(
      mode,
      ({ elicit }) => elicit('a', { message: 'open', url }).then(String, ({ code, message }) => `${code}: ${message}`),
      {
        handlers: {
          elicitUrl: () => {
            calls += 1;
            return { action: 'accept' };
          },
        },
      },
    );
    expect(await run(client)).toMatch(/^invalid-outgoing-message: .*https: or http:/);
    expect(calls).toBe(0);
    await client.close();
  });
});

describe('A URL elicitation with another scheme', () => {
  const urlElicitation = (url: string): Json => ({
    a: { method: 'elicitation/create', params: { mode: 'url', message: 'open', url, elicitationId: '1' } },
  });

  it.each([
    ['javascript:alert(1)', undefined, []],
    ['vscode://x', undefined, []],
    ['vscode://x', ['vscode'], ['vscode://x']],
    ['https://a.example/', ['vscode'], []],
    ['https://a.example/', undefined, ['https://a.example/']],
  ])('for %s is passed to a client that allows %j: %j', async (url, urlSchemes, expected) => {
    const urls: string[] = [];
    const answers = {
      ...(urlSchemes && { allowedUrlSchemes: urlSchemes }),
      elicitUrl: (request: { url: string }) => {
        urls.push(request.url);
        return { action: 'accept' as const };
      },
    };
    const client = await requiringInput(urlElicitation(url), { handlers: answers }).client;
    expect(await run(client).catch(({ cause }) => cause.reason)).toBe(expected.length > 0 ? 'done' : 'invalid-params');
    expect(urls).toEqual(expected);
  });
});

const sessions = allModes.filter(({ repeats }) => !repeats);

describe.each(sessions)('A client in a session, $name', ({ revision }) => {
  const sampling = { messages: [], maxTokens: 1 };
  const samplingRequest = (id: number, params: Json): Json => ({
    jsonrpc: '2.0',
    id,
    method: 'sampling/createMessage',
    params,
  });

  it('handles at most 100 server requests at once, and answers the rest with an error', async () => {
    const waiting: Array<() => void> = [];
    const sample = async () => {
      await new Promise<void>((resolve) => waiting.push(resolve));
      return sampled;
    };
    const { client, send, received } = scriptedAt(revision, { tools: {} }, () => ({}), { handlers: { sample } });
    const connected = await client;
    for (let id = 1000; id < 1101; id++) send(samplingRequest(id, sampling));
    await connected.ping();
    const answered = (): Json[] => received.filter(({ id, method }) => Number(id) >= 1000 && method === undefined);
    expect(answered()).toEqual([
      expect.objectContaining({ id: 1100, error: expect.objectContaining({ code: -31503 }) }),
    ]);
    for (const resolve of waiting) resolve();
    await connected.ping();
    send(samplingRequest(1101, sampling));
    await connected.ping();
    waiting.at(-1)?.();
    await connected.ping();
    expect(answered().filter(({ result }) => result !== undefined)).toHaveLength(101);
  });

  it('sends -1 when its user rejects the request, and the handler gets the reason [s-sampling-16]', async () => {
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
