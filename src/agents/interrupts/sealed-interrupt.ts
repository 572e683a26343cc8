/** What an interrupt carries to resume its call: encrypted, bound to the call and its tool, and used once. */
import type { HostTool } from '../../host/lists/lists.ts';
import { canonicalJson } from '../../lib/text/canonical-json.ts';
import { sha256Hex } from '../../lib/text/hex.ts';
import { createSealer, type StateBinding } from '../../server/server-requests/sealed-state.ts';
import type { ToolCall } from '../api.ts';

/**
 * How long an interrupt can be resumed.
 * @limit agents
 * @beyond the outcome has the advice to call again
 */
export const interruptTtlMs = 24 * 60 * 60_000;

/**
 * Characters of a sealed interrupt.
 * @limit agents
 * @beyond the call fails
 * @code request-state-too-large
 */
export const maxInterruptChars = 256_000;

/** Interrupts that were resumed, remembered so that none is resumed twice in this process. */
const maxUsed = 10_000;

/** How a call goes on. */
export interface Continuation {
  readonly kind: 'consent' | 'elicitation' | 'approval' | 'task';
  /** Whether the user has allowed exactly this call. */
  readonly isAllowed: boolean;
  /** What the server sent with its requests. */
  readonly state?: string | undefined;
  readonly taskId?: string | undefined;
  /** The call waits in this process. */
  readonly waiting?: string | undefined;
}

export interface InterruptSealer {
  /** `args` are the arguments as they were checked. */
  seal(continuation: Continuation, tool: HostTool, call: ToolCall, args: object): Promise<string>;
  /** `undefined` for every reason alike: forged, expired, used, or made for another call or definition. */
  open(sealed: string, tool: HostTool, call: ToolCall, args: object): Promise<Continuation | undefined>;
}

/** `owner` is the conversation. Without secrets the key is one of this process. */
export function createInterruptSealer(owner: string, secrets: readonly string[] | undefined): InterruptSealer {
  const used = new Set<string>();
  const consumeNonce = (nonce: string): boolean => {
    if (used.has(nonce)) return false;
    for (const oldest of used) if (used.size >= maxUsed) used.delete(oldest);
    used.add(nonce);
    return true;
  };
  const sealer = createSealer({ ttlMs: interruptTtlMs, maxChars: maxInterruptChars, consumeNonce }, secrets);

  async function bindingOf(tool: HostTool, call: ToolCall, args: object): Promise<StateBinding> {
    return {
      server: tool.server,
      principal: owner,
      method: 'tools/call',
      target: `${tool.name} ${call.id}`,
      arguments: args,
      definition: await sha256Hex(canonicalJson(tool)),
    };
  }

  return {
    seal: async (continuation, tool, call, args) => sealer.seal(continuation, await bindingOf(tool, call, args)),
    open: async (sealed, tool, call, args) =>
      (await sealer.open(sealed, await bindingOf(tool, call, args))) as Continuation | undefined,
  };
}
