/** The sessions in memory of one endpoint: begun here, or resumed from their records; dropped when idle, limited in number. */
import type { RpcError } from '../../../jsonrpc/errors.ts';
import type { Fields } from '../../../lib/values/is.ts';
import { runInBackground } from '../../../lib/values/maybe-promise.ts';
import { listenerRevision } from '../../../protocol/dialects/founding-tasks.ts';
import { rpcError } from '../../../protocol/errors.ts';
import type { ClientCapabilities, Implementation } from '../../../protocol/generated/types/records.ts';
import type { Revision } from '../../../protocol/revision.ts';
import type { OfferedRevisions } from '../../lifecycle/offered-revisions.ts';
import { introductionBytes } from '../../lifecycle/session-bounds.ts';
import type { Holding } from '../../ports/fair-pool.ts';
import { principalRevoked } from '../../ports/link.ts';
import type { CallerShare } from '../admission/gate/caller-share.ts';
import type { Gate } from '../admission/gate/gate.ts';
import { ListeningPrincipals } from './listening-principals.ts';
import type { SessionMessage } from './nodes/node-bus.ts';
import { claimOf, type NotifierClaim, nextClaim, unclaimed } from './nodes/notifier-claim.ts';
import { hasEnded, type ResumingSession, ResumingSessions, tooManyMessages } from './nodes/resuming-sessions.ts';
import { StaleSessions } from './nodes/stale-sessions.ts';
import { HttpSession, type SessionHost } from './session.ts';
import { newSessionKey, type SessionIds, type SessionScope } from './session-ids.ts';
import { newRecord, readWithKeys, ready, sessionStateOf, storeFailed } from './session-record.ts';
import { evicted, isFresh, isIdle, UnusedSessions, unused, unusedMsOf } from './unused-sessions.ts';

export interface SessionLimits {
  readonly gate: Gate;
  readonly idleTimeoutMs: number;
  readonly maxAgeMs: number;
}

/** A client without a handshake may use what the founding documents show. */
const ofListeners: ClientCapabilities = { experimental: { tasks: {} } };

const closing = rpcError('overloaded', 'The server is shutting down', { retryAfterMs: 1000 });

export class SessionTable {
  readonly #host: SessionHost;
  readonly #ids: SessionIds;
  readonly #offered: OfferedRevisions;
  readonly #limits: SessionLimits;
  /** The sessions, by their ids. */
  readonly #sessions = new Map<string, HttpSession>();
  /** The same by their keys, for messages of other endpoints; absent without other endpoints. */
  readonly #byKey: Map<string, HttpSession> | undefined;
  readonly #resuming = new ResumingSessions();
  /** Each session in it is also in `#sessions`. */
  readonly #listening = new ListeningPrincipals();
  readonly #unused = new UnusedSessions();
  /** Sessions of principals that are being begun, by owner. */
  readonly #beginning = new Map<string, Promise<HttpSession | RpcError>>();
  readonly #stale: StaleSessions;
  /** The claim of every session that begins here. */
  readonly #firstClaim: NotifierClaim;
  /** Read with the first session: a store in memory makes it up then, and workers allow no random values before. */
  #epoch: string | undefined;
  #isClosed = false;

