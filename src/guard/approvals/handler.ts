/** `toApprovalHandler()`: where approvers read and decide, as pages without script and as an API. It authenticates every request. */
import { errorPage, pageHeaders } from '../../auth-pages/index.ts';
import { messageWithoutHint, TenonError } from '../../lib/errors/tenon-error.ts';
import { isFunction, wrong } from '../../lib/options/option-rules.ts';
import { isRecord } from '../../lib/values/is.ts';
import type { MaybePromise } from '../../lib/values/maybe-promise.ts';
import { isApprovalId, typedId } from './approval.ts';
import { listView, viewOf } from './approval-view.ts';
import type { Approvals, Approver } from './approvals.ts';

/** The options of `toApprovalHandler()`. */
export interface ApprovalHandlerOptions {
  /**
   * Who sends a request: a name, or `{ issuer, subject, scopes, roles }`; nothing if that is not known, which is 401. A
   * response is sent as it is, such as one that leads to a sign-in.
   */
  readonly authenticate: (request: Request) => MaybePromise<Approver | Response | undefined>;
  /** The path of the list; an approval has its ID behind it. Default `/approvals`. */
  readonly path?: string;
}

/**
 * Bytes of the body of a decision.
 * @limit guard
 * @beyond 413
 */
export const maxDecisionBytes = 8192;

