/** `tenon serve`: serves the server in a file, on standard streams or over HTTP. */
import type { ServeHttpOptions } from '../../../node/http-server/options.ts';
import type { ServeStdioOptions } from '../../../node/stdio-server/options.ts';
import { guardStdout } from '../../../node/stdio-server/stdout-guard.ts';
import type { CommandResult, RunCommand } from '../../io/command.ts';
import type { Given } from '../../io/given.ts';
import { interrupted, portOf } from '../../io/until-closed.ts';
import { loadServer, optionsOver, pathOf } from '../../target/module-target.ts';
import { packageOf, type Served } from '../../target/package-of.ts';
import { typedOptions } from '../../target/typed-options.ts';
import { usageError } from '../../usage-error.ts';

export const run: RunCommand = async (given) => {
  const [file = ''] = given.words;
  const port = httpPortOf(given);
  const path = pathOf(file, given.io.cwd);
  // Before the file is loaded: what it prints must not mix with messages.
  if (port === undefined) guardStdout();
  const loaded = await loadServer(file, given.io);
  const server = loaded.server as Served;
  const options = optionsOver(port === undefined ? 'stdio' : 'http', loaded, (text) =>
    given.io.err(`tenon: ${text}\n`),
  );
  return port === undefined
    ? overStdio(given, server, path, options)
    : overHttp(given, server, path, { ...options, port });
};

/** The port of `--http`; undefined on standard streams, where `--json` is refused. */
export function httpPortOf(given: Given): number | undefined {
  const text = given.text('http');
  if (text !== undefined) return portOf('http', text);
  if (given.isJson)
    throw usageError('Standard output carries the messages of the server.', 'Leave --json out, or add --http PORT.');
  return undefined;
}

async function overStdio(
  given: Given,
  server: Served,
  path: string,
  options: ServeStdioOptions,
): Promise<CommandResult> {
  const { serveStdio } = await packageOf(server, path);
  const service = serveStdio(server, { ...options, exitOnClose: false, ...typedOptions(given) });
  given.io.signal.addEventListener('abort', () => void service.close(), { once: true });
  const error = await service.closed;
  return { result: {}, text: '', exit: error === undefined ? 0 : 1 };
}

/** With the options of the file, such as `authenticate`, and the port of `--http`. */
async function overHttp(given: Given, server: Served, path: string, options: ServeHttpOptions): Promise<CommandResult> {
  const { serveHttp } = await packageOf(server, path);
  const service = await serveHttp(server, { ...options, ...typedOptions(given) });
  given.emit({ url: service.url }, `${server.name} ${server.version} is served at ${service.url}`);
  await interrupted(given.io);
  await service.close();
  return { result: { url: service.url, closed: true }, text: '' };
}
