/** Opens a page in the browser of the user. The address is an argument of a program, never a command line. */

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
  const program = browserProgram();
  if (program === undefined || !isWebPage(url)) return;
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
