/** Approvals on an engine: a row each in one partition, found by its ID, and by its call until it is over. */
import { mapped } from '../../lib/values/maybe-promise.ts';
import type { ApprovalRoom, ApprovalStore, StoredApproval } from '../approval-store.ts';
import type { Codec, Path } from '../codec.ts';
import type { GroupMember, Op, Ran, Row, StoreDriver } from '../driver.ts';
import { lastingMs, rowIn, rowsIn } from './runs.ts';

/**
 * Approvals in a store, decided ones included until they expire.
 * @limit store
 * @beyond no further one is requested, and its call is refused
 * @code overloaded
 */
const maxApprovals = 10_000;

/**
 * Decided approvals of one caller that are stored until they expire.
 * @limit store
 * @beyond the oldest is deleted; its call is asked about again
 */
const maxDecided = 64;

const partition = 'approvals';
const all: GroupMember = { name: 'all', max: maxApprovals };

export function approvalsOn(driver: StoreDriver, codec: Codec): ApprovalStore {
  const { approvalOf, putOf, shareOf, callOf } = approvalRows(codec);
  return {
    create({ id, call, share, data, ttlMs }, room) {
      const version = crypto.randomUUID();
      const name = shareOf(share);
      const put: Op = {
        ...putOf(id, name, version, data, waitingIn(name, room)),
        when: 'absent',
        alias: callOf(call),
        expiresInMs: lastingMs(ttlMs),
      };
      return mapped(driver.run(partition, [put], 'disk'), (ran) => {
        if (ran.failed === undefined) {
          const { createdAt, expiresAt = Number.POSITIVE_INFINITY } = rowIn(ran.results[0]) as Row;
          const approval = { id, share: name, data, version, createdAt, expiresAt, now: ran.now };
          return { approval, isNew: true };
        }
        if (ran.why === 'full') return ran.group === all.name ? 'too-many' : 'full';
        const found = ran.row as Row;
        return { approval: approvalOf(found, ran.now), isNew: found.version === version };
      });
    },
    read: (id) =>
      mapped(driver.run(partition, [{ op: 'get', key: id }]), (ran) => {
        const row = ran.failed === undefined ? rowIn(ran.results[0]) : undefined;
        return row && approvalOf(row, ran.now);
      }),
    write({ id, share, version, expiresAt, now }, { data, state }) {
      const next = crypto.randomUUID();
      const put = putOf(id, share, next, data, decidedIn(share));
      const ops: readonly Op[] =
        state === 'decided'
          ? [{ ...put, when: { version } }]
          : // A row that is made again has no name of a call: another approval can have it.
            [
              { op: 'delete', key: id, when: { version } },
              { ...put, expiresInMs: lastingMs(expiresAt - now) },
            ];
      return mapped(driver.run(partition, ops, 'disk'), (ran) => isDone(ran, next));
    },
    delete: ({ id, version }) =>
      mapped(
        driver.run(partition, [{ op: 'delete', key: id, when: { version } }], 'disk'),
        ({ failed }) => failed === undefined,
      ),
    list(which, after, max) {
      const group = which === 'all' ? all.name : waitingGroup;
      const page = { ...(after !== undefined && { after: Number(after) }), max: max + 1 };
      return mapped(driver.run(partition, [{ op: 'list', group, ...page }]), (ran) => {
        const rows = ran.failed === undefined ? rowsIn(ran.results[0]) : [];
        const shown = rows.slice(0, max);
        const next = rows.length > max ? String(shown.at(-1)?.number) : undefined;
        return { approvals: shown.map((row) => approvalOf(row, ran.now)), next };
      });
    },
  };
}

/** Approvals as rows. Their texts are private: they have the arguments of calls. */
function approvalRows(codec: Codec) {
  const pathOf = (id: string): Path => ['approval', id];
  return {
    shareOf: (share: string): string => codec.name(['approval share', share]),
    callOf: (call: string): string => codec.name(['approved call', call]),
    approvalOf: ({ key, fields, data, version, createdAt, expiresAt }: Row, now: number): StoredApproval => ({
      id: key,
      share: fields.share ?? '',
      data: codec.open(pathOf(key), data ?? ''),
      version,
      createdAt,
      expiresAt: expiresAt ?? Number.POSITIVE_INFINITY,
      now,
    }),
    putOf: (id: string, share: string, version: string, data: string, groups: readonly GroupMember[]) =>
      ({ op: 'put', key: id, version, data: codec.seal(pathOf(id), data), fields: { share }, groups }) as const,
  };
}

const waitingGroup = 'waiting';

const waitingIn = (share: string, { maxWaiting, beyond }: ApprovalRoom): readonly GroupMember[] => [
  { name: `waiting:${share}`, max: maxWaiting, beyond },
  { name: waitingGroup },
  all,
];

const decidedIn = (share: string): readonly GroupMember[] => [
  { name: `decided:${share}`, max: maxDecided, beyond: 'delete-oldest' },
  all,
];

/** An engine that got no answer repeats a run: then it was done before. */
const isDone = (ran: Ran, version: string): boolean => ran.failed === undefined || ran.row?.version === version;
