/** Acts as the page of an inspector: enters by the link, calls, and collects events. */

import type { ApiAnswer, ApiCallName, ApiCalls, InspectorEvent } from '../../src/inspector/api.ts';
import { createEventReader } from '../../src/transport/sse.ts';
import { withTimeout } from '../kit/with-timeout.ts';

type Change<T extends InspectorEvent['type']> = Extract<InspectorEvent, { type: T }>;

export interface Page {
  readonly origin: string;
  readonly key: string;
  /** The result of a call. Throws its error. */
  call<Name extends ApiCallName>(name: Name, request: ApiCalls[Name]['request']): Promise<ApiCalls[Name]['result']>;
  answer<Name extends ApiCallName>(name: Name, request: unknown): Promise<ApiAnswer<ApiCalls[Name]['result']>>;
  /** The events so far. */
  readonly events: readonly InspectorEvent[];
  /** The first event of a type that holds, also of those before. */
  event<T extends InspectorEvent['type']>(type: T, holds?: (event: Change<T>) => boolean): Promise<Change<T>>;
  close(): void;
}

export async function enter(link: string, after = 0): Promise<Page> {
  const { origin, searchParams } = new URL(link);
  const { key } = await posted<'enter'>(origin, 'enter', { token: searchParams.get('token') });
  const call: Page['call'] = (name, request) => posted(origin, name, request, key);
  const events: InspectorEvent[] = [];
  const waiting = new Set<() => void>();
  const ended = new AbortController();
  const response = await post(origin, 'events', { after }, key, ended.signal);
  void (async () => {
    const reader = createEventReader({
      event({ data }) {
        events.push(JSON.parse(data));
        for (const check of waiting) check();
      },
      onWarning: () => {},
    });
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) reader.push(chunk);
  })().catch(() => {});
  return {
    origin,
    key,
    call,
    answer: async (name, request) => (await post(origin, name, request, key)).json() as never,
    events,
    event: (type, holds = () => true) =>
      withTimeout(
        new Promise((resolve) => {
          const check = (): void => {
            const found = events.find((event) => event.type === type && holds(event as never));
            if (found === undefined) return;
            waiting.delete(check);
            resolve(found as never);
          };
          waiting.add(check);
          check();
        }),
        `an event ${type}`,
      ),
    close: () => ended.abort(),
  };
}

export const post = (
  origin: string,
  name: string,
  body: unknown,
  key?: string,
  signal: AbortSignal | null = null,
): Promise<Response> =>
  fetch(`${origin}/api/${name}`, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: {
      'content-type': 'application/json',
      origin,
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
    },
    signal,
  });

async function posted<Name extends ApiCallName>(
  origin: string,
  name: Name,
  body: unknown,
  key?: string,
): Promise<ApiCalls[Name]['result']> {
  const answer = (await (await post(origin, name, body, key)).json()) as ApiAnswer<ApiCalls[Name]['result']>;
  if (answer.ok) return answer.result;
  throw Object.assign(new Error(answer.error.message), answer.error);
}
