/** The private values of a segment beside its records: both files have the order of the records. */
import { isRedacted, matchesCommitment, type PrivateValue, readPrivateLine } from '../../../guard/audit/commitments.ts';
import type { AuditRecord } from '../../../guard/audit/record.ts';
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
  async of(record: AuditRecord): Promise<readonly PrivateValue[] | undefined> {
    const values: PrivateValue[] = [];
    for (const field of Object.keys(record.sealed ?? {}).sort()) {
      const line = await this.#read();
      if (line === undefined) return undefined;
      if (isRedacted(line)) continue;
      const value = readPrivateLine(line);
      if (value?.field !== field || !matchesCommitment(record, value, sha256)) return undefined;
      values.push(value);
    }
    return values;
  }

  /** Whether nothing is left after the last record. */
  async isAtEnd(): Promise<boolean> {
    return (await this.#read()) === undefined && !this.#isTorn;
  }

  async close(): Promise<void> {
    await this.#batches.return(undefined);
  }

  async #read(): Promise<string | undefined> {
    while (this.#at === this.#lines.length) {
      const { value, done } = await this.#batches.next();
      if (done === true) return undefined;
      this.#isTorn = value.torn !== '';
      this.#lines = value.lines;
      this.#at = 0;
    }
    return this.#lines[this.#at++];
  }
}
