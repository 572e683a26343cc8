/** Reads the file of a policy, and sees when it changed. */
import { maxDocumentChars } from '../../guard/policy/limits.ts';
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { cryptoModule, filesModule, fsModule } from '../process/builtins.ts';

/** A character has at most three bytes for each unit of its length; a byte order mark is not counted. */
const maxFileBytes = maxDocumentChars * 3 + 3;

/** A document as it is stored. */
export interface StoredDocument {
  readonly text: string;
  /** The SHA-256 of its bytes, in hexadecimal. */
  readonly digest: string;
}

/** Reads a document. Synchronous: it is small, and a policy is needed before anything is served. */
export function readPolicyFile(path: string): StoredDocument {
  const fs = fsModule();
  try {
    const status = fs.statSync(path);
    // To open a pipe would wait for its writer.
    if (!status.isFile()) throw unreadable(path, 'it is not a file');
    if (status.size > maxFileBytes) throw unreadable(path, `it has more than ${maxFileBytes} bytes`);
    const bytes = fs.readFileSync(path);
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return { text, digest: cryptoModule().createHash('sha256').update(bytes).digest('hex') };
  } catch (error) {
    if (error instanceof TenonError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') throw unreadable(path, 'it is not UTF-8', error);
    throw unreadable(path, code === 'ENOENT' ? 'there is no such file' : (error as Error).message, error);
  }
}

function unreadable(path: string, why: string, cause?: unknown): TenonError {
  const isAbsolute = /^(?:[\\/]|[a-z]:)/i.test(path);
  const relative = isAbsolute ? '' : ' A relative path begins at the working directory.';
  const hint = `Check the path, and that this process may read it.${relative}`;
  const details = { problems: [], path };
  return new TenonError('invalid-policy', `The policy ${path} cannot be read: ${why}.`, { hint, details, cause });
}

/** A text that changes with the file: with its content, and when another file takes its place. */
export async function stampOf(path: string): Promise<string> {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs } = await filesModule().stat(path, { bigint: true });
    return [dev, ino, size, mtimeNs, ctimeNs].join();
  } catch (error) {
    return String((error as NodeJS.ErrnoException).code);
  }
}
