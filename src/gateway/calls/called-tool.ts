/** A call of `call_tool` as the call of the tool that it names: guard, limits, audit log and spans see that one. */
import { callToolName } from '../../agents/context/own-tools.ts';
import { isRecord } from '../../lib/values/is.ts';
import type { Incoming } from '../../protocol/neutral.ts';

/** One with wrong arguments stays as it is: the tool says what is wrong. */
export function calledTool(call: Incoming): Incoming {
  const { method, params } = call;
  if (method !== 'tools/call' || params.name !== callToolName || !isRecord(params.arguments)) return call;
  const { name, arguments: args = {} } = params.arguments;
  if (typeof name !== 'string' || name === callToolName || !isRecord(args)) return call;
  return { ...call, params: { ...params, name, arguments: args } };
}
