/** A model of approvals: random steps of callers, approvers, crashes and the clock, on two nodes that share a store. */
import * as fc from 'fast-check';
import { createServer, type Server, tool } from 'tenon';
import { createPolicy, type Guard, guard } from 'tenon/guard';
import { protocolVersions } from 'tenon/protocol';
import type { ApprovalStore } from 'tenon/store';
import { createTestConnection } from 'tenon/test';
import { z } from 'zod';
import { ada, eve, grace } from './kit.ts';

const rules = `
version: 1
rules:
  - { id: open, allow: [list, call, elicit], to: any, on: any }
  - { id: self, ask: [call], to: any, on: { tool: self }, expires: 10m }
  - { id: ops, ask: [call], to: any, on: { tool: deploy }, approver: { role: ops }, expires: 10m }
`;
const ttlMs = 600_000;
/** Older versions have no forms. */
const firstWithForms = 2;

const callers = { ada, eve: { ...eve, roles: ['ops'] } } as const;
const approvers = { grace, ada, eve: callers.eve } as const;

/** Ends a node at one of its operations, before or after the store has done it. */
export interface Crash {
  readonly operation: number;
  readonly when: 'before' | 'after';
}

export type Step =
  | {
      readonly do: 'call';
      readonly node: number;
      readonly caller: keyof typeof callers;
      readonly tool: 'self' | 'deploy';
      readonly n: number;
      readonly version: number;
      readonly answer: 'approve' | 'deny' | 'cancel';
      /** How often it is called at once: on both nodes in turn. */
      readonly times: number;
      readonly crash: Crash | undefined;
    }
  | {
      readonly do: 'decide';
      readonly node: number;
      readonly by: keyof typeof approvers;
      readonly which: number;
      readonly decision: 'approve' | 'deny';
      readonly crash: Crash | undefined;
    }
  | { readonly do: 'wait'; readonly ms: number };

const crash = fc.option(
  fc.record({ operation: fc.integer({ min: 0, max: 3 }), when: fc.constantFrom('before' as const, 'after' as const) }),
  { nil: undefined, freq: 5 },
);
const node = fc.integer({ min: 0, max: 1 });

export const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({
        do: fc.constant('call' as const),
        node,
        caller: fc.constantFrom('ada' as const, 'ada' as const, 'ada' as const, 'eve' as const),
        tool: fc.constantFrom('deploy' as const, 'deploy' as const, 'deploy' as const, 'self' as const),
        n: fc.constantFrom(0, 0, 0, 1),
        version: fc.integer({ min: 0, max: protocolVersions.length - 1 }),
        answer: fc.constantFrom('approve' as const, 'approve' as const, 'deny' as const, 'cancel' as const),
        times: fc.constantFrom(1, 3),
        crash,
      }),
    },
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constant('decide' as const),
        node,
        by: fc.constantFrom('grace' as const, 'grace' as const, 'grace' as const, 'ada' as const, 'eve' as const),
        which: fc.integer({ min: 0, max: 2 }),
        decision: fc.constantFrom('approve' as const, 'approve' as const, 'approve' as const, 'deny' as const),
        crash,
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(1000, ttlMs / 2, ttlMs) }),
    },
  ),
  { minLength: 10, maxLength: 30, size: 'max' },
);

interface Node {
  readonly server: Server;
  readonly guarded: Guard;
  /** The next crash; the node is replaced after it. */
  crash: Crash | undefined;
  isDead: boolean;
}

/** Something that lets one call run. */
interface Grant {
  /** The approval; absent for an answer to a form. */
  readonly id?: string;
  readonly key: string;
  readonly expiresAt: number;
  /** The answer of the store was lost: it may have been stored or not. */
  readonly isCertain: boolean;
}

export interface Clock {
  now(): number;
  advance(ms: number): void;
}

