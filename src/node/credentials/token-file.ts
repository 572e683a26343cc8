/** A token in a file that the platform replaces from time to time, such as that of a Kubernetes service account. */
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { filesModule } from '../process/builtins.ts';

/**
 * Bytes of a token file.
 * @limit credentials
 * @beyond the token is refused
 * @code file-too-large
 */
const maxBytes = 64 * 1024;

/**
 * Returns a function that reads a token from a file whenever one is needed: for `bearerToken`, or as `assertion` of
 * `workloadIdentity`. White space around the token is left out.
 *
 * @example
 * ```ts
 * const auth = bearerToken(tokenFile('/var/run/secrets/tokens/mcp'));
 * ```
 */
export function tokenFile(path: string): () => Promise<string> {
  if (typeof path !== 'string' || path === '')
    throw new TenonError('invalid-argument', 'tokenFile() needs the path of a file.', { details: { place: 'path' } });
  return async () => {
    const text = await read(path).catch((error: NodeJS.ErrnoException) => {
      const { code = 'unknown error' } = error;
      throw new TenonError(
        code === 'ENOENT' ? 'file-not-found' : 'store-failed',
        `No token was read from ${path}: ${code}.`,
        {
          hint: 'Check the path, and that this user may read the file.',
          details: { path },
        },
      );
    });
    const token = text.trim();
    if (token === '' || token.length > maxBytes)
      throw new TenonError('file-too-large', `${path} has no token: it is empty, or has over ${maxBytes} bytes.`, {
        hint: 'Check which file has the token.',
        details: { path },
      });
    return token;
  };
}

/** One byte more than the limit shows that the file is too large. */
async function read(path: string): Promise<string> {
  const handle = await filesModule().open(path, 'r');
  try {
    const buffer = Buffer.alloc(maxBytes + 1);
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await handle.close();
  }
}
