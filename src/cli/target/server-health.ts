/** Connects to one configured server, and says how it is. Nothing is asked, and what it prints is not shown. */
import type { Client } from '../../client/api/client.ts';
import { messageWithoutHint, TenonError } from '../../lib/errors/tenon-error.ts';
import type { Target } from '../../node/connect.ts';
import type { Io } from '../io/io.ts';
import { shownHint } from '../output/shown-hint.ts';
import type { FoundServer } from './configured-servers.ts';
import { usingClient } from './open-client.ts';

/** `blocked`: the file names variables of the environment that the user has not allowed. */
export type HealthStatus = 'ok' | 'sign-in' | 'blocked' | 'failed';

export interface Health {
  readonly status: HealthStatus;
  /** From the beginning to the result of the first request, or to the error. */
  readonly ms: number;
  readonly protocolVersion?: string;
  readonly serverInfo?: { readonly name: string; readonly version: string };
  readonly error?: { readonly code: string; readonly message: string; readonly hint?: string };
}

/** `name` is what can be typed as a target. */
export async function healthOf({ target }: FoundServer, name: string, io: Io, timeoutMs: number): Promise<Health> {
  const began = io.now();
  const limit = new AbortController();
  const stop = io.after(timeoutMs, () => limit.abort(new TenonError('timeout', `No answer in ${timeoutMs / 1000} s.`)));
  const facts = async ({ protocolVersion, serverInfo }: Client): Promise<Omit<Health, 'ms'>> => ({
    status: 'ok',
    protocolVersion,
    ...(serverInfo !== undefined && { serverInfo: { name: serverInfo.name, version: serverInfo.version } }),
  });
  try {
    if (target instanceof TenonError) throw target;
    const quiet = 'command' in target ? { ...target, stderr: 'ignore' as const } : target;
    const connection = { target: quiet as Target, shown: name };
    const signal = AbortSignal.any([io.signal, limit.signal]);
    const found = await usingClient({ ...io, signal, canAsk: false }, connection, facts, {
      onWarning: () => undefined,
    });
    return { ...found, ms: io.now() - began };
  } catch (error) {
    if (io.signal.aborted) throw error;
    return { ...failure(limit.signal.aborted ? limit.signal.reason : error), ms: io.now() - began };
  } finally {
    stop();
  }
}

export function failure(error: unknown): Omit<Health, 'ms'> {
  if (!(error instanceof TenonError))
    return {
      status: 'failed',
      error: { code: 'failed', message: error instanceof Error ? error.message : String(error) },
    };
  const { code, hint } = error;
  const status = code === 'unauthorized' || code === 'sign-in-required' ? 'sign-in' : 'failed';
  return {
    status,
    error: { code, message: messageWithoutHint(error), ...(hint !== undefined && { hint: shownHint(hint) }) },
  };
}
