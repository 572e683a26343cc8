/** SIGKILL around the claim of an approval: a call runs at most once for it, and asks again when that is not known. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, toText } from 'tenon';
import { createApprovals } from 'tenon/guard';
import type { protocolVersions } from 'tenon/protocol';
import { openSqliteStore } from 'tenon/sqlite';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { bundledProgram } from '../../kit/process/bundled-program.ts';
import type { KilledServerOptions, Moment } from './fixtures/killed-server.ts';
import { grace, pendingIn } from './kit.ts';

let program = '';
beforeAll(async () => {
  program = await bundledProgram('killed-server', 'approvals');
});

function place() {
  const folder = mkdtempSync(join(tmpdir(), 'tenon-killed-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [database, effects] = [join(folder, 'store.db'), join(folder, 'effects')];
  return {
    database,
    runs: (): string[] => (existsSync(effects) ? readFileSync(effects, 'utf8').trim().split('\n') : []),
    async open(killAt: Moment, protocolVersion: (typeof protocolVersions)[number], answers: string[] = []) {
      const options: KilledServerOptions = { database, effects, killAt };
      return connect(
        { command: process.execPath, args: [program, JSON.stringify(options)] },
        {
          protocolVersions: [protocolVersion],
          reconnect: false,
          ...(answers.length > 0 && {
            handlers: {
              elicitForm: () => ({ action: 'accept' as const, content: { decision: answers.shift() ?? 'deny' } }),
            },
          }),
        },
      );
    },
  };
}

/** What the same call comes to afterwards, and how often it has run then. Before the claim nothing can have happened, so that the approval still holds. */
const moments: readonly (readonly [Moment, runs: number, then: 'runs' | 'asks again', runsThen: number])[] = [
  ['before the claim', 0, 'runs', 1],
  ['after the claim', 0, 'asks again', 0],
  ['in the handler', 0, 'asks again', 0],
  ['after the handler', 1, 'asks again', 1],
];

describe.each([['2025-11-25'], ['2026-07-28']] as const)('in %s', (version) => {
  it.each(moments)('a process that is killed %s', async (moment, runs, then, runsThen) => {
    const { database, open, runs: ran } = place();
    const killed = await open(moment, version);
    const first = pendingIn(await killed.tools.call('deploy', { n: 1 }));
    const store = await openSqliteStore(database);
    onTestFinished(() => store.close());
    await createApprovals({ store: store.approvals }).decide(String(first?.id), 'approve', grace);
    await expect(killed.tools.call('deploy', { n: 1 })).rejects.toMatchObject({ code: 'outcome-unknown' });
    await killed.close();
    expect(ran()).toHaveLength(runs);
    const again = await open('never', version);
    const second = await again.tools.call('deploy', { n: 1 });
    const asked = pendingIn(second)?.id;
    expect([asked === undefined ? 'runs' : 'asks again', asked === first?.id]).toEqual([then, false]);
    expect(toText(second)).toMatch(then === 'runs' ? /^done$/ : /^Nothing has run/);
    expect(ran()).toHaveLength(runsThen);
    await again.close();
  });

  it('a form that was answered lets the call run once, though its process is killed after the claim', async () => {
    const { open, runs } = place();
    const killed = await open('after the claim', version, ['approve']);
    await expect(killed.tools.call('self', { n: 1 })).rejects.toMatchObject({ code: 'outcome-unknown' });
    await killed.close();
    const again = await open('never', version, ['deny', 'approve']);
    await expect(again.tools.call('self', { n: 1 })).rejects.toMatchObject({ data: { reason: 'approval-denied' } });
    expect(runs()).toEqual([]);
    await again.close();
  });
});
