/** What every store of approvals does, part of the contract of every store. */
import type { ApprovalRoom, ApprovalStore, NewApproval, StoredApproval } from 'tenon/store';
import { describe, expect, it } from 'vitest';
import type { StoreUnderTest } from './contract.ts';

const room: ApprovalRoom = { maxWaiting: 3, beyond: 'refuse' };

/** `started` returns the store of the running test. */
export function testApprovals(name: string, started: () => StoreUnderTest): void {
  describe(`approvals, ${name}`, () => {
    const approvals = (): ApprovalStore => {
      const { approvals: part } = started().store;
      if (part === undefined) throw new Error('The store has no approvals.');
      return part;
    };
    const create = (id: string, change: Partial<NewApproval> = {}, inRoom: ApprovalRoom = room) =>
      approvals().create(
        { id, call: `call ${id}`, share: 'ada', data: `data ${id}`, ttlMs: 60_000, ...change },
        inRoom,
      );
    const made = async (id: string, change: Partial<NewApproval> = {}): Promise<StoredApproval> => {
      const creation = await create(id, change);
      if (typeof creation === 'string') throw new Error(creation);
      return creation.approval;
    };
    const ids = async (which: 'waiting' | 'all'): Promise<string[]> =>
      (await approvals().list(which, undefined, 100)).approvals.map(({ id }) => id);

    it('are read as they were stored, and exist until they expire', async () => {
      const data = `ä 🌍 "\n${'x'.repeat(40_000)}`;
      const approval = await made('A1', { data, ttlMs: 5000 });
      expect(approval.expiresAt - approval.createdAt).toBe(5000);
      expect(await approvals().read('A1')).toMatchObject({ id: 'A1', data, version: approval.version });
      expect(await approvals().read('A2')).toBeUndefined();
      started().advance(5000);
      expect(await approvals().read('A1')).toBeUndefined();
      expect(await approvals().write(approval, { data: 'late', state: 'decided' })).toBe(false);
      expect(await approvals().delete(approval)).toBe(false);
      expect(await ids('all')).toEqual([]);
    });

    it('are one for each call, however often and wherever it is requested', async () => {
      const creations = await Promise.all(['A1', 'A2', 'A3'].map((id) => create(id, { call: 'pay' })));
      const found = creations.map((one) => (typeof one === 'string' ? one : one.approval.id));
      expect(new Set(found).size).toBe(1);
      expect(creations.filter((one) => typeof one !== 'string' && one.isNew)).toHaveLength(1);
      expect(await ids('waiting')).toEqual([found[0]]);
    });

    it('change once from what was read, and wait no more', async () => {
      const approval = await made('A1');
      const written = await Promise.all(
        ['approved', 'denied'].map((data) => approvals().write(approval, { data, state: 'decided' })),
      );
      expect(written.filter(Boolean)).toHaveLength(1);
      expect(await approvals().read('A1')).toMatchObject({ data: written[0] ? 'approved' : 'denied' });
      expect([await ids('waiting'), await ids('all')]).toEqual([[], ['A1']]);
      expect(await create('A2', { call: 'call A1' })).toMatchObject({ approval: { id: 'A1' }, isNew: false });
    });

    it('that are over are read by their ID, and another one can be requested for the call', async () => {
      const approval = await made('A1', { ttlMs: 5000 });
      await approvals().write(approval, { data: 'approved', state: 'decided' });
      const decided = (await approvals().read('A1')) as StoredApproval;
      const used = await Promise.all(
        ['by one', 'by another'].map((data) => approvals().write(decided, { data, state: 'over' })),
      );
      expect(used.filter(Boolean)).toHaveLength(1);
      expect(await approvals().read('A1')).toMatchObject({ data: used[0] ? 'by one' : 'by another' });
      expect(await create('A2', { call: 'call A1' })).toMatchObject({ approval: { id: 'A2' }, isNew: true });
      expect(await approvals().write(decided, { data: 'again', state: 'over' })).toBe(false);
      started().advance(5000);
      expect(await approvals().read('A1')).toBeUndefined();
    });

    it('that are deleted leave their call free', async () => {
      const approval = await made('A1');
      expect(await approvals().delete(approval)).toBe(true);
      expect(await approvals().delete(approval)).toBe(false);
      expect(await create('A2', { call: 'call A1' })).toMatchObject({ isNew: true });
    });

    it('that wait are limited for each share, and decided ones are not counted', async () => {
      const first = await made('A1');
      await made('A2');
      await made('A3');
      expect(await create('A4')).toBe('full');
      expect(await create('B1', { share: 'eve' })).toMatchObject({ isNew: true });
      await approvals().write(first, { data: 'approved', state: 'decided' });
      expect(await create('A4')).toMatchObject({ isNew: true });
      expect(await create('A5')).toBe('full');
    });

    it('replace the oldest that waits, where the room says so', async () => {
      for (const id of ['A1', 'A2', 'A3']) await made(id);
      expect(await create('A4', {}, { maxWaiting: 3, beyond: 'delete-oldest' })).toMatchObject({ isNew: true });
      expect(await ids('waiting')).toEqual(['A2', 'A3', 'A4']);
    });

    it('are listed in pages, the oldest first', async () => {
      for (const id of ['A1', 'A2', 'A3']) await made(id);
      const first = await approvals().list('waiting', undefined, 2);
      expect(first.approvals.map(({ id }) => id)).toEqual(['A1', 'A2']);
      const second = await approvals().list('waiting', first.next, 2);
      expect([second.approvals.map(({ id }) => id), second.next]).toEqual([['A3'], undefined]);
    });

    it('are lost with the contents of the store', async () => {
      await made('A1');
      await started().lose();
      expect(await approvals().read('A1')).toBeUndefined();
    });
  });
}
