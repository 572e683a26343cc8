/** Hands checkpoints to the anchor, one at a time: a newer one covers those before it. */

import { TenonError } from '../../lib/errors/tenon-error.ts';
import type { Clock, StopTimer } from '../../lib/time/deadlines.ts';
import type { AuditCheckpoint } from './checkpoint.ts';

/**
 * Stores a checkpoint where an attacker of this machine cannot change it. If it throws or takes too long, it is called
 * again later, with the newest checkpoint.
 */
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
  let stopRetry: StopTimer | undefined;

  function hand(checkpoint: AuditCheckpoint): void {
    stopRetry?.();
    next = checkpoint;
    running ??= run();
  }

  async function run(): Promise<void> {
    for (let checkpoint = next; checkpoint !== undefined; checkpoint = next) {
      next = undefined;
      const isAnchored = await attempt(checkpoint);
      if (isAnchored) onAnchored(checkpoint);
      else retryLater(checkpoint);
    }
    running = undefined;
  }

  async function attempt(checkpoint: AuditCheckpoint): Promise<boolean> {
    try {
      await inTime(async () => anchor(checkpoint), timeoutMs, clock);
      return true;
    } catch (cause) {
      onWarning(notAnchored(checkpoint, cause));
      return false;
    }
  }

  /** Without further calls there is no newer checkpoint, so this one is tried again. */
  function retryLater(checkpoint: AuditCheckpoint): void {
    stopRetry?.();
    stopRetry = clock.after(timeoutMs, () => hand(next ?? checkpoint));
    stopRetry.hold?.(false);
  }

  return {
    hand,
    async settled() {
      await running;
      stopRetry?.();
    },
  };
}

const notAnchored = ({ records }: AuditCheckpoint, cause: unknown): TenonError =>
  new TenonError('callback-failed', `The anchor of the audit log did not take checkpoint ${records}.`, {
    cause,
    hint: 'It is called again, with the newest checkpoint. Until then no segment is deleted.',
  });

/** An anchor that never answers would hold back every later checkpoint. */
function inTime(run: () => Promise<unknown>, timeoutMs: number, clock: Clock): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const stop = clock.after(timeoutMs, () => reject(new Error(`No answer within ${timeoutMs} ms.`)));
    run()
      .then(resolve, reject)
      .finally(() => stop());
  });
}
