/** The transport of exchanges: each request is a POST with all its context, and closing it cancels the request. */
import { IdTable } from '../../jsonrpc/id-table.ts';
import type { Message, RequestId } from '../../jsonrpc/message.ts';
import { isRecord } from '../../lib/values/is.ts';
import { defaultNumbers } from '../../protocol/errors.ts';
import type { Revision } from '../../protocol/revision.ts';
import { MirroredHeaders } from './mirrored-headers.ts';
import { rpcErrorIn } from './port/body.ts';
import { statusFailure, tooManyStreams } from './port/failures.ts';
import type { HttpHeaders } from './port/port.ts';
import { Post, type PostPorts } from './post.ts';
import { readToolPage, type ToolPage } from './tool-lists.ts';
import { lookUpTool } from './tool-lookup.ts';
import { type HttpContext, type HttpTransport, withUserHeaders } from './transport.ts';

const listen = 'subscriptions/listen';

export class ExchangeTransport implements HttpTransport, PostPorts {
  readonly #context: HttpContext;
  readonly #mirroredHeaders = new MirroredHeaders();
  readonly #pending = new IdTable<Post>();
  /** Look-ups of tools for calls that wait to be sent again; each is stopped with its call. */
  readonly #lookUps = new Map<RequestId, () => void>();
  #revision: Revision;
  #streams = 0;

  constructor(context: HttpContext, revision: Revision) {
    this.#context = context;
    this.#revision = revision;
  }

  setRevision(revision: Revision): void {
    this.#revision = revision;
  }

  send(frame: string, message: Message | undefined): void {
    // Answers are not sent: the server requests input in its results.
    if (message === undefined || !('method' in message)) return;
    const isListening = message.method === listen;
    if (isListening && this.#streams >= this.#context.maxStreams) throw tooManyStreams(this.#context.maxStreams);
    if (isListening) this.#streams++;
    this.#post(new Post(this.#context, this, frame, message));
  }

  #post(post: Post): void {
    if (post.id !== undefined) this.#pending.set(post.id, post);
    post.start();
  }

  headers({ method, message }: Post): Record<string, string> {
    const headers: Record<string, string> = { 'mcp-protocol-version': this.#revision.id };
    this.#mirroredHeaders.write(headers, method, message?.params);
    return withUserHeaders(this.#context, headers);
  }

  read({ method }: Post, text: string): string {
    return method === 'tools/list' ? this.#readTools(text).text : text;
  }

  #readTools(text: string): ToolPage {
    return readToolPage(text, this.#mirroredHeaders, (error) => this.#context.warn(error));
  }

  refused(post: Post, status: number, headers: HttpHeaders, body: string): boolean {
    if (!wantsSession(status, body)) return this.#retriesWithToolHeaders(post, status, headers, body);
    this.finished(post);
    post.fail(statusFailure(post.address, status, headers, body));
    return true;
  }

  /** A call that was rejected for its headers is sent again, once its tool is known. It was not executed. */
  #retriesWithToolHeaders(post: Post, status: number, headers: HttpHeaders, body: string): boolean {
    const { id, method, message, isRepeated } = post;
    const params = message?.params;
    if (method !== 'tools/call' || id === undefined || isRepeated || !isRecord(params)) return false;
    if (rpcErrorIn(body)?.code !== mismatch(this.#revision)) return false;
    const before = JSON.stringify(this.headers(post));
    const stop = lookUpTool(this.#context, String(params.name), params._meta, {
      headers: (lookup) => this.headers(lookup),
      read: (text) => this.#readTools(text),
      done: (found) => {
        this.#lookUps.delete(id);
        if (!this.#pending.has(id)) return;
        const again = post.repeated();
        if (found && JSON.stringify(this.headers(post)) !== before) return this.#post(again);
        this.finished(post);
        post.refuse(status, headers, body);
      },
    });
    this.#lookUps.set(id, stop);
    return true;
  }

  finished({ id, method }: Post): void {
    if (id !== undefined) this.#pending.delete(id);
    if (method === listen) this.#streams--;
  }

  abandon(id: RequestId): boolean {
    const post = this.#pending.get(id);
    if (post !== undefined) {
      post.abort();
      this.#lookUps.get(id)?.();
      this.#lookUps.delete(id);
      this.finished(post);
    }
    return true;
  }

  async close(): Promise<void> {
    for (const id of this.#pending.ids()) this.abandon(id);
  }
}

/** Servers of sessions reject a request without a session with such an error, which has no id. */
const wantsSession = (status: number, body: string): boolean =>
  (status === 400 || status === 404) && rpcErrorIn(body)?.code === -32000 && /"id"\s*:\s*null/.test(body);

const mismatch = ({ errorNumbers }: Revision): number =>
  errorNumbers['header-mismatch'] ?? defaultNumbers['header-mismatch'];
