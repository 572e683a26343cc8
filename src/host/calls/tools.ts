/** Tool calls of a host: each needs the permission of the policy, or the consent of the user. */
import type { ClientHandlers } from '../../client/answers/handlers.ts';
import { TenonError } from '../../lib/errors/tenon-error.ts';
import type { PendingApproval } from '../../ports/pending-approval.ts';
import type { CallToolResult } from '../../protocol/generated/types/records.ts';
import type { Host } from '../api.ts';
import type { HostOptions } from '../options.ts';
import type { HostRound, HostRoundOptions } from '../round.ts';
import type { CallPorts } from './ports.ts';
import { type PreparedCall, prepareCall } from './prepare-call.ts';
import { outcomeOfResult, recordCall } from './record-call.ts';
import { sendRound } from './send-round.ts';

export function createTools(ports: CallPorts): Host['tools'] {
  const { lists } = ports;
  return {
    list: lists.tools,
    async call(name, sent = {}, call = {}) {
      const { hostServer, own, args, permission } = await prepareCall(ports, name, sent, {
        signal: call.signal,
        waits: true,
      });
      const target = { server: hostServer.server, tool: own };
      const send = (): Promise<CallToolResult> => hostServer.use((client) => client.tools.call(own, args, call));
      return recordCall(ports.recorder, target, args, permission, send, outcomeOfResult);
    },
    async round(name, sent = {}, call = {}) {
      let prepared: PreparedCall;
      try {
        prepared = await prepareCall(ports, name, sent, { signal: call.signal, given: call.consent, waits: false });
      } catch (error) {
        if (isUnanswered(error)) return { resultType: 'consent' };
        const approval = pendingIn(error);
        if (approval !== undefined) return { resultType: 'approval', approval };
        throw error;
      }
      const { hostServer, own, args, permission } = prepared;
      const target = { server: hostServer.server, tool: own };
      const send = (): Promise<HostRound> =>
        hostServer.use((client) => sendRound(client, own, args, withDeclared(ports.options, call)));
      return recordCall(ports.recorder, target, args, permission, send, outcomeOfRound);
    },
  };
}

/** Handlers for requests that the clients do not declare would be refused: no server sends these. */
function withDeclared({ elicit, urlElicitation, sample }: HostOptions, call: HostRoundOptions): HostRoundOptions {
  if (call.answers === undefined) return call;
  const { elicitForm, elicitUrl, sample: sampled, ...others } = call.answers;
  const answers: ClientHandlers = {
    ...others,
    ...(elicit !== undefined && elicitForm && { elicitForm }),
    ...(elicit !== undefined && urlElicitation === true && elicitUrl && { elicitUrl }),
    ...(sample !== undefined && sampled && { sample: sampled }),
  };
  return { ...call, answers };
}

/** Consent is missing because nothing can ask the user. */
const isUnanswered = (error: unknown): boolean =>
  error instanceof TenonError && error.code === 'consent-denied' && error.details.by === 'no-hook';

/** The approval of another person that a call waits for. */
const pendingIn = (error: unknown): PendingApproval | undefined =>
  error instanceof TenonError && error.code === 'approval-pending'
    ? (error.details.approval as PendingApproval)
    : undefined;

const outcomeOfRound = (round: HostRound): string =>
  round.resultType === 'complete' ? outcomeOfResult(round.result) : round.resultType;
