/** Records each call of a client with its one outcome. */
import { RpcError, TenonError } from 'tenon';
import type { Surroundings } from '../run.ts';
import type { PlannedClient } from '../schedule.ts';

/** What the result of every tool of the nodes has, as JSON in its text. */
export interface ToolResult {
  readonly token: string;
  readonly owner: string;
  readonly answers?: readonly string[];
}

export interface CallRecord {
  /** The name of the request in the history. */
  readonly request: string;
  /** Returns the code of the outcome; `undefined` for a result. */
  outcome(run: () => Promise<ToolResult>): Promise<string | undefined>;
}

interface CallDetails {
  readonly token: string;
  readonly idempotencyKey?: string;
  readonly hasEffect?: boolean;
}

export function createCallRecorder({ recorder, note }: Surroundings, { name, principal }: PlannedClient) {
  let count = 0;
  return {
    newToken: (): string => `${name}-${++count}`,
    begin(details: CallDetails): CallRecord {
      const request = `${name}/${++count}`;
      recorder.record({ type: 'request', request, client: name, principal, ...details });
      return {
        request,
        async outcome(run) {
          try {
            const result = await run();
            recorder.record({ type: 'result', request, ...result });
            return undefined;
          } catch (error) {
            const code = codeOf(error);
            note(`${request}: ${code}: ${error instanceof Error ? error.message : String(error)}`);
            recorder.record({ type: 'error', request, code });
            return code;
          }
        },
      };
    },
  };
}

/** The name of an error. */
export function codeOf(error: unknown): string {
  if (error instanceof TenonError) return error.code;
  if (error instanceof RpcError) return error.reason;
  return 'unknown';
}
