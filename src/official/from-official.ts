/** `fromOfficial()`: a server of the official MCP SDK, unchanged, as a Tenon server. */
import { TenonError } from '../lib/errors/tenon-error.ts';
import { readOptions, withDefaults } from '../lib/options/read-options.ts';
import { createDeadlines } from '../lib/time/deadlines.ts';
import { deadlinesIn } from '../lib/time/internal-deadlines.ts';
import { runSafely } from '../lib/values/run-safely.ts';
import { internalsOf } from '../server/internals.ts';
import { withSource } from '../server/kernel/feature-source.ts';
import { requestStateOptions } from '../server/ports/option-groups.table.ts';
import { createServer, type Server } from '../server/server.ts';
import { createBridge } from './bridge.ts';
import { CallerFeatures } from './caller-features.ts';
import { noFeatures } from './features/features.ts';
import { definitionOf, nameUnserved } from './features/server-definition.ts';
import { instanceOptions } from './options.table.ts';
import type { InstanceOptions, OfficialOptions } from './options.ts';
import { onlyInstanceHint } from './pool/one-instance.ts';
import type { CallScope, OfficialSource } from './types.ts';

/** `fromOfficial()`. */
export type FromOfficial = (source: OfficialSource, options?: OfficialOptions) => Promise<Server>;

/** Makes `fromOfficial()`; `scope` knows the call of the running code; it is absent where the platform does not. */
export const bridgeWith =
  (scope: CallScope | undefined): FromOfficial =>
  async (source, options = {}) => {
    const { shared, maxInstances, idleMs, onDropped, ...serverOptions } = options;
    const own = { shared, maxInstances, idleMs, onDropped } as InstanceOptions;
    const settings = readOptions('fromOfficial()', instanceOptions, own);
    const deadlines = deadlinesIn(options) ?? createDeadlines();
    const { ttlMs } = withDefaults(requestStateOptions, serverOptions.requestState);
    const dropped = (method: string, reason: string): void =>
      runSafely(
        () => onDropped?.({ method, reason }),
        () => {},
      );
    let server: Server | undefined;
    const bridge = await createBridge(source, { ...settings, scope, deadlines, ttlMs, dropped, server: () => server });
    const { pool, first, lend, isOne, parked } = bridge;
    const { features = noFeatures, initialized } = first;
    nameUnserved(initialized.capabilities, dropped);
    const callerFeatures = new CallerFeatures({
      pool,
      lend,
      isOne,
      first: features,
      base: () => internalsOf(server as Server).serving.registry(),
      abandoned: (callId, reason) => parked.take(callId)?.abandoned(reason),
    });
    const whole = { ...serverOptions, ...withSource(callerFeatures) };
    server = createServer(definitionOf(initialized, features), whole) as Server;
    const { serving, networkChecks } = internalsOf(server);
    serving.endings.listen((key) => pool.ended(key));
    if (!settings.shared && isOne) networkChecks.push(refuseNetwork);
    return server;
  };

function refuseNetwork(): void {
  throw new TenonError(
    'invalid-argument',
    'fromOfficial() got one server, not a function: over HTTP each client needs one of its own.',
    { hint: onlyInstanceHint },
  );
}

/**
 * Serves a server of the official MCP SDK, unchanged: `await fromOfficial(() => createMcpServer())` resolves with a Tenon
 * server. This platform does not know the call that the running code belongs to: a request of a handler that names no call is
 * sent only while one call of its instance is in progress.
 */
export const fromOfficial: FromOfficial = bridgeWith(undefined);
