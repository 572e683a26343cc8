/** Where every request stands alone: each is a POST that says all about itself, and leaving it is giving it up. */
import { IdTable } from '../../jsonrpc/id-table.ts';
import type { Message, RequestId } from '../../jsonrpc/message.ts';
import { defaultNumbers } from '../../protocol/errors.ts';
import { isRecord } from '../../protocol/model/primitives.ts';
import type { Revision } from '../../protocol/revision.ts';
import { rpcErrorIn } from './port/body.ts';
import { statusFailure, tooManyStreams } from './port/failures.ts';
import type { HttpHeaders } from './port/port.ts';
import { Posting, type PostingPorts } from './post.ts';
import { Mirrors } from './tool-headers/mirrored-headers.ts';
import { readToolPage, type ToolPage } from './tool-headers/tool-lists.ts';
import { lookUpTool } from './tool-headers/tool-lookup.ts';
import { type HttpLine, type Road, withOwn } from './transport.ts';

const listen = 'subscriptions/listen';

export class ExchangeRoad implements Road, PostingPorts {
  readonly #line: HttpLine;
  readonly #mirrors = new Mirrors();
  readonly #underWay = new IdTable<Posting>();
  #revision: Revision;
  #streams = 0;

  constructor(line: HttpLine, revision: Revision) {
    this.#line = line;
    this.#revision = revision;
  }

  speak(revision: Revision): void {
    this.#revision = revision;
  }

  send(frame: string, message: Message | undefined): void {
    // An answer has nobody to go to: a server asks in its results.
    if (message === undefined || !('method' in message)) return;
    const isListening = message.method === listen;
    if (isListening && this.#streams >= this.#line.maxStreams) throw tooManyStreams(this.#line.maxStreams);
    if (isListening) this.#streams++;
    this.#post(new Posting(this.#line, this, frame, message));
  }

  #post(posting: Posting): void {
    if (posting.id !== undefined) this.#underWay.set(posting.id, posting);
    posting.start();
  }

  headers({ method, message }: Posting): Record<string, string> {
    const headers: Record<string, string> = { 'mcp-protocol-version': this.#revision.id };
    this.#mirrors.write(headers, method, message?.params);
    return withOwn(this.#line, headers);
  }

  read({ method }: Posting, text: string): string {
    return method === 'tools/list' ? this.#readTools(text).text : text;
  }

  #readTools(text: string): ToolPage {
    return readToolPage(text, this.#mirrors, (error) => this.#line.fault(error));
  }

  refused(posting: Posting, status: number, headers: HttpHeaders, body: string): boolean {
    if (!isOfSessions(status, body)) return this.#corrects(posting, status, headers, body);
    this.over(posting);
    posting.giveUp(statusFailure(posting.address, status, headers, body));
    return true;
  }

  /** A call whose headers were not as the tool wants them is made again, once its tool is known. It has not run. */
  #corrects(posting: Posting, status: number, headers: HttpHeaders, body: string): boolean {
    const { id, method, message, isRepeated } = posting;
    const params = message?.params;
    if (method !== 'tools/call' || id === undefined || isRepeated || !isRecord(params)) return false;
    if (rpcErrorIn(body)?.code !== mismatch(this.#revision)) return false;
    const before = JSON.stringify(this.headers(posting));
    lookUpTool(this.#line, String(params.name), params._meta, {
      headers: (asked) => this.headers(asked),
      read: (text) => this.#readTools(text),
      done: (found) => {
        if (!this.#underWay.has(id)) return;
        const again = posting.repeated();
        if (found && JSON.stringify(this.headers(posting)) !== before) return this.#post(again);
        this.over(posting);
        posting.refuse(status, headers, body);
      },
    });
    return true;
  }

  over({ id, method }: Posting): void {
    if (id !== undefined) this.#underWay.delete(id);
    if (method === listen) this.#streams--;
  }

  abandon(id: RequestId): boolean {
    const posting = this.#underWay.get(id);
    if (posting !== undefined) {
      posting.abort();
      this.over(posting);
    }
    return true;
  }

  async end(): Promise<void> {
    for (const id of this.#underWay.ids()) this.abandon(id);
  }
}

/** By such an error, which names no request, servers say that they want a session: they do not know exchanges. */
const isOfSessions = (status: number, body: string): boolean =>
  (status === 400 || status === 404) && rpcErrorIn(body)?.code === -32000 && /"id"\s*:\s*null/.test(body);

const mismatch = ({ errorNumbers }: Revision): number =>
  errorNumbers['header-mismatch'] ?? defaultNumbers['header-mismatch'];
