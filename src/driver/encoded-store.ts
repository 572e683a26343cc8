/** Parts of a store whose private values go through a codec. Times and counts stay as they are. */

import { mapped } from '../lib/values/maybe-promise.ts';
import type { Codec, Path } from '../store/codec.ts';
import type { LimitStore } from '../store/limits/limit-store.ts';
import type { MessageBus } from '../store/nodes/message-bus.ts';
import type { OnceStore } from '../store/once/once-store.ts';
import type { RecordFields, SessionStore } from '../store/session-store.ts';

/** Fields have names with URIs in them, so an encrypted value has its name with it. */
export function encodedSessions(sessions: SessionStore, codec: Codec): SessionStore {
  const pathOf = (key: string, name: string): Path => ['session field', key, name];

  function stored(key: string, [name, value]: readonly [string, string | undefined]): [string, string | undefined] {
    const hidden = codec.name(pathOf(key, name));
    if (value === undefined) return [hidden, undefined];
    return [hidden, codec.seal(pathOf(key, hidden), codec.hidesNames ? JSON.stringify([name, value]) : value)];
  }

  function read(key: string, [hidden, value]: readonly [string, string]): [string, string] {
    const text = codec.open(pathOf(key, hidden), value);
    return codec.hidesNames ? (JSON.parse(text) as [string, string]) : [hidden, text];
  }

  const encode = (key: string, fields: Readonly<Record<string, string | undefined>>) =>
    Object.fromEntries(Object.entries(fields).map((field) => stored(key, field)));

  return {
    get epoch() {
      return sessions.epoch;
    },
    create: (key, fields, expires) => sessions.create(key, encode(key, fields) as RecordFields, expires),
    read: (key) =>
      mapped(
        sessions.read(key),
        (fields) => fields && Object.fromEntries(Object.entries(fields).map((field) => read(key, field))),
      ),
    update: (key, fields, expires) => sessions.update(key, encode(key, fields), expires),
    delete: (key) => sessions.delete(key),
    deleteExpired: () => sessions.deleteExpired(),
  };
}

/** A message that cannot be read is reported, and counts as lost: messages are hints. */
export function encodedBus(bus: MessageBus, codec: Codec, onError: (cause: unknown) => void): MessageBus {
  const pathOf = (topic: string): Path => ['message', topic];
  function opened(topic: string, message: string): string | undefined {
    try {
      return codec.open(pathOf(topic), message);
    } catch (error) {
      onError(error);
      return undefined;
    }
  }
  return {
    publish: (topic, message) => bus.publish(topic, codec.seal(pathOf(topic), message)),
    subscribe: (topic, onMessage, onMissed) =>
      bus.subscribe(
        topic,
        (message) => {
          const text = opened(topic, message);
          if (text === undefined) onMissed?.();
          else onMessage(text);
        },
        onMissed,
      ),
  };
}

/** Owners and keys have principals and texts of clients in them. Drivers encode results themselves: their limits are those of the text. */
export function encodedOnce(once: OnceStore, codec: Codec): OnceStore {
  if (!codec.hidesNames) return once;
  /** Keys without an owner are counted apart. */
  const ownerOf = (owner: string): string => (owner === '' ? '' : codec.name(['owner', owner]));
  const keyOf = (owner: string, key: string): string => codec.name(['run', owner, key]);
  return {
    burn: (key, expiresAt, owner = '') => once.burn(codec.name(['key', key]), expiresAt, ownerOf(owner)),
    begin: (owner, key, run) =>
      once.begin(ownerOf(owner), keyOf(owner, key), { ...run, digest: codec.name(['digest', run.digest]) }),
    end: (owner, key, holder, text) => once.end(ownerOf(owner), keyOf(owner, key), holder, text),
    release: (owner, key, holder) => once.release(ownerOf(owner), keyOf(owner, key), holder),
    renew: (owner, key, holder, leaseMs) => once.renew(ownerOf(owner), keyOf(owner, key), holder, leaseMs),
  };
}

/** The keys of limits have principals and addresses in them. */
export function encodedLimits(limits: LimitStore, codec: Codec): LimitStore {
  if (!codec.hidesNames) return limits;
  const hidden = <T extends { readonly key: string }>(one: T): T => ({ ...one, key: codec.name(['limit', one.key]) });
  const hiddenLease = <T extends { readonly slots: readonly { readonly key: string }[] }>(lease: T): T => ({
    ...lease,
    slots: lease.slots.map(hidden),
  });
  return {
    take(tokens, lease, leaseMs) {
      const claims = tokens.map(hidden);
      const held = lease && hiddenLease(lease);
      return mapped(limits.take(claims, held, leaseMs), (answer) => {
        if (answer.allowed) return answer;
        const stored = [...claims, ...(held?.slots ?? [])].findIndex(({ key }) => key === answer.key);
        const asked = [...tokens, ...(lease?.slots ?? [])][stored];
        return { ...answer, key: asked?.key ?? answer.key };
      });
    },
    renew: (leases, leaseMs) => limits.renew(leases.map(hiddenLease), leaseMs),
    release: (lease) => limits.release(hiddenLease(lease)),
  };
}
