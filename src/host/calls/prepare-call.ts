/** Prepares a tool call: finds the server, asks the policy, the lock and the user. What it returns may be sent. */
import { toWarning } from '../../jsonrpc/errors.ts';
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { canonicalJson } from '../../lib/text/canonical-json.ts';
import { listenForAbort, stopListening } from '../../lib/time/abort-listeners.ts';
import type { Fields } from '../../lib/values/is.ts';
import { isRecord } from '../../lib/values/is.ts';
import type { Tool } from '../../protocol/generated/types/records.ts';
import { serverNamed } from '../lists/find-server.ts';
import type { Lists } from '../lists/lists.ts';
import { identityOf } from '../lock/identity.ts';
import { asksAnother, cancelledWait, noApprovals, notApproved } from '../requests/approvals.ts';
import type { Consent } from '../requests/consent.ts';
import type { ConsentDecision } from '../requests/consent-result.ts';
import { ruleOf } from '../requests/decisions.ts';
import { hooksOf } from '../requests/handlers.ts';
import { refuseDenied } from '../requests/permissions.ts';
import type { HostPolicyDecision } from '../requests/policy.ts';
import type { HostServer } from '../servers/host-server.ts';
import { refusalCode } from './permit.ts';
import type { CallPorts } from './ports.ts';

/** A call that is allowed, with the arguments that are sent. */
export interface PreparedCall {
  readonly hostServer: HostServer;
  /** The name of the tool on its server. */
  readonly own: string;
  readonly args: Fields;
  readonly permission: HostPolicyDecision | undefined;
}

/** The answer of the user that a caller already has; it takes the place of `consent.tool`. */
export type GivenConsent = 'allow' | { readonly deny: string };

export interface PrepareOptions {
  readonly signal?: AbortSignal | undefined;
  readonly given?: GivenConsent | undefined;
  /** Whether the call waits for the approval of another person. */
  readonly waits: boolean;
}

export async function prepareCall(
  ports: CallPorts,
  name: string,
  sent: Fields,
  { signal, given, waits }: PrepareOptions,
): Promise<PreparedCall> {
  const { options, hostServers, lists, permissions, gate, checkConsent, closed } = ports;
  const { tool: configured } = hooksOf(options);
  const hook: Consent['tool'] = given === undefined ? configured : () => given;
  const { hostServer, own } = await serverNamed(hostServers, lists.toolNames, lists.tools, name, 'tool');
  const { server } = hostServer;
  const value = asJson(sent);
  // A closed host requests no consent, and a tool that does not exist needs none.
  closed.throwIfAborted();
  const decide = async (args: Fields): Promise<HostPolicyDecision | undefined> => {
    const target = { server, tool: own };
    const permission = await permissions.decide('call', target, args);
    refuseDenied(permission, 'call', target, `The tool ${own} of ${server} was not called`);
    return permission;
  };
  const permission = await decide(value);
  if (asksAnother(permission) && options.approvals === undefined) throw noApprovals(server, own, permission);
  await ports.stored?.confirm('tool', hostServer, own);
  await gate?.check(hostServer, 'tool', own);
  if (options.consent !== 'allow-all') await checkExists(hostServer, lists, name, signal);
  const listed = lists.toolNames.item(name);
  const definition = structuredClone(listed);
  const callHook =
    hook &&
    ((shown: Fields, ending: AbortSignal) => hook({ server, tool: own, arguments: shown, definition, signal: ending }));
  const result = asksAnother(permission)
    ? ({ is: 'allowed', value } as const)
    : await checkConsent({
        server,
        kind: 'tool',
        tool: own,
        value,
        signal,
        callHook,
        fits: isRecord,
        editProblem: (edited) => unknownArgument(edited, value, definition),
        permission,
        // Without a definition the user has not seen the tool, so the answer is not remembered.
        subject:
          options.consent === 'allow-all' || definition === undefined
            ? undefined
            : { identity: await identityOf(hostServer), name: own, definition },
      });
  if (result.is === 'denied') throw closed.aborted ? closed.reason : denied(server, own, result, permission);
  // The policy decides again about arguments that a hook edited.
  if (permission !== undefined && result.value !== value) await decide(result.value);
  await gate?.check(hostServer, 'tool', own);
  if (listed !== undefined) await checkExists(hostServer, lists, name, signal);
  refuseChanged(server, own, listed, lists.toolNames.item(name));
  const prepared = { hostServer, own, args: result.value, permission };
  if (!asksAnother(permission)) return prepared;
  const identity = await identityOf(hostServer);
  // The name of a server in a configuration may be that of another one elsewhere.
  const approvedTool = (): object | undefined => {
    const now = lists.toolNames.item(name);
    return now && { server: identity, tool: now };
  };
  await approve(ports, prepared, permission, approvedTool, { signal, waits });
  // What was approved of the server may have been withdrawn while the call waited.
  await gate?.check(hostServer, 'tool', own);
  return prepared;
}

