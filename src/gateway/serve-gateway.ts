/** The gateway of a file: checks it, serves it, and reloads it when the file changes. */
import { InboundTokens } from '../auth/resource/inbound-tokens.ts';
import type { Environment } from '../host/servers/variables.ts';
import type { TenonError } from '../lib/errors/tenon-error.ts';
import { type Clock, systemClock } from '../lib/time/deadlines.ts';
import type { ServeHttpOptions } from '../node/http-server/options.ts';
import { serveHttp } from '../node/http-server/serve-http.ts';
import { closeIfUnfinished } from '../node/http-server/unfinished-requests.ts';
import { type GatewayConfig, readConfig } from './config/read-config.ts';
import type { ServeConnect } from './connect/connect-handler.ts';
import { connectPage } from './connect/connect-page.ts';
import { createGateway } from './create-gateway.ts';
import { Exchanges } from './credentials/exchanges.ts';
import { listenForAdmin } from './serving/admin-listener.ts';
import { FileUpstreams, type UserCredentials } from './serving/file-upstreams.ts';
import { checkLockFile, optionsOf, sealing, storeOf } from './serving/gateway-options.ts';
import { guardOf, listenOptions } from './serving/http-options.ts';
import { metricsText } from './serving/metrics.ts';
import { withPlaces } from './serving/place-errors.ts';
import { notReady } from './serving/readiness.ts';
import { Reloads } from './serving/reloads.ts';
import { statusPage } from './serving/status-page.ts';
import { filePollMs, watchFiles } from './serving/watch-files.ts';
import type { Gateway, GatewayStatus, Reloaded } from './types.ts';

type OnWarning = (warning: TenonError) => void;

/** A file, and what its gateway needs of the process. */
export interface GatewayFileOptions {
  /** How errors name the file. */
  readonly file: string;
  readonly env: Environment;
  /** What fails while it runs: an upstream, a reload, a message that cannot cross. */
  readonly onWarning: OnWarning;
  /** What a reload has changed. */
  readonly onReload?: (reloaded: Reloaded) => void;
  readonly clock?: Clock;
  readonly pollMs?: number;
}

export interface GatewayService {
  /** The URL of the endpoint, as callers on this machine reach it. */
  readonly url: string;
  /** That of `/healthz`, `/readyz` and `/metrics`, if they are served. */
  readonly adminUrl: string | undefined;
  /** The number of upstreams at the start. */
  readonly upstreams: number;
  status(): GatewayStatus;
  /** Reads the file now. A wrong one is reported by `onWarning`, and changes nothing. */
  reload(): Promise<void>;
  /** Takes no new calls, lets running ones finish, then closes everything. */
  close(): Promise<void>;
}

const read = (path: string, { file, env }: Pick<GatewayFileOptions, 'file' | 'env'>): Promise<GatewayConfig> =>
  readConfig(path, file, env);

/** Checks all that can be checked without a connection. Returns the number of upstreams; throws with `FILE:LINE:`. */
export async function checkGatewayFile(path: string, given: Pick<GatewayFileOptions, 'file' | 'env'>): Promise<number> {
  const ignore = (): void => {};
  return withFileGateway(path, given, ignore, async (gateway, config) => {
    await checkLockFile(config);
    return Object.keys(gateway.status().upstreams).length;
  });
}

/**
 * The gateway of a file for what the operator does with its lock: it is not served, has no store and no audit log, and connects
 * to upstreams only for `lockStatus()`. Throws with `FILE:LINE:` for a wrong file.
 */
export async function withFileGateway<T>(
  path: string,
  given: Pick<GatewayFileOptions, 'file' | 'env'>,
  onWarning: OnWarning,
  use: (gateway: Gateway, config: GatewayConfig) => Promise<T>,
): Promise<T> {
  const config = await read(path, given);
  const page = connectPage(config, undefined, sealing(config), onWarning);
  const exchanges = new Exchanges(new InboundTokens());
  const { upstreams } = await new FileUpstreams({ accounts: page?.accounts, exchanges }).read(config);
  listenOptions(config, onWarning);
  // The folder of the audit log belongs to a gateway that may be running.
  const { audit: _, ...content } = config.content;
  const guarded = guardOf({ ...config, content }, onWarning);
  try {
    const options = await optionsOf(config, upstreams, guarded, onWarning);
    const gateway = await withPlaces(config, () => createGateway(options));
    return await use(gateway, config).finally(() => gateway.close());
  } finally {
    await guarded?.close();
  }
}

