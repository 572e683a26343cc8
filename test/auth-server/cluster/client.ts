/** A client of two nodes that die: it repeats what got no answer, refreshes, misuses and revokes, as its random numbers say. */
import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Browser } from '../../kit/auth-server/browser.ts';
import { codeRequest, type userOf } from '../../kit/auth-server/sign-in-server.ts';
import { loneCall } from '../../kit/http/messages.ts';
import { send } from '../../kit/http/raw-http.ts';
import type { HistoryEvent } from './history.ts';
import type { Nodes } from './nodes.ts';

/** So often a request is repeated: each repeat waits for a node that listens. */
const maxRepeats = 200;

export interface ClientSettings {
  /** The user at the provider. */
  readonly user: string;
  readonly client: string;
  readonly visit: ReturnType<typeof userOf>;
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
    const back = await this.#back();
    const code = back.searchParams.get('code') ?? '';
    this.#grant = short(code);
    const times = this.#settings.random() < 0.3 ? 2 : 1;
    if (times > 1) this.#record({ type: 'misused', grant: this.#grant });
    const answers = await Promise.all(Array.from({ length: times }, () => this.#exchange(back)));
    const tokens = answers.find((one) => one?.status === 200);
    // Without an answer to a code, it may have been used: a client starts again.
    if (tokens === undefined) return undefined;
    const body = JSON.parse(tokens.body) as TokenBody;
    if (times === 1) return body;
    if (answers.every((one) => one !== undefined)) await this.#expectEnd(body.refresh_token);
    return undefined;
  }

  /** Goes through the pages, each at any node. A sign-in that a kill has ended is begun again. */
  async #back(): Promise<URL> {
    const { user, client, visit } = this.#settings;
    let last: unknown;
    for (let attempt = 0; attempt < maxRepeats; attempt++) {
      const browser = new Browser();
      const atAnyNode = async <T>(step: () => Promise<T>): Promise<T> => {
        browser.base = await this.#anyNode();
        return step();
      };
      try {
        const page = await atAnyNode(() => visit.consent(browser, client));
        const { location } = await atAnyNode(() => visit.answer(browser, page));
        if (location === undefined) throw new Error(`${page.status} instead of the redirect to the provider`);
        const callback = await visit.atProvider(location, { user });
        const { location: back, status } = await atAnyNode(() => browser.follow(callback));
        if (back?.searchParams.has('code') === true) return back;
        last = `${status} at the end of a sign-in: ${back}`;
      } catch (error) {
        last = error;
      }
      await pause(20);
    }
    throw new Error(`No sign-in of ${user} in ${maxRepeats} attempts: ${last}`);
  }

  /** Sent once: a code that was sent twice ends its grant. */
  async #exchange(back: URL): Promise<Answered | undefined> {
    const form = codeRequest(back);
    const answer = await this.#send('/token', form).catch(() => undefined);
    if (answer === undefined || isBusy(answer)) return undefined;
    this.#record({ type: 'exchanged', code: short(form.code ?? ''), grant: this.#grant, ...shown(answer) });
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
    this.#record({ type: 'misused', grant: this.#grant });
    await this.#ask(`/control/revoke?subject=dev:${this.#settings.user}`);
    await this.#expectEnd(token);
    // A message needs a moment; each node must refuse it then.
    for (const which of [0, 1]) await this.#until(which, access, 401);
  }

  /** A resource server accepts an access token of any node. */
  async #verify(access: string): Promise<void> {
    const { random, seenKey } = this.#settings;
    const status = await this.#calledAt(random() < 0.5 ? 0 : 1, access);
    seenKey(JSON.parse(Buffer.from(access.split('.')[0] ?? '', 'base64url').toString()).kid);
    this.#record({ type: 'verified', grant: this.#grant, status });
  }

  async #until(which: number, access: string, status: number): Promise<void> {
    for (let round = 0; round < maxRepeats; round++) {
      if ((await this.#calledAt(which, access)) === status) return;
      await pause(100);
    }
    throw new Error(`Node ${which} never answered ${status} to an access token of ${this.#settings.user}.`);
  }

  /** Calls a tool. */
  async #calledAt(which: number, access: string): Promise<number> {
    const message = loneCall('whoami');
    const headers = { ...message.headers, authorization: `Bearer ${access}` };
    const { status } = await this.#repeated(async () =>
      send(`${await this.#settings.nodes.url(which)}/mcp`, { ...message, headers }),
    );
    return status;
  }

  #record(event: HistoryEvent): void {
    this.#settings.record(event);
  }

  /** Repeats a request, at any node, until it has an answer. */
  #ask(path: string, form?: Readonly<Record<string, string>>): Promise<Answered> {
    return this.#repeated(() => this.#send(path, form));
  }

  async #repeated<T extends { readonly status: number }>(request: () => Promise<T>): Promise<T> {
    let last: unknown;
    for (let attempt = 0; attempt < maxRepeats; attempt++) {
      try {
        const answer = await request();
        if (!isBusy(answer)) return answer;
        last = JSON.stringify(answer);
      } catch (error) {
        last = error;
      }
      await pause(50);
    }
    throw new Error(`No answer after ${maxRepeats} attempts: ${last}`);
  }

  #anyNode(): Promise<string> {
    const { nodes, random } = this.#settings;
    return nodes.url(random() < 0.5 ? 0 : 1);
  }

  async #send(path: string, form?: Readonly<Record<string, string>>): Promise<Answered> {
    const body = form && new URLSearchParams({ client_id: this.#settings.client, ...form });
    const init = { method: body ? 'POST' : 'GET', ...(body && { body }) };
    const response = await fetch(`${await this.#anyNode()}${path}`, init);
    return { status: response.status, body: await response.text() };
  }
}

/** The node cannot answer now: nothing is decided. */
const isBusy = ({ status }: { readonly status: number }): boolean => status >= 500 || status === 429;

/** A history has no tokens: their digests suffice. */
const shown = ({ status, body }: Answered) => ({ status, body: status === 200 ? short(body) : body });
