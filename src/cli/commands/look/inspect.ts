/** `tenon inspect`: serves the inspector for a server, a capture, or nothing yet. */
import { createHash } from 'node:crypto';
import { basename, join } from 'node:path';
import type { ConfiguredTarget } from '../../../inspector/clients/targets.ts';
import type { InspectorStart } from '../../../inspector/options.ts';
import { listenInspector } from '../../../inspector/serve-inspector.ts';
import type { Target } from '../../../node/connect.ts';
import { defaultFolder } from '../../../node/credentials/credentials-folder.ts';
import { openPrivately } from '../../../node/credentials/open-browser.ts';
import { readTextFile } from '../../input/read-file.ts';
import type { RunCommand } from '../../io/command.ts';
import type { Given } from '../../io/given.ts';
import type { Io } from '../../io/io.ts';
import { interrupted, portOf } from '../../io/until-closed.ts';
import { configuredServers } from '../../target/configured-servers.ts';
import { readConnection } from '../../target/open-client.ts';
import { oauthOptions } from '../../target/stored-auth.ts';
import { isConfirmed, rememberVariables } from '../../target/variable-consent.ts';

export const run: RunCommand = async (given) => {
  const { io } = given;
  const inspector = await listenInspector({
    port: portOf('port', given.text('port') ?? '0'),
    configured: () => configured(io, given.text('config')),
    credentials: oauthOptions(io).store,
    tabsFile: tabsFileOf(io),
    ...(await opened(given)),
  });
  given.emit({ url: inspector.url }, `inspector ${inspector.url}`);
  const forget = given.flag('open') ? openPrivately(new URL(inspector.singleLink())) : undefined;
  await interrupted(io);
  forget?.();
  await inspector.close();
  return { result: { url: inspector.url, closed: true }, text: '' };
};

/** One for each folder: its tabs find the inspector that is started there again. */
const tabsFileOf = ({ env, cwd }: Io): string =>
  join(defaultFolder('inspector', env), `${createHash('sha256').update(cwd).digest('hex').slice(0, 40)}.json`);

/** What was typed: a capture, a server, or neither. It was typed by the user, so that a command needs no confirmation. */
async function opened(
  given: Given,
): Promise<{ readonly servers?: Record<string, Target>; readonly start?: InspectorStart }> {
  const { target: typed, command, io } = given;
  if (typed === undefined && command === undefined) return {};
  if (typed?.endsWith('.ndjson') === true) return { start: { capture: await capture(typed, io) } };
  const { shown, target, protocolVersion } = await readConnection(given);
  return {
    servers: { [shown]: target },
    start: { server: shown, ...(protocolVersion !== undefined && { protocolVersion }) },
  };
}

const capture = async (path: string, io: Io): Promise<{ readonly name: string; readonly text: string }> => ({
  name: basename(path),
  text: await readTextFile(path, io, 'Pass the path of a capture, which tenon record writes.'),
});

async function configured(io: Io, only: string | undefined): Promise<ConfiguredTarget[]> {
  const found = await configuredServers(io, only);
  const targets = found.map(async (one): Promise<ConfiguredTarget[]> => {
    const { server, file, target } = one;
    if ('accept' in target) return [];
    const variables = (await isConfirmed(io, one)) ? [] : one.variables;
    const onConfirmed = (): Promise<void> => rememberVariables(io, one);
    return [{ name: server, file: file.path, client: file.client, target, variables, onConfirmed }];
  });
  return (await Promise.all(targets)).flat();
}
