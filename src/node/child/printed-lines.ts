/** The first lines that a server prints to its standard output besides the protocol, bounded, for errors. */

const maxLines = 5;

export class PrintedLines {
  readonly #lines: string[] = [];

  add(line: string): void {
    if (this.#lines.length < maxLines) this.#lines.push(line);
  }

  read(): readonly string[] {
    return [...this.#lines];
  }
}
