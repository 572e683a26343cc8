/** The sessions that one endpoint holds: begun here, or taken up from their records; let go when idle, bounded in number. */
import type { ClientCapabilities, Implementation } from '../../../protocol/generated/types/records.ts';
import type { Fields } from '../../../protocol/neutral.ts';
import type { Revision } from '../../../protocol/revision.ts';
import { type Soon, soonThen, whenThere } from '../../../store/maybe-promise.ts';
import type { OfferedRevisions } from '../../lifecycle/offered-revisions.ts';
import type { SessionMessage } from './nodes/node-bus.ts';
import { type Claim, claimOf, nextClaim, unclaimed } from './nodes/notifier-claim.ts';
import { HttpSession, type SessionHost } from './session.ts';
import type { SessionRoom } from './session-capacity.ts';
import { newSessionKey, type SessionIds, type SessionScope } from './session-ids.ts';
import { factsOf, newRecord, ready, storeFailed } from './session-record.ts';

export interface SessionBounds {
  readonly room: SessionRoom;
  readonly idleMs: number;
  readonly lifetimeMs: number;
}

/** A session on its way from its record, and what others tell of it meanwhile. */
interface Arrival {
  readonly key: string;
  readonly heard: SessionMessage[];
}

/** A session of which more is told while its record is read is taken up later. */
const maxHeard = 1000;

const unused = 'nobody has used it';

export class SessionTable {
  readonly #host: SessionHost;
  readonly #ids: SessionIds;
  readonly #offered: OfferedRevisions;
  readonly #bounds: SessionBounds;
  /** By their ids. */
  readonly #sessions = new Map<string, HttpSession>();
  /** By their keys, for what others tell; absent where there are no others. */
  readonly #byKey: Map<string, HttpSession> | undefined;
  /** Those whose records are being read. */
  readonly #arriving = new Set<Arrival>();
  /** Those whose ids are being sealed. */
  #opening = 0;
  /** Of every session that begins here. */
  readonly #firstClaim: Claim;
  #epoch: string;
  #isClosed = false;

