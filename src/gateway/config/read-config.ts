/** Reads the file of a gateway: its text, its variables, its secrets, and every problem with its line. */
import { readFile, stat } from 'node:fs/promises';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import type { Environment } from '../../host/servers/variables.ts';
import { messageWithoutHint, TenonError } from '../../lib/errors/tenon-error.ts';
import { problemsIn, type Rules } from '../../lib/options/option-rules.ts';
import { type Fields, isRecord } from '../../lib/values/is.ts';
import { isLoopback, reachable } from '../../node/http-server/address.ts';
import { addressIn } from '../../node/open-store.ts';
import { noSecrets, readSecretsFile, type Secrets } from './secrets-file.ts';
import { ConfigDocument, configError, maxConfigChars } from './config-document.ts';
import { gatewayFile } from './options.table.ts';
import { type GatewayFile, type ListenAddress, readAddress } from './options.ts';
import { secretsOf, upstreamProblems } from './read-upstreams.ts';
import type { FileUpstream } from './upstream-options.ts';
import { withVariables } from './variables.ts';

/** A file that was read and has no problems of its own. Paths are absolute, variables replaced. */
export interface GatewayConfig {
  readonly document: ConfigDocument;
  readonly content: GatewayFile;
  readonly listen: ListenAddress;
  readonly admin: ListenAddress | undefined;
  /** The URL of callers; unknown if any free port is listened at. */
  readonly publicUrl: URL | undefined;
  /** Those that are not disabled. */
  readonly upstreams: Readonly<Record<string, FileUpstream>>;
  /** Which member has the upstreams, for the places of errors. */
  readonly member: 'upstreams' | 'mcpServers';
  readonly secrets: Secrets;
}

/** `file` is how errors name it. Throws one error that lists all problems, each as `FILE:LINE: …`. */
export async function readConfig(path: string, file: string, env: Environment): Promise<GatewayConfig> {
  const document = new ConfigDocument(await textOf(path, file), file);
  document.finish();
  const folder = dirname(resolve(path));
  const content = withVariables(document, env);
  for (const problem of problemsIn('', content, gatewayFile as Rules)) document.report(problem);
  const member = content.upstreams === undefined && content.mcpServers !== undefined ? 'mcpServers' : 'upstreams';
  const given = content[member];
  const entries: Readonly<Fields> = isRecord(given) ? given : {};
  for (const [name, entry] of Object.entries(entries))
    for (const problem of upstreamProblems(entry, `${member}.${name}`)) document.report(problem);
  checkUpstreamsMember(document, content);
  document.finish();
  const resolved = withPaths(content as GatewayFile, folder);
  const enabled = Object.entries(entries as Readonly<Record<string, FileUpstream>>).filter(([, one]) => one.disabled !== true);
  const upstreams = Object.fromEntries(enabled.map(([name, one]) => [name, upstreamWithPaths(one, folder)]));
  if (enabled.length === 0)
    document.report({ place: member, text: `${member} are all disabled.`, hint: 'Enable one of them.' });
  checkReach(document, resolved);
  checkStore(document, resolved);
  const secrets = await secretsFor(document, resolved, upstreams, member);
  document.finish();
  const listen = readAddress(resolved.listen ?? defaultPort) as ListenAddress;
  const admin = resolved.admin === undefined ? undefined : readAddress(resolved.admin);
  return { document, content: resolved, listen, admin, publicUrl: publicUrlOf(resolved, listen), upstreams, member, secrets };
}

const defaultPort = 3000;

async function textOf(path: string, file: string): Promise<string> {
  try {
    const stats = await stat(path);
    // A pipe would wait for its writer; a character has at most three bytes for each unit of its length.
    if (!stats.isFile() || stats.size > maxConfigChars * 3) throw new Error('it is not a file of at most 1 Mi characters');
    return new TextDecoder('utf-8', { fatal: true }).decode(await readFile(path));
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const why = code === 'ENOENT' ? 'there is no such file' : code === 'ERR_ENCODING_INVALID_ENCODED_DATA' ? 'it is not UTF-8' : message;
    const problem = { place: '', text: `The file cannot be read: ${why}.`, hint: 'Pass the path of a configuration.' };
    throw configError([{ ...problem, file, line: 1 }], cause);
  }
}

