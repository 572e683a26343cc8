/** Guards the demo with a policy and an audit log: `npm start -- --guarded`. */
import { mkdtemp } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { auditFolder, type Guard, type GuardOptions, guard } from 'tenon/guard';
import { guardRecords } from './records.ts';

export interface GuardedDemo {
  readonly guard: Guard;
  /** The folder of the audit log. */
  readonly folder: string;
  /** Resources of the demo that show what was decided and recorded. */
  readonly resources: ReturnType<typeof guardRecords>;
  /** Who calls the demo. Refusals of callers without a principal are only counted, not recorded one by one. */
  authenticate(): string;
  /** Answers a request for the explanation of a decision; false if it is for something else. */
  explain(request: IncomingMessage, response: ServerResponse): boolean;
}

const limits: NonNullable<GuardOptions['limits']> = { perPrincipal: '600/min', concurrent: 32 };

export async function guardDemo(): Promise<GuardedDemo> {
  const folder = await mkdtemp(join(tmpdir(), 'tenon-demo-audit-'));
  const audit = auditFolder(folder);
  await audit.open();
  const guarded = guard({ policy: fileURLToPath(new URL('policy.yaml', import.meta.url)), audit, limits });
  return {
    guard: guarded,
    folder,
    resources: guardRecords(guarded, folder),
    authenticate: () => 'visitor',
    explain({ url = '' }, response) {
      const [, decisionId] = /^\/decisions\/([\w-]+)$/.exec(url) ?? [];
      if (decisionId === undefined) return false;
      const explanation = guarded.explain(decisionId);
      response.writeHead(explanation === undefined ? 404 : 200, { 'content-type': 'text/plain; charset=utf-8' });
      response.end(`${explanation?.text ?? 'This decision is not known.'}\n`);
      return true;
    },
  };
}
