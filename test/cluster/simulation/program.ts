/** The programs that use the simulated cluster: what they do, and what their results carry. */
import type { ProtocolVersion } from 'tenon/protocol';
import { errorName } from '../../../src/protocol/error-names.ts';
import { defaultNumbers } from '../../../src/protocol/errors.ts';

/** One program: which client it uses, and as whom. */
export interface ProgramPlan {
  readonly name: string;
  readonly principal: string;
  readonly revision: ProtocolVersion;
  /** Whether it speaks the protocol by hand. */
  readonly isRaw: boolean;
}

export interface CallPlan {
  readonly tool: 'add' | 'count' | 'ask';
  readonly idempotencyKey?: string;
  /** Cancels the call after this time. */
  readonly cancelAfterMs?: number;
}

export interface Program {
  /** Calls that have no outcome yet. */
  readonly open: number;
  /** Calls a tool and records what comes of it. */
  call(plan: CallPlan): Promise<void>;
  /** Listens to all topics until the run ends, and records the changes. */
  listen(): Promise<void>;
}

/** A result as the tools of the simulated server write it. */
export interface Carried {
  readonly token: string;
  readonly owner: string;
  readonly count?: number;
  readonly answers?: readonly string[];
}

/** Ends a call with a named error. */
export class Failed extends Error {
  readonly code: string;

  constructor(code: string) {
    super(code);
    this.code = code;
  }
}

/** What a tool result carries; throws if the tool failed. */
export function carriedIn(result: unknown): Carried {
  const { content = [], isError } = result as { content?: readonly { text?: string }[]; isError?: boolean };
  const text = content[0]?.text ?? '';
  if (isError === true) throw new Failed('tool-failed');
  return JSON.parse(text) as Carried;
}

/** The name of an error message: its number, or what its data says about the outcome of the call. */
export function nameOfError({ code, data }: { readonly code: number; readonly data?: unknown }): string {
  const { outcome } = (data ?? {}) as { outcome?: unknown };
  return typeof outcome === 'string' ? `outcome-${outcome}` : errorName(defaultNumbers, code);
}
