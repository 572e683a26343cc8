/** A private file that a program leaves for its next start: the secret of its tabs, and the port that they are open on. */
import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { failed, readPrivateFile, replacePrivateFile } from '../../node/credentials/private-folder.ts';

interface Stored {
  readonly secret: string;
  readonly port?: number;
}

/** The version of the format of the file. */
const version = 1;

export class TabsFile {
  readonly #path: string;
  #stored: Promise<Stored> | undefined;

  constructor(path: string) {
    this.#path = resolve(path);
  }

  /** Made at the first start. Throws `unsafe-permissions` if others can read it. */
  async secret(): Promise<string> {
    return (await this.#read()).secret;
  }

  /** The port of the last start. */
  async port(): Promise<number | undefined> {
    return (await this.#read()).port;
  }

  async rememberPort(port: number): Promise<void> {
    const before = await this.#read();
    if (before.port !== port) await this.#write({ ...before, port });
  }

  #read(): Promise<Stored> {
    this.#stored ??= this.#readOrMake();
    // What failed once, such as a folder that others can read, can be repaired.
    this.#stored.catch(() => (this.#stored = undefined));
    return this.#stored;
  }

  async #readOrMake(): Promise<Stored> {
    const text = await readPrivateFile(this.#path);
    return text === undefined ? this.#write({ secret: randomBytes(32).toString('base64url') }) : this.#parsed(text);
  }

  #parsed(text: string): Stored {
    try {
      const { secret, port } = JSON.parse(text) as Record<string, unknown>;
      if (typeof secret === 'string' && secret.length >= 32)
        return { secret, ...(typeof port === 'number' && { port }) };
    } catch {}
    throw failed(this.#path, 'it is damaged, or not the file of an inspector', 'Delete it.');
  }

  async #write(stored: Stored): Promise<Stored> {
    await mkdir(dirname(this.#path), { recursive: true, mode: 0o700 });
    await replacePrivateFile(this.#path, `${JSON.stringify({ version, ...stored })}\n`);
    this.#stored = Promise.resolve(stored);
    return stored;
  }
}
