/** Refusals of requests without a principal are counted, and recorded once for each address and interval. */
import { verifyAudit } from 'tenon/guard';
import { expect, it } from 'vitest';
import { withFixed } from '../../kit/fixed-limits.ts';
import { newFolder, openAudit, recordsIn } from './audit-folder.ts';

const refusalsIn = async (folder: string) =>
  (await recordsIn(folder)).filter(({ kind }) => kind === 'refusals').map(({ who, what }) => ({ ...who, ...what }));

it('writes one record for each address and interval, with the counts of each reason [S24]', async () => {
  const folder = await newFolder();
  const { audit, machine } = openAudit(folder, { timeouts: withFixed({}, { refusalsMs: 1000 }) });
  await audit.open();
  for (let at = 0; at < 5000; at++) audit.countRefusal('192.0.2.1', at % 5 === 0 ? 'invalid-token' : 'no-token');
  audit.countRefusal('192.0.2.2', 'no-token');
  machine.clock.advance(999);
  await audit.append({ kind: 'decision' });
  expect(await refusalsIn(folder)).toEqual([]);
  machine.clock.advance(1);
  await audit.append({ kind: 'decision' });
  const first = [
    { address: '192.0.2.1', refused: 5000, reasons: { 'invalid-token': 1000, 'no-token': 4000 } },
    { address: '192.0.2.2', refused: 1, reasons: { 'no-token': 1 } },
  ];
  expect(await refusalsIn(folder)).toEqual(first);
  audit.countRefusal('192.0.2.1', 'no-token');
  // What was counted since is written by close().
  await audit.close();
  expect(await refusalsIn(folder)).toEqual([
    ...first,
    { address: '192.0.2.1', refused: 1, reasons: { 'no-token': 1 } },
  ]);
  expect(await verifyAudit(folder)).toMatchObject({ valid: true });
});

it('counts addresses beyond maxAddresses, and reasons beyond 16, together [S24]', async () => {
  const folder = await newFolder();
  const { audit } = openAudit(folder, { limits: withFixed({}, { maxAddresses: 2 }) });
  await audit.open();
  for (let at = 0; at < 1000; at++) audit.countRefusal(`198.51.100.${at}`, `reason ${at}`);
  for (let at = 0; at < 10; at++) audit.countRefusal('x'.repeat(10_000), 'y'.repeat(10_000));
  await audit.close();
  const rows = await refusalsIn(folder);
  expect(rows.map(({ address, refused }) => [address, refused])).toEqual([
    ['198.51.100.0', 1],
    ['198.51.100.1', 1],
    ['other addresses', 1008],
  ]);
  expect(rows.at(-1)?.reasons).toMatchObject({ 'reason 2': 1, other: 992 });
});

it('counts refusals that come before the folder is open', async () => {
  const folder = await newFolder();
  const { audit } = openAudit(folder);
  audit.countRefusal('192.0.2.1', 'no-token');
  audit.countRefusal('192.0.2.1', 'no-token');
  await audit.append({ kind: 'decision' });
  await audit.close();
  expect(await refusalsIn(folder)).toEqual([{ address: '192.0.2.1', refused: 2, reasons: { 'no-token': 2 } }]);
});
