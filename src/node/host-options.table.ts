/** Tables of options, generated from the interfaces beside it: do not edit, run `npm run generate`. */
import { rootsRule } from '../client/answers/handler-rules.ts';
import { hostLimits, hostTimeouts } from '../host/options.table.ts';
import { allowedVariables, clientOptions, consentHooks, consentStore, elicitationBounds, hostApprovals, hostAudit, hostInfo, hostLock, hostPolicy, hostPrincipal, hostServers, hostVariables, listStore, samplingBounds } from '../host/rules.ts';
import { callback, flag, group, oneOf, required, type Table, table } from '../lib/options/option-table.ts';
import type { HostOptions } from './host-options.ts';

export const hostOptions = /* @__PURE__ */ table(
  () =>
    ({
      consent: consentHooks,
      sample: callback,
      samplingTools: flag(false),
      samplingLimits: samplingBounds,
      elicit: callback,
      urlElicitation: flag(false),
      elicitationLimits: elicitationBounds,
      roots: rootsRule,
      servers: required(hostServers),
      clientInfo: hostInfo,
      env: hostVariables,
      allowedVariables,
      auth: callback,
      principal: hostPrincipal,
      approvals: hostApprovals,
      consentStore,
      audit: hostAudit,
      lists: oneOf(['live', 'stored'], 'live'),
      timeouts: group(hostTimeouts),
      limits: group(hostLimits),
      onDecision: callback,
      includeRequests: flag(false),
      connectOptions: clientOptions,
      onLog: callback,
      onWarning: callback,
      policy: hostPolicy,
      lock: hostLock,
      listStore,
      onStderr: callback,
    }) satisfies Table<HostOptions>,
);