/** Serves the gateway of a file until `close()`. Throws with `FILE:LINE:` for a wrong file. */
export async function serveGateway(path: string, given: GatewayFileOptions): Promise<GatewayService> {
  const parts: Parts = { closers: [], isDraining: false };
  try {
    return await started(path, given, parts);
  } catch (error) {
    await closeAll(parts);
    throw error;
  }
}

/** What is open, in the order in which it is closed. */
interface Parts {
  readonly closers: (() => Promise<unknown>)[];
  isDraining: boolean;
}

async function closeAll(parts: Parts): Promise<void> {
  parts.isDraining = true;
  for (const close of parts.closers.splice(0)) await close();
}

async function started(path: string, given: GatewayFileOptions, parts: Parts): Promise<GatewayService> {
  const { onWarning, onReload, clock = systemClock, pollMs = filePollMs } = given;
  const { closers } = parts;
  const reload = async (): Promise<void> => {
    await watch.refresh();
    await reloads.reload();
    await watch.watch(filesOf(path, reloads.current));
  };
  const watch = watchFiles(clock, reload, pollMs);
  // Before it is read: a change meanwhile is seen by the first looks.
  await watch.watch([path]);
  const config = await read(path, given);
  await watch.watch(filesOf(path, config));
  const store = await storeOf(config, onWarning);
  if (store !== undefined) closers.unshift(() => store.close());
  const connect = connectPage(config, store, sealing(config), onWarning);
  const inbound = new InboundTokens();
  const users = { accounts: connect?.accounts, exchanges: new Exchanges(inbound) };
  const made = new FileUpstreams(users);
  const { upstreams, accounts } = await made.read(config);
  connect?.accounts.use(accounts);
  const guarded = guardOf(config, onWarning);
  if (guarded !== undefined) closers.unshift(() => guarded.close());
  const options = await optionsOf(config, upstreams, guarded, onWarning);
  const gateway = await withPlaces(config, () => createGateway(options));
  closers.unshift(() => gateway.close());
  if (connect !== undefined)
    connect.accounts.onWithdrawn = (upstream, { key }, client) =>
      gateway.revoke(key, { upstream, ...(client !== undefined && { client }) });
  const service = await serveHttp(gateway.server, {
    ...listenOptions(config, onWarning, inbound),
    ...(store && { store }),
    ...(connect && { notFound: elseNotFound(connect.serve) }),
  });
  closers.unshift(() => service.close());
  const reloads = new Reloads({
    gateway,
    made,
    accounts: connect?.accounts,
    started: config,
    read: () => read(path, given),
    onWarning,
    onReload,
  });
  const admin =
    config.admin &&
    (await listenForAdmin(config.admin, {
      metrics: () => metricsText({ status: gateway.status(), http: service.stats(), reloads: reloads.counts }),
      page: (token) => statusPage({ status: gateway.status(), connections: gateway.connections(), token }),
      act: (action, value) => acted(gateway, users, action, value),
      notReady: () => notReady({ isDraining: parts.isDraining, status: gateway.status(), store }),
    }));
  // The last to close: probes see that the gateway drains until all calls have ended.
  if (admin !== undefined) closers.push(() => admin.close());
  watch.start();
  closers.unshift(() => {
    watch.close();
    return reloads.close();
  });
  let closing: Promise<void> | undefined;
  return {
    url: service.url,
    adminUrl: admin?.url,
    upstreams: Object.keys(upstreams).length,
    status: () => gateway.status(),
    reload,
    close: () => (closing ??= closeAll(parts)),
  };
}

/** A revoked user has to connect accounts again, too, and tokens of theirs are exchanged anew. */
async function acted(
  gateway: Gateway,
  { accounts, exchanges }: UserCredentials,
  action: string,
  value: string,
): Promise<void> {
  if (action === 'drain') return gateway.drain(value);
  const principal = gateway.connections().find((one) => one.principal?.key === value)?.principal;
  await gateway.revoke(value);
  await exchanges.revoke(value);
  if (principal !== undefined) await accounts?.revoke(principal);
}

const elseNotFound =
  (serve: ServeConnect): NonNullable<ServeHttpOptions['notFound']> =>
  (request, response) => {
    if (serve(request, response)) return;
    closeIfUnfinished(response);
    response.writeHead(404, { 'content-type': 'text/plain' }).end('Not found\n');
  };

/** The file, its secrets, and what was approved. */
const filesOf = (path: string, { content: { secretsFile, lock } }: GatewayConfig): readonly string[] =>
  [path, secretsFile, lock].filter((one) => one !== undefined);
