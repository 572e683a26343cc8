/** Reads what a rule with `ask` says about the answer: how long it holds, and who gives it. */
import { isScalar } from 'yaml';
import { maxApprovalMs } from '../limits.ts';
import type { PolicyAction, PolicyEffect, PolicyRule, Remember } from '../rule.ts';
import { readTexts } from './rule-texts.ts';
import type { Member, PolicyNode, PolicySource } from './source.ts';

/** Only rules with `ask` have them. */
export const askingMembers = ['remember', 'exactCall', 'approver', 'expires'] as const;

const approverMembers = ['issuer', 'subject', 'scope', 'role'] as const;

type Asking = Pick<PolicyRule, 'remember' | 'exactCall' | 'approver' | 'expiresMs'>;

export function readAsking(
  source: PolicySource,
  members: ReadonlyMap<string, Member>,
  place: string,
  effect: PolicyEffect | undefined,
  actions: readonly PolicyAction[] | undefined,
): Asking {
  for (const name of askingMembers) {
    const member = members.get(name);
    if (member === undefined || effect === 'ask') continue;
    source.report(member.key, `${place}.${name}`, 'is about the answer of a user', 'It belongs to rules with ask.');
  }
  const [remember, exactCall] = [members.get('remember'), members.get('exactCall')];
  const [approver, expires] = [members.get('approver'), members.get('expires')];
  const time = remember && readRemember(source, remember.value, `${place}.remember`);
  const exact = isScalar(exactCall?.value) ? exactCall.value.value : undefined;
  if (exactCall !== undefined && typeof exact !== 'boolean') {
    source.report(exactCall.value, `${place}.exactCall`, 'is not true or false', 'Write exactCall: true.');
  }
  const named = approver && readApprover(source, approver.value, `${place}.approver`);
  const expiresMs = expires && readExpires(source, expires.value, `${place}.expires`);
  for (const name of ['approver', 'expires'] as const) {
    const member = members.get(name);
    if (member === undefined || effect !== 'ask' || actions === undefined || actions.includes('call')) continue;
    source.report(member.key, `${place}.${name}`, 'is about calls of tools', 'The rule needs the action call.');
  }
  return {
    ...(time !== undefined && { remember: time }),
    ...(typeof exact === 'boolean' && { exactCall: exact }),
    ...(named !== undefined && { approver: named }),
    ...(expiresMs !== undefined && { expiresMs }),
  };
}

function readRemember(source: PolicySource, node: PolicyNode, place: string): Remember | undefined {
  const text = source.text(node, place);
  if (text === undefined || text === 'once' || text === 'session') return text;
  const forMs = msOf(text);
  if (forMs !== undefined) return { forMs };
  return source.report(node, place, 'is not a time', 'Write once, session, or a time such as 15m, 12h, 30d.');
}

function readApprover(source: PolicySource, node: PolicyNode, place: string): PolicyRule['approver'] {
  const hint = `Write caller, or an object with ${approverMembers.join(', ')}.`;
  if (isScalar(node)) return node.value === 'caller' ? 'caller' : source.report(node, place, 'is not known', hint);
  const members = source.members(node, place, approverMembers);
  if (members === undefined) return undefined;
  return members.size === 0 ? source.report(node, place, 'is empty', hint) : readTexts(source, members, place);
}

function readExpires(source: PolicySource, node: PolicyNode, place: string): number | undefined {
  const text = source.text(node, place);
  const ms = text === undefined ? undefined : msOf(text);
  if (ms !== undefined && ms <= maxApprovalMs) return ms;
  const problem = ms === undefined ? 'is not a time' : 'is too long';
  return text === undefined
    ? undefined
    : source.report(node, place, problem, 'Write a time such as 15m, 1h, at most 7d.');
}

const units: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

function msOf(text: string): number | undefined {
  const [, amount, unit = ''] = /^([1-9]\d{0,3})([mhd])$/.exec(text) ?? [];
  return amount === undefined ? undefined : Number(amount) * (units[unit] as number);
}
