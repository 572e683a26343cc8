/** Runs a row: sends what it sends, to a real server, and returns what came of it. */
import { type HttpService, serveHttp } from 'tenon';
import { createPolicy, type DecisionRequest } from 'tenon/guard';
import { openRaw } from '../../../kit/transport/raw-connection.ts';
import { withTimeout } from '../../../kit/with-timeout.ts';
import type { Json, Sent } from '../attack.ts';
import { type Depot, openDepot } from './depot.ts';
import { runHost } from './in-host.ts';
import { type Outcome, outcomeOfError, outcomeOfReply } from './outcome.ts';
import { authenticate, principalOf, sendSteps } from './over-http.ts';
import { sendLines } from './over-stdio.ts';

export interface Runner {
  readonly depot: Depot;
  run(sent: Sent): Promise<Outcome>;
  close(): Promise<void>;
}

export async function startRunner(): Promise<Runner> {
  const depot = await openDepot();
  const options = { port: 0, authenticate, timeouts: { shutdownMs: 1000 } };
  const service = await serveHttp(depot.server, options);
  const strict = await serveHttp(depot.server, { ...options, strict: true });
  return {
    depot,
    run: (sent) => withTimeout(runOne(sent, depot, 'strict' in sent ? strict : service), 'the outcome of the attack'),
    async close() {
      await Promise.all([service.close(), strict.close()]);
      await depot.close();
    },
  };
}

async function runOne(sent: Sent, depot: Depot, service: HttpService): Promise<Outcome> {
  if ('message' in sent) return inMemory(depot, sent.message, sent.as);
  if ('http' in sent) return sendSteps(service.url, sent.http);
  if ('policy' in sent) return decision(sent.policy, sent.request);
  if ('document' in sent) return caught(() => createPolicy(sent.document));
  if ('host' in sent) return runHost(sent.host, depot.audit.log);
  if ('code' in sent) return caught(sent.code);
  return sendLines(sent.lines);
}

async function inMemory(
  { server, port }: Depot,
  message: Json | string,
  as: Parameters<typeof principalOf>[0] = 'alice',
) {
  const principal = principalOf(as);
  const { send, next } = openRaw(server, principal && { principal });
  const text = typeof message === 'string' ? message : JSON.stringify(message);
  send(text.replaceAll('{port}', String(port)));
  return outcomeOfReply(await next());
}

function decision(policy: string, request: Json): Outcome {
  const { effect, rule, reason } = createPolicy(policy).evaluate(request as unknown as DecisionRequest);
  return { code: effect, text: rule ?? reason ?? '', raw: '' };
}

async function caught(run: () => unknown): Promise<Outcome> {
  try {
    return { code: 'served', text: String(await run()), raw: '' };
  } catch (error) {
    return outcomeOfError(error);
  }
}
