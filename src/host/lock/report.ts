/** Says how a server differs from what was approved: as text for people, and as errors. */
import { TenonError } from '../../jsonrpc/errors.ts';
import { type ChangedItem, hasDrift, type LockComparison, type LockedField, type LockedItem } from './lock.ts';

/** The lines of a list beyond these are counted. */
const maxLines = 50;

export function describeDrift(server: string, comparison: LockComparison): string {
  const { known, identity, approvedAs, added, changed, removed } = comparison;
  if (!hasDrift(comparison)) return `${server}: as approved`;
  const lines = [
    ...(known
      ? []
      : [`  not approved yet${approvedAs === undefined ? '' : `; the same server was approved as ${approvedAs}`}`]),
    ...(identity.length === 0 ? [] : ['  another server under this name', ...identity.flatMap(fieldLines)]),
    ...changed.flatMap((item) => [`  changed: ${titleOf(item)}`, ...item.fields.flatMap(fieldLines)]),
    ...added.map((item) => `  added: ${titleOf(item)}`),
    ...removed.map((item) => `  removed: ${titleOf(item)}`),
  ];
  const rest = lines.length > maxLines ? [`  and ${lines.length - maxLines} more lines`] : [];
  return [`${server}:`, ...lines.slice(0, maxLines), ...rest].join('\n');
}

const titleOf = ({ kind, name }: LockedItem): string => (name === '' ? kind : `${kind} ${JSON.stringify(name)}`);

const fieldLines = ({ field, before, after }: LockedField): string[] => [
  `    ${field}`,
  ...(before === undefined ? [] : [`      - ${before}`]),
  ...(after === undefined ? [] : [`      + ${after}`]),
];

const hint = 'If this is right, approve it: host.approve(await host.lockStatus()).';

/** The server as a whole is refused: it is another one, or the lock is only checked. */
export const serverMismatch = (server: string, comparison: LockComparison): TenonError =>
  new TenonError('lock-mismatch', `The server ${server} is not as approved.\n${describeDrift(server, comparison)}`, {
    hint,
    details: { server, ...comparison },
  });

export const changedItems = (server: string, changed: readonly ChangedItem[]): TenonError => {
  const lines = changed.flatMap((item) => [`  changed: ${titleOf(item)}`, ...item.fields.flatMap(fieldLines)]);
  const text = [`${server} has changed what was approved.`, ...lines.slice(0, maxLines)].join('\n');
  return new TenonError('lock-mismatch', text, { hint, details: { server, changed } });
};

export const notApproved = (server: string, item: LockedItem): TenonError =>
  new TenonError('lock-mismatch', `The ${titleOf(item)} of ${server} was not approved.`, {
    hint,
    details: { server, added: [item] },
  });
