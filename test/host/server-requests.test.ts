/** Requests of servers to a host: sampling within limits, one elicitation at a time, roots with consent. */

import type { ProtocolVersion } from 'tenon';
import { createServer, tool, toText } from 'tenon';
import {
  createHost,
  type Decision,
  type HostElicitRequest,
  type HostOptions,
  type HostSampleRequest,
} from 'tenon/host';
import { createFakeClock, protocolVersions } from 'tenon/test';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { withClock } from '../../src/lib/time/internal-deadlines.ts';
import { deferred } from '../kit/deferred.ts';
import { scriptedServer } from './scripted-server.ts';

const secrets = { secrets: ['a secret of sixteen and more'], onError: () => {} };
const requestingServer = () =>
  createServer(
    {
      name: 'requesting',
      version: '1.0.0',
      tools: {
        think: tool({ inputSchema: z.object({ maxTokens: z.number().default(100) }) }, async ({ maxTokens }, ctx) => {
          const messages = [{ role: 'user' as const, content: { type: 'text' as const, text: 'Who am I?' } }];
          const { content } = await ctx.sample('who', { messages, maxTokens });
          return JSON.stringify(content);
        }),
        greet: tool({}, async (_, ctx) => {
          const answer = await ctx.elicit('name', { message: 'Your name?', schema: z.object({ name: z.string() }) });
          return answer.action === 'accept' ? `Hello ${answer.content.name}` : answer.action;
        }),
        look: tool({}, async (_, ctx) => JSON.stringify(await ctx.listRoots())),
        can: tool({}, (_, ctx) =>
          (['sampling', 'elicitation.form', 'elicitation.url', 'roots'] as const)
            .filter((what) => ctx.clientSupports(what))
            .join(' '),
        ),
      },
    },
    secrets,
  );

const answering = (text: string) => ({
  role: 'assistant' as const,
  model: 'm1',
  content: { type: 'text' as const, text },
});

function hosting(options: Partial<HostOptions>, servers: readonly string[] = ['a', 'b']) {
  const decisions: Decision[] = [];
  const host = createHost({
    servers: Object.fromEntries(servers.map((name) => [name, requestingServer()])),
    onDecision: (decision) => decisions.push(decision),
    ...options,
  });
  const call = async (name: string, given = {}) => toText(await host.tools.call(name, given));
  const about = (kind: string) =>
    decisions.flatMap((one) => (one.type === kind ? [[one.server, one.decision, one.by]] : []));
  return { host, call, about };
}

const allow = () => 'allow' as const;

describe.each(protocolVersions)('under %s', (revision: ProtocolVersion) => {
  it('one model serves all servers, and gets the name of the server [S30]', async () => {
    const requests: HostSampleRequest[] = [];
    const sample = (sampling: HostSampleRequest) => {
      requests.push(sampling);
      return answering(`You are ${sampling.server}`);
    };
    const consent = { tool: allow, sample: allow };
    const { host, call, about } = hosting({ sample, consent, connectOptions: { protocolVersions: [revision] } });
    expect(await call('a__think')).toContain('You are a');
    expect(await call('b__think')).toContain('You are b');
    expect(requests.map(({ server }) => server)).toEqual(['a', 'b']);
    expect(about('sample')).toEqual([
      ['a', 'allow', 'hook'],
      ['b', 'allow', 'hook'],
    ]);
    await host.close();
  });
});

