/** The private values of a segment beside its records: both files have the order of the records. */
import { isRedacted, type PrivateValue, readPrivateLine } from '../../../guard/audit/commitments.ts';
import { readLines } from './lines.ts';

/** The values of one record, `undefined` where a line is wrong. */
export class PrivateValues {
  readonly #batches: ReturnType<typeof readLines>;
  #lines: readonly string[] = [];
  #at = 0;
  #isDone = false;
  #next: PrivateValue | undefined;
  /** Whether a line is not a private value, or stands in the wrong place. */
  #isWrong = false;

  constructor(path: string) {
    this.#batches = readLines(path);
  }

  /** The values of a record, in the order of their fields. Ask for the records in their order. */
  async of(n: number): Promise<readonly PrivateValue[] | undefined> {
    const values: PrivateValue[] = [];
    for (;;) {
      this.#next ??= await this.#read();
      if (this.#isWrong || (this.#next !== undefined && this.#next.n < n)) return undefined;
      if (this.#next?.n !== n) return values;
      if (this.#next.field <= (values.at(-1)?.field ?? '')) return undefined;
      values.push(this.#next);
      this.#next = undefined;
    }
  }

  /** Whether nothing is left after the last record. */
  async isAtEnd(): Promise<boolean> {
    this.#next ??= await this.#read();
    return this.#next === undefined && !this.#isWrong;
  }

  async close(): Promise<void> {
    await this.#batches.return(undefined);
  }

  async #read(): Promise<PrivateValue | undefined> {
    while (!this.#isDone) {
      for (let line = this.#lines[this.#at++]; line !== undefined; line = this.#lines[this.#at++]) {
        if (isRedacted(line)) continue;
        const value = readPrivateLine(line);
        if (value === undefined) this.#isWrong = true;
        return value;
      }
      await this.#nextBatch();
    }
    return undefined;
  }

  async #nextBatch(): Promise<void> {
    const { value, done = false } = await this.#batches.next();
    this.#isDone = done;
    this.#at = 0;
    this.#lines = value?.lines ?? [];
    if (value !== undefined && value.torn !== '') this.#isWrong = true;
  }
}
