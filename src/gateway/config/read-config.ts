/** Reads the file of a gateway: its text, its variables, its secrets, and every problem with its line. */
import { readFile, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Environment } from '../../host/servers/variables.ts';
import { messageWithoutHint, TenonError } from '../../lib/errors/tenon-error.ts';
import { problemsIn, type Rules } from '../../lib/options/option-rules.ts';
import { type Fields, isRecord } from '../../lib/values/is.ts';
import { reachable } from '../../node/http-server/address.ts';
import { ConfigDocument, configError, maxConfigChars } from './config-document.ts';
import { type CheckedFile, checkUpstreamsMember, crossCheck, defaultPort } from './cross-checks.ts';
import { gatewayFile } from './options.table.ts';
import { type GatewayFile, type ListenAddress, readAddress } from './options.ts';
import { secretsOf, upstreamProblems } from './read-upstreams.ts';
import { noSecrets, readSecretsFile, type Secrets } from './secrets-file.ts';
import type { FileUpstream } from './upstream-options.ts';
import { withVariables } from './variables.ts';

/** A file that was read and has no problems of its own. Paths are absolute, variables replaced, disabled upstreams left out. */
export interface GatewayConfig extends CheckedFile {
  readonly document: ConfigDocument;
  /** Which member has the upstreams, for the places of errors. */
  readonly member: 'upstreams' | 'mcpServers';
  readonly listen: ListenAddress;
  readonly admin: ListenAddress | undefined;
  readonly secrets: Secrets;
}

/** `file` is how errors name it. Throws one error that lists all problems, each as `FILE:LINE: …`. */
export async function readConfig(path: string, file: string, env: Environment): Promise<GatewayConfig> {
  const document = new ConfigDocument(await textOf(path, file), file);
  document.finish();
  const given = withVariables(document, env);
  for (const problem of problemsIn('', given, gatewayFile as Rules)) document.report(problem);
  const member = given.upstreams === undefined && given.mcpServers !== undefined ? 'mcpServers' : 'upstreams';
  const entries: Readonly<Fields> = isRecord(given[member]) ? (given[member] as Fields) : {};
  for (const [name, entry] of Object.entries(entries))
    for (const problem of upstreamProblems(entry, `${member}.${name}`)) document.report(problem);
  checkUpstreamsMember(document, given);
  document.finish();

  const folder = dirname(resolve(path));
  const content = withPaths(given as GatewayFile, folder);
  const upstreams = enabled(entries as Readonly<Record<string, FileUpstream>>, folder);
  if (Object.keys(upstreams).length === 0)
    document.report({ place: member, text: `${member} are all disabled.`, hint: 'Enable one of them.' });
  const listen = readAddress(content.listen ?? defaultPort) as ListenAddress;
  const checked = { content, member, upstreams, publicUrl: publicUrlOf(content, listen) } as const;
  crossCheck(document, checked);
  const secrets = await secretsFor(document, checked);
  document.finish();
  const admin = content.admin === undefined ? undefined : readAddress(content.admin);
  return { ...checked, document, listen, admin, secrets };
}

async function textOf(path: string, file: string): Promise<string> {
  try {
    const stats = await stat(path);
    // A pipe would wait for its writer; a character has at most three bytes for each unit of its length.
    if (!stats.isFile() || stats.size > maxConfigChars * 3)
      throw new Error(`it is not a file of at most ${maxConfigChars} characters`);
    return new TextDecoder('utf-8', { fatal: true }).decode(await readFile(path));
  } catch (cause) {
    const { code = '', message } = cause as NodeJS.ErrnoException;
    const why = reasons[code] ?? message;
    const problem = { place: '', text: `The file cannot be read: ${why}.`, hint: 'Pass the path of a configuration.' };
    throw configError([{ ...problem, file, line: 1 }], cause);
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ERR_ENCODING_INVALID_ENCODED_DATA: 'it is not UTF-8',
};

/** Reads the secrets file, and finds every name that the configuration has. */
async function secretsFor(document: ConfigDocument, { content, member, upstreams }: CheckedFile): Promise<Secrets> {
  const { secretsFile, secrets: sealing = [], connect } = content;
  const named = [
    ...sealing.map((name, at) => [name, `secrets[${at}]`] as const),
    ...(connect === undefined ? [] : [[connect.secret, 'connect.secret'] as const]),
    ...Object.entries(upstreams).flatMap(([name, one]) => secretsOf(one, `${member}.${name}`)),
  ];
  const secrets = secretsFile === undefined ? noSecrets : await readOrReport(document, secretsFile);
  if (secrets === undefined) return noSecrets;
  for (const [name, place] of named) {
    const found = secrets.get(name);
    if (found === undefined) {
      const known = secrets.names.length === 0 ? '' : ` It has ${secrets.names.join(', ')}.`;
      const hint = secretsFile === undefined ? 'Set secretsFile.' : `Add it to ${secretsFile}.${known}`;
      document.report({ place, text: `${place} names the secret ${name}, which does not exist.`, hint });
    } else if (place.startsWith('secrets[') && found.length < leastSealing) {
      const hint = `Use ${leastSealing} characters or more, such as from openssl rand -base64 32.`;
      document.report({ place, text: `${place} names a secret that is too short.`, hint });
    }
  }
  return secrets;
}

const leastSealing = 32;

async function readOrReport(document: ConfigDocument, path: string): Promise<Secrets | undefined> {
  try {
    return await readSecretsFile(path);
  } catch (error) {
    // Its own errors have its own lines.
    if (!(error instanceof TenonError) || Array.isArray(error.details.problems)) throw error;
    document.report({ place: 'secretsFile', text: messageWithoutHint(error), hint: error.hint ?? '' });
    return undefined;
  }
}

function withPaths(content: GatewayFile, folder: string): GatewayFile {
  const { secretsFile, policy, audit, lock, store } = content;
  return {
    ...content,
    ...(secretsFile !== undefined && { secretsFile: resolve(folder, secretsFile) }),
    ...(policy !== undefined && { policy: resolve(folder, policy) }),
    ...(audit !== undefined && { audit: resolve(folder, audit) }),
    ...(lock !== undefined && { lock: resolve(folder, lock) }),
    ...(store !== undefined && { store: storeIn(folder, store) }),
  };
}

/** The path of an SQLite file is relative, too. */
function storeIn(folder: string, store: string): string {
  const [, path] = /^sqlite:(?!\/)(.+)$/is.exec(store) ?? [];
  return path === undefined || path === ':memory:' ? store : `sqlite:${join(folder, path)}`;
}

const enabled = (entries: Readonly<Record<string, FileUpstream>>, folder: string): Record<string, FileUpstream> =>
  Object.fromEntries(
    Object.entries(entries).flatMap(([name, one]) =>
      one.disabled === true ? [] : [[name, upstreamWithPaths(one, folder)]],
    ),
  );

function upstreamWithPaths(entry: FileUpstream, folder: string): FileUpstream {
  const { cwd, openapi, auth, command } = entry;
  const isPath = openapi !== undefined && !/^https?:/i.test(openapi);
  return {
    ...entry,
    ...(command !== undefined && { cwd: resolve(folder, cwd ?? '') }),
    ...(isPath && { openapi: resolve(folder, openapi) }),
    ...(typeof auth?.file === 'string' && { auth: { ...auth, file: resolve(folder, auth.file) } }),
  };
}

function publicUrlOf({ publicUrl }: GatewayFile, { host, port }: ListenAddress): URL | undefined {
  if (publicUrl !== undefined) return new URL(publicUrl);
  return port === 0 ? undefined : new URL(`http://${reachable(host)}:${port}/mcp`);
}
