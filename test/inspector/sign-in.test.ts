/** Signing in from the inspector: every step as it happens, and the page to open as a question. */
import { serveInspector } from 'tenon/inspector';
import { expect, it, onTestFinished } from 'vitest';
import { startProtected } from '../kit/auth/protected-server.ts';
import { enter } from './page.ts';

it('shows the steps of OAuth as they happen, and connects when the user has signed in [S32]', async () => {
  const authority = await startProtected();
  const service = await serveInspector();
  onTestFinished(() => service.close());
  const page = await enter(service.url);
  onTestFinished(page.close);
  const { client } = await page.call('connect', { target: { kind: 'url', url: authority.url } });
  const { question } = await page.event('question');
  if (question.kind !== 'sign-in') throw new Error(question.kind);
  const steps = page.events.flatMap((event) => (event.type === 'auth' ? [event.step.step] : []));
  expect(steps).toEqual(expect.arrayContaining(['challenge', 'resource-metadata', 'server-metadata', 'registration']));
  const back = await authority.server.signIn(new URL(question.url), authority.visitor);
  await fetch(back);
  const ready = await page.event('client', (event) => event.client.id === client.id && event.client.state === 'ready');
  expect(ready.client.auth.map(({ step }) => step)).toContain('token');
  await page.event('question-closed', (event) => event.question === question.id);
  const rows = JSON.stringify(await page.call('rows', { recording: 'live', after: 0 }));
  const { seqs } = await page.call('search', { recording: 'live', text: 'bearer ey' });
  expect(seqs).toEqual([]);
  expect(rows).not.toMatch(/Bearer [\w-]{20}/);
});

it('ends a sign-in that the user cancels, and the client says why it is closed', async () => {
  const authority = await startProtected();
  const service = await serveInspector();
  onTestFinished(() => service.close());
  const page = await enter(service.url);
  onTestFinished(page.close);
  const { client } = await page.call('connect', { target: { kind: 'url', url: authority.url } });
  const { question } = await page.event('question');
  await page.call('answer', { question: question.id, answer: { action: 'cancel' } });
  const closed = await page.event(
    'client',
    (event) => event.client.id === client.id && event.client.state === 'closed',
  );
  expect(closed.client.error).toMatchObject({ code: expect.any(String), message: expect.stringMatching(/./) });
  expect((await page.call('overview', {})).questions).toEqual([]);
});
