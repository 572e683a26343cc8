/** Reports how a server differs from its approved state: as text for people, and as errors. */
import { TenonError } from '../../lib/errors/tenon-error.ts';
import {
  type ChangedItem,
  hasDrift,
  type LockComparison,
  type LockedField,
  type LockedItem,
} from '../../ports/lock.ts';

/** Further lines of a list are only counted. */
const maxLines = 100;

export function describeDrift(server: string, comparison: LockComparison): string {
  const { known, identity, approvedAs, added, changed, removed } = comparison;
  if (!hasDrift(comparison)) return `${server}: as approved`;
  const lines = [
    ...(known
      ? []
      : [`  not approved yet${approvedAs === undefined ? '' : `; the same server was approved as ${approvedAs}`}`]),
    ...(identity.length === 0 ? [] : ['  another server under this name', ...identity.flatMap(fieldLines)]),
    ...changed.flatMap(changeLines),
    ...added.flatMap((item) => [
      `  added: ${titleOf(item)}`,
      ...(item.description === undefined ? [] : [`      + ${item.description}`]),
    ]),
    ...removed.map((item) => `  removed: ${titleOf(item)}`),
  ];
  return [`${server}:`, ...firstLines(lines)].join('\n');
}

const firstLines = (lines: readonly string[]): readonly string[] =>
  lines.length > maxLines ? [...lines.slice(0, maxLines), `  and ${lines.length - maxLines} more lines`] : lines;

const titleOf = ({ kind, name }: LockedItem): string => (name === '' ? kind : `${kind} ${plain(name)}`);

/** A name with lookalike or control characters could be read as another name. */
const plain = (name: string): string =>
  JSON.stringify(name).replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

const changeLines = (item: ChangedItem): string[] => [
  `  changed: ${titleOf(item)}`,
  ...item.fields.flatMap(fieldLines),
  ...(item.more > 0 ? [`    and ${item.more} more fields`] : []),
];

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
  const lines = firstLines(changed.flatMap(changeLines));
  const text = [`${server} has changed what was approved.`, ...lines].join('\n');
  return new TenonError('lock-mismatch', text, { hint, details: { server, changed } });
};

export const notApproved = (server: string, item: LockedItem): TenonError =>
  new TenonError('lock-mismatch', `The ${titleOf(item)} of ${server} was not approved.`, {
    hint,
    details: { server, added: [item] },
  });
