/** The backend over HTTP: `POST /api/NAME` with the key of this tab, and one stream of events. */
import type { ApiAnswer, InspectorEvent } from '../../../../src/inspector/api.ts';
import { CallFailure } from './call.ts';
import { eventReader } from './event-stream.ts';
import { tabKey } from './key.ts';
import type { ApiPort } from './port.ts';

export const httpPort: ApiPort = {
  needsKey: true,
  async send(name, request) {
    const response = await post(name, request);
    try {
      return (await response.json()) as ApiAnswer<unknown>;
    } catch {
      const message = `The inspector answered with status ${response.status} and no JSON.`;
      return { ok: false, error: { code: 'invalid-answer', message } };
    }
  },
  async *events(after, signal, onOpen) {
    const response = await post('events', { after }, signal);
    if (!response.ok || response.body === null) {
      const answer = (await response.json()) as ApiAnswer<never>;
      throw answer.ok ? new Error('The event stream has no body.') : new CallFailure(answer.error);
    }
    onOpen();
    const read = eventReader();
    for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
      const events = read(chunk).map((data) => JSON.parse(data) as InspectorEvent);
      if (events.length > 0) yield events;
    }
  },
};

async function post(name: string, body: unknown, signal?: AbortSignal): Promise<Response> {
  const key = tabKey();
  const headers = { 'content-type': 'application/json', ...(key !== undefined && { authorization: `Bearer ${key}` }) };
  try {
    const init: RequestInit = { method: 'POST', headers, body: JSON.stringify(body), ...(signal && { signal }) };
    return await fetch(`/api/${name}`, init);
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new CallFailure({
      code: 'backend-unreachable',
      message: 'The inspector does not answer.',
      hint: 'Check whether its process still runs. This page connects again by itself.',
    });
  }
}
