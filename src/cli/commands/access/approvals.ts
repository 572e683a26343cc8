/** `tenon approvals`: lists calls that wait for an approval in a store, shows one, and decides. Who has the store may decide. */
import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import { resolve } from 'node:path';
import type { Approval } from '../../../guard/approvals/approval.ts';
import { decideFor, listFor, readFor } from '../../../guard/approvals/approvals.ts';
import { StoredApprovals } from '../../../guard/approvals/stored-approvals.ts';
import { timeText } from '../../../guard/approvals/texts.ts';
import { escapeControls } from '../../../lib/text/control-characters.ts';
import { shownJson } from '../../../lib/text/exact-json.ts';
import { addressIn, openStore } from '../../../node/open-store.ts';
import type { ApprovalStore } from '../../../store/approval-store.ts';
import { type RunAction, runAction, wordsOf } from '../../input/action-word.ts';
import type { CommandResult, RunCommand } from '../../io/command.ts';
import type { Given } from '../../io/given.ts';
import { printable } from '../../output/content.ts';
import { textTable } from '../../output/table.ts';
import { usageError } from '../../usage-error.ts';

const list: RunAction = (given, words) => {
  wordsOf(words);
  return withStore(given, async (stored) => {
    const found = await listFor(stored, operator(), given.flag('all') ? 'all' : 'waiting');
    const rows = found.map((one) => [one.id, one.state, callOf(one), callerOf(one), timeText(one.expiresAt)]);
    const table = textTable([['ID', 'STATE', 'CALL', 'CALLER', 'OPEN UNTIL'], ...rows], given.io.columns);
    return {
      result: { approvals: found },
      text: found.length === 0 ? 'No call waits for an approval.' : printable(table, given.io),
    };
  });
};

const show: RunAction = (given, words) => {
  const [id = ''] = wordsOf(words, 'ID');
  return withStore(given, async (stored) => shown(await readFor(stored, id, operator()), given));
};

const decision =
  (is: 'approve' | 'deny'): RunAction =>
  (given, words) => {
    const [id = ''] = wordsOf(words, 'ID');
    const reason = given.text('reason');
    // Without an audit log here: the server that uses the decision records it.
    return withStore(given, async (stored) =>
      shown(await decideFor(stored, undefined, id, is, operator(), reason), given),
    );
  };

export const run: RunCommand = (given) =>
  runAction(given, { list, show, approve: decision('approve'), deny: decision('deny') });

/** The account of the machine, for the record: access to the store is what allows it to decide. */
function operator(): { readonly operator: string } {
  try {
    return { operator: userInfo().username };
  } catch {
    return { operator: 'unknown' };
  }
}

const states = { waiting: 'waits', approved: 'may run once', denied: 'does not run', used: 'was used' } as const;

function shown(approval: Approval, { io }: Given): CommandResult {
  const { id, state, expiresAt, rule, digest, decision: decided, usedAt } = approval;
  const lines = [
    `${id} ${states[state]}: ${callOf(approval)}, called by ${callerOf(approval)}`,
    shownJson(approval.arguments),
    ...('validated' in approval ? ['With defaults and conversions it runs with:', shownJson(approval.validated)] : []),
    `open until ${timeText(expiresAt)}${rule === undefined ? '' : `, rule ${rule}`}`,
    `SHA-256 of the call: ${digest}`,
    ...(decided === undefined
      ? []
      : [
          `${state === 'denied' ? 'denied' : 'approved'} by ${escapeControls(decided.by.subject)}, ${timeText(decided.at)}${decided.reason === undefined ? '' : `: ${escapeControls(decided.reason)}`}`,
        ]),
    ...(usedAt === undefined ? [] : [`used ${timeText(usedAt)}`]),
  ];
  return { result: { approval }, text: lines.map((line) => printable(line, io)).join('\n') };
}

/** Names are not the operator's own: a line break in one would make a line that looks like one of the approval. */
const callOf = ({ tool, server }: Approval): string => escapeControls(`${tool} of ${server}`);

const callerOf = ({ requester }: Approval): string =>
  requester === undefined
    ? 'a caller who has not signed in'
    : escapeControls(`${requester.subject}${requester.client === undefined ? '' : ` by ${requester.client}`}`);

async function withStore(
  given: Given,
  then: (stored: StoredApprovals) => Promise<CommandResult>,
): Promise<CommandResult> {
  const store = await openStore(urlOf(given), encryptionOf(given));
  try {
    return await then(new StoredApprovals(() => store.approvals as ApprovalStore));
  } finally {
    await store.close();
  }
}

function urlOf({ io, text }: Given): string {
  const url = text('store') ?? io.env.TENON_STORE;
  if (url === undefined) throw usageError('Which store?', 'Write --store sqlite:./tenon.db, or set TENON_STORE.');
  const address = addressIn(url);
  if (address.scheme === 'memory')
    throw usageError('A store in memory belongs to its process.', 'Decide there: guarded.approvals, or its page.');
  if (address.scheme !== 'sqlite') return url;
  // A file that does not exist would be made, and every approval would be missing.
  const file = resolve(io.cwd, address.file);
  if (!existsSync(file)) throw usageError(`There is no file ${file}.`, 'Name the store of the server.');
  return `sqlite:${file}`;
}

/** Secrets are no arguments: other users of the machine see these. */
function encryptionOf({ io }: Given): { encryption?: { keys: readonly string[] } } {
  const keys = (io.env.TENON_STORE_KEYS ?? '').split('\n').filter((key) => key !== '');
  return keys.length === 0 ? {} : { encryption: { keys } };
}