  constructor(host: SessionHost, ids: SessionIds, offered: OfferedRevisions, limits: SessionLimits) {
    this.#host = host;
    this.#ids = ids;
    this.#offered = offered;
    this.#limits = limits;
    this.#firstClaim = nextClaim(unclaimed, this.#node);
    this.#byKey = host.nodeBus && new Map();
    this.#stale = new StaleSessions(host, offered, (session, reason) => this.#drop(session, reason));
    limits.gate.join({ evictUnused: (callers) => this.#evictUnused(callers), sweep: () => this.sweep() });
  }

  get size(): number {
    return this.#sessions.size;
  }

  each(run: (session: HttpSession) => void): void {
    for (const session of this.#sessions.values()) run(session);
  }

  /** Whether it is in memory: it has not been dropped. */
  has(session: HttpSession): boolean {
    return this.#sessions.get(session.id) === session;
  }

  /** The session of an id, if it is in memory and belongs to the principal of this key. */
  find(id: string, owner: string | undefined): HttpSession | undefined {
    this.#checkEpoch();
    const session = this.#sessions.get(id);
    if (session === undefined || session.owner !== owner) return undefined;
    const moment = this.#host.now();
    if (session.expires <= moment) return undefined;
    if (isIdle(session, moment, this.#limits)) {
      this.#dropIdle(session);
      return undefined;
    }
    session.lastUsed = moment;
    this.#extendRecord(session, moment);
    return session;
  }

  /** Resumes a session from its record, if its id is valid and the record exists; an error if no more sessions are allowed. */
  async resume(id: string, caller: CallerShare): Promise<HttpSession | RpcError | undefined> {
    const host = this.#host;
    this.#checkEpoch();
    const opened = await this.#ids.open(id, this.#scopeOf(caller.owner));
    if (opened === undefined) return undefined;
    await host.liveness?.join();
    const resuming = this.#resuming.begin(opened.key, caller.owner);
    try {
      const [fields, isRevoked] = await Promise.all([
        readWithKeys(host.store.sessions, opened.key, host.warn),
        host.revocations?.concerns(caller.owner, opened.expires),
      ]);
      if (isRevoked === true) return void (await host.store.sessions.delete(opened.key));
      const state = fields && sessionStateOf(fields, this.#offered);
      if (state === undefined || state.caller.revision.id !== opened.revision) return undefined;
      // Another request may have resumed it meanwhile.
      const held = this.#sessions.get(id);
      if (held !== undefined) return held;
      if (hasEnded(resuming)) return undefined;
      const refused = this.#refusalFor(caller, resuming);
      if (refused !== undefined) return refused;
      const session = new HttpSession(host, id, caller, opened.expires, claimOf(fields ?? {}));
      session.session.restore(state);
      return this.#resumed(session, resuming);
    } finally {
      this.#resuming.end(resuming);
    }
  }

  /** Takes a slot for a session that is resumed, or returns why it cannot be now. */
  #refusalFor(caller: CallerShare, resuming: ResumingSession): RpcError | undefined {
    return (this.#isClosed ? closing : tooManyMessages(resuming)) ?? this.#limits.gate.takeSession(caller);
  }

  /** Adds a session that was read from its record, and applies the messages about it since. */
  #resumed(session: HttpSession, { messages }: ResumingSession): HttpSession {
    session.isUsed = true;
    session.notifier.isBehind = this.#host.nodeBus !== undefined;
    this.#add(session);
    for (const message of messages) this.onNodeMessage(session.key, message);
    if (session.notifier.claimed.node === '') session.notifier.claim();
    return session;
  }

  /** Begins a session and stores its record; an error if no more sessions are allowed. */
  async begin(revision: Revision, params: Fields, caller: CallerShare): Promise<HttpSession | RpcError> {
    const { gate } = this.#limits;
    const refused = gate.takeSession(caller);
    if (refused !== undefined) return refused;
    let session: HttpSession | undefined;
    try {
      await this.#host.liveness?.join();
      const sealed = await this.#sealed(revision, params, caller);
      const full = this.#isClosed ? closing : sealed.hold(introductionBytes(params));
      if (full === undefined) {
        session = this.#add(sealed);
        this.#unused.add(session);
        return session;
      }
      await this.#host.store.sessions.delete(sealed.key);
      return full;
    } finally {
      if (session === undefined) gate.releaseSession(caller);
    }
  }

  /** A session for a client that listens without a handshake: it is notified of changes, and its id is not sent. */
  async beginListening(revision: Revision, sender: CallerShare): Promise<HttpSession | RpcError> {
    const session = await this.begin(revision, { capabilities: ofListeners }, sender);
    if (!(session instanceof HttpSession)) return session;
    const { capabilities: declared } = this.#host.serving.registry();
    const own = listenerRevision(revision);
    const caller = { revision: own, client: undefined, capabilities: ofListeners, logLevel: 'info' } as const;
    session.session.restore({ is: 'ready', caller, declared, subscriptions: undefined });
    session.isListenerOnly = true;
    this.#listening.add(session);
    return session;
  }

  /** The session for requests of a principal that names none: the one on which it listens, or a new one. */
  async ofPrincipal(revision: Revision, caller: CallerShare): Promise<HttpSession | RpcError> {
    const { owner = '' } = caller;
    const known = this.#listening.get(owner);
    const beginning = this.#beginning.get(owner) ?? (known ? undefined : this.beginListening(revision, caller));
    if (beginning !== undefined) this.#beginning.set(owner, beginning);
    const session = known ?? (await beginning?.finally(() => this.#beginning.delete(owner)));
    if (session instanceof HttpSession) session.holdsState = true;
    return session as HttpSession | RpcError;
  }

  /** The session of the last client of a principal that listens without a handshake. */
  listening(owner: string): HttpSession | undefined {
    return this.#listening.get(owner);
  }

  /** Ends a session at all endpoints. Running calls are answered first: their events are deleted with the record. */
  async end(session: HttpSession, reason: string): Promise<void> {
    const { store, nodeBus } = this.#host;
    this.#drop(session, reason);
    await store.sessions.delete(session.key);
    nodeBus?.publish(session.key, { kind: 'ended', reason });
  }

  /** Messages of other endpoints may have been lost. */
  onMissed(): void {
    this.#stale.missed([...this.#sessions.values()]);
  }

  /** Ends the sessions of a principal; each endpoint ends those that it holds. */
  revoke(owner: string): void {
    for (const session of this.#sessions.values())
      if (session.owner === owner) runInBackground(() => this.end(session, principalRevoked), this.#storeFailed);
    this.#resuming.revoke(owner, principalRevoked);
  }

  /** Receives a message of another endpoint. */
  onNodeMessage(key: string, message: SessionMessage): void {
    const session = this.#byKey?.get(key);
    if (session === undefined) return this.#resuming.onNodeMessage(key, message);
    if (message.kind === 'updated') return this.#stale.updated(session);
    if (message.kind !== 'ended') return session.onNodeMessage(message);
    this.#drop(session, message.reason);
    // Also deletes the events of the calls that were just cancelled.
    runInBackground(() => this.#host.store.events.deleteSession(key), this.#storeFailed);
  }

  /** Drops idle sessions, and extends the records of the others. */
  sweep(): void {
    this.#checkEpoch();
    const moment = this.#host.now();
    for (const session of this.#sessions.values()) {
      if (session.expires <= moment)
        runInBackground(() => this.end(session, 'it has reached its maximum age'), this.#storeFailed);
      else if (isIdle(session, moment, this.#limits)) this.#dropIdle(session);
      else if (!isFresh(session)) this.#extendRecord(session, moment);
      if (session.isUsed) this.#unused.delete(session);
    }
    runInBackground(() => this.#host.store.sessions.deleteExpired(), this.#storeFailed);
  }

  /** Drops all sessions; their records stay. */
  #dropAll(reason: string): void {
    for (const session of this.#sessions.values()) this.#drop(session, reason);
  }

  /** Hands all sessions over to other endpoints and drops them; no more can begin or be resumed. Resolves when that is stored. */
  async close(reason: string): Promise<void> {
    this.#isClosed = true;
    const held = [...this.#sessions.values()];
    const released = held.map((session) => session.release().catch(this.#storeFailed));
    this.#dropAll(reason);
    await Promise.all([...released, ...held.map((session) => session.stored())]);
  }

  get #node(): string {
    return this.#host.nodeBus?.node ?? '';
  }

  readonly #storeFailed = (cause: unknown): void => this.#host.warn(storeFailed(cause));

  #scopeOf(principal: string | undefined): SessionScope {
    const { serving, store } = this.#host;
    return { server: serving.registry().info.name, principal, epoch: store.sessions.epoch };
  }

  #dropIdle(session: HttpSession): void {
    if (isFresh(session)) this.#evict(session, unused);
    else this.#drop(session, unused);
  }

  /** Ends the oldest unused session of these callers; false if there is none. */
  #evictUnused(callers: Holding): boolean {
    const oldest = this.#unused.oldestOf(callers);
    if (oldest !== undefined) this.#evict(oldest, evicted);
    return oldest !== undefined;
  }

  /** Its record goes too, so that a flood of sessions leaves nothing; another endpoint may be using it, so there it stays until it expires. */
  #evict(session: HttpSession, reason: string): void {
    if (this.#host.nodeBus !== undefined) return this.#drop(session, reason);
    runInBackground(() => this.end(session, reason), this.#storeFailed);
  }

  /** Drops all sessions if the store has lost their records. */
  #checkEpoch(): void {
    const { epoch } = this.#host.store.sessions;
    const known = this.#epoch;
    this.#epoch = epoch;
    if (known !== undefined && epoch !== known) this.#dropAll('the store has lost its record');
  }

  #drop(session: HttpSession, reason: string): void {
    this.#byKey?.delete(session.key);
    this.#unused.delete(session);
    this.#stale.delete(session);
    this.#listening.delete(session);
    if (!this.#sessions.delete(session.id)) return;
    this.#limits.gate.releaseSession(session.caller);
    session.close(reason);
  }

  #add(session: HttpSession): HttpSession {
    this.#epoch ??= this.#host.store.sessions.epoch;
    this.#sessions.set(session.id, session);
    this.#byKey?.set(session.key, session);
    return session;
  }

  /** Extends the record of a session in use, well before it expires and not for every call. */
  #extendRecord(session: HttpSession, moment: number): void {
    const { idleTimeoutMs } = this.#limits;
    const until = (session.busy > 0 ? moment : session.lastUsed) + idleTimeoutMs;
    if (until <= session.storedUntil || session.storedUntil - moment > idleTimeoutMs / 2) return;
    const before = session.storedUntil;
    session.storedUntil = until;
    runInBackground(
      async () => {
        const fields = session.session.isReady ? ready : {};
        const isStored = await this.#host.store.sessions.update(session.key, fields, until);
        if (!isStored) this.#drop(session, 'its record was deleted');
      },
      (cause) => {
        // The next use of the session tries again: other nodes need its record.
        session.storedUntil = before;
        this.#storeFailed(cause);
      },
    );
  }

  /** A session with its id and its record. */
  async #sealed(revision: Revision, params: Fields, caller: CallerShare): Promise<HttpSession> {
    const host = this.#host;
    const key = newSessionKey();
    const moment = host.now();
    const expires = moment + this.#limits.maxAgeMs;
    const id = await this.#ids.seal({ key, expires, revision: revision.id }, this.#scopeOf(caller.owner));
    const client = params.clientInfo as Implementation;
    const { capabilities } = host.serving.registry();
    const asked = params.capabilities as ClientCapabilities;
    // Where it is not known, the session is notified that it may have missed changes if it moves to another node.
    await host.changes?.known();
    const record = newRecord(revision, client, asked, capabilities, this.#node, host.changes?.last);
    const until = moment + unusedMsOf(this.#limits);
    await host.store.sessions.create(key, record, until);
    const session = new HttpSession(host, id, caller, expires, this.#firstClaim);
    session.storedUntil = until;
    return session;
  }
}
