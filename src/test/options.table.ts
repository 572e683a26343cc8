/** Tables of options, generated from the interfaces beside it: do not edit, run `npm run generate`. */
import { cacheOptions } from '../client/api/cache-options.table.ts';
import { authorizationText, clientExtensions, clientInfo, expectedContract, experimentalCapabilities, logLevel, requiredCapabilities } from '../client/api/connect-rules.ts';
import { connectLimits, connectTimeouts } from '../client/api/options.table.ts';
import { reconnectOptions } from '../client/api/reconnect-options.table.ts';
import { tasksOptions } from '../client/api/tasks.table.ts';
import { abortSignal } from '../client/content/icon-options.ts';
import { callback, flag, group, groupOr, ms, oneOf, type Table, table, texts, withDefault } from '../lib/options/option-table.ts';
import { principalRule } from '../ports/principal.ts';
import { compatRule } from '../protocol/dialects/compat-rule.ts';
import { oneVersion, someVersions } from '../protocol/revisions/version-rules.ts';
import { type EachProtocolVersionOptions, exampleLists, fakeClock, type TestConnectionOptions, tokenCount, type ToolQualityOptions } from './options.ts';
import { scriptedHandlers } from './script.table.ts';

export const testConnectionOptions = /* @__PURE__ */ table(
  () =>
    ({
      clientInfo,
      messageAuthorization: authorizationText,
      compat: compatRule,
      requiredCapabilities,
      contract: expectedContract,
      experimental: experimentalCapabilities,
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
      protocolVersion: oneVersion,
      handlers: group(scriptedHandlers),
      clock: fakeClock,
      principal: principalRule,
      alwaysReplay: flag(true),
    }) satisfies Table<TestConnectionOptions>,
);

export const eachProtocolVersionOptions = /* @__PURE__ */ table(
  () =>
    ({
      clientInfo,
      messageAuthorization: authorizationText,
      compat: compatRule,
      requiredCapabilities,
      contract: expectedContract,
      experimental: experimentalCapabilities,
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
      handlers: group(scriptedHandlers),
      clock: fakeClock,
      principal: principalRule,
      alwaysReplay: flag(true),
      protocolVersions: someVersions,
    }) satisfies Table<EachProtocolVersionOptions>,
);

export const toolQualityOptions = /* @__PURE__ */ table(
  () =>
    ({
      budget: tokenCount,
      ignore: texts(),
      failOn: oneOf(['error', 'warning', 'note'], 'error'),
      examples: exampleLists,
      resultBudget: withDefault(tokenCount, 5000),
    }) satisfies Table<ToolQualityOptions>,
);