describe('sampling', () => {
  it('uses the request that the hook edited, and sends the result that the hook edited', async () => {
    const requests: HostSampleRequest[] = [];
    const { host, call, about } = hosting({
      sample: (sampling) => {
        requests.push(sampling);
        return answering('secret');
      },
      consent: {
        tool: allow,
        sample: ({ request }) => ({ edit: { ...request, systemPrompt: 'Be brief.' } }),
        sampleResult: ({ request, answer }) => ({
          edit: { ...answer, model: `${request.systemPrompt}`, content: answering('public').content },
        }),
      },
    });
    expect(await call('a__think')).toContain('public');
    expect(requests).toMatchObject([{ request: { systemPrompt: 'Be brief.' } }]);
    expect([...about('sample'), ...about('sampleResult')]).toEqual([
      ['a', 'edit', 'hook'],
      ['a', 'edit', 'hook'],
    ]);
    await host.close();
  });

  it.each(['sample', 'sampleResult'] as const)(
    'is denied by the hook %s, and the server does not get the reason',
    async (hook) => {
      let requested = 0;
      const { host } = hosting({
        sample: () => {
          requested++;
          return answering('secret');
        },
        consent: { tool: allow, sample: allow, [hook]: () => ({ deny: 'a private reason' }) },
        connectOptions: { protocolVersions: ['2025-11-25'] },
      });
      const text = toText(await host.tools.call('a__think'));
      expect(text).not.toMatch(/private|secret/);
      expect(requested).toBe(hook === 'sample' ? 0 : 1);
      await host.close();
    },
  );

  it('is limited per minute and server, before consent is requested', async () => {
    const clock = createFakeClock();
    let requested = 0;
    const { host, call, about } = hosting({
      sample: () => answering('yes'),
      consent: {
        tool: allow,
        sample: () => {
          requested++;
          return 'allow';
        },
      },
      samplingLimits: (server) => ({ maxPerMinute: server === 'a' ? 2 : 1 }),
      ...withClock(clock),
      connectOptions: { protocolVersions: ['2025-11-25'] },
    });
    const three = async (name: string) =>
      [await call(name), await call(name), await call(name)].map((text) => text.includes('yes'));
    expect(await three('a__think')).toEqual([true, true, false]);
    expect(await three('b__think')).toEqual([true, false, false]);
    expect(requested).toBe(3);
    expect(about('sample').filter(([, , by]) => by === 'limit')).toHaveLength(3);
    clock.advance(60_000);
    expect(await call('b__think')).toContain('yes');
    await host.close();
  });

  it('has the same limit for a server that reconnects', async () => {
    const server = scriptedServer(() => ({ content: [] }));
    let requested = 0;
    const sample = () => answering(`${++requested}`);
    const host = createHost({ servers: { server }, sample, samplingLimits: { maxPerMinute: 1 }, consent: 'allow-all' });
    for (let n = 1; n <= 3; n++) {
      await host.tools.call('server__x');
      const params = { messages: [{ role: 'user', content: { type: 'text', text: 'again' } }], maxTokens: 1 };
      server.send({ id: `sample-${n}`, method: 'sampling/createMessage', params });
      await expect.poll(() => server.received.join()).toContain(`"sample-${n}"`);
      server.disconnect();
      await expect.poll(() => host.health()[0]?.state).toBe('closed');
    }
    expect([requested, server.connections()]).toEqual([1, 3]);
    await host.close();
  });

  it('requests no more tokens than the limit of the server', async () => {
    const tokens: number[] = [];
    const { host, call } = hosting({
      sample: ({ request }) => {
        tokens.push(request.maxTokens);
        return answering('yes');
      },
      samplingLimits: { maxTokens: 500 },
      consent: 'allow-all',
    });
    await call('a__think', { maxTokens: 1_000_000 });
    await call('a__think', { maxTokens: 50 });
    expect(tokens).toEqual([500, 50]);
    await host.close();
  });
});

