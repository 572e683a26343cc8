/** Splits an untrusted path into the names of folders and a file, and refuses every path that could climb. */
import { fileURLToPath } from 'node:url';
import { pathNotAllowed } from './path-errors.ts';

/** Percent sequences that no UTF-8 text has: long forms of ASCII characters, such as `%c0%af` for a slash. */
const overlong = /%(?:c[01]|e0%[89]|f0%8)/i;
const scheme = /^[a-z][a-z\d+.-]*:/i;
/** Devices that Windows finds in every folder, whatever extension follows. */
const windowsDevice = /^(?:con|prn|aux|nul|com[\d¹²³]|lpt[\d¹²³]|conin\$|conout\$)(?:\..*)?$/i;

/**
 * The names of a path from the root. A `file:` URI counts as the absolute path it names, which must lie in one of
 * `folders`, the spellings of the root. Throws `path-not-allowed`.
 */
export function pathSegments(
  path: string,
  folders: readonly string[],
  maxPathChars: number,
  platform: NodeJS.Platform = process.platform,
): string[] {
  const windows = platform === 'win32';
  if (typeof path !== 'string' || path === '') throw pathNotAllowed('', 'is empty', 'Give a path from the root.');
  if (path.length > maxPathChars)
    throw pathNotAllowed(path, `has more than ${maxPathChars} characters`, 'Give a shorter path.');
  const plain = /^file:/i.test(path) ? pathOfUri(path, folders, windows) : path;
  const problem = problemOf(plain, windows);
  if (problem !== undefined)
    throw pathNotAllowed(path, problem, 'Give a path from the root, such as reports/week.csv.');
  const names = plain.split('/').filter((name) => name !== '' && name !== '.');
  if (names.length === 0) throw pathNotAllowed(path, 'names no file', 'Give the path of a file.');
  return names;
}

/** Why a path is refused. Texts that mean something else after decoding are refused too: a later reader may decode. */
function problemOf(path: string, windows: boolean): string | undefined {
  if (path.startsWith('/')) return 'is absolute';
  if (scheme.test(path) && (windows || path.charAt(1) === ':' || path.includes('://'))) return 'has a drive or scheme';
  if (overlong.test(path)) return 'has a percent-encoding that is not UTF-8';
  for (let text = path, rounds = 0; rounds < maxDecodings; rounds++) {
    const climbing = climbingIn(text);
    if (climbing !== undefined) return climbing;
    const decoded = decodedOnce(text);
    if (decoded === text) return windows ? windowsProblem(path) : undefined;
    if (separators(decoded) !== separators(text)) return 'has an encoded separator';
    text = decoded;
  }
  return 'is percent-encoded too often';
}

const maxDecodings = 4;

function climbingIn(text: string): string | undefined {
  if (text.includes('\0')) return 'has a NUL character';
  if (text.includes('\\')) return 'has a backslash';
  return text.split('/').some((name) => /^\.\.[. ]*$/.test(name)) ? 'has a .. segment' : undefined;
}

const separators = (text: string): number => text.split('/').length;

/** Each sequence by itself, so that a stray percent sign hides none of the others. */
const decodedOnce = (text: string): string =>
  text.replace(/%([0-7][\da-f])/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));

/** Alternate data streams, devices, and names that Windows shortens. */
function windowsProblem(path: string): string | undefined {
  if (path.includes(':')) return 'has a colon';
  const names = path.split('/');
  if (names.some((name) => windowsDevice.test(name))) return 'names a device';
  return names.some((name) => name !== '.' && /[. ]$/.test(name))
    ? 'has a name that ends in a dot or space'
    : undefined;
}

function pathOfUri(uri: string, folders: readonly string[], windows: boolean): string {
  const plainPath = (path: string): string => (windows ? path.replaceAll('\\', '/') : path);
  const path = plainPath(absolutePath(uri, windows));
  for (const folder of folders) {
    const root = plainPath(folder);
    const start = root.endsWith('/') ? root : `${root}/`;
    const isInside = windows ? path.toLowerCase().startsWith(start.toLowerCase()) : path.startsWith(start);
    if (isInside) return path.slice(start.length);
  }
  throw pathNotAllowed(uri, 'is not below the root', 'Give the URI of a file in the root.');
}

function absolutePath(uri: string, windows: boolean): string {
  // `file://server/share` is a path of another machine on Windows.
  if (!/^file:\/\/(?:localhost)?\//i.test(uri)) throw badUri(uri);
  try {
    return fileURLToPath(uri, { windows });
  } catch {
    throw badUri(uri);
  }
}

const badUri = (uri: string): Error =>
  pathNotAllowed(uri, 'is not the URI of a local file', 'Give file:///, then the absolute path.');
