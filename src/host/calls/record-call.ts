/** Records a tool call: its start before it is sent, its end before the result is returned. */
import { RpcError } from '../../jsonrpc/errors.ts';
import { TenonError } from '../../lib/errors/tenon-error.ts';
import type { CallToolResult } from '../../protocol/generated/types/records.ts';
import type { HostRecorder } from '../requests/audit.ts';
import { ruleOf } from '../requests/decisions.ts';
import type { HostPolicyDecision } from '../requests/policy.ts';

/** Rejects with the error of the audit log if the call cannot be recorded: it is not sent, or its result is withheld. */
export async function recordCall<T>(
  recorder: HostRecorder,
  target: { readonly server: string; readonly tool: string },
  args: Readonly<Record<string, unknown>>,
  permission: HostPolicyDecision | undefined,
  send: () => Promise<T>,
  outcomeOf: (result: T) => string,
): Promise<T> {
  const what = { callId: crypto.randomUUID(), method: 'tools/call', ...target };
  const decision = permission && { decision: ruleOf(permission) };
  await recorder.begin({ kind: 'call-start', what, ...decision, private: { arguments: args } });
  const end = (outcome: string): unknown => recorder.append({ kind: 'call-end', what: { ...what, outcome } });
  let result: T;
  try {
    result = await send();
  } catch (error) {
    await end(nameOf(error));
    throw error;
  }
  await end(outcomeOf(result));
  return result;
}

export const outcomeOfResult = ({ isError }: CallToolResult): string => (isError === true ? 'tool-error' : 'ok');

/** Never the message, which a server may have written. */
const nameOf = (error: unknown): string =>
  error instanceof TenonError ? error.code : error instanceof RpcError ? error.reason : 'failed';
