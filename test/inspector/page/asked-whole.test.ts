/** What an app wants the user to allow is shown whole, and refused if it is too long for that. */
import { expect, it } from 'vitest';
import type { ConsentRequest } from '../../../apps/inspector/src/apps/consent.tsx';
import { portsOf } from '../../../apps/inspector/src/apps/ports.ts';
import { shownValue } from '../../../apps/inspector/src/controls/format.ts';
import type { OpenedApp } from '../../../src/inspector/api.ts';

function asking() {
  const asked: ConsentRequest[] = [];
  const ports = portsOf({ app: 'a', client: 'c1' } as OpenedApp, { ask: (one) => void asked.push(one), note() {} });
  return { asked, ports };
}

it('the last argument of a long call is in what is shown [S24]', async () => {
  const { asked, ports } = asking();
  const calling = ports.callTool('delete', { note: 'x'.repeat(5000), path: '/home' });
  const [request] = asked;
  expect(shownValue(request?.details, Number.POSITIVE_INFINITY)).toContain('"path":"/home"');
  request?.onAnswer(false);
  await expect(calling).rejects.toThrow('The user refused.');
});

it.each<[string, (ports: ReturnType<typeof asking>['ports']) => Promise<unknown>]>([
  ['a call', ({ callTool }) => callTool('delete', { note: 'x'.repeat(20_000), path: '/home' })],
  ['a name', ({ callTool }) => callTool('x'.repeat(20_001), {})],
  ['a link', ({ openLink }) => openLink(`https://a.example/${'x'.repeat(20_000)}`)],
])('%s that is too long to be shown is refused without a question [S24]', async (_, run) => {
  const { asked, ports } = asking();
  await expect(run(ports)).rejects.toThrow('at most 20000 characters');
  expect(asked).toEqual([]);
});
