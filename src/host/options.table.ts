/** Tables of options, generated from the interfaces beside it: do not edit, run `npm run generate`. */
import { rootsRule } from '../client/answers/handler-rules.ts';
import { callback, count, flag, group, ms, oneOf, required, type Table, table } from '../lib/options/option-table.ts';
import { type HostLimits, type HostOptions, type HostTimeouts, listMs, maxQuestions, maxQuestionsPerMinute, maxRefusals, muteMs } from './options.ts';
import { allowedVariables, clientOptions, consentHooks, consentStore, elicitationBounds, hostApprovals, hostAudit, hostInfo, hostLock, hostPolicy, hostPrincipal, hostServers, hostVariables, listStore, samplingBounds } from './rules.ts';

export const hostTimeouts = /* @__PURE__ */ table(
  () =>
    ({
      consentMs: ms(300_000, { most: Number.POSITIVE_INFINITY }),
      idleMs: ms(undefined, { most: Number.POSITIVE_INFINITY }),
    }) satisfies Table<HostTimeouts>,
  {
    listMs,
    muteMs,
  },
);

export const hostLimits = /* @__PURE__ */ table(
  () =>
    ({
      maxListed: count(1000),
    }) satisfies Table<HostLimits>,
  {
    maxQuestions,
    maxQuestionsPerMinute,
    maxRefusals,
  },
);

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
      policy: hostPolicy,
      principal: hostPrincipal,
      approvals: hostApprovals,
      consentStore,
      listStore,
      audit: hostAudit,
      lock: hostLock,
      lists: oneOf(['live', 'stored'], 'live'),
      timeouts: group(hostTimeouts),
      limits: group(hostLimits),
      onDecision: callback,
      includeRequests: flag(false),
      connectOptions: clientOptions,
      onLog: callback,
      onWarning: callback,
    }) satisfies Table<HostOptions>,
);
