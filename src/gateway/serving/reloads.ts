/** Reloads the file of a gateway: a wrong one changes nothing, and what only the start reads is reported. */
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { canonicalJson } from '../../lib/text/canonical-json.ts';
import { configError } from '../config/config-document.ts';
import type { GatewayConfig } from '../config/read-config.ts';
import type { Accounts } from '../credentials/accounts.ts';
import type { Gateway, Reloaded } from '../types.ts';
import type { FileUpstreams } from './file-upstreams.ts';
import { listenOptions } from './http-options.ts';
import { withPlaces } from './place-errors.ts';

export interface ReloadPorts {
  readonly gateway: Pick<Gateway, 'reload'>;
  readonly made: FileUpstreams;
  readonly accounts: Accounts | undefined;
  /** What runs: what only the start reads is compared with it. */
  readonly started: GatewayConfig;
  read(): Promise<GatewayConfig>;
  readonly onWarning: (warning: TenonError) => void;
  readonly onReload: ((reloaded: Reloaded) => void) | undefined;
}

/** What only the start reads. */
const fixedMembers = [
  'listen',
  'publicUrl',
  'trustedProxies',
  'protect',
  'store',
  'secrets',
  'policy',
  'audit',
  'lock',
  'limits',
  'search',
  'telemetry',
  'admin',
  'connect',
] as const;

export class Reloads {
  readonly #ports: ReloadPorts;
  /** The file that was used last. */
  current: GatewayConfig;
  /** Since the start, by result. */
  readonly counts = { done: 0, refused: 0 };
  #running: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(ports: ReloadPorts) {
    this.#ports = ports;
    this.current = ports.started;
  }

  /** One after the other. */
  reload(): Promise<void> {
    this.#running = this.#running.then(() => (this.#closed ? undefined : this.#reload()));
    return this.#running;
  }

  /** Resolves when none runs, and none will. */
  close(): Promise<void> {
    this.#closed = true;
    return this.#running;
  }

  async #reload(): Promise<void> {
    const { gateway, made, started, read, onWarning, onReload } = this.#ports;
    try {
      const next = await read();
      listenOptions(next, () => {});
      const { upstreams, accounts } = await made.read(next);
      const reloaded = await withPlaces(next, () => gateway.reload({ upstreams }));
      this.#ports.accounts?.use(accounts);
      this.current = next;
      this.counts.done++;
      for (const name of fixedMembers) if (isChanged(started, next, name)) onWarning(needsRestart(next, name));
      onReload?.(reloaded);
    } catch (error) {
      this.counts.refused++;
      onWarning(refused(error));
    }
  }
}

const isChanged = (before: GatewayConfig, after: GatewayConfig, name: (typeof fixedMembers)[number]): boolean =>
  canonicalJson(before.content[name] ?? null) !== canonicalJson(after.content[name] ?? null);

function needsRestart({ document }: GatewayConfig, name: string): TenonError {
  const hint = 'Restart the gateway to use it. Upstreams and their secrets are reloaded.';
  return configError([document.problemAt({ place: name, text: `${name} is not the one that runs.`, hint })]);
}

function refused(cause: unknown): TenonError {
  const { message, details } = cause instanceof TenonError ? cause : { message: String(cause), details: {} };
  return new TenonError('invalid-argument', message, { hint: 'The old configuration stays.', details, cause });
}
