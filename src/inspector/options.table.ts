/** Tables of options, generated from the interfaces beside it: do not edit, run `npm run generate`. */
import { credentialStore } from '../auth/client/options.ts';
import { taskMemory } from '../client/api/connect-rules.ts';
import { port } from '../lib/options/option-rules.ts';
import { callback, count, group, type Table, table, text, withDefault } from '../lib/options/option-table.ts';
import { oneVersion } from '../protocol/revisions/version-rules.ts';
import { inspectorApprovals } from './approvals.ts';
import { captureText, type InspectorLimits, type InspectorOptions, type InspectorStart, linkToken, maxEvents, type ServeInspectorOptions, serversByName, suggestedCall, tourSteps } from './options.ts';

export const inspectorLimits = /* @__PURE__ */ table(
  () =>
    ({
      maxTextChars: count(134_217_728),
    }) satisfies Table<InspectorLimits>,
  {
    maxEvents,
  },
);

export const inspectorStart = /* @__PURE__ */ table(
  () =>
    ({
      server: text(),
      protocolVersion: oneVersion,
      capture: captureText,
      call: suggestedCall,
      tour: tourSteps,
    }) satisfies Table<InspectorStart>,
);

export const inspectorOptions = /* @__PURE__ */ table(
  () =>
    ({
      servers: serversByName,
      start: group(inspectorStart),
      configured: callback,
      credentials: credentialStore,
      taskMemory,
      approvals: inspectorApprovals,
      stats: callback,
      token: linkToken,
      tabsFile: text(),
      pageFolder: text(),
      limits: group(inspectorLimits),
    }) satisfies Table<InspectorOptions>,
);

export const serveInspectorOptions = /* @__PURE__ */ table(
  () =>
    ({
      servers: serversByName,
      start: group(inspectorStart),
      configured: callback,
      credentials: credentialStore,
      taskMemory,
      approvals: inspectorApprovals,
      stats: callback,
      token: linkToken,
      tabsFile: text(),
      pageFolder: text(),
      limits: group(inspectorLimits),
      port: withDefault(port, 0),
    }) satisfies Table<ServeInspectorOptions>,
);
