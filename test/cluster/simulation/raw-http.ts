/** HTTP as a raw client of a session uses it: one message per POST, events with their IDs, streams that are resumed. */

export type Message = Readonly<Record<string, unknown>>;

/** One event of a response: with an ID if the stream can be resumed. */
export interface ReceivedEvent {
  readonly id: string | undefined;
  readonly message: Message;
}

export interface RawResponse {
  readonly status: number;
  readonly sessionId: string | undefined;
  /** The messages of the response; throws where the connection is cut. */
  readonly events: AsyncIterable<ReceivedEvent>;
}

export interface RawEndpoint {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

export async function post({ url, headers }: RawEndpoint, message: Message): Promise<RawResponse> {
  const accept = 'application/json, text/event-stream';
  const own = { ...headers, accept, 'content-type': 'application/json' };
  return received(await fetch(url, { method: 'POST', headers: own, body: JSON.stringify(message) }));
}

/** Listens to a session, or resumes a stream after an event. */
export async function get({ url, headers }: RawEndpoint, lastEventId?: string): Promise<RawResponse> {
  const place = lastEventId === undefined ? {} : { 'last-event-id': lastEventId };
  return received(await fetch(url, { headers: { ...headers, accept: 'text/event-stream', ...place } }));
}

const received = (response: Response): RawResponse => ({
  status: response.status,
  sessionId: response.headers.get('mcp-session-id') ?? undefined,
  events: eventsOf(response),
});

async function* eventsOf(response: Response): AsyncGenerator<ReceivedEvent> {
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  let text = '';
  for await (const part of textsOf(response)) {
    text += part;
    if (!isStream) continue;
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const event = readBlock(block);
      if (event !== undefined) yield event;
    }
  }
  if (!isStream && response.ok && text !== '') yield { id: undefined, message: JSON.parse(text) as Message };
}

async function* textsOf({ body }: Response): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  const reader = body?.getReader();
  for (let part = await reader?.read(); part?.done === false; part = await reader?.read())
    yield decoder.decode(part.value, { stream: true });
}

/** An event with an ID and no data marks the place only. */
function readBlock(block: string): ReceivedEvent | undefined {
  const field = (name: string): string | undefined =>
    block
      .split('\n')
      .find((line) => line.startsWith(`${name}:`))
      ?.slice(name.length + 1)
      .trim();
  const data = field('data') ?? '';
  const id = field('id');
  if (data === '' && id === undefined) return undefined;
  return { id, message: data === '' ? {} : (JSON.parse(data) as Message) };
}
