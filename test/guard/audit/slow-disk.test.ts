/** A slow disk makes callers wait, or spills, by choice; a disk that fails refuses new calls and loses nothing. */
import { describe, expect, it } from 'vitest';
import { AuditChain, type ChainOptions } from '../../../src/guard/audit/chain.ts';
import { type AuditFields, emptyChain } from '../../../src/guard/audit/record.ts';
import type { AuditStorage } from '../../../src/guard/audit/storage.ts';
import { TenonError } from '../../../src/lib/errors/tenon-error.ts';
import { createDeferred, type Deferred } from '../../../src/lib/values/deferred.ts';
import { createFakeMachine } from './audit-folder.ts';

/** A disk that syncs when a test says so, and is full when it says so. */
class FakeDisk implements AuditStorage {
  readonly stored: string[] = [];
  readonly syncs: Deferred<void>[] = [];
  readonly segments: readonly number[] = [0];
  readonly isFull = false;
  failure: TenonError | undefined;
  readonly sync: () => Promise<void> = () => {
    const sync = createDeferred();
    this.syncs.push(sync);
    return sync.promise;
  };

  get isEmpty(): boolean {
    return this.stored.length === 0;
  }

  append(text: string): void {
    if (this.failure !== undefined) throw this.failure;
    this.stored.push(...text.trimEnd().split('\n'));
  }

  startSegment(): void {}

  dropBefore(): void {}

  get tools(): unknown[] {
    return this.stored.map((line) => (JSON.parse(line) as { what?: { tool?: string } }).what?.tool);
  }
}

const limits = {
  maxQueuedRecords: 3,
  maxQueuedChars: 10_000,
  maxRecordChars: 1000,
  maxPrivateChars: 1000,
  maxUnsignedRecords: 1000,
  maxAddresses: 10,
  maxSegments: 10,
};

function open(options: Partial<ChainOptions> = {}) {
  const disk = new FakeDisk();
  const machine = createFakeMachine();
  const chain = new AuditChain(
    disk,
    emptyChain,
    {
      limits,
      timeouts: { checkpointMs: 10_000, refusalsMs: 10_000, anchorMs: 10_000 },
      whenFull: 'wait',
      sign: undefined,
      anchor: undefined,
      onWarning: () => {},
      ...options,
    },
    machine,
  );
  return { disk, chain, machine };
}

const start = (tool: string) => ({ kind: 'call-start', what: { tool } }) as const;
const end = (tool: string) => ({ kind: 'call-end', what: { tool } }) as const;
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Which promises have settled by now. */
function outcomes(promises: Readonly<Record<string, Promise<void>>>): Map<string, string> {
  const found = new Map<string, string>();
  for (const [name, promise] of Object.entries(promises))
    promise.then(
      () => found.set(name, 'stored'),
      (error: TenonError) => found.set(name, error.code),
    );
  return found;
}

