/** Guards the demo with a policy, approvals and an audit log: `npm start -- --guarded`. */
import { mkdtemp } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { auditFolder, type Guard, type GuardOptions, guard, toApprovalListener } from 'tenon/guard';
import { authenticate, grace, password } from './approvers.ts';
import { guardRecords } from './records.ts';

export interface GuardedDemo {
  readonly guard: Guard;
  /** The folder of the audit log. */
  readonly folder: string;
  /** Resources of the demo that show what was decided and recorded. */
  readonly resources: ReturnType<typeof guardRecords>;
  /** Who calls the demo. Refusals of callers without a principal are only counted, not recorded one by one. */
  authenticate(): string;
  /** For the page of the inspector, in which the second person decides. */
  readonly approvals: { readonly from: Guard['approvals']; readonly approver: typeof grace };
  /** The password of the second person on the page of approvals. */
  readonly password: string;
  /** Sets where the demo is served, for links to approvals. */
  servedAt(url: string): void;
  /** Answers a request for the explanation of a decision, or for approvals; false if it is for something else. */
  answer(request: IncomingMessage, response: ServerResponse): boolean;
}

const limits: NonNullable<GuardOptions['limits']> = { perPrincipal: '600/min', concurrent: 32 };

export async function guardDemo(): Promise<GuardedDemo> {
  const folder = await mkdtemp(join(tmpdir(), 'tenon-demo-audit-'));
  const audit = auditFolder(folder);
  await audit.open();
  let origin = 'http://127.0.0.1:3000';
  const guarded = guard({
    policy: fileURLToPath(new URL('policy.yaml', import.meta.url)),
    audit,
    limits,
    approvals: { url: ({ id }) => `${origin}/approvals/${id}` },
  });
  const decide = toApprovalListener(guarded.approvals, { authenticate });
  return {
    guard: guarded,
    folder,
    resources: guardRecords(guarded, folder),
    authenticate: () => 'visitor',
    approvals: { from: guarded.approvals, approver: grace },
    password,
    servedAt: (url) => void ({ origin } = new URL(url)),
    answer: (request, response) => explain(guarded, request, response) || decide(request, response),
  };
}

function explain(guarded: Guard, { url = '' }: IncomingMessage, response: ServerResponse): boolean {
  const [, decisionId] = /^\/decisions\/([\w-]+)$/.exec(url) ?? [];
  if (decisionId === undefined) return false;
  const explanation = guarded.explain(decisionId);
  response.writeHead(explanation === undefined ? 404 : 200, { 'content-type': 'text/plain; charset=utf-8' });
  response.end(`${explanation?.text ?? 'This decision is not known.'}\n`);
  return true;
}
