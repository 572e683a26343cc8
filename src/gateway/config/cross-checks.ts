/** What the members of a file demand of each other: who may connect, where accounts are stored, which store there is. */
import { messageWithoutHint, type TenonError } from '../../lib/errors/tenon-error.ts';
import type { Fields } from '../../lib/values/is.ts';
import { isLoopback } from '../../node/http-server/address.ts';
import { addressIn } from '../../node/open-store.ts';
import type { ConfigDocument } from './config-document.ts';
import { type GatewayFile, type ListenAddress, readAddress } from './options.ts';
import type { FileAuth, FileUpstream } from './upstream-options.ts';

export const defaultPort = 3000;

/** Before the upstreams are read. */
export function checkUpstreamsMember(document: ConfigDocument, { upstreams, mcpServers }: Readonly<Fields>): void {
  if (upstreams !== undefined && mcpServers !== undefined)
    document.report({ place: 'mcpServers', text: 'upstreams is set, too.', hint: 'Write all servers in one of them.' });
  else if (upstreams === undefined && mcpServers === undefined) {
    const hint = 'Write upstreams: and below it the name of a server with its url or command.';
    document.report({ place: 'upstreams', text: 'upstreams is missing.', hint });
  }
}

/** A file whose members are valid, each alone. */
export interface CheckedFile {
  readonly content: GatewayFile;
  readonly member: string;
  readonly upstreams: Readonly<Record<string, FileUpstream>>;
  /** The URL of callers; unknown if any free port is listened at. */
  readonly publicUrl: URL | undefined;
}

export function crossCheck(document: ConfigDocument, file: CheckedFile): void {
  checkReach(document, file.content);
  checkProtect(document, file);
  checkStore(document, file.content);
  checkConnect(document, file);
  checkExchanges(document, file);
}

/** Beyond this machine, everyone on the network could use the credentials of the gateway. */
function checkReach(document: ConfigDocument, { listen = defaultPort, protect, publicUrl }: GatewayFile): void {
  if (isLoopback((readAddress(listen) as ListenAddress).host)) return;
  const report = (missing: string, hint: string): void =>
    document.report({ place: 'listen', text: `listen lets other machines connect, and ${missing} is missing.`, hint });
  if (protect === undefined) report('protect', 'Add protect: with the issuer of their access tokens, or with apiKeys.');
  if (publicUrl === undefined) report('publicUrl', 'Write publicUrl: https://…/mcp, as callers know the gateway.');
}

function checkProtect(document: ConfigDocument, { content: { protect }, publicUrl }: CheckedFile): void {
  if (protect === undefined) return;
  const { issuer, issuers, apiKeys } = protect;
  const report = (text: string, hint: string): void =>
    document.report({ place: 'protect', text: `protect ${text}.`, hint });
  const hint = 'Write issuer or issuers, or apiKeys, or both.';
  if (issuer !== undefined && issuers !== undefined) report('has issuer and issuers', hint);
  if ((issuer ?? issuers ?? apiKeys) === undefined) report('admits no caller', hint);
  if ((issuer ?? issuers) !== undefined && publicUrl === undefined)
    report('needs publicUrl', 'Tokens are issued for this URL.');
}

function checkStore(document: ConfigDocument, { store }: GatewayFile): void {
  if (store === undefined) return;
  try {
    addressIn(store);
  } catch (error) {
    const found = error as TenonError;
    document.report({ place: 'store', text: messageWithoutHint(found), hint: found.hint ?? '' });
  }
}

/** Accounts belong to users of one issuer, and their tokens are never stored as they are. */
function checkConnect(document: ConfigDocument, { content, upstreams, member, publicUrl }: CheckedFile): void {
  const { connect, store, secrets = [] } = content;
  const withAccounts = Object.entries(upstreams).filter(([, { auth }]) => auth?.type === 'oauth');
  for (const [name] of withAccounts) {
    if (connect !== undefined) continue;
    const hint = 'Write connect: with the client of the gateway at the issuer of its callers.';
    document.report({ place: `${member}.${name}.auth`, text: `${member}.${name}.auth needs connect.`, hint });
  }
  if (connect === undefined) return;
  const report = (text: string, hint: string): void =>
    document.report({ place: 'connect', text: `connect ${text}.`, hint });
  const issuers = issuersOf(content);
  if (issuers.length === 0) report('needs protect.issuer', 'Users sign in at the issuer of their access tokens.');
  else if (connect.issuer === undefined && issuers.length > 1)
    report('needs issuer', `Write one of ${issuers.join(', ')}.`);
  else if (connect.issuer !== undefined && !issuers.includes(connect.issuer))
    report('has an issuer that protect does not have', `Write one of ${issuers.join(', ')}.`);
  if (publicUrl !== undefined && connectUrl(publicUrl).pathname === publicUrl.pathname)
    report('has the path of publicUrl', 'Write another path there, such as /mcp.');
  if (store !== undefined && store !== 'memory:' && secrets.length === 0)
    report('needs secrets', 'The store would have the tokens of users as they are: name secrets that encrypt it.');
}

/** A token goes to its own issuer alone, where the client of the gateway is registered. */
function checkExchanges(document: ConfigDocument, { content, upstreams, member }: CheckedFile): void {
  const issuers = issuersOf(content);
  for (const [name, { auth }] of Object.entries(upstreams)) {
    if (auth?.type !== 'token-exchange') continue;
    const place = `${member}.${name}.auth`;
    const report = (text: string, hint: string): void => document.report({ place, text: `${place} ${text}.`, hint });
    if (issuers.length === 0) report('needs protect.issuer', 'The access tokens of its callers are exchanged there.');
    else if (auth.issuer === undefined && issuers.length > 1)
      report('needs issuer', `Write one of ${issuers.join(', ')}.`);
    else if (auth.issuer !== undefined && !issuers.includes(auth.issuer as string))
      report('has an issuer that protect does not have', `Write one of ${issuers.join(', ')}.`);
  }
}

const issuersOf = ({ protect }: GatewayFile): readonly string[] =>
  protect?.issuers ?? (protect?.issuer === undefined ? [] : [protect.issuer]);

/** The issuer whose tokens are exchanged for an upstream. The file was checked. */
export const exchangeIssuer = (content: GatewayFile, { issuer }: FileAuth): string =>
  (issuer as string | undefined) ?? issuersOf(content)[0] ?? '';

/** Beside the endpoint: `/connect` for `/mcp`. */
export const connectUrl = (publicUrl: URL): URL => new URL('connect', publicUrl);

/** The issuer whose users have accounts. */
export const connectIssuer = (content: GatewayFile): string => content.connect?.issuer ?? issuersOf(content)[0] ?? '';
