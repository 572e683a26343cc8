/** Tabs that find the inspector again after a restart: both sides prove a secret, and nothing that is sent is of use elsewhere. */
import { createHmac } from 'node:crypto';
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serveInspector } from 'tenon/inspector';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { TabCredentials } from '../../src/inspector/api.ts';
import { Tabs } from '../../src/inspector/http/tabs.ts';
import { TabsFile } from '../../src/inspector/http/tabs-file.ts';
import { post } from './page.ts';

let file = '';
beforeEach(() => {
  const folder = mkdtempSync(join(tmpdir(), 'tenon-tabs-'));
  file = join(folder, 'state', 'tabs.json');
  onTestFinished(() => rmSync(folder, { recursive: true }));
});

/** The result of a call, or its error. */
type Answered = Record<string, never> & { readonly error?: { readonly code: string } };

async function started(options: Parameters<typeof serveInspector>[0] = { tabsFile: file }) {
  const service = await serveInspector(options);
  onTestFinished(() => service.close());
  const { origin, searchParams } = new URL(service.url);
  const call = async (name: string, body: object): Promise<Answered> => {
    const answer = (await (await post(origin, name, body)).json()) as { result?: Answered; error?: { code: string } };
    return answer.result ?? (answer as Answered);
  };
  return { service, origin, call, enter: () => call('enter', { token: searchParams.get('token') }) };
}

const proofOf = ({ id, secret }: TabCredentials, side: string, origin: string, challenge: string): string =>
  createHmac('sha256', secret).update([side, origin, id, challenge].join(' ')).digest('base64url');

/** As the page does it. */
async function resumed({ call, origin }: Awaited<ReturnType<typeof started>>, tab: TabCredentials) {
  const { proof, challenge } = await call('greet', { tab: tab.id, challenge: 'mine' });
  expect(proof).toBe(proofOf(tab, 'process', origin, 'mine'));
  return call('resume', { tab: tab.id, challenge, proof: proofOf(tab, 'tab', origin, challenge ?? '') });
}

describe('a tab', () => {
  it('enters the next process of the same file without a link, on the same port', async () => {
    const first = await started();
    const { tab } = await first.enter();
    await first.service.close();
    const next = await started();
    expect(next.origin).toBe(first.origin);
    const entered = await resumed(next, tab as never);
    expect(entered).toMatchObject({ key: expect.any(String), tab: { id: expect.any(String) } });
    const overview = await post(next.origin, 'overview', {}, entered.key);
    expect(overview.status).toBe(200);
  });

  it('is given nothing to enter later without a file, and no process of another file lets it in', async () => {
    expect(await (await started({})).enter()).not.toHaveProperty('tab');
    const { tab } = await (await started()).enter();
    const other = await started({ tabsFile: `${file}.other` });
    const { id } = tab as unknown as TabCredentials;
    const { proof } = await other.call('greet', { tab: id, challenge: 'mine' });
    expect(proof).not.toBe(proofOf(tab as never, 'process', other.origin, 'mine'));
    expect(await (await started({})).call('greet', { tab: id, challenge: 'mine' })).toMatchObject({
      error: { code: 'wrong-key' },
    });
  });

  it('cannot enter with what another program has overheard or passed on', async () => {
    const inspector = await started();
    const { call, origin, enter } = inspector;
    const { tab } = (await enter()) as unknown as { tab: TabCredentials };
    const { proof, challenge } = (await call('greet', { tab: tab.id, challenge: 'mine' })) as Record<string, string>;
    const refused = { error: { code: 'wrong-key' } };
    const resume = (given: object) => call('resume', { tab: tab.id, challenge, proof: '', ...given });
    // Its own proof, one for another origin, and one for another challenge.
    expect(await resume({ proof })).toMatchObject(refused);
    const { challenge: next = '' } = (await call('greet', { tab: tab.id, challenge: 'a' })) as Record<string, string>;
    const elsewhere = proofOf(tab, 'tab', 'http://127.0.0.1:1', next);
    expect(await resume({ challenge: next, proof: elsewhere })).toMatchObject(refused);
    // Each challenge is for one attempt.
    expect(await resume({ challenge: next, proof: proofOf(tab, 'tab', origin, next) })).toMatchObject(refused);
    expect(await resumed(inspector, tab)).toHaveProperty('key');
  });

  it('cannot enter a week later, nor with a time of its own', async () => {
    let now = Date.parse('2026-11-17');
    const tabs = new Tabs(new TabsFile(file), () => now);
    const tab = await tabs.issue();
    await tabs.greet(tab.id, 'mine', 'http://127.0.0.1:1');
    now += 8 * 24 * 60 * 60_000;
    await expect(tabs.greet(tab.id, 'mine', 'http://127.0.0.1:1')).rejects.toMatchObject({ code: 'wrong-key' });
    const [, random = ''] = tab.id.split('.');
    const forged = { ...tab, id: `${now.toString(36)}.${random}` };
    const { challenge } = await tabs.greet(forged.id, 'mine', 'http://127.0.0.1:1');
    const proof = proofOf(forged, 'tab', 'http://127.0.0.1:1', challenge);
    await expect(tabs.check(forged.id, challenge, proof, 'http://127.0.0.1:1')).rejects.toMatchObject({
      code: 'wrong-key',
    });
  });
});

describe.skipIf(process.platform === 'win32')('the file of tabs', () => {
  it('is for this user alone, and is not used once others can read it', async () => {
    const { enter } = await started();
    await enter();
    expect(statSync(file).mode & 0o777).toBe(0o600);
    chmodSync(file, 0o644);
    const exposed = await started({ tabsFile: file, port: 0 }).catch((error) => error);
    expect(exposed).toMatchObject({ code: 'unsafe-permissions' });
  });

  it('that is damaged is named, and no other one is made in its place', async () => {
    const { service, enter } = await started();
    await enter();
    await service.close();
    writeFileSync(file, '{}', { mode: 0o600 });
    await expect(serveInspector({ tabsFile: file })).rejects.toMatchObject({ code: 'store-failed' });
    expect(readFileSync(file, 'utf8')).toBe('{}');
  });
});