function checkUpstreamsMember(document: ConfigDocument, { upstreams, mcpServers }: Fields): void {
  if (upstreams !== undefined && mcpServers !== undefined)
    document.report({ place: 'mcpServers', text: 'upstreams is set, too.', hint: 'Write all servers in one of them.' });
  else if (upstreams === undefined && mcpServers === undefined) {
    const hint = 'Write upstreams: and below it the name of a server with its url or command.';
    document.report({ place: 'upstreams', text: 'upstreams is missing.', hint });
  }
}

/** Beyond this machine, everyone on the network could use the credentials of the gateway. */
function checkReach(document: ConfigDocument, content: GatewayFile): void {
  const { listen = defaultPort, protect, publicUrl } = content;
  const address = readAddress(listen) as ListenAddress;
  const isLocal = isLoopback(address.host);
  if (!isLocal && protect === undefined) {
    const hint = 'Add protect: with the issuer of their access tokens, or with apiKeys.';
    document.report({ place: 'listen', text: `listen lets other machines connect, and protect is missing.`, hint });
  }
  if (!isLocal && publicUrl === undefined) {
    const hint = 'Write publicUrl: https://…/mcp, as callers know the gateway.';
    document.report({ place: 'listen', text: 'listen lets other machines connect, and publicUrl is missing.', hint });
  }
  if (protect === undefined) return;
  const { issuer, issuers, apiKeys } = protect;
  const text = issuer !== undefined && issuers !== undefined ? 'protect has issuer and issuers.' : 'protect admits no caller.';
  if ((issuer !== undefined && issuers !== undefined) || (issuer ?? issuers ?? apiKeys) === undefined)
    document.report({ place: 'protect', text, hint: 'Write issuer or issuers, apiKeys, or one of the first and apiKeys.' });
  if ((issuer ?? issuers) !== undefined && publicUrl === undefined && address.port === 0)
    document.report({ place: 'protect', text: 'protect needs publicUrl.', hint: 'Tokens are issued for this URL.' });
}

function checkStore(document: ConfigDocument, { store }: GatewayFile): void {
  if (store === undefined) return;
  try {
    addressIn(store);
  } catch (error) {
    const { hint = '' } = error as TenonError;
    document.report({ place: 'store', text: messageWithoutHint(error as TenonError), hint });
  }
}

/** Reads the secrets file, and finds every name that the configuration has. */
async function secretsFor(
  document: ConfigDocument,
  { secretsFile, secrets: sealing = [] }: GatewayFile,
  upstreams: Readonly<Record<string, FileUpstream>>,
  member: string,
): Promise<Secrets> {
  const named = [
    ...sealing.map((name, at) => [name, `secrets[${at}]`] as const),
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
    const { hint = '' } = error;
    document.report({ place: 'secretsFile', text: messageWithoutHint(error), hint });
    return undefined;
  }
}

function withPaths(content: GatewayFile, folder: string): GatewayFile {
  const inFolder = (path: string | undefined): string | undefined => (path === undefined ? undefined : resolve(folder, path));
  const { secretsFile, policy, audit, store } = content;
  const paths = { secretsFile: inFolder(secretsFile), policy: inFolder(policy), audit: inFolder(audit), store: storeIn(folder, store) };
  return { ...content, ...Object.fromEntries(Object.entries(paths).filter(([, path]) => path !== undefined)) };
}

/** The path of an SQLite file is relative, too. */
function storeIn(folder: string, store: string | undefined): string | undefined {
  const [, path] = /^sqlite:(?!\/)(.+)$/is.exec(store ?? '') ?? [];
  return path === undefined || path === ':memory:' ? store : `sqlite:${join(folder, path)}`;
}

function upstreamWithPaths(entry: FileUpstream, folder: string): FileUpstream {
  const { cwd, openapi, auth, command } = entry;
  const isUrl = openapi !== undefined && /^https?:/i.test(openapi);
  return {
    ...entry,
    ...(command !== undefined && { cwd: cwd === undefined ? folder : resolve(folder, cwd) }),
    ...(openapi !== undefined && !isUrl && { openapi: isAbsolute(openapi) ? openapi : join(folder, openapi) }),
    ...(typeof auth?.file === 'string' && { auth: { ...auth, file: resolve(folder, auth.file) } }),
  };
}

function publicUrlOf({ publicUrl }: GatewayFile, { host, port }: ListenAddress): URL | undefined {
  if (publicUrl !== undefined) return new URL(publicUrl);
  return port === 0 ? undefined : new URL(`http://${reachable(host)}:${port}/mcp`);
}