describe('elicitation', () => {
  it('shows one request at a time, of all servers', async () => {
    let open = 0;
    let most = 0;
    const elicit = async ({ server }: HostElicitRequest) => {
      most = Math.max(most, ++open);
      await Promise.resolve();
      open--;
      return { action: 'accept' as const, content: { name: server } };
    };
    const { host, call, about } = hosting({ elicit, consent: 'allow-all' });
    const calls = ['a', 'a', 'b', 'a', 'b'].map((server) => call(`${server}__greet`));
    expect(await Promise.all(calls)).toEqual(['Hello a', 'Hello a', 'Hello b', 'Hello a', 'Hello b']);
    expect([most, about('elicit').length]).toEqual([1, 5]);
    await host.close();
  });

  it('does not wait for a request whose call was cancelled', async () => {
    const first = deferred();
    const elicit = ({ server }: HostElicitRequest) => {
      if (server === 'b') return { action: 'accept' as const, content: { name: 'Ada' } };
      first.resolve();
      return new Promise<never>(() => {});
    };
    const { host, call } = hosting({ elicit, consent: 'allow-all' });
    const cancelling = new AbortController();
    const cancelled = host.tools.call('a__greet', {}, { signal: cancelling.signal });
    await first.promise;
    const other = call('b__greet');
    cancelling.abort();
    await expect(cancelled).rejects.toMatchObject({ name: expect.stringMatching(/Error$/) });
    expect(await other).toBe('Hello Ada');
    await host.close();
  });

  it('reports a decline as a decision', async () => {
    const { host, call, about } = hosting({ elicit: () => ({ action: 'decline' }), consent: 'allow-all' });
    expect(await call('a__greet')).toBe('decline');
    expect(about('elicit')).toEqual([['a', 'deny', 'user']]);
    await host.close();
  });
});

describe('roots', () => {
  const roots = [{ uri: 'file:///work' }, { uri: 'file:///home' }];

  it('are sent to a server as the hook allows: all, edited, or none [S30]', async () => {
    const { host, call, about } = hosting(
      {
        roots,
        consent: {
          tool: allow,
          roots: ({ server, roots: all }) =>
            server === 'a' ? 'allow' : server === 'b' ? { edit: all.slice(0, 1) } : 'deny',
        },
      },
      ['a', 'b', 'c'],
    );
    expect(JSON.parse(await call('a__look'))).toEqual(roots);
    expect(JSON.parse(await call('b__look'))).toEqual(roots.slice(0, 1));
    expect(JSON.parse(await call('c__look'))).toEqual([]);
    expect(about('roots')).toEqual([
      ['a', 'allow', 'hook'],
      ['b', 'edit', 'hook'],
      ['c', 'deny', 'hook'],
    ]);
    await host.close();
  });

  it('can differ by server', async () => {
    const { host, call } = hosting({ roots: (server) => [{ uri: `file:///${server}` }], consent: 'allow-all' });
    expect([await call('a__look'), await call('b__look')].map((text) => JSON.parse(text))).toEqual([
      [{ uri: 'file:///a' }],
      [{ uri: 'file:///b' }],
    ]);
    await host.close();
  });
});

describe('a client feature without a handler or hook', () => {
  it('is not declared to servers', async () => {
    const plain = hosting({ consent: 'allow-all' });
    expect(await plain.call('a__can')).toBe('');
    const full = hosting({
      consent: 'allow-all',
      sample: () => answering('x'),
      elicit: () => ({ action: 'cancel' }),
      urlElicitation: true,
      roots: [],
    });
    expect(await full.call('a__can')).toBe('sampling elicitation.form elicitation.url roots');
    await Promise.all([plain.host.close(), full.host.close()]);
  });

  it.each([
    { sample: () => answering('x') },
    { sample: () => answering('x'), consent: { tool: allow } },
    { roots: [] },
    { roots: [], consent: { sample: allow } },
  ])('throws at createHost if every request would be denied: %o', (options) => {
    expect(() => createHost({ servers: {}, ...options })).toThrow(
      expect.objectContaining({ code: 'invalid-argument', hint: expect.stringContaining('consent') }),
    );
  });
});

it.each([
  {},
  { servers: 3 },
  { servers: {}, concent: {} },
  { servers: {}, consent: 'yes' },
  { servers: {}, consent: { tols: allow } },
  { servers: {}, consent: { tool: 'allow' } },
  { servers: {}, samplingLimits: { maxPerMinute: 0 } },
  { servers: {}, limits: { maxListed: 1.5 } },
])('options %o are refused', (options) => {
  expect(() => createHost(options as never)).toThrow(expect.objectContaining({ code: 'invalid-argument' }));
});
