/** A client of two nodes that die: it repeats what got no answer, refreshes, misuses and revokes, as its random numbers say. */
import { createHash } from 'node:crypto';
import type { IssuedCode } from '../../kit/auth/engine-node.ts';
import { clientId, redirectUri } from '../../kit/auth/engine-node.ts';
import type { HistoryEvent } from './history.ts';
import type { Nodes } from './nodes.ts';

/** So often a request is repeated: each repeat waits for a node that listens. */
const maxRepeats = 200;

export interface ClientSettings {
  readonly subject: string;
  readonly random: () => number;
  readonly nodes: Nodes;
  readonly record: (event: HistoryEvent) => void;
  /** Signing keys that were seen. */
  readonly seenKey: (kid: string) => void;
}

interface TokenBody {
  readonly access_token: string;
  readonly refresh_token: string;
}

interface Answered {
  readonly status: number;
  readonly body: string;
}

/** Signs in and uses its tokens until `isOver`. */
export async function runClient(settings: ClientSettings, isOver: () => boolean): Promise<void> {
  while (!isOver()) await new ClientRun(settings).run(isOver);
}

const short = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 8);

/** One grant, from its code to its end. */
class ClientRun {
  readonly #settings: ClientSettings;
  #grant = '';

  constructor(settings: ClientSettings) {
    this.#settings = settings;
  }

  async run(isOver: () => boolean): Promise<void> {
    const tokens = await this.#signIn();
    if (tokens === undefined) return;
    let current = tokens;
    for (let step = 0; step < 12; step++) {
      // A run ends between two steps, never before what a misuse leads to is known.
      if (isOver()) return;
      const chance = this.#settings.random();
      if (chance < 0.08) return this.#misuse(current);
      if (chance < 0.16) return this.#revoke(current);
      const next = await this.#refresh(current.refresh_token, chance < 0.5 ? 1 : 3);
      if (next === undefined) return;
      if (chance > 0.8) await this.#refresh(current.refresh_token, 1);
      current = next;
      await this.#verify(current.access_token);
    }
  }

  async #signIn(): Promise<TokenBody | undefined> {
    const { subject, random } = this.#settings;
    const answer = await this.#ask(`/control/issue?subject=${subject}`);
    const code = JSON.parse(answer.body) as IssuedCode;
    this.#grant = short(code.grantId);
    const times = random() < 0.3 ? 2 : 1;
    if (times > 1) this.#record({ type: 'misused', grant: this.#grant });
    const answers = await Promise.all(Array.from({ length: times }, () => this.#exchange(code)));
    const tokens = answers.find((one) => one?.status === 200);
    // Without an answer to a code, it may have been used: a client starts again.
    if (tokens === undefined) return undefined;
    const body = JSON.parse(tokens.body) as TokenBody;
    if (times === 1) return body;
    if (answers.every((one) => one !== undefined)) await this.#expectEnd(body.refresh_token);
    return undefined;
  }

  /** Sent once: a code that was sent twice ends its grant. */
  async #exchange({ code, verifier }: IssuedCode): Promise<Answered | undefined> {
    const form = { grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: redirectUri };
    const answer = await this.#send('/token', form).catch(() => undefined);
    if (answer !== undefined && answer.status < 500)
      this.#record({ type: 'exchanged', code: short(code), grant: this.#grant, ...shown(answer) });
    return answer;
  }

  /** Sends identical requests at once, each until it has an answer. */
  async #refresh(token: string, times: number): Promise<TokenBody | undefined> {
    const answers = await Promise.all(Array.from({ length: times }, () => this.#refreshWith(token)));
    const done = answers.find(({ status }) => status === 200);
    return done && (JSON.parse(done.body) as TokenBody);
  }

  async #refreshWith(token: string, scope?: string): Promise<Answered> {
    const form = { grant_type: 'refresh_token', refresh_token: token, ...(scope !== undefined && { scope }) };
    const answer = await this.#ask('/token', form);
    const request = scope ?? 'plain';
    this.#record({ type: 'refreshed', token: short(token), request, grant: this.#grant, ...shown(answer) });
    return answer;
  }

  /** Two different requests with one token: a thief and the client. */
  async #misuse({ refresh_token: token }: TokenBody): Promise<void> {
    this.#record({ type: 'misused', grant: this.#grant });
    const answers = await Promise.all([this.#refreshWith(token), this.#refreshWith(token, 'files:read')]);
    const done = answers.find(({ status }) => status === 200);
    if (done !== undefined) await this.#expectEnd((JSON.parse(done.body) as TokenBody).refresh_token);
  }

  /** Both nodes must refuse what the grant gave. */
  async #expectEnd(token: string): Promise<void> {
    this.#record({ type: 'ended', grant: this.#grant });
    await this.#refreshWith(token);
  }

  async #revoke({ access_token: access, refresh_token: token }: TokenBody): Promise<void> {
    const { subject } = this.#settings;
    this.#record({ type: 'misused', grant: this.#grant });
    const answer = await this.#ask(`/control/revoke?subject=${subject}`);
    if (answer.body !== 'true') throw new Error(`The account of ${subject} was not found: ${answer.body}`);
    await this.#expectEnd(token);
    // A message needs a moment; each node must refuse it then.
    for (const which of [0, 1]) await this.#until(which, access, 401);
  }

  async #verify(access: string): Promise<void> {
    const first = await this.#verifiedAt(this.#settings.random() < 0.5 ? 0 : 1, access);
    // A node that has just started has the keys already; one that was late reads them in a moment.
    if (first.status !== 200) await this.#until(0, access, 200);
    const { kid, why } = JSON.parse(first.body) as { readonly kid?: string; readonly why?: string };
    if (kid !== undefined) this.#settings.seenKey(kid);
    const facts = { grant: this.#grant, status: first.status };
    this.#record({ type: 'verified', ...facts, ...(why !== undefined && { why }) });
  }

  async #until(which: number, access: string, status: number): Promise<void> {
    for (let round = 0; round < maxRepeats; round++) {
      const answer = await this.#verifiedAt(which, access);
      if (answer.status === status) return;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    throw new Error(`Node ${which} never answered ${status} for an access token of ${this.#settings.subject}.`);
  }

  #verifiedAt = (which: number, access: string): Promise<Answered> =>
    this.#ask(`/control/verify?token=${access}`, undefined, which);

  #record(event: HistoryEvent): void {
    this.#settings.record(event);
  }

  /** Repeats a request, at any node, until it has an answer. */
  async #ask(path: string, form?: Readonly<Record<string, string>>, which?: number): Promise<Answered> {
    let last: unknown;
    for (let attempt = 0; attempt < maxRepeats; attempt++) {
      try {
        const answer = await this.#send(path, form, which);
        if (answer.status < 500) return answer;
        last = answer.body;
      } catch (error) {
        last = error;
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    throw new Error(`No answer to ${path.split('?')[0]} after ${maxRepeats} attempts: ${last}`);
  }

  async #send(path: string, form?: Readonly<Record<string, string>>, which?: number): Promise<Answered> {
    const { nodes, random } = this.#settings;
    const url = await nodes.url(which ?? (random() < 0.5 ? 0 : 1));
    const body = form && new URLSearchParams({ client_id: clientId, ...form });
    const response = await fetch(`${url}${path}`, { method: body ? 'POST' : 'GET', ...(body && { body }) });
    return { status: response.status, body: await response.text() };
  }
}

/** A history has no tokens: their digests suffice. */
const shown = ({ status, body }: Answered) => ({ status, body: status === 200 ? short(body) : body });