/** A refusal: its status, and what a person reads. */
class Refusal extends Error {
  readonly status: number;
  readonly code: string;
  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

const statuses: Readonly<Record<string, number>> = {
  'approval-not-found': 404,
  'approval-decided': 409,
  'permission-denied': 403,
  'invalid-argument': 400,
  'audit-unavailable': 503,
};

/** What one request is about. */
interface Asked {
  readonly request: Request;
  readonly path: string;
  /** The ID of the path; absent for the list. */
  readonly id: string | undefined;
  readonly isJson: boolean;
}

/**
 * Serves approvals to those who decide: `GET` of the path lists what waits for them, of an ID behind it shows one call;
 * `POST` decides, by the form of the page or as JSON `{ "decision": "approve", "reason": "…" }`. A link is no permission.
 *
 * ```ts
 * const handler = toApprovalHandler(guarded.approvals, { authenticate: (request) => userOf(request) });
 * ```
 */
export function toApprovalHandler(
  approvals: Approvals,
  options: ApprovalHandlerOptions,
): (request: Request) => Promise<Response> {
  const { authenticate, path = '/approvals' } = options ?? {};
  if (!isFunction(authenticate)) throw wrong('toApprovalHandler()', 'authenticate', 'be a function');
  if (!/^\/[^?#]*[^/?#]$/.test(path)) throw wrong('toApprovalHandler()', 'path', "be a path such as '/approvals'");
  return async (request) => {
    const asked = readRequest(request, path);
    try {
      const by = await authenticate(request);
      if (by instanceof Response) return by;
      if (by === undefined) throw new Refusal(401, 'unauthorized', 'Sign in first.');
      return await answer(approvals, asked, by);
    } catch (error) {
      return refused(asked, error);
    }
  };
}

function readRequest(request: Request, path: string): Asked {
  const { pathname } = new URL(request.url);
  const rest = pathname.startsWith(`${path}/`) ? pathname.slice(path.length + 1) : undefined;
  const accepted = request.headers.get('accept') ?? '';
  const isJson = isJsonBody(request) || (accepted.includes('application/json') && !accepted.includes('text/html'));
  return { request, path, id: pathname === path ? undefined : (rest ?? ''), isJson };
}

async function answer(approvals: Approvals, asked: Asked, by: Approver): Promise<Response> {
  const { request, id } = asked;
  if (id !== undefined && !isApprovalId(typedId(id)))
    throw new Refusal(404, 'approval-not-found', 'There is no such page.');
  if (request.method === 'GET')
    return id === undefined ? showList(approvals, asked, by) : showOne(approvals, asked, id, by);
  if (request.method !== 'POST' || id === undefined)
    throw new Refusal(405, 'method-not-allowed', 'Use GET, or POST a decision.');
  if (!isSameOrigin(request))
    throw new Refusal(403, 'other-origin', 'The form was sent by another site. Nothing was decided.');
  const { decision, reason } = await readDecision(request);
  const decided = await approvals.decide(id, decision, by, reason);
  if (asked.isJson) return json(200, { approval: decided });
  return new Response(undefined, {
    status: 303,
    headers: { location: `${asked.path}/${decided.id}`, 'cache-control': 'no-store' },
  });
}

async function showList(approvals: Approvals, { isJson, path }: Asked, by: Approver): Promise<Response> {
  const waiting = await approvals.list(by);
  if (isJson) return json(200, { approvals: waiting });
  return html(200, listView(waiting, path, by));
}

async function showOne(approvals: Approvals, { isJson, path }: Asked, id: string, by: Approver): Promise<Response> {
  const approval = await approvals.get(id, by);
  return isJson ? json(200, { approval }) : html(200, viewOf(approval, path, by));
}

/**
 * A page of another site can send a form, and JSON only where a preflight allows it, which none does. Old browsers
 * without `Sec-Fetch-Site` send `Origin`.
 */
function isSameOrigin(request: Request): boolean {
  const { headers } = request;
  const site = headers.get('sec-fetch-site');
  if (site !== null) return site === 'same-origin';
  const origin = headers.get('origin');
  if (origin === null) return isJsonBody(request);
  // A proxy may have changed the scheme.
  return URL.canParse(origin) && new URL(origin).host === (headers.get('host') ?? new URL(request.url).host);
}

const isJsonBody = (request: Request): boolean =>
  /^application\/json\b/i.test(request.headers.get('content-type') ?? '');

async function readDecision(request: Request): Promise<{ decision: 'approve' | 'deny'; reason: string | undefined }> {
  const text = await readBody(request);
  const given: unknown = isJsonBody(request) ? parsed(text) : Object.fromEntries(new URLSearchParams(text));
  if (!isRecord(given) || (given.decision !== 'approve' && given.decision !== 'deny'))
    throw new Refusal(400, 'invalid-argument', 'The decision must be approve or deny.');
  const { decision, reason } = given;
  if (reason !== undefined && typeof reason !== 'string')
    throw new Refusal(400, 'invalid-argument', 'The reason must be a text.');
  return { decision, reason: reason === '' ? undefined : reason };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function readBody(request: Request): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of (request.body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.byteLength;
    if (bytes > maxDecisionBytes) throw new Refusal(413, 'message-too-large', 'The body is too large.');
    chunks.push(chunk);
  }
  const whole = new Uint8Array(bytes);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.byteLength;
  }
  return new TextDecoder().decode(whole);
}

/** Errors of approvals are for their reader; others are not known here. */
function refused({ isJson, path }: Asked, error: unknown): Response {
  const { status, code, message } = error instanceof Refusal ? error : known(error);
  if (isJson) return json(status, { error: { code, message } });
  return html(
    status,
    errorPage({
      text: message,
      back: path,
      texts: { errorTitle: titles[status] ?? 'This did not work', back: 'All approvals' },
    }),
  );
}

const titles: Readonly<Record<number, string>> = {
  401: 'Sign in',
  404: 'Not found',
  409: 'Decided before',
  403: 'Not allowed',
};

function known(error: unknown): Pick<Refusal, 'status' | 'code' | 'message'> {
  if (!(error instanceof TenonError)) throw error;
  const { code } = error;
  const status = statuses[code] ?? (code.startsWith('store-') ? 503 : undefined);
  if (status === undefined) throw error;
  return { status, code, message: messageWithoutHint(error) };
}

const safe: Readonly<Record<string, string>> = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };

const json = (status: number, body: object): Response =>
  new Response(JSON.stringify(body), {
    status,
    headers: { ...safe, 'content-type': 'application/json; charset=utf-8' },
  });

const html = (status: number, body: string): Response =>
  new Response(body, {
    status,
    headers: {
      ...pageHeaders,
      // Unlike a sign-in, this form leads nowhere else.
      'content-security-policy': `${pageHeaders['content-security-policy']}; form-action 'self'`,
    },
  });