/** Last of all: an approval is used for one call. */
async function approve(
  { options, permissions, recorder, closed }: CallPorts,
  { hostServer: { server }, own, args }: PreparedCall,
  permission: HostPolicyDecision,
  definition: () => object | undefined,
  { signal, waits }: PrepareOptions,
): Promise<void> {
  const ended = (error: unknown): never => {
    throw signal?.aborted && !closed.aborted ? cancelledWait(server, own) : error;
  };
  const call = {
    server,
    tool: own,
    arguments: args,
    principal: permissions.principal,
    decision: permission,
    decideAgain: () => permissions.evaluate('call', { server, tool: own }, args),
    definition,
    waits,
    signal: signal === undefined ? closed : AbortSignal.any([closed, signal]),
    audit: recorder,
    onError: (error: unknown) => options.onWarning?.(server, toWarning(error)),
  };
  const outcome = await options.approvals?.approve(call).catch(ended);
  if (outcome === undefined) throw noApprovals(server, own, permission);
  if (outcome.is !== 'approved') throw notApproved(server, own, outcome);
}

/** Throws if the tool changed while the user was asked: they agreed to another one. */
function refuseChanged(server: string, tool: string, before: Tool | undefined, now: Tool | undefined): void {
  // A tool that is not listed now counts as changed.
  if (before === now || canonicalJson(before) === canonicalJson(now)) return;
  throw new TenonError('consent-denied', `The tool ${tool} of ${server} was not called: it changed meanwhile.`, {
    hint: 'Call it again.',
    details: { server, tool, by: 'changed' },
  });
}

/** Throws for a tool that is not in a complete list. If the list fails, the call itself reports an unknown tool. */
async function checkExists(
  hostServer: HostServer,
  lists: Lists,
  name: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (lists.toolNames.item(name) !== undefined || signal?.aborted) return;
  const listed = await unlessAborted(signal, lists.refresh('tool', hostServer));
  if (listed === undefined || listed.problem !== undefined || lists.toolNames.item(name) !== undefined) return;
  throw new TenonError('invalid-argument', `The server ${hostServer.server} has no tool ${JSON.stringify(name)}.`, {
    hint: 'Use the `name` of an item in host.tools.list().',
    details: { server: hostServer.server, tool: name },
  });
}

/** `undefined` when the signal is aborted first. */
function unlessAborted<T>(signal: AbortSignal | undefined, promise: Promise<T>): Promise<T | undefined> {
  if (signal === undefined) return promise;
  return new Promise((resolve, reject) => {
    const stop = (): void => resolve(undefined);
    listenForAbort(signal, stop);
    promise.then(resolve, reject).finally(() => stopListening(signal, stop));
  });
}

/** An edited argument that the tool does not have and the caller did not pass. */
function unknownArgument(edited: Fields, sent: Fields, definition: Tool | undefined): string | undefined {
  const { properties, additionalProperties, ...more }: Fields = { ...definition?.inputSchema };
  // Other keywords may allow more arguments.
  const isOpen = additionalProperties !== undefined && additionalProperties !== false;
  if (!isRecord(properties) || isOpen || otherKeywords.some((keyword) => keyword in more)) return undefined;
  const name = Object.keys(edited).find((one) => !Object.hasOwn(properties, one) && !Object.hasOwn(sent, one));
  return name && `its member \`edit\` has ${JSON.stringify(name)}, which is not an argument of the tool`;
}

const otherKeywords: readonly string[] = ['patternProperties', '$ref', '$dynamicRef', 'allOf', 'anyOf', 'oneOf', 'if'];

/** A copy of the arguments, so that later changes by the caller are not sent. */
function asJson(args: Fields): Fields {
  if (!isRecord(args))
    throw new TenonError('invalid-outgoing-message', 'The arguments of a tool must be an object.', {
      hint: 'Write { name: value }.',
    });
  try {
    return JSON.parse(JSON.stringify(args)) as Fields;
  } catch (cause) {
    throw new TenonError(
      'invalid-outgoing-message',
      'The tool was not called: its arguments cannot be serialized as JSON.',
      {
        cause,
      },
    );
  }
}

function denied(
  server: string,
  tool: string,
  { by, reason }: ConsentDecision<unknown> & { is: 'denied' },
  permission: HostPolicyDecision | undefined,
): TenonError {
  const text = `The tool ${tool} of ${server} was not called: ${reason}.`;
  if (by === 'cancelled') return new TenonError('cancelled', text, { details: { server, tool } });
  const orAll = permission === undefined ? ", or consent: 'allow-all'" : '';
  const hint = by === 'no-hook' ? { hint: `Pass consent: { tool: (request) => … } to createHost${orAll}.` } : {};
  return new TenonError(refusalCode(by), text, { ...hint, details: { server, tool, by, ...ruleOf(permission) } });
}