  constructor(host: SessionHost, ids: SessionIds, offered: OfferedRevisions, bounds: SessionBounds) {
    this.#host = host;
    this.#ids = ids;
    this.#offered = offered;
    this.#bounds = bounds;
    this.#epoch = host.store.sessions.epoch;
    this.#firstClaim = nextClaim(unclaimed, this.#node);
    this.#byKey = host.neighbours && new Map();
    bounds.room.join({ count: () => this.#sessions.size + this.#opening, sweep: () => this.sweep() });
  }

  get size(): number {
    return this.#sessions.size;
  }

  each(run: (session: HttpSession) => void): void {
    for (const session of this.#sessions.values()) run(session);
  }

  /** The session of an id, if it is held here and belongs to whoever asks. */
  find(id: string, principal: string | undefined): HttpSession | undefined {
    this.#checkEpoch();
    const session = this.#sessions.get(id);
    if (session === undefined || session.principal !== principal) return undefined;
    const moment = this.#host.now();
    if (session.expires <= moment) return undefined;
    if (this.#isIdle(session, moment)) {
      this.#letGo(session, unused);
      return undefined;
    }
    session.lastUsed = moment;
    this.#keep(session, moment);
    return session;
  }

  /** Takes up a session that is not held here, if its id is good and its record is there; `full` where there is no room, or none any more. */
  async takeUp(id: string, principal: string | undefined): Promise<HttpSession | 'full' | undefined> {
    const host = this.#host;
    this.#checkEpoch();
    const opened = await this.#ids.open(id, this.#scopeOf(principal));
    if (opened === undefined) return undefined;
    const arrival: Arrival = { key: opened.key, heard: [] };
    this.#arriving.add(arrival);
    try {
      const fields = await host.store.sessions.read(opened.key);
      const facts = fields && factsOf(fields, this.#offered);
      if (facts === undefined || facts.caller.revision.id !== opened.revision) return undefined;
      // Another request may have taken it up meanwhile.
      const held = this.#sessions.get(id);
      if (held !== undefined) return held;
      if (this.#isClosed || !this.#bounds.room.isLeft()) return 'full';
      const session = new HttpSession(host, id, principal, opened.expires, claimOf(fields ?? {}));
      session.session.restore(facts);
      return this.#arrived(session, arrival);
    } finally {
      this.#arriving.delete(arrival);
    }
  }

  /** A session that was read from its record; what was told of it meanwhile may not stand there. */
  #arrived(session: HttpSession, { heard }: Arrival): HttpSession | 'full' | undefined {
    if (heard.some(({ kind }) => kind === 'ended')) return undefined;
    if (heard.length >= maxHeard) return 'full';
    this.#add(session);
    for (const message of heard) this.hear(session.key, message);
    if (session.telling.claimed === unclaimed) session.telling.claim();
    return session;
  }

  /** Makes room for a session and keeps it; `undefined` where there is none. */
  async begin(revision: Revision, params: Fields, principal: string | undefined): Promise<HttpSession | undefined> {
    if (!this.#bounds.room.isLeft()) return undefined;
    this.#opening++;
    try {
      const session = await this.#sealed(revision, params, principal);
      if (!this.#isClosed) return this.#add(session);
      await this.#host.store.sessions.revoke(session.key);
      return undefined;
    } finally {
      this.#opening--;
    }
  }

  /** A session for somebody who listens and has said no hello: it hears of changes, and nobody is told its id. */
  async beginListening(revision: Revision, principal: string | undefined): Promise<HttpSession | undefined> {
    const session = await this.begin(revision, { capabilities: {} }, principal);
    const { capabilities: declared } = this.#host.serving.registry();
    const caller = { revision, client: undefined, capabilities: {}, logLevel: 'info' } as const;
    session?.session.restore({ is: 'ready', caller, declared, subscriptions: undefined });
    return session;
  }

  /** Ends a session wherever it is held. Calls under way are answered first: what they write goes with the record. */
  end(session: HttpSession, reason: string): Soon<void> {
    const { store, neighbours } = this.#host;
    this.#letGo(session, reason);
    return soonThen(store.sessions.revoke(session.key), () => neighbours?.tell(session.key, { kind: 'ended', reason }));
  }

  /** Hears what other endpoints tell. */
  hear(key: string, message: SessionMessage): void {
    const session = this.#byKey?.get(key);
    if (session === undefined) {
      for (const arrival of this.#arriving)
        if (arrival.key === key && arrival.heard.length < maxHeard) arrival.heard.push(message);
      return;
    }
    if (message.kind !== 'ended') return session.hear(message);
    this.#letGo(session, message.reason);
    // What its calls have written on their way out is of use to nobody.
    whenThere(
      () => this.#host.store.events.drop(key),
      () => {},
      this.#failed,
    );
  }

  /** Lets go of those that nobody has used for long, and keeps the records of the others. */
  sweep(): void {
    this.#checkEpoch();
    const moment = this.#host.now();
    for (const session of this.#sessions.values()) {
      if (session.expires <= moment)
        whenThere(
          () => this.end(session, 'its time is over'),
          () => {},
          this.#failed,
        );
      else if (this.#isIdle(session, moment)) this.#letGo(session, unused);
      else this.#keep(session, moment);
    }
    whenThere(
      () => this.#host.store.sessions.sweep(),
      () => {},
      this.#failed,
    );
  }

  /** Lets go of all; their records stay. */
  letAllGo(reason: string): void {
    for (const session of this.#sessions.values()) this.#letGo(session, reason);
  }

  /** Lets go of all, for good: those that are on the way find no room. */
  close(reason: string): void {
    this.#isClosed = true;
    this.letAllGo(reason);
  }

  get #node(): string {
    return this.#host.neighbours?.node ?? '';
  }

  readonly #failed = (cause: unknown): void => this.#host.fault(storeFailed(cause));

  #scopeOf(principal: string | undefined): SessionScope {
    const { serving, store } = this.#host;
    return { server: serving.registry().info.name, principal, epoch: store.sessions.epoch };
  }

  #isIdle({ busy, lastUsed }: HttpSession, moment: number): boolean {
    return busy === 0 && lastUsed < moment - this.#bounds.idleMs;
  }

  /** Sessions whose records are lost are over. */
  #checkEpoch(): void {
    const { epoch } = this.#host.store.sessions;
    if (epoch === this.#epoch) return;
    this.#epoch = epoch;
    this.letAllGo('the store has lost it');
  }

  #letGo(session: HttpSession, reason: string): void {
    this.#byKey?.delete(session.key);
    if (this.#sessions.delete(session.id)) session.close(reason);
  }

  #add(session: HttpSession): HttpSession {
    this.#sessions.set(session.id, session);
    this.#byKey?.set(session.key, session);
    return session;
  }

  /** Keeps the record of a session that is in use, seldom: not for every call, and before it ends. */
  #keep(session: HttpSession, moment: number): void {
    const { idleMs } = this.#bounds;
    const until = (session.busy > 0 ? moment : session.lastUsed) + idleMs;
    if (until <= session.keptUntil || session.keptUntil - moment > idleMs / 2) return;
    session.keptUntil = until;
    const kept = (isThere: boolean): void => {
      if (!isThere) this.#letGo(session, 'it has ended');
    };
    whenThere(
      () => this.#host.store.sessions.update(session.key, session.session.isReady ? ready : {}, until),
      kept,
      this.#failed,
    );
  }

  /** A session with its id and its record. */
  async #sealed(revision: Revision, params: Fields, principal: string | undefined): Promise<HttpSession> {
    const host = this.#host;
    const key = newSessionKey();
    const moment = host.now();
    const expires = moment + this.#bounds.lifetimeMs;
    const id = await this.#ids.seal({ key, expires, revision: revision.id }, this.#scopeOf(principal));
    const client = params.clientInfo as Implementation;
    const { capabilities } = host.serving.registry();
    const record = newRecord(revision, client, params.capabilities as ClientCapabilities, capabilities, this.#node);
    const until = moment + this.#bounds.idleMs;
    await host.store.sessions.create(key, record, until);
    const session = new HttpSession(host, id, principal, expires, this.#firstClaim);
    session.keptUntil = until;
    return session;
  }
}