/** Runs the steps on two nodes, each with its connection to the same store; throws for a run without an approval, a second one of the same approval, and an approval that has no effect. */
export async function checkSteps(
  all: readonly Step[],
  stores: readonly [ApprovalStore, ApprovalStore],
  clock: Clock,
): Promise<{ runs: number }> {
  const [store] = stores;
  const ran: string[] = [];
  const nodes = stores.map((one) => createNode(one, ran));
  let grants: Grant[] = [];
  let runs = 0;

  /** Every run since the last look needs a grant of its own. */
  function account(where: string): void {
    for (const key of ran.splice(0)) {
      runs++;
      const live = grants.filter((one) => one.key === key && one.expiresAt > clock.now());
      const found = grants.indexOf(live.find(({ isCertain }) => isCertain) ?? (live[0] as Grant));
      if (found < 0) throw new Error(`${where}: ${key} ran without an approval`);
      grants = grants.filter((_, at) => at !== found);
    }
  }

  async function call(step: Extract<Step, { do: 'call' }>): Promise<void> {
    const key = `${step.caller} ${step.tool} ${step.n}`;
    const live = (one: Grant): boolean => one.key === key && one.expiresAt > clock.now();
    const mustRun = step.crash === undefined && grants.some((one) => live(one) && one.isCertain);
    const before = runs + ran.length;
    const calling = Array.from({ length: step.times }, async (_, at) => {
      const one = nodes[(step.node + at) % 2] as Node;
      if (at === 0) one.crash = step.crash;
      const { client, close } = await createTestConnection(one.server, {
        protocolVersion: protocolVersions[step.version] as (typeof protocolVersions)[number],
        principal: callers[step.caller],
        handlers: { elicitForm: Array.from({ length: 9 }, () => answerOf(step.answer)) },
      });
      const asked = client.tools.call(step.tool, { n: step.n }).catch(() => undefined);
      await asked;
      await close();
    });
    // A form that is answered with yes lets one call run, wherever it was shown.
    if (step.tool === 'self' && step.answer === 'approve' && step.version >= firstWithForms)
      for (const _ of calling) grants.push({ key, expiresAt: clock.now() + ttlMs, isCertain: false });
    await Promise.all(calling);
    account(JSON.stringify(step));
    // The process may have been lost right after it had used one.
    if (step.crash !== undefined) grants = grants.map((one) => (one.key === key ? { ...one, isCertain: false } : one));
    // What a form granted was for these calls alone. An approval lasts, also if it may have been used.
    if (step.tool === 'self') grants = grants.filter((one) => one.key !== key || one.id !== undefined);
    if (mustRun && runs === before) throw new Error(`${JSON.stringify(step)}: an approval had no effect`);
  }

  async function decide(step: Extract<Step, { do: 'decide' }>): Promise<void> {
    const one = nodes[step.node] as Node;
    const waiting = (await store.list('waiting', undefined, 100)).approvals;
    const chosen = waiting[step.which % Math.max(1, waiting.length)];
    if (chosen === undefined) return;
    const {
      tool: name,
      arguments: args,
      requester,
    } = JSON.parse(chosen.data) as {
      tool: string;
      arguments: { n: number };
      requester: { subject: string };
    };
    const isOwn = requester.subject === step.by;
    const isAllowed = name === 'self' ? isOwn : !isOwn && step.by !== 'ada';
    one.crash = step.crash;
    let isDone: boolean | undefined;
    try {
      await one.guarded.approvals.decide(chosen.id, step.decision, approvers[step.by]);
      isDone = true;
    } catch (error) {
      isDone = one.isDead && isAllowed ? undefined : false;
      if (!one.isDead && isAllowed) throw error;
    }
    if (isDone === true && !isAllowed) throw new Error(`${JSON.stringify(step)}: ${step.by} must not decide`);
    const key = `${requester.subject} ${name} ${args.n}`;
    // A call has one approval: what it had before is over.
    grants = grants.filter((one) => one.key !== key || (one.id === chosen.id && isDone === false));
    if (step.decision === 'approve' && isDone !== false)
      grants.push({
        id: chosen.id,
        key,
        expiresAt: chosen.expiresAt,
        isCertain: isDone === true,
      });
  }

  for (const step of all) {
    if (step.do === 'wait') clock.advance(step.ms);
    else if (step.do === 'call') await call(step);
    else await decide(step);
    for (const [at, one] of nodes.entries()) {
      one.crash = undefined;
      if (one.isDead) nodes[at] = createNode(stores[at] as ApprovalStore, ran);
    }
  }
  return { runs };
}

const answerOf = (answer: 'approve' | 'deny' | 'cancel') => (answer === 'cancel' ? answer : { decision: answer });

function createNode(store: ApprovalStore, ran: string[]): Node {
  const through =
    <Given extends unknown[], T>(operation: (...given: Given) => T) =>
    async (...given: Given): Promise<Awaited<T>> => {
      if (one.isDead) throw new Error('The process is gone.');
      const isLast = one.crash !== undefined && one.crash.operation === 0;
      const when = one.crash?.when;
      if (one.crash !== undefined) one.crash = { ...one.crash, operation: one.crash.operation - 1 };
      if (isLast) one.isDead = true;
      if (isLast && when === 'before') throw new Error('The process is gone.');
      // Others are as fast: what two nodes have read at once, they change at once.
      await new Promise(setImmediate);
      const value = await operation(...given);
      if (isLast) throw new Error('The process is gone.');
      return value;
    };
  const guarded = guard({
    policy: createPolicy(rules),
    approvals: {
      waitMs: 0,
      store: {
        create: through(store.create.bind(store)),
        read: through(store.read.bind(store)),
        write: through(store.write.bind(store)),
        delete: through(store.delete.bind(store)),
        list: through(store.list.bind(store)),
      },
    },
  });
  const inputSchema = z.object({ n: z.number() });
  const run = (name: string) =>
    tool({ inputSchema }, ({ n }, ctx) => {
      if (one.isDead) throw new Error('The process is gone.');
      ran.push(`${ctx.caller.principal?.subject} ${name} ${n}`);
      return name;
    });
  const tools = { self: run('self'), deploy: run('deploy') };
  const server = createServer(
    { name: 'ops', version: '1', tools },
    { guard: guarded, secrets: ['a secret of sixteen'], onError: () => undefined },
  );
  const one: Node = { server, guarded, crash: undefined, isDead: false };
  return one;
}
