/** Hands checkpoints to the anchor, one at a time: a newer one covers those before it. */

import type { Clock } from '../../jsonrpc/deadlines.ts';
import { TenonError } from '../../jsonrpc/errors.ts';
import type { AuditCheckpoint } from './checkpoint.ts';

/** Stores a checkpoint where an attacker of this machine cannot change it. If it fails, it gets the next checkpoint. */
export type AuditAnchor = (checkpoint: AuditCheckpoint) => unknown;

export interface AnchoringOptions {
  readonly anchor: AuditAnchor;
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly onWarning: (warning: TenonError) => void;
  /** Runs when a checkpoint was accepted. */
  readonly onAnchored: (checkpoint: AuditCheckpoint) => void;
}

export interface Anchoring {
  hand(checkpoint: AuditCheckpoint): void;
  /** Resolves when the last checkpoint was accepted, or has failed. */
  settled(): Promise<void>;
}

export function createAnchoring({ anchor, timeoutMs, clock, onWarning, onAnchored }: AnchoringOptions): Anchoring {
  let next: AuditCheckpoint | undefined;
  let running: Promise<void> | undefined;

  async function run(): Promise<void> {
    for (let checkpoint = next; checkpoint !== undefined; checkpoint = next) {
      next = undefined;
      try {
        await inTime(async () => anchor(checkpoint as AuditCheckpoint), timeoutMs, clock);
        onAnchored(checkpoint);
      } catch (cause) {
        onWarning(
          new TenonError(
            'callback-failed',
            `The anchor of the audit log did not take checkpoint ${checkpoint.records}.`,
            {
              cause,
              hint: 'The next checkpoint covers it. Until then no segment is deleted.',
            },
          ),
        );
      }
    }
    running = undefined;
  }

  return {
    hand(checkpoint) {
      next = checkpoint;
      running ??= run();
    },
    settled: async () => running,
  };
}

/** An anchor that never answers would hold back every later checkpoint. */
function inTime(run: () => Promise<unknown>, timeoutMs: number, clock: Clock): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const stop = clock.after(timeoutMs, () => reject(new Error(`No answer within ${timeoutMs} ms.`)));
    run()
      .then(resolve, reject)
      .finally(() => stop());
  });
}
