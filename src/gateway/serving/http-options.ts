/** What the file says about callers: where they connect, who they are, and what they may do. */
import { basename } from 'node:path';
import type { ApiKey } from '../../auth/resource/api-key-options.ts';
import { protectWithApiKeys } from '../../auth/resource/api-keys.ts';
import { type InboundTokens, withInboundTokens } from '../../auth/resource/inbound-tokens.ts';
import { protect } from '../../auth/resource/protect.ts';
import type { AuditLog } from '../../guard/audit/audit-log.ts';
import type { PolicyProblem } from '../../guard/policy/document/problems.ts';
import { createPolicy } from '../../guard/policy/policy.ts';
import { policyActions } from '../../guard/policy/rule.ts';
import { guard } from '../../guard/server/guard.ts';
import type { ChangingPolicy } from '../../guard/server/options.ts';
import { messageWithoutHint, TenonError } from '../../lib/errors/tenon-error.ts';
import { auditFolder } from '../../node/guard/audit/audit-folder.ts';
import { type PolicyFile, policyFile } from '../../node/guard/policy-file.ts';
import type { ServeHttpOptions } from '../../node/http-server/options.ts';
import type { ServerGuard } from '../../ports/guard.ts';
import type { Authenticate } from '../../server/ports/authenticate.ts';
import { type ConfigDocument, configError } from '../config/config-document.ts';
import type { GatewayConfig } from '../config/read-config.ts';

type OnWarning = (warning: TenonError) => void;

/** Where it listens, and who may call. Their access tokens are added to `inbound`. */
export function listenOptions(config: GatewayConfig, onWarning: OnWarning, inbound?: InboundTokens): ServeHttpOptions {
  const { listen, publicUrl, content } = config;
  const authenticate = authenticateOf(config, onWarning, inbound);
  const { trustedProxies } = content;
  return {
    ...listen,
    ...(publicUrl !== undefined && { path: publicUrl.pathname }),
    ...(content.publicUrl !== undefined && publicUrl && { allowedHosts: [publicUrl.hostname, ...thisMachine] }),
    behindProxy: publicUrl?.protocol === 'https:',
    ...(trustedProxies && { trustedProxies }),
    ...(authenticate && { authenticate }),
    onWarning,
  };
}

/** Probes and the operator reach it so, whatever its name is. */
const thisMachine = ['localhost', '127.0.0.1', '[::1]'];

function authenticateOf(
  config: GatewayConfig,
  onWarning: OnWarning,
  inbound: InboundTokens | undefined,
): Authenticate | undefined {
  const { content, publicUrl, document } = config;
  if (content.protect === undefined) return undefined;
  const { apiKeys, issuer, issuers, scopes, ...others } = content.protect;
  const shared = scopes === undefined ? {} : { scopes };
  try {
    const tokens =
      (issuer ?? issuers) === undefined
        ? undefined
        : protect({
            ...others,
            ...shared,
            issuers: issuers ?? [issuer as string],
            resource: publicUrl?.href ?? '',
            onWarning,
            ...(inbound && withInboundTokens(inbound)),
          });
    if (apiKeys === undefined) return tokens;
    const keys = apiKeys as readonly unknown[] as readonly ApiKey[];
    return protectWithApiKeys({ keys, ...shared, ...(tokens && { otherwise: tokens }) });
  } catch (error) {
    if (!(error instanceof TenonError)) throw error;
    const own = String(error.details.place ?? '');
    const place = own === '' ? 'protect' : `protect.${own.replace(/^keys/, 'apiKeys')}`;
    const inFile = (text: string): string => (own === '' ? text : text.replaceAll(own, place));
    const text = inFile(messageWithoutHint(error).replace(/^\w+\(\): /, ''));
    const problem = { place, text, hint: inFile(error.hint ?? '') };
    throw configError([document.problemAt(problem)], error);
  }
}

/** What a gateway decides and records with. */
export interface GatewayGuard {
  readonly guard: ServerGuard;
  /** Deletes timers, and writes what waits. */
  close(): Promise<void>;
}

/** Without a policy every caller may do everything, and limits and audit log are as they are with one. */
export function guardOf({ content, document }: GatewayConfig, onWarning: OnWarning): GatewayGuard | undefined {
  const { policy: path, audit: folder, limits } = content;
  if (path === undefined && folder === undefined && limits === undefined) return undefined;
  const file = path === undefined ? undefined : openPolicy(path, document, onWarning);
  const audit: AuditLog | undefined = folder === undefined ? undefined : auditFolder(folder, { onWarning });
  const policy: ChangingPolicy = file ?? createPolicy(allowAll);
  // Names come and go with the upstreams: at the start the gateway has none.
  const { checkNames: _, ...guarded } = guard({ policy, ...(audit && { audit }), ...(limits && { limits }) });
  return {
    guard: guarded,
    async close() {
      file?.close();
      await audit?.close();
    },
  };
}

/** The problems of a policy have the lines of its own file. */
function openPolicy(path: string, document: ConfigDocument, onWarning: OnWarning): PolicyFile {
  try {
    return policyFile(path, { onWarning });
  } catch (error) {
    if (!(error instanceof TenonError)) throw error;
    const found = (error.details.problems ?? []) as readonly PolicyProblem[];
    const problems = found.map(({ message, ...problem }) => ({ ...problem, text: message, file: basename(path) }));
    const unread = { place: 'policy', text: messageWithoutHint(error), hint: error.hint ?? '' };
    throw configError(problems.length === 0 ? [document.problemAt(unread)] : problems, error);
  }
}

const allowAll = JSON.stringify({
  version: 1,
  rules: [{ id: 'all', allow: [...policyActions], to: 'any', on: 'any' }],
});
