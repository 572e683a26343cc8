/** Tables of options, generated from the interfaces beside it: do not edit, run `npm run generate`. */
import { logger, port } from '../../lib/options/option-rules.ts';
import { callback, flag, group, groupOr, ms, type Table, table, withDefault } from '../../lib/options/option-table.ts';
import { serverCompatRule } from '../../protocol/dialects/compat-rule.ts';
import { allowedHosts, allowedOrigins, trustedProxies } from '../../server/http/admission/admission-rules.ts';
import { httpLimits, sessionOptions } from '../../server/http/options.table.ts';
import { storeOrUrl } from '../service-store.ts';
import { headersMs, type ServeHttpOptions, type ServeHttpTimeouts } from './options.ts';
import { certificate, endpointPath, listenAddress, ssePaths } from './rules.ts';

export const serveHttpTimeouts = /* @__PURE__ */ table(
  () =>
    ({
      inputMs: ms(600_000),
      keepAliveMs: ms(15_000),
      pingIntervalMs: ms(),
      deadNodeMs: ms(15_000),
      queueMs: ms(5000),
      storeMs: ms(2000),
      shutdownMs: ms(5000, { least: 0 }),
      requestMs: ms(30_000, { whole: true }),
      stallMs: ms(30_000),
    }) satisfies Table<ServeHttpTimeouts>,
  {
    headersMs,
  },
);

export const serveHttpOptions = /* @__PURE__ */ table(
  () =>
    ({
      allowedHosts,
      allowedOrigins,
      authenticate: callback,
      trustedProxies,
      sessions: groupOr([false], sessionOptions),
      limits: group(httpLimits),
      timeouts: group(serveHttpTimeouts),
      strict: flag(false),
      compat: serverCompatRule,
      tap: callback,
      logger,
      onWarning: callback,
      store: storeOrUrl,
      port: withDefault(port, 3000),
      host: withDefault(listenAddress, '127.0.0.1'),
      path: withDefault(endpointPath, '/mcp'),
      legacySse: ssePaths,
      tls: certificate,
      unprotected: flag(false),
      behindProxy: flag(false),
      notFound: callback,
      closeOnSignals: flag(false),
    }) satisfies Table<ServeHttpOptions>,
);
