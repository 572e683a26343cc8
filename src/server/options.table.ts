/** Tables of options, generated from the interfaces beside it: do not edit, run `npm run generate`. */
import { urlSchemes } from '../lib/options/option-rules.ts';
import { callback, flag, group, groupOr, ms, oneOf, type Table, table, withDefault } from '../lib/options/option-table.ts';
import { serverCompatRule } from '../protocol/dialects/compat-rule.ts';
import { middlewareList, servedVersions, serverGuard, serverSecrets } from './checks/server-option-rules.ts';
import type { ServerOptions } from './options.ts';
import { idempotencyOptions, requestStateOptions, serverLimits, taskLimits } from './ports/option-groups.table.ts';

export const serverOptions = /* @__PURE__ */ table(
  () =>
    ({
      middleware: withDefault(middlewareList, []),
      timeoutMs: ms(undefined, { most: Number.POSITIVE_INFINITY }),
      guard: serverGuard,
      limits: group(serverLimits),
      allowedUrlSchemes: urlSchemes,
      secrets: serverSecrets,
      requestState: group(requestStateOptions),
      idempotency: groupOr([false], idempotencyOptions),
      tasks: group(taskLimits),
      alwaysReplay: flag(false),
      onError: callback,
      onRootsListChanged: callback,
      protocolVersions: servedVersions,
      versionMismatch: oneOf(['negotiate', 'reject'], 'negotiate'),
      compat: serverCompatRule,
    }) satisfies Table<ServerOptions>,
);
