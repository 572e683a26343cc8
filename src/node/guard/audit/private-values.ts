/** The private values of a segment beside its records: both files have the order of the records. */
import { isRedacted, matchesCommitment, type PrivateValue, readPrivateLine } from '../../../guard/audit/commitments.ts';
import type { AuditRecord } from '../../../guard/audit/record.ts';
import type { MaybePromise } from '../../../lib/values/maybe-promise.ts';
import { sha256 } from './digest.ts';
import { readLines } from './lines.ts';

export class PrivateValues {
  readonly #batches: ReturnType<typeof readLines>;
  #lines: readonly string[] = [];
  #at = 0;
  #isTorn = false;

  constructor(path: string) {
    this.#batches = readLines(path);
  }

  /**
   * The values of a record in the order of their fields, without the deleted ones. `undefined` if a line is missing or
   * wrong. Ask for the records in their order.
   */
  of(record: AuditRecord): MaybePromise<readonly PrivateValue[] | undefined> {
    const fields = Object.keys(record.sealed ?? {}).sort();
    if (this.#at + fields.length <= this.#lines.length) return this.#take(record, fields);
    return this.#fill(fields.length).then(() => this.#take(record, fields));
  }

  /** Whether nothing is left after the last record. */
  async isAtEnd(): Promise<boolean> {
    await this.#fill(1);
    return this.#at === this.#lines.length && !this.#isTorn;
  }

  async close(): Promise<void> {
    await this.#batches.return(undefined);
  }

  #take(record: AuditRecord, fields: readonly string[]): readonly PrivateValue[] | undefined {
    const values: PrivateValue[] = [];
    for (const field of fields) {
      const line = this.#lines[this.#at++];
      if (line === undefined) return undefined;
      if (isRedacted(line)) continue;
      const value = readPrivateLine(line);
      if (value?.field !== field || !matchesCommitment(record, value, sha256)) return undefined;
      values.push(value);
    }
    return values;
  }

  /** Reads until so many lines are there, or the file ends. */
  async #fill(count: number): Promise<void> {
    while (this.#lines.length - this.#at < count) {
      const { value, done } = await this.#batches.next();
      if (done === true) return;
      this.#isTorn = value.torn !== '';
      this.#lines = [...this.#lines.slice(this.#at), ...value.lines];
      this.#at = 0;
    }
  }
}
