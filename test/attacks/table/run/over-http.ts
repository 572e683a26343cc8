/** Sends the requests of a row to the server under attack over HTTP; the answer to the last is the outcome. */
import type { Authenticate } from 'tenon';
import { type Answer, type OpenResponse, open, send } from '../../../kit/http/raw-http.ts';
import type { HttpStep, Json, Kept, Who } from '../attack.ts';
import { type Outcome, outcomeOfReply } from './outcome.ts';

const people: Readonly<Record<string, { issuer: string; subject: string }>> = {
  alice: { issuer: 'https://id.test', subject: 'alice' },
  bob: { issuer: 'https://id.test', subject: 'bob' },
  mallory: { issuer: 'https://other.test', subject: 'alice' },
};

export const principalOf = (who: Who) => people[who];

/** The credential is the name: how tokens are verified is the subject of test/auth. */
export const authenticate: Authenticate = ({ header }) =>
  people[/^Bearer (\w+)$/.exec(header('authorization') ?? '')?.[1] ?? ''];

export async function sendSteps(url: string, steps: readonly HttpStep[]): Promise<Outcome> {
  const kept = new Map<string, string>();
  const opened: OpenResponse[] = [];
  try {
    for (const step of steps.slice(0, -1)) await prepare(url, step, kept, opened);
    const [target, sent] = requestOf(url, steps.at(-1) as HttpStep, kept);
    return outcomeOf(await send(target, sent));
  } finally {
    for (const response of opened) response.cut();
  }
}

async function prepare(url: string, step: HttpStep, kept: Map<string, string>, opened: OpenResponse[]): Promise<void> {
  const [target, sent] = requestOf(url, step, kept);
  if (step.leavesOpenAfter === undefined) return keep(step, kept, await send(target, sent));
  const response = await open(target, sent);
  opened.push(response);
  const events = step.leavesOpenAfter;
  await response.until(() => response.events().length >= events, 'the events of an earlier step');
  const { status, headers } = response;
  keep(step, kept, { status, headers, text: response.text(), json: {} }, response.events().at(-1)?.id);
}

function keep({ keeps = {} }: HttpStep, kept: Map<string, string>, answer: Answer, lastEvent = ''): void {
  for (const [name, from] of Object.entries(keeps)) {
    const value = valueOf(from, answer, lastEvent);
    if (value === undefined || value === '')
      throw new Error(`an earlier step has no ${name}: ${answer.status} ${answer.text}`);
    kept.set(name, value);
  }
}

function valueOf(from: Kept, { headers, json, text }: Answer, lastEvent: string): string | undefined {
  if (from === 'last event') return lastEvent;
  if ('header' in from) return headers[from.header] as string | undefined;
  if ('text' in from) return from.text.exec(text)?.[1];
  return from.json.split('.').reduce<unknown>((value, key) => (value as Json | undefined)?.[key], json) as string;
}

function requestOf(url: string, step: HttpStep, kept: ReadonlyMap<string, string>) {
  const filled = (text: string): string => text.replace(/\{(\w+)\}/g, (whole, name: string) => kept.get(name) ?? whole);
  const { as = 'alice', method = 'POST', path, headers = {}, body } = step;
  const own = as === 'anonymous' ? {} : { authorization: `Bearer ${as}` };
  const all = Object.entries({ ...own, ...headers }).map(([name, value]) => [name, value && filled(value)] as const);
  return [
    path === undefined ? url : new URL(filled(path), url).href,
    { method, headers: Object.fromEntries(all), ...(body !== undefined && { body: bodyOf(body, filled) }) },
  ] as const;
}

const bodyOf = (body: unknown, filled: (text: string) => string): string =>
  filled(typeof body === 'string' ? body : JSON.stringify(body));

function outcomeOf({ status, headers, text }: Answer): Outcome {
  const raw = `${status} ${headers['www-authenticate'] ?? ''} ${text}`;
  const data = /^data: (\{.*\})$/m.exec(text)?.[1] ?? text;
  try {
    return { status, ...outcomeOfReply(JSON.parse(data) as Json, raw) };
  } catch {
    return { status, code: status < 400 ? 'served' : 'refused', text, raw };
  }
}
