/** `sdkHandler()`: the handler of a tool of the official SDK as the handler of a tool of Tenon. */

import type { ForwardedCall } from '../forwarding/forwarded-call.ts';
import { ParkedCalls } from '../forwarding/parked-calls.ts';
import { withDefaults } from '../lib/options/read-options.ts';
import { createDeadlines } from '../lib/time/deadlines.ts';
import type { Fields } from '../lib/values/is.ts';
import type { CallToolResult } from '../protocol/generated/types/records.ts';
import type { Context } from '../server/definition/context.ts';
import { toolResult, type WholeResult } from '../server/definition/returns.ts';
import { runOf } from '../server/features/bridged-run.ts';
import type { ServerOptions } from '../server/options.ts';
import { requestStateOptions } from '../server/ports/option-groups.table.ts';
import { createForward } from './forward.ts';
import { SdkRun } from './sdk-run.ts';
import type { SdkExtra, SdkToolHandler } from './sdk-types.ts';

/**
 * Runs the handler of a tool of the official SDK, unchanged: `tool(config, sdkHandler(handler))`. It runs once for each
 * call, under every protocol version: where an answer of the client begins a new run, the handler waits in between. The
 * text of an error that it throws reaches the client, as with the SDK.
 *
 * ```ts
 * tool({ inputSchema: z.object({ city: z.string() }) }, sdkHandler(({ city }) => ({ content: [{ type: 'text', text: city }] })));
 * ```
 */
export function sdkHandler<Args, Extra = SdkExtra>(
  handler: SdkToolHandler<Args, Extra>,
): (args: Args, context: Context) => Promise<WholeResult> {
  const scope = ++handlers;
  const run = (callId: string): SdkRun => new SdkRun(handler as SdkToolHandler<unknown, SdkExtra>, callId);
  return async (args, ctx) => {
    const lend = async () => ({ bridged: { instance: run(ctx.callId) }, release: () => {} });
    const calls = { parked: parkedCallsOf(runOf(ctx).server), scope, dropped: () => {} };
    const forward = createForward({ lend, calls });
    const result = await forward(ctx, 'tools/call', { arguments: args } as Fields);
    return toolResult({ ...result, content: result.content ?? [] } as CallToolResult);
  };
}

/** How many handlers there are: each has a number. */
let handlers = 0;

/** All handlers of a server share the room for calls that wait. */
const parkedCalls = new WeakMap<object, ParkedCalls<ForwardedCall>>();

function parkedCallsOf(server: object): ParkedCalls<ForwardedCall> {
  const known = parkedCalls.get(server);
  if (known !== undefined) return known;
  const made = new ParkedCalls<ForwardedCall>(createDeadlines(), withDefaults(requestStateOptions, requestState).ttlMs);
  parkedCalls.set(server, made);
  return made;
}

/** How long a client may take for an answer is not known here: the default of servers. */
const requestState: ServerOptions['requestState'] = {};
