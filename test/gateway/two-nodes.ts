/** Gateways that share a store and secrets, in front of one upstream in a session. */
import { type Client, type ConnectOptions, type Context, createServer, RpcError, type Server, tool } from 'tenon';
import type { Store } from 'tenon/store';
import { z } from 'zod';
import { newestSession } from '../../src/protocol/revisions/revisions.ts';
import { exchangeVersion } from '../kit/version-order.ts';
import { openAs, type Started, served, startGateway } from './start.ts';

const schema = z.object({ name: z.string() });

/** Its tools write down that they have begun, and ask before they end. */
export function askingServer(begun: string[], ended: (reason: string) => void = () => {}): Server {
  const asking = (name: string, run: (args: unknown, ctx: Context) => string | Promise<string>) =>
    tool({}, async (args, ctx) => {
      begun.push(name);
      await ctx.elicit('who', { message: 'Who?', schema });
      return run(args, ctx);
    });
  return createServer({
    name: 'asking',
    version: '1.0.0',
    tools: {
      greet: tool({}, async (_args, ctx) => {
        begun.push('greet');
        const first = await ctx.elicit('who', { message: 'Who?', schema });
        const second = await ctx.elicit('again', { message: 'And who else?', schema });
        return JSON.stringify([first, second]);
      }),
      both: tool({}, async (_args, ctx) => {
        begun.push('both');
        const asked = ['one', 'two'].map((key) => ctx.elicit(key, { message: key, schema }));
        return JSON.stringify(await Promise.all(asked));
      }),
      fail: asking('fail', () => {
        throw new RpcError(1001, 'Own error', { more: 1 });
      }),
      report: asking('report', (_args, ctx) => {
        ctx.reportProgress(1, 2, 'half');
        ctx.log('warning', { step: 1 });
        return 'reported';
      }),
      /** Goes on until it is aborted. */
      stay: asking('stay', async (_args, ctx) => {
        begun.push('stays');
        await new Promise<void>((resolve) => ctx.signal.addEventListener('abort', () => resolve(), { once: true }));
        ended(String(ctx.signal.reason));
        return 'aborted';
      }),
    },
  }) as Server;
}

export interface Node extends Started {
  readonly url: string;
}

/** A gateway served with a store. Its upstream is at an address, so that each node has connections of its own. */
export async function startNode(upstream: string, store: Store, server: object = {}): Promise<Node> {
  const one = { url: upstream, protocolVersions: [newestSession.id as never] };
  const started = startGateway({ one }, { server: { secrets: ['a secret of both nodes'], ...server } });
  return { ...started, url: await served(started.gateway.server, { store }) };
}

export interface RoundParts {
  /** The round before. */
  readonly after?: Asked;
  /** To each request. */
  readonly answer?: unknown;
  /** In place of these. */
  readonly answers?: Record<string, unknown>;
  readonly user?: string;
  readonly connect?: ConnectOptions;
  readonly call?: object;
}

/** One round of a call of a user, at any node. */
export async function roundAt(node: Node, name: string, parts: RoundParts = {}): Promise<Outcome> {
  const { after, answer = accept('Ada'), user = 'ada', connect, call } = parts;
  const client = await openAs(user, node.url, {
    protocolVersions: [exchangeVersion],
    handlers: { elicitForm: () => ({ action: 'cancel' as const }) },
    ...connect,
  });
  const keys = Object.keys(after?.inputRequests ?? {});
  const answers = parts.answers ?? Object.fromEntries(keys.map((key) => [key, answer]));
  const round = after && { answers, ...(after.state !== undefined && { state: after.state }) };
  return client.round('tools/call', { name, arguments: {} }, { ...call, ...(round && { round }) } as never);
}

type Outcome = Awaited<ReturnType<Client['round']>>;

/** A call that waits for its caller. */
export type Asked = Extract<Outcome, { resultType: 'input_required' }>;

export async function askedAt(node: Node, name: string, parts?: RoundParts): Promise<Asked> {
  const outcome = await roundAt(node, name, parts);
  if (outcome.resultType !== 'input_required') throw new Error(`${name} has not asked: ${JSON.stringify(outcome)}`);
  return outcome;
}

export const accept = (name: string): unknown => ({ action: 'accept', content: { name } });
