/** The audit log of the server under attack: in a file, with what was recorded since the last look. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AuditEvent, type AuditKind, type AuditLog, auditFolder, verifyAudit } from 'tenon/guard';

/** Nothing that is sent to a client, logged or recorded may have it. */
export const canary = 'CANARY-7c1f';

/** An event, or a refusal that is counted by its address. */
type SeenEvent = Omit<AuditEvent, 'kind'> & { readonly kind: AuditKind };

export interface WatchedAudit {
  readonly log: AuditLog;
  /** The events since the last look, once they are written: an answer does not wait for the record of an exceeded limit. */
  look(): Promise<SeenEvent[]>;
  /** Closes the log, verifies it, and searches its files. */
  close(): Promise<{ readonly valid: boolean; readonly hasCanary: boolean }>;
}

export function openAudit(): WatchedAudit {
  const folder = mkdtempSync(join(tmpdir(), 'depot-audit-'));
  const file = auditFolder(folder);
  let seen: SeenEvent[] = [];
  const writing = new Set<Promise<void>>();
  const watched =
    (record: (event: AuditEvent) => ReturnType<AuditLog['append']>) =>
    (event: AuditEvent): Promise<void> => {
      const written: Promise<void> = Promise.resolve(record(event))
        .then(() => void seen.push(event))
        .finally(() => writing.delete(written));
      writing.add(written);
      return written;
    };
  return {
    log: {
      begin: watched((event) => file.begin(event)),
      append: watched((event) => file.append(event)),
      countRefusal(address, reason) {
        seen.push({ kind: 'refusals', what: { address, reason } });
        file.countRefusal(address, reason);
      },
      close: () => file.close(),
    },
    async look() {
      await Promise.allSettled(writing);
      const found = seen;
      seen = [];
      return found;
    },
    async close() {
      await file.close();
      const { valid } = await verifyAudit(folder);
      const texts = readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'utf8'));
      rmSync(folder, { recursive: true });
      return { valid, hasCanary: texts.some((text) => text.includes(canary)) };
    },
  };
}
