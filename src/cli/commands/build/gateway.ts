/** `tenon gateway`: serves the gateway of a file until it is interrupted, or checks the file. */
import { resolve } from 'node:path';
import process from 'node:process';
import { problemLine } from '../../../gateway/config/config-document.ts';
import {
  checkGatewayFile,
  type GatewayFileOptions,
  serveGateway,
  withFileGateway,
} from '../../../gateway/serve-gateway.ts';
import { TenonError } from '../../../lib/errors/tenon-error.ts';
import type { CommandResult, RunCommand } from '../../io/command.ts';
import type { Given } from '../../io/given.ts';
import { interrupted } from '../../io/until-closed.ts';
import { count } from '../../output/count.ts';
import { safeText } from '../../output/style.ts';
import { usageError } from '../../usage-error.ts';
import { approveStatus } from '../access/approve-status.ts';

export const run: RunCommand = async (given) => {
  const file = given.text('config');
  if (file === undefined) throw usageError('--config is missing.', 'Write --config gateway.yaml.');
  try {
    if (given.flag('check')) return await check(given, file);
    return given.flag('approve') ? await approve(given, file) : await serve(given, file);
  } catch (error) {
    const problems = error instanceof TenonError ? error.details.problems : undefined;
    if (!Array.isArray(problems)) throw error;
    // Alone on their lines, so that editors and CI find the place.
    if (!given.isJson) for (const one of problems) given.io.err(`${safeText(problemLine(one))}\n`);
    return { result: { problems }, text: '', exit: 2 };
  }
};

async function check({ io }: Given, file: string): Promise<CommandResult> {
  const upstreams = await checkGatewayFile(resolve(io.cwd, file), { file, env: io.env });
  return { result: { upstreams }, text: count(upstreams, 'upstream') };
}

function approve(given: Given, file: string): Promise<CommandResult> {
  const { io } = given;
  const onWarning = ({ message }: TenonError): void => io.err(`tenon: ${safeText(message)}\n`);
  return withFileGateway(resolve(io.cwd, file), { file, env: io.env }, onWarning, async (gateway, { content }) => {
    if (content.lock === undefined) throw usageError(`${file} has no lock.`, 'Write lock: gateway.lock.');
    return approveStatus(given, await gateway.lockStatus(), (server) => gateway.approve(server));
  });
}

async function serve(given: Given, file: string): Promise<CommandResult> {
  const { io } = given;
  const line = (text: string): void => io.err(`tenon: ${safeText(text)}\n`);
  const options: GatewayFileOptions = {
    file,
    env: io.env,
    onWarning: (warning) => line(warning.message),
    onReload: ({ added, removed, changed }) => {
      const parts = Object.entries({ added, removed, changed }).filter(([, names]) => names.length > 0);
      const what = parts.map(([how, names]) => `${how} ${names.join(', ')}`).join('; ');
      line(`${file} was reloaded: ${what === '' ? 'no upstream has changed' : what}.`);
    },
  };
  const service = await serveGateway(resolve(io.cwd, file), options);
  const { url, adminUrl, upstreams } = service;
  const admin = adminUrl === undefined ? '' : `; health and metrics at ${adminUrl}`;
  given.emit(
    { url, ...(adminUrl !== undefined && { adminUrl }), upstreams },
    `The gateway serves ${count(upstreams, 'upstream')} at ${url}${admin}`,
  );
  const onHangUp = (): void => void service.reload();
  process.on('SIGHUP', onHangUp);
  await interrupted(io);
  process.off('SIGHUP', onHangUp);
  await service.close();
  return { result: { url, closed: true }, text: '' };
}
