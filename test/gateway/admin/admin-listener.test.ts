/** Health, readiness and metrics have a listener of their own. */
import { request } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { listenForAdmin } from '../../../src/gateway/serving/admin-listener.ts';
import { metricsText } from '../../../src/gateway/serving/metrics.ts';
import { notReady } from '../../../src/gateway/serving/readiness.ts';
import type { GatewayStatus, UpstreamStatus } from '../../../src/gateway/types.ts';
import { createMemoryStore } from '../../../src/store/index.ts';

const upstream = (some: Partial<UpstreamStatus> = {}): UpstreamStatus => ({
  state: 'connected',
  generation: 1,
  required: false,
  connections: 2,
  waiting: 0,
  parked: 1,
  circuit: 'closed',
  lastError: undefined,
  ...some,
});
const http = {
  sessions: 3,
  streams: 1,
  activeCalls: 4,
  waitingCalls: 0,
  dropped: { late: 0, unknown: 0, invalid: 5, slow: 0 },
} as never;
const statusOf = (upstreams: GatewayStatus['upstreams']): GatewayStatus => ({
  upstreams,
  dropped: { 'after-call': 7 },
});

interface Answer {
  readonly status: number | undefined;
  readonly type: string | undefined;
  readonly text: string;
}

async function listening(reasons: readonly string[] = []) {
  const admin = await listenForAdmin(
    { host: '127.0.0.1', port: 0 },
    {
      notReady: async () => reasons,
      metrics: () => 'tenon_gateway_sessions 1\n',
      page: (token) => `<p>${token}</p>`,
      act: async () => {},
    },
  );
  onTestFinished(() => admin.close());
  return (path: string, options: object = {}): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const sent = request(`${admin.url}${path}`, options, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part) => void (text += part));
        response.on('end', () =>
          resolve({ status: response.statusCode, type: response.headers['content-type'], text }),
        );
      });
      sent.on('error', reject).end();
    });
}

describe('The listener of the operator', () => {
  it('answers health, readiness and metrics, and nothing else', async () => {
    const get = await listening();
    expect(await get('/healthz')).toMatchObject({ status: 200, text: 'ok\n' });
    expect(await get('/readyz?x=1')).toMatchObject({ status: 200, text: 'ready\n' });
    expect(await get('/metrics')).toMatchObject({ status: 200, type: 'text/plain; version=0.0.4; charset=utf-8' });
    expect(await get('/mcp')).toMatchObject({ status: 404 });
    expect(await get('/healthz', { method: 'POST' })).toMatchObject({ status: 405 });
  });

  it('says why the gateway is not ready, and stays healthy', async () => {
    const get = await listening(['draining', 'the upstream github is not available']);
    expect(await get('/readyz')).toMatchObject({
      status: 503,
      text: 'draining\nthe upstream github is not available\n',
    });
    expect(await get('/healthz')).toMatchObject({ status: 200 });
  });

  it('refuses web pages and foreign hosts', async () => {
    const get = await listening();
    expect(await get('/metrics', { headers: { origin: 'https://evil.example' } })).toMatchObject({ status: 403 });
    expect(await get('/metrics', { headers: { host: 'evil.example' } })).toMatchObject({ status: 403 });
  });
});

describe('A gateway is ready', () => {
  const ready = (source: Partial<Parameters<typeof notReady>[0]>) =>
    notReady({ isDraining: false, status: statusOf({}), store: undefined, ...source });

  it('unless it drains, a required upstream fails, or its store does', async () => {
    expect(await ready({ store: createMemoryStore() })).toEqual([]);
    expect(await ready({ isDraining: true })).toEqual(['draining']);
    const status = statusOf({
      a: upstream({ required: true, state: 'failing' }),
      b: upstream({ state: 'failing' }),
      c: upstream({ required: true, circuit: 'open' }),
      d: upstream({ required: true, state: 'idle' }),
    });
    expect(await ready({ status })).toEqual(['the upstream a is not available', 'the upstream c is not available']);
    const broken = { ...createMemoryStore(), credentials: { read: () => Promise.reject(new Error('planted')) } };
    expect(await ready({ store: broken as never })).toEqual(['the store fails']);
  });
});

describe('The metrics', () => {
  const text = metricsText({
    status: statusOf({ github: upstream(), 'a"\\\n': upstream({ state: 'failing', circuit: 'open', waiting: 9 }) }),
    http,
    reloads: { done: 2, refused: 1 },
  });

  it('are one line for each upstream and reason, with escaped labels', () => {
    const lines = text.split('\n');
    expect(lines).toContain('tenon_gateway_upstream_up{upstream="github"} 1');
    expect(lines).toContain('tenon_gateway_upstream_connections{upstream="github"} 2');
    expect(lines).toContain('tenon_gateway_upstream_up{upstream="a\\"\\\\\\n"} 0');
    expect(lines).toContain('tenon_gateway_upstream_circuit_open{upstream="a\\"\\\\\\n"} 1');
    expect(lines).toContain('tenon_gateway_dropped_total{reason="after-call"} 7');
    expect(lines).toContain('tenon_gateway_messages_dropped_total{reason="invalid"} 5');
    expect(lines).toContain('tenon_gateway_active_calls 4');
    expect(lines).toContain('tenon_gateway_reloads_total{result="refused"} 1');
  });

  it('follow the text format: help and type once before the samples of a name', () => {
    const seen = new Set<string>();
    let current = '';
    const wrong = text
      .trimEnd()
      .split('\n')
      .filter((line) => {
        const [, kind, name = ''] = /^# (HELP|TYPE) (\S+) /.exec(line) ?? [];
        if (kind === 'TYPE') return name !== current;
        if (kind !== 'HELP') return !new RegExp(`^${current}(?:\\{[^\\n]*\\})? [\\d.]+$`).test(line);
        const isAgain = seen.has(name);
        seen.add(name);
        current = name;
        return isAgain;
      });
    expect(wrong).toEqual([]);
  });
});