describe('a slow disk', () => {
  it('makes callers wait until their record is synced, and the next group gathers meanwhile [S24]', async () => {
    const { disk, chain } = open();
    const found = outcomes({ a: chain.begin(start('a')) });
    await turn();
    expect([disk.tools, found.size]).toEqual([['a'], 0]);
    const later = outcomes({ b: chain.begin(start('b')), c: chain.append(end('c')) });
    await turn();
    expect(disk.tools).toEqual(['a']);
    disk.syncs[0]?.resolve();
    await turn();
    expect(found.get('a')).toBe('stored');
    await turn();
    // One write and one sync for both.
    expect([disk.tools, disk.syncs.length, later.size]).toEqual([['a', 'b', 'c'], 2, 0]);
    disk.syncs[1]?.resolve();
    await turn();
    expect([...later.values()]).toEqual(['stored', 'stored']);
  });

  it('refuses new calls when the queue is full, and still takes the ends of those that run [S24]', async () => {
    const { disk, chain } = open();
    void chain.begin(start('first'));
    await turn();
    const found = outcomes({
      a: chain.begin(start('a')),
      b: chain.begin(start('b')),
      c: chain.append(end('c')),
      refused: chain.begin(start('refused')),
      alsoRefused: chain.append({ kind: 'decision', what: { tool: 'refused' } }),
      end: chain.append(end('end')),
    });
    await turn();
    expect(Object.fromEntries(found)).toEqual({ refused: 'audit-unavailable', alsoRefused: 'audit-unavailable' });
    disk.syncs[0]?.resolve();
    await turn();
    await turn();
    expect(disk.tools).toEqual(['first', 'a', 'b', 'c', 'end']);
  });

  it('is full by characters, too', async () => {
    const { chain } = open({ limits: { ...limits, maxQueuedRecords: 1000, maxQueuedChars: 1000 } });
    const large = chain.begin(start('x'.repeat(900)));
    await expect(chain.begin(start('b'))).rejects.toMatchObject({
      code: 'audit-unavailable',
      details: { maxQueuedChars: 1000 },
    });
    await turn();
    void large;
  });

  it('takes the calls of others while one caller sends more than it may have in the queue [S24, S36]', async () => {
    const { disk, chain } = open({ limits: { ...limits, maxQueuedRecords: 12 } });
    void chain.begin(start('first'));
    await turn();
    /** How many of so many calls are taken. */
    const from = async (who: AuditFields, times: number): Promise<number> => {
      const calls = outcomes(
        Object.fromEntries(Array.from({ length: times }, (_, at) => [at, chain.begin({ ...start('a'), who })])),
      );
      await turn();
      return times - calls.size;
    };
    expect(await from({ principal: 'eve' }, 100)).toBe(6);
    expect(await from({ principal: 'ada' }, 2)).toBe(2);
    // Addresses cost nothing: all of them share what one principal may have.
    const addresses = Array.from({ length: 100 }, (_, at) => from({ address: `192.0.2.${at}` }, 1));
    expect((await Promise.all(addresses)).filter((taken) => taken === 1)).toHaveLength(2);
    expect(await from({ principal: 'bob' }, 1)).toBe(1);
    disk.syncs[0]?.resolve();
    await turn();
    await turn();
    expect(disk.tools).toHaveLength(12);
  });

  it('takes the calls of others while one caller sends more characters than it may have in the queue [S24, S36]', async () => {
    const { chain } = open({ limits: { ...limits, maxQueuedRecords: 1000, maxQueuedChars: 20_000 } });
    void chain.begin(start('first'));
    await turn();
    const begin = (principal: string) =>
      outcomes({ one: chain.begin({ ...start('x'.repeat(900)), who: { principal } }) });
    const flood = Array.from({ length: 50 }, () => begin('eve'));
    const ada = begin('ada');
    await turn();
    expect(flood.at(-1)?.get('one')).toBe('audit-unavailable');
    expect(flood[5]?.size).toBe(0);
    expect(ada.size).toBe(0);
  });

  it("with whenFull 'spill' writes a full queue at once, without waiting for the sync [S24]", async () => {
    const { disk, chain } = open({ whenFull: 'spill' });
    void chain.begin(start('first'));
    await turn();
    const found = outcomes({ a: chain.begin(start('a')), b: chain.begin(start('b')), c: chain.begin(start('c')) });
    const last = outcomes({ d: chain.begin(start('d')) });
    await turn();
    expect(disk.tools).toEqual(['first', 'a', 'b', 'c']);
    expect([...found.values()]).toEqual(['stored', 'stored', 'stored']);
    expect(last.size).toBe(0);
    disk.syncs[0]?.resolve();
    await turn();
    await turn();
    disk.syncs[1]?.resolve();
    await turn();
    expect([disk.tools, last.get('d')]).toEqual([['first', 'a', 'b', 'c', 'd'], 'stored']);
  });
});

describe('a disk that fails', () => {
  it('refuses a start and drops it; keeps an end, and writes it before all others when there is space [S24]', async () => {
    const { disk, chain } = open({ limits: { ...limits, maxQueuedRecords: 100 } });
    disk.failure = new TenonError('audit-unavailable', 'full');
    const found = outcomes({ a: chain.begin(start('a')), b: chain.append(end('b')) });
    await turn();
    expect([...found.values()]).toEqual(['audit-unavailable', 'audit-unavailable']);
    disk.failure = undefined;
    void chain.begin(start('c'));
    await turn();
    expect(disk.tools).toEqual(['b', 'c']);
  });

  it('writes what it kept after checkpointMs, without a new call', async () => {
    const { disk, chain, machine } = open();
    disk.failure = new TenonError('audit-unavailable', 'full');
    await expect(chain.append(end('a'))).rejects.toMatchObject({ code: 'audit-unavailable' });
    disk.failure = undefined;
    machine.clock.advance(10_000);
    await turn();
    expect(disk.tools).toEqual(['a']);
  });

  it('keeps at most maxQueuedRecords, ends of calls excepted, and goes on counting refusals', async () => {
    const { disk, chain, machine } = open();
    disk.failure = new TenonError('audit-unavailable', 'full');
    for (let at = 0; at < 50; at++) await chain.append({ kind: 'decision', what: { tool: `d${at}` } }).catch(() => {});
    chain.countRefusal('192.0.2.1', 'no-token');
    machine.clock.advance(10_000);
    await turn();
    chain.countRefusal('192.0.2.1', 'no-token');
    disk.failure = undefined;
    machine.clock.advance(10_000);
    await turn();
    disk.syncs[0]?.resolve();
    machine.clock.advance(10_000);
    await turn();
    await turn();
    expect(disk.tools.slice(0, 3)).toEqual(['d0', 'd1', 'd2']);
    expect(JSON.parse(disk.stored.at(-1) ?? '')).toMatchObject({ kind: 'refusals', what: { refused: 2 } });
  });

  it('does not report a record whose sync failed as stored', async () => {
    const { disk, chain } = open();
    const found = outcomes({ a: chain.begin(start('a')) });
    await turn();
    disk.syncs[0]?.reject(new TenonError('audit-unavailable', 'broken'));
    await turn();
    expect(found.get('a')).toBe('audit-unavailable');
  });
});
