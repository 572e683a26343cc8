/** Variables of the environment that a project's configuration file names: the user confirms them, once for each file and server. */
import { maskText } from '../../lib/text/secret-text.ts';
import { credentialsFolder, defaultFolder } from '../../node/credentials/credentials-folder.ts';
import type { Given } from '../io/given.ts';
import type { Io } from '../io/io.ts';
import { safeText } from '../output/style.ts';
import { usageError } from '../usage-error.ts';
import type { FoundServer } from './configured-servers.ts';

/** Throws unless every variable of a server is allowed: by `--allow-variable`, by an earlier answer, or now. */
export async function confirmVariables(given: Given, found: FoundServer): Promise<void> {
  const { io } = given;
  if (!io.canAsk) return checkVariables(given, found);
  const message = await openQuestion(given, found);
  if (message === undefined) return;
  if (!(await io.prompts.confirm({ message: `${message} Allow it?`, initial: false, signal: io.signal })))
    throw usageError('Its variables were not allowed: nothing was sent or started.', 'Look at the file.');
  await rememberVariables(io, found);
}

/** The same without a question. */
export async function checkVariables(given: Given, found: FoundServer): Promise<void> {
  const message = await openQuestion(given, found);
  if (message === undefined) return;
  const options = namesOf(found.variables).map((name) => `--allow-variable ${name}`);
  throw usageError(
    message,
    `If it may have them, pass ${options.join(' ')}, or confirm it once in a terminal: tenon info ${found.server}.`,
  );
}

/** What the user has not allowed yet. */
async function openQuestion(given: Given, found: FoundServer): Promise<string | undefined> {
  const allowed = new Set(given.texts('allow-variable'));
  const asked = found.variables.filter(({ variable }) => !allowed.has(variable));
  if (asked.length === 0 || (await isConfirmed(given.io, found))) return undefined;
  const uses = namesOf(asked).map((name) => `${name} (in ${fieldsOf(asked, name)})`);
  return safeText(
    `${found.server} in ${found.file.path} would get variables of your environment: ${uses.join(', ')}. It is ${shownOrigin(found)}.`,
  );
}

const namesOf = (uses: FoundServer['variables']): string[] => [...new Set(uses.map(({ variable }) => variable))];

const fieldsOf = (uses: FoundServer['variables'], name: string): string =>
  [...new Set(uses.filter(({ variable }) => variable === name).map(({ field }) => field))].join(' and ');

/** As the file has it, without values of variables. */
function shownOrigin({ origin }: FoundServer): string {
  if ('url' in origin) return maskText(origin.url);
  return 'args' in origin ? maskText([origin.command, ...origin.args].join(' ')) : '';
}

/** Whether the user has confirmed the variables of exactly this entry of this file. */
export const isConfirmed = async (io: Pick<Io, 'env'>, { variables, digest }: FoundServer): Promise<boolean> =>
  variables.length === 0 || (await answersOf(io).read(digest)) !== undefined;

export async function rememberVariables(io: Pick<Io, 'env'>, { file, server, digest }: FoundServer): Promise<void> {
  // Another process may have stored the same answer meanwhile.
  await answersOf(io).swap(digest, undefined, { file: file.path, server });
}

const answersOf = ({ env }: Pick<Io, 'env'>) => credentialsFolder({ folder: defaultFolder('variables', env) });
