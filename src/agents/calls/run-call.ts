/** Runs one call of a model: in its order, joined with equal reads, with a key that makes a repeat harmless. */
import type { ToolCallOptions } from '../../client/api/client.ts';
import { canonicalJson } from '../../lib/text/canonical-json.ts';
import { sha256Hex } from '../../lib/text/hex.ts';
import type { CallToolResult } from '../../protocol/generated/types/records.ts';
import type { ToolCall, ToolkitEvent } from '../api.ts';
import type { CheckedCall } from '../interrupts/interrupts.ts';
import type { ToolSource } from '../source/tool-source.ts';
import type { CallOrder } from './call-order.ts';
import type { JoinedReads } from './joined-reads.ts';
import type { PlaceInLine } from './line.ts';

/** A checked call that is in line. */
export interface CallInLine extends CheckedCall {
  /** Among the calls of the toolkit. */
  readonly place: PlaceInLine;
}

export interface CallPorts {
  /** The conversation, with its user. */
  readonly owner: string;
  readonly source: ToolSource;
  readonly order: CallOrder;
  readonly joined: JoinedReads;
  readonly trusted: ReadonlySet<string>;
  readonly timeoutMs: number | undefined;
  emit(event: ToolkitEvent): void;
}

/** A server that is not trusted may call anything read-only: two equal calls become one, never one call two. */
export function runCall(
  ports: CallPorts,
  checked: CallInLine,
  signal: AbortSignal | undefined,
): Promise<CallToolResult> {
  const { tool, args, place } = checked;
  let isSent = false;
  const send = (own: AbortSignal | undefined): Promise<CallToolResult> => {
    isSent = true;
    return inOrder(ports, checked, own, (options) => ports.source.call(tool, args, options));
  };
  if (tool.annotations?.readOnlyHint !== true) return send(signal);
  const result = ports.joined.run([tool.name, args], signal, send);
  // It waits for an equal call that was sent before.
  if (!isSent) place.leave();
  return result;
}

/** Runs a call when it is its turn, with the options for its server. */
export async function inOrder<T>(
  ports: CallPorts,
  { tool, call, args, place }: CallInLine,
  signal: AbortSignal | undefined,
  run: (options: ToolCallOptions) => Promise<T>,
): Promise<T> {
  const { readOnlyHint = false, idempotentHint = false } = tool.annotations ?? {};
  const isTrusted = ports.trusted.has(tool.server);
  const options: ToolCallOptions = {
    idempotencyKey: await keyOf(ports.owner, call, args),
    ...(signal !== undefined && { signal }),
    ...(ports.timeoutMs !== undefined && { timeoutMs: ports.timeoutMs }),
    // Set in any case: over HTTP the key alone would have the call sent again, also to a server that knows no keys.
    retryable: isTrusted && (readOnlyHint || idempotentHint),
    onProgress: (progress) => ports.emit({ type: 'progress', callId: call.id, ...progress }),
  };
  await place.ready;
  const running = ports.order.run(tool.server, isTrusted && readOnlyHint, signal, () => run(options));
  place.leave();
  return running;
}

/**
 * A Tenon server runs a call once for each key. An ID that was used for another call is another key, and so is the call of another
 * user, who must not get this result. A hash, so that nothing is cut, and the server does not learn who the user is.
 */
const keyOf = (owner: string, call: ToolCall, args: Record<string, unknown>): Promise<string> =>
  sha256Hex(canonicalJson([owner, call.id, call.name, args]));
