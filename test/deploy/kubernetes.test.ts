/** The recipe of Kubernetes: two processes of its program as its pods run, on Redis and PostgreSQL: probes, drain, sessions. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { call, request, sessionAt, startSession } from '../kit/http/messages.ts';
import { requires } from '../kit/requires.ts';
import { engines, type StartedEngine } from '../kit/stores/engines.ts';
import { recipeFile, startProgram } from './recipe.ts';
import { writeSecrets } from './secrets.ts';

interface Pod {
  readonly terminationGracePeriodSeconds: number;
  readonly containers: readonly {
    readonly env: readonly { readonly name: string; readonly value?: string }[];
    readonly readinessProbe: { readonly httpGet: { readonly path: string } };
    readonly livenessProbe: { readonly httpGet: { readonly path: string } };
    readonly lifecycle: { readonly preStop: { readonly exec: { readonly command: readonly string[] } } };
  }[];
}

const [deployment] = parseAllDocuments(recipeFile('kubernetes', 'weather.yaml')).map((each) => each.toJS() as unknown);
const pod = (deployment as { readonly spec: { readonly template: { readonly spec: Pod } } }).spec.template.spec;
const container = pod.containers[0] as Pod['containers'][number];
const valueOf = (name: string): string => container.env.find((each) => each.name === name)?.value ?? '';

it('the manifest sets only variables that the program reads, and waits longer than the program', () => {
  const program = recipeFile('docker', 'server.ts');
  expect(container.env.map(({ name }) => name).filter((name) => !program.includes(name))).toEqual([]);
  const preStop = Number(container.lifecycle.preStop.exec.command[1]);
  expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(preStop + Number(valueOf('SHUTDOWN_MS')) / 1000);
});

describe.each(['redis', 'postgres'] as const)('two pods on %s', (name) => {
  let engine: StartedEngine;
  let headers: { readonly authorization: string };
  const folder = mkdtempSync(join(tmpdir(), 'tenon-pods-'));
  beforeAll(async () => {
    if (engines[name].missing === undefined) engine = await engines[name].start();
    headers = await writeSecrets(folder);
  });
  afterAll(async () => {
    await engine?.close();
    rmSync(folder, { recursive: true });
  });

  async function startPods() {
    const STORE = engine.next().url;
    // Longer than in the manifest, for a busy machine.
    const env = { SECRETS_FOLDER: folder, STORE, PROXIES: '127.0.0.1', SHUTDOWN_MS: '60000' };
    const startPod = async () => {
      const process = await startProgram('docker', 'server.ts', env);
      return { process, url: process.url.replace('127.0.0.1', 'localhost') };
    };
    return Promise.all([startPod(), startPod()]);
  }

  const statusOf = (url: string, path: string): Promise<number | undefined> =>
    fetch(new URL(path, url), { headers: { connection: 'close' } }).then(
      ({ status }) => status,
      () => undefined,
    );

  it('a pod that stops fails its probe and finishes its call, whose question is answered at the other pod, where the session continues', async (context) => {
    requires(context, engines[name].missing);
    const [first, second] = await startPods();
    for (const { httpGet } of [container.readinessProbe, container.livenessProbe])
      for (const { url } of [first, second]) expect(await statusOf(url, httpGet.path)).toBe(200);

    const session = await startSession(first.url, '2025-11-25', { capabilities: { elicitation: {} }, headers });
    const booking = await session.open({ body: call('book', {}, 'booking') });
    const question = () => booking.messages().find(({ method }) => method === 'elicitation/create');
    await booking.until(() => question() !== undefined, 'the elicitation');

    const ended = first.process.end('SIGTERM');
    while ((await statusOf(first.url, container.readinessProbe.httpGet.path)) === 200);
    const elsewhere = sessionAt(second.url, session);
    const result = { action: 'accept', content: { day: 'Friday' } };
    expect((await elsewhere.post({ jsonrpc: '2.0', id: question()?.id, result })).status).toBe(202);
    await booking.until(() => booking.text().includes('Booked for Friday'), 'the result');
    expect(await ended).toBe(0);
    expect((await elsewhere.post(request('ping'))).status).toBe(200);
  });
});
