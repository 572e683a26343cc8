/** The options of the gateway of a file, besides its upstreams: what it decides, seals, stores and measures with. */
import { randomBytes } from 'node:crypto';
import { messageWithoutHint, TenonError } from '../../lib/errors/tenon-error.ts';
import { lockFile } from '../../node/guard/lock-file.ts';
import { type OpenedStore, openStore } from '../../node/open-store.ts';
import type * as Telemetry from '../../telemetry/index.ts';
import { configError } from '../config/config-document.ts';
import type { GatewayConfig } from '../config/read-config.ts';
import type { GatewayOptions, Upstreams } from '../types.ts';
import type { GatewayGuard } from './http-options.ts';

type OnWarning = (warning: TenonError) => void;

export async function optionsOf(
  config: GatewayConfig,
  upstreams: Upstreams,
  guarded: GatewayGuard | undefined,
  onWarning: OnWarning,
): Promise<GatewayOptions> {
  const { search, lock, telemetry, store = 'memory:' } = config.content;
  // What one process has in memory needs no key that outlives it, and no warning.
  const secrets = sealing(config).length === 0 && store === 'memory:' ? [randomKey()] : sealing(config);
  const traced = telemetry === true ? await tracing(config) : undefined;
  const server = {
    ...(guarded && { guard: guarded.guard }),
    ...(secrets.length > 0 && { secrets }),
    ...(traced && { middleware: [traced.serverTelemetry()] }),
  };
  return {
    upstreams,
    onWarning,
    server,
    ...(search !== undefined && { search }),
    ...(lock !== undefined && { lock: lockFile(lock) }),
    ...(traced && { telemetry: traced.clientTelemetry() }),
  };
}

const randomKey = (): string => randomBytes(32).toString('base64url');

export const sealing = ({ content, secrets }: GatewayConfig): readonly string[] =>
  (content.secrets ?? []).map((name) => secrets.get(name) as string);

export async function storeOf(config: GatewayConfig, onWarning: OnWarning): Promise<OpenedStore | undefined> {
  const { store } = config.content;
  if (store === undefined) return undefined;
  const keys = sealing(config);
  const onError = (cause: unknown): void => {
    const why = cause instanceof Error ? cause.message : String(cause);
    onWarning(new TenonError('store-failed', `The store of the gateway failed: ${why}`, { cause }));
  };
  return openStore(store, { onError, ...(keys.length > 0 && { encryption: { keys } }) });
}

/** One that is not there has nothing approved. */
export async function checkLockFile({ content: { lock }, document }: GatewayConfig): Promise<void> {
  try {
    if (lock !== undefined) await lockFile(lock).servers();
  } catch (error) {
    if (!(error instanceof TenonError)) throw error;
    const problem = { place: 'lock', text: messageWithoutHint(error), hint: error.hint ?? '' };
    throw configError([document.problemAt(problem)], error);
  }
}

/** Uses what the process has registered with OpenTelemetry. */
async function tracing({ document }: GatewayConfig): Promise<typeof Telemetry> {
  try {
    return await import('../../telemetry/index.ts');
  } catch (cause) {
    if ((cause as { code?: unknown }).code !== 'ERR_MODULE_NOT_FOUND') throw cause;
    const text = 'telemetry needs the package @opentelemetry/api, which is not installed.';
    throw configError([document.problemAt({ place: 'telemetry', text, hint: 'Install it beside tenon.' })], cause);
  }
}
