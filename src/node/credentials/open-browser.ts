/** Opens a page in the browser of the user. The address is an argument of a program, never a command line. */
import { fsModule, osModule, pathModule } from '../process/builtins.ts';

/** The program that opens an address; nothing where there is no screen. */
export function browserProgram(
  platform: NodeJS.Platform = process.platform,
  environment: NodeJS.ProcessEnv = process.env,
): readonly string[] | undefined {
  if (platform === 'darwin') return ['open'];
  // Not `start`: it is part of the command line, which reads & in an address.
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler'];
  const { DISPLAY, WAYLAND_DISPLAY } = environment;
  return DISPLAY || WAYLAND_DISPLAY ? ['xdg-open'] : undefined;
}

/** Whether it is safe to pass to the system: other schemes start other programs. */
export const isWebPage = ({ protocol }: URL): boolean => protocol === 'https:' || protocol === 'http:';

/** Failures are not reported: the address is printed as well. */
export function openBrowser(url: URL): void {
  if (isWebPage(url)) start(url);
}

/**
 * Opens an address with a secret in it. Every user of the machine can read the arguments of a program, so it gets the
 * address of a file that only this user can read, and that leads there. Returns a function that deletes the file.
 */
export function openPrivately(url: URL): () => void {
  if (browserProgram() === undefined || !isWebPage(url)) return () => {};
  const { mkdtempSync, rmSync, writeFileSync } = fsModule();
  const { join } = pathModule();
  // Created with mode 700.
  const folder = mkdtempSync(join(osModule().tmpdir(), 'tenon-open-'));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  const file = join(folder, 'open.html');
  const page = `<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer"><meta http-equiv="refresh" content="0;url=${escaped(url.href)}">`;
  writeFileSync(file, page, { mode: 0o600, flag: 'wx' });
  start(process.getBuiltinModule('node:url').pathToFileURL(file));
  return remove;
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;');

function start(url: URL): void {
  const program = browserProgram();
  if (program === undefined) return;
  const [command = '', ...before] = program;
  const { spawn } = process.getBuiltinModule('node:child_process');
  const child = spawn(command, [...before, url.href], {
    stdio: 'ignore',
    detached: process.platform !== 'win32',
    windowsHide: true,
  });
  child.on('error', () => {});
  child.unref();
}
