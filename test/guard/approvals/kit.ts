/** A guarded server with a tool that needs an approval of its caller, one of another person, and one that needs none. */
import { createServer, type Server, type ServerOptions, tool } from 'tenon';
import { type ApprovalOptions, createPolicy, type Guard, type GuardOptions, guard, type Policy } from 'tenon/guard';
import { z } from 'zod';
import { type MemoryAudit, memoryAudit } from '../server/kit.ts';

export const rules = `
version: 1
rules:
  - { id: open, allow: [list, call, elicit], to: any, on: any }
  - { id: self, ask: [call], to: any, on: { tool: self } }
  - { id: ops, ask: [call], to: any, on: { tool: deploy }, approver: { role: ops } }
`;

export const ada = { issuer: 'https://id.example.com', subject: 'ada' };
export const eve = { issuer: 'https://id.example.com', subject: 'eve' };
/** Who may approve deployments. */
export const grace = { issuer: 'https://id.example.com', subject: 'grace', roles: ['ops'] };

/** A policy that can be replaced while it is used. */
export interface SwitchedPolicy extends Policy {
  change(text: string): void;
}

export function switchedPolicy(text: string): SwitchedPolicy {
  let current = createPolicy(text);
  return {
    get rules() {
      return current.rules;
    },
    tests: [],
    decide: (request) => current.decide(request),
    evaluate: (request) => current.evaluate(request),
    possibleEffects: (...given) => current.possibleEffects(...given),
    visible: (request) => current.visible(request),
    explain: (id) => current.explain(id),
    change: (to) => void (current = createPolicy(to)),
  };
}

export interface Approving {
  readonly server: Server;
  readonly guarded: Guard;
  readonly policy: SwitchedPolicy;
  readonly audit: MemoryAudit;
  /** What ran, with its arguments. */
  readonly ran: string[];
  readonly errors: unknown[];
}

/** Calls do not wait for others unless `approvals.waitMs` is set. */
export function approving(
  approvals: ApprovalOptions = {},
  more: { readonly server?: ServerOptions; readonly guard?: Partial<GuardOptions>; readonly rules?: string } = {},
): Approving {
  const audit = memoryAudit();
  const policy = switchedPolicy(more.rules ?? rules);
  const guarded = guard({ policy, audit, approvals: { waitMs: 0, ...approvals }, ...more.guard });
  const ran: string[] = [];
  const errors: unknown[] = [];
  const inputSchema = z.object({
    env: z.string().default('prod'),
    n: z.number().optional(),
    list: z.array(z.string()).optional(),
  });
  const run = (name: string) => (given: object) => {
    ran.push(`${name} ${JSON.stringify(given)}`);
    return `${name} has run`;
  };
  const server = createServer(
    {
      name: 'ops',
      version: '1',
      tools: {
        self: tool({ description: 'Asks its caller', inputSchema }, run('self')),
        deploy: tool({ description: 'Asks another person', inputSchema }, run('deploy')),
        status: tool({}, run('status')),
        twice: tool({ inputSchema }, async (given, ctx) => {
          const { action } = await ctx.elicit('more', { message: 'More?', schema: z.object({ x: z.string() }) });
          return run('twice')({ ...given, action });
        }),
      },
    },
    { guard: guarded, secrets: ['a secret of sixteen'], onError: (error) => void errors.push(error), ...more.server },
  );
  return { server, guarded, policy, audit, ran, errors };
}

/** The approval that a result says it waits for. */
export const pendingIn = (result: {
  readonly _meta?: unknown;
}): { readonly id: string; readonly expiresAt: number } | undefined =>
  (result._meta as { readonly 'dev.tenon/approval'?: never } | undefined)?.['dev.tenon/approval'];
