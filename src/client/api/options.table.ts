/** Tables of options, generated from the interfaces beside it: do not edit, run `npm run generate`. */
import { maxBatch, maxDepth } from '../../jsonrpc/limits.ts';
import { callback, count, flag, group, groupOr, ms, type Table, table } from '../../lib/options/option-table.ts';
import { compatRule } from '../../protocol/dialects/compat-rule.ts';
import { clientHandlers } from '../answers/handlers.table.ts';
import { abortSignal } from '../content/icon-options.ts';
import { cacheOptions } from './cache-options.table.ts';
import { acceptedVersions, authorizationText, clientExtensions, clientInfo, expectedContract, experimentalCapabilities, logLevel, requiredCapabilities } from './connect-rules.ts';
import { type ConnectLimits, type ConnectOptions, type ConnectTimeouts, discoveryMs, maxListChars, refreshIntervalMs, taskOutageMs, urlElicitationMs } from './options.ts';
import { reconnectOptions } from './reconnect-options.table.ts';
import { tasksOptions } from './tasks.table.ts';

export const connectTimeouts = /* @__PURE__ */ table(
  () =>
    ({
      maxTotalMs: ms(undefined, { most: Number.POSITIVE_INFINITY }),
      pingIntervalMs: ms(undefined, { most: Number.POSITIVE_INFINITY }),
      inputMs: ms(600_000, { most: Number.POSITIVE_INFINITY }),
    }) satisfies Table<ConnectTimeouts>,
  {
    discoveryMs,
    urlElicitationMs,
    taskOutageMs,
    refreshIntervalMs,
  },
);

export const connectLimits = /* @__PURE__ */ table(
  () =>
    ({
      maxMessageChars: count(),
      maxInputRounds: count(16),
      maxListItems: count(10_000),
    }) satisfies Table<ConnectLimits>,
  {
    maxListChars,
    maxDepth,
    maxBatch,
    maxValues: '100,000 for servers and 1,000,000 for clients, in proportion more where limits.maxMessageChars is raised',
  },
);

export const connectOptions = /* @__PURE__ */ table(
  () =>
    ({
      clientInfo,
      protocolVersions: acceptedVersions,
      messageAuthorization: authorizationText,
      compat: compatRule,
      requiredCapabilities,
      contract: expectedContract,
      experimental: experimentalCapabilities,
      handlers: group(clientHandlers),
      extensions: clientExtensions,
      signal: abortSignal,
      timeoutMs: ms(60_000, { most: Number.POSITIVE_INFINITY }),
      timeouts: group(connectTimeouts),
      limits: group(connectLimits),
      strict: flag(false),
      reconnect: groupOr([true, false], reconnectOptions),
      cache: groupOr([false], cacheOptions),
      tasks: group(tasksOptions),
      jsonSchemaValidator: callback,
      telemetry: callback,
      tap: callback,
      logLevel,
      onLog: callback,
      onWarning: callback,
      onClose: callback,
    }) satisfies Table<ConnectOptions>,
);
