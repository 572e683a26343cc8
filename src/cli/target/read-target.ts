/** What was typed as a target: a URL, a file, the name of a configured server, or a command after `--`. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { nearestName } from '../../lib/text/nearest-name.ts';
import { isUrl } from '../../lib/text/parse-url.ts';
import type { Target } from '../../node/connect.ts';
import { markAsDevelopment } from '../../server/ports/development.ts';
import type { Given } from '../io/given.ts';
import { usageError } from '../usage-error.ts';
import { configuredServers, type FoundServer } from './configured-servers.ts';
import { isModule, loadServer } from './module-target.ts';
import { confirmVariables } from './variable-consent.ts';

export interface NamedTarget {
  /** How the target is shown to the user. */
  readonly shown: string;
  readonly target: Target;
}

export async function readTarget(given: Given, typed = given.target): Promise<NamedTarget> {
  if (typed === undefined) return commandTarget(given, given.command ?? []);
  if (/^https?:\/\//i.test(typed)) return urlTarget(given, typed);
  if (isModule(typed)) {
    refuseUnused(given, 'a file', ['header', 'env', 'cwd']);
    return { shown: typed, target: markAsDevelopment((await loadServer(typed, given.io)).server) };
  }
  if (isUrl(typed))
    throw usageError(`${typed} is not a target.`, 'Use http: or https:, a file, a name, or a command after --.');
  return namedTarget(given, typed);
}

function commandTarget(given: Given, [command = '', ...args]: readonly string[]): NamedTarget {
  refuseUnused(given, 'a command', ['header']);
  const cwd = given.text('cwd');
  const env = environment(given);
  const stderr = errorOutput(given);
  return {
    shown: [command, ...args].join(' '),
    target: { command, args, env, stderr, ...(cwd === undefined ? {} : { cwd }) },
  };
}

function urlTarget(given: Given, url: string): NamedTarget {
  refuseUnused(given, 'a URL', ['env', 'cwd']);
  const headers = headersOf(given);
  return { shown: shownUrl(url), target: { url, headers } };
}

/** User and password in a URL. */
export const userInfo = /(?<=^https?:\/\/)[^/?#]*@/i;

/** A password is not shown. */
export const shownUrl = (url: string): string => url.replace(userInfo, '');

/** Two clients may have servers of the same name: then `name@client` chooses one. */
async function namedTarget(given: Given, typed: string): Promise<NamedTarget> {
  // Names of packages begin with @.
  const [, name = typed, client] = /^(.+)@([a-z-]+)$/.exec(typed) ?? [];
  const all = await configuredServers(given.io, given.text('config'));
  const found = all.filter(({ server, file }) => server === name && (client === undefined || file.client === client));
  const [first, second] = found;
  if (first === undefined) {
    if (existsSync(resolve(given.io.cwd, typed)))
      throw usageError(
        `${typed} is not a server.`,
        'A server is a .ts or .js file, a URL, a name, or a command after --. What tenon info TARGET --snapshot writes ends with .json.',
      );
    const near = nearestName(
      name,
      all.map(({ server }) => server),
    );
    throw usageError(
      `There is no server named ${JSON.stringify(typed)} in the configuration files.`,
      near === undefined ? 'Run tenon without arguments to see what it found.' : `Did you mean ${near}?`,
    );
  }
  if (second !== undefined && JSON.stringify(first.target) !== JSON.stringify(second.target))
    throw usageError(
      `Several files have a server named ${name}: ${found.map(({ file }) => file.path).join(', ')}.`,
      `Write ${name}@${first.file.client}.`,
    );
  if (first.target instanceof TenonError) throw first.target;
  await confirmVariables(given, first);
  return { shown: typed, target: withOptions(given, first.target) };
}

/** Typed options override those of the file. */
function withOptions(given: Given, target: Exclude<FoundServer['target'], TenonError>): Target {
  if ('url' in target) {
    refuseUnused(given, 'a URL', ['env', 'cwd']);
    return { ...target, headers: { ...target.headers, ...headersOf(given) } };
  }
  if (!('command' in target)) return target;
  refuseUnused(given, 'a command', ['header']);
  const cwd = given.text('cwd') ?? target.cwd;
  const env = { ...target.env, ...environment(given) };
  return { ...target, env, stderr: errorOutput(given), ...(cwd !== undefined && { cwd }) };
}

/** The command shows what the server prints. With a keeper, that is another process. */
const errorOutput = (given: Given): 'ignore' | ((line: string) => void) =>
  given.flag('quiet') ? 'ignore' : (line) => given.io.err(`${line}\n`);

function headersOf(given: Given): Record<string, string> {
  return Object.fromEntries(
    given.texts('header').map((header) => {
      const [, name, value] = /^([^:\s]+)\s*:\s*(.*)$/s.exec(header) ?? [];
      if (name === undefined || value === undefined)
        throw usageError('A header must be written as "Name: value".', 'Write -H "Authorization: Bearer …".');
      return [name, value];
    }),
  );
}

function environment(given: Given): Record<string, string> {
  return Object.fromEntries(
    given.texts('env').map((variable) => {
      const [, name, value] = /^([^=]+)=(.*)$/s.exec(variable) ?? [];
      if (name === undefined || value === undefined)
        throw usageError('A variable must be written as NAME=value.', 'Write --env API_KEY=….');
      return [name, value];
    }),
  );
}

function refuseUnused(given: Given, kind: string, options: readonly string[]): void {
  const unused = options.find((name) => given.texts(name).length > 0);
  if (unused !== undefined) throw usageError(`--${unused} has no effect on ${kind}.`, `Leave it out.`);
}
